import json

import pytest

from benchwright.gold import Check, Gold
from benchwright.scorers.judge import Decision
from benchwright.scoring import Ways, score_predictions
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import Task


@pytest.fixture
def suite(tmp_path):
    check = (Check(scorer="response"),)
    return Suite.write(
        tmp_path / "suite",
        SuiteInfo(name="small", reference="dsbc"),
        [Task(id=name, question="Why?") for name in "abc"],
        golds=[
            Gold(task_id=name, answer="because of the holidays, people buy many gifts", checks=check) for name in "abc"
        ],
    )


@pytest.fixture
def predictions(tmp_path):
    folder = tmp_path / "out"
    for name in "abc":
        (folder / name).mkdir(parents=True)
        (folder / name / "answer.txt").write_text(f"answer of {name}")
    record = {"code": "print(1)", "output": "1", "rationale": "counted", "pictures": ["p.png", "gone.png", "fake.png"]}
    (folder / "a" / "response.json").write_text(json.dumps(record))
    (folder / "a" / "p.png").write_bytes(b"\x89PNG\r\n\x1a\n....")
    (folder / "a" / "fake.png").write_bytes(b"#!/bin/sh")
    (folder / "b" / "response.json").write_text("{" * 1000)
    return folder


def judge(verdicts, seen):
    def decide(cases):
        seen.extend(cases)
        return [Decision(verdicts.get(case.response[-1:]), "said so", {"yes": 1}, 1.0) for case in cases]

    return decide


def test_a_judge_decides_what_rules_cannot_tell(suite, predictions):
    seen = []
    verdicts = {"a": "yes", "b": "no", "c": "cannot tell"}
    document = score_predictions(suite, predictions, ways=Ways(judge(verdicts, seen))).document()
    assert {task["id"]: task["sound"]["score"] for task in document["tasks"]} == {"a": 1.0, "b": 0.0, "c": None}
    assert document["sound"]["mean"] == pytest.approx(1 / 3)
    assert document["sound"]["mean_scored"] == pytest.approx(1 / 2)
    assert document["reference"]["mean"] == pytest.approx(1 / 3)
    assert {case.mode for case in seen} == {"reference", "sound"}
    case = next(case for case in seen if case.response.endswith("a"))
    assert (case.code, case.rationale) == ("print(1)", "counted")
    assert [path.name for path in case.pictures] == ["p.png"]


def test_without_a_judge_they_stay_without_a_value_and_count(suite, predictions):
    found = score_predictions(suite, predictions)
    document = found.document()
    assert document["sound"]["mean"] == 0.0
    assert (document["sound"]["n"], document["sound"]["unscored"]) == (3, 3)
    assert document["tasks"][0]["sound"]["reason"].startswith("judge: rules cannot tell")


def test_a_judge_that_fails_leaves_the_reason(suite, predictions):
    document = score_predictions(suite, predictions, ways=Ways(judge({}, []))).document()
    assert document["tasks"][0]["sound"] == {"score": None, "reason": "judge: failed (said so)"}
