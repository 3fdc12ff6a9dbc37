import pytest
from tests.publishing.pages.given import small_suite


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    return small_suite(tmp_path_factory.mktemp("suite") / "suite")
