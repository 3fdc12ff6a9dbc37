import time

import anyio
import pytest

from benchwright.live.progress import Progress, progress_on
from benchwright.live.prompts import Prompts
from benchwright.live.session import Budget, Session
from benchwright.run import RunFolder
from benchwright.run.records import Key

from .conftest import spec_for


@pytest.mark.parametrize(
    ("payments", "said"),
    [
        ((), "no tokens"),
        (((1000, 0.5),), "$0.50"),
        (((1000, 0.0),), "$0.00"),
        (((1000, None),), "1,000 tokens of unknown price"),
        (((1000, 0.5), (2000, None)), "$0.50 + 2,000 tokens of unknown price"),
    ],
)
def test_a_spend_of_unknown_price_is_not_called_nothing(session, payments, said):
    for tokens, usd in payments:
        session.budget.pay(tokens, usd)
    assert Progress(session).spend() == said


@pytest.fixture
def session(suite, tmp_path):
    spec = spec_for(suite, "random")
    keys = tuple(Key(spec.cells[0].id, task, 1) for task in "abc")
    folder = RunFolder.create(tmp_path / "run", spec)
    return Session(folder, Budget(), anyio.CapacityLimiter(1), {spec.cells[0].id: keys}, Prompts())


def test_off_a_terminal_something_is_said_while_no_attempt_ends(session, capfd):
    said = ""
    with progress_on(session, quiet_seconds=0.05):
        while said.count("\n") < 3:
            time.sleep(0.05)
            said += capfd.readouterr().err
    first, *early = said.splitlines()
    assert first == f"3 attempts to make; the run folder is {session.folder.path}"
    assert early[0].startswith("0 of 3 attempts, no tokens, 0:00 passed")


def test_nothing_is_said_before_that_and_the_end_is_said_at_once(session, capfd):
    started = time.monotonic()
    with progress_on(session):
        capfd.readouterr()
        time.sleep(0.2)
        assert capfd.readouterr().err == ""
    assert time.monotonic() - started < 50  # within which nothing is said otherwise
    assert capfd.readouterr().err.count("\n") == 1
