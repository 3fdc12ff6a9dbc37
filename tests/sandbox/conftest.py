import os

import pytest

from benchwright.sandbox.namespace import NamespaceProvider

ORDINARY_USER = 65534


@pytest.fixture(scope="module", params=["root", "user"])
def user(request):
    """Who builds namespace sandboxes: root, or an ordinary user whom a runner that is root names."""
    if os.geteuid() == 0:
        return None if request.param == "root" else ORDINARY_USER
    if request.param == "root":
        pytest.skip("only root can")
    return None


@pytest.fixture(scope="module")
def provider(user):
    """Namespaces, as root and as an ordinary user."""
    with NamespaceProvider(user=user) as provider:
        yield provider
