import tempfile
from pathlib import Path

import pytest
from tests.leaderboard.given import PostgreSQL, board_suite


@pytest.fixture(scope="package")
def suite(tmp_path_factory):
    return board_suite(tmp_path_factory.mktemp("suite") / "suite")


@pytest.fixture(scope="package")
def postgresql():
    """A PostgreSQL server, in a folder that an unprivileged user can reach."""
    with tempfile.TemporaryDirectory(prefix="board-") as folder:
        server = PostgreSQL(Path(folder))
        if server.programs is None:
            pytest.skip("needs PostgreSQL, which is not installed")
        server.start()
        yield server
        server.stop()
