"""The model's writer in the pipeline: a suite comes of it, a budget ends a sitting, and a larger one goes on."""

import json

import pytest
from tests.generation.modelled.conversation import FILL, JOIN, QUESTION, SKILLS, SUM, Author, writer

from benchwright.chat.asking import Limits
from benchwright.errors import EnvironmentFault
from benchwright.generation.executing import Machine
from benchwright.generation.journal import Ended, Refused, read_journal
from benchwright.generation.pipeline import WORK, Request, generate
from benchwright.generation.rounds import Goal
from benchwright.sandbox.choice import Providers
from benchwright.task import Limits as TaskLimits


@pytest.fixture
def machine(small_toolbox):
    providers = Providers()
    machine = Machine(lambda spec: providers.open(spec, "auto"), small_toolbox)
    try:
        machine.open(machine.spec((), TaskLimits())).close()
    except EnvironmentFault as error:
        pytest.skip(str(error))
    yield machine
    providers.close()


def test_a_budget_ends_a_sitting_and_a_larger_one_goes_on_with_what_there_is(tmp_path, material, sandboxed, machine):
    author, lab = Author(), sandboxed()
    tmp_path.chmod(0o755)
    out = tmp_path / "suite"

    def sitting(tokens):
        limits = Limits(at_once=1, tries=2, tokens=tokens)
        with writer(out / WORK / "asked", author, lab=lab, limits=limits) as made:
            return generate(Request(material.folder, out, Goal(2, SKILLS)), made, machine)

    first = sitting(120 * 30)
    assert (len(first.suite.tasks), first.rejections) == (1, {"budget_spent": 1})
    assert first.why.startswith("the budget is spent")
    calls = author.calls
    assert calls == 30
    again = sitting(120 * 30)
    assert (len(again.suite.tasks), author.calls, again.why) == (1, calls, first.why)
    author.replies["question"] = lambda _: {**QUESTION, "question": QUESTION["question"].replace("What", "To what")}
    author.replies["ablation"] = lambda user: {"code": "rows = []\n" if "step 1 of" in user else "kept = rows[:9]\n"}
    last = sitting(120 * 500)
    entries = list(read_journal(out / WORK / "journal.jsonl"))
    assert isinstance(entries[-1], Ended)
    assert {entry.rejection.reason for entry in entries if isinstance(entry, Refused)} >= {"duplicate_question"}
    assert (len(last.suite.tasks), last.why) == (1, "no task came of 2 rounds")
    labels = next(iter(last.suite.labels.values()))
    assert labels.skills == (FILL, JOIN, SUM)
    assert labels.extra["writer"] == "model:scripted/author"
    logs = sorted((out / WORK / "asked" / "decisions").glob("*.jsonl"))
    told = [json.loads(line) | {"log": log.stem} for log in logs for line in log.read_text().splitlines()]
    assert len({decision["log"] for decision in told}) >= 2
    assert all(decision["draft"] == decision["log"] for decision in told)
