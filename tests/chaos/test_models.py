"""Models that hang, refuse, and reply with what is no reply, under a whole run; then they are well, and the run goes on."""

import importlib
import json
from pathlib import Path

import pytest

from benchwright.gold import Gold
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import Task

from .watching import PROGRAM, Watched, each_once

pytestmark = pytest.mark.chaos

WELL = ("fine", "no_usage", "key_in_the_reply")
ILL = (
    *("hang", "hang_in_the_body", "drips", "endless", "closed_at_once", "reset"),
    *("status_429", "status_500", "not_json", "half_json", "huge_reply", "html", "wrong_bytes", "redirects_for_ever"),
)


@pytest.fixture
def odd(monkeypatch):
    """The server that misbehaves, as other tests have it."""
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "live")
    return importlib.import_module("odd_server")


@pytest.fixture
def behaviours(tmp_path) -> Path:
    """A task for each behaviour."""
    names = (*WELL, *ILL)
    tasks = [Task(id=name, question=f"Please behave like {name}.", guidelines="an integer") for name in names]
    golds = [Gold(task_id=name, answer="42") for name in names]
    return Suite.write(tmp_path / "odd", SuiteInfo(name="odd"), tasks, golds=golds).folder


def test_a_run_outlasts_whatever_models_do_and_goes_on_when_they_are_well(behaviours, odd, tmp_path, monkeypatch):
    out = tmp_path / "out"
    play = ("--agent", "react", "--model", "openai-api/odd/any", "--preset", "text", "--max-parallel", "12")
    quick = ("--sweep", "max_retries=0", "--sweep", "attempt_timeout=6")
    asked = [*PROGRAM, "run", str(behaviours), *play, *quick, "--out", str(out), "--json"]
    with odd.odd_server() as server:
        monkeypatch.setenv("ODD_BASE_URL", f"http://127.0.0.1:{server.server_address[1]}/v1")
        monkeypatch.setenv("ODD_API_KEY", odd.KEY)
        document, said = Watched(asked).ended(1)
        assert (document["done"], document["planned"], document["stopped"]) == (len(WELL), len(WELL) + len(ILL), "")
        assert odd.KEY not in said
        before = each_once(out, len(WELL)).attempts()
        assert {attempt.ending.fault.value for attempt in before.values() if attempt.runs_again} == {"model"}
        server.well = True
        document, said = Watched(asked).ended(0)
    assert document["done"] == len(WELL) + len(ILL), said
    after = each_once(out, len(WELL) + len(ILL)).attempts()
    finished = {key: attempt for key, attempt in before.items() if not attempt.runs_again}
    assert {key: after[key] for key in finished} == finished
    assert {attempt.answer for attempt in after.values()} == {"42"}
    assert odd.KEY not in json.dumps([attempt.to_json() for attempt in after.values()])
