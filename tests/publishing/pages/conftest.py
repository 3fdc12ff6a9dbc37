import pytest
from tests.publishing.pages.given import small_run, small_suite


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    return small_suite(tmp_path_factory.mktemp("suite") / "suite")


@pytest.fixture
def make_run(suite, tmp_path):
    """Makes a run folder over the suite."""
    return lambda *attempts, **values: small_run(suite, tmp_path / "run", *attempts, **values)
