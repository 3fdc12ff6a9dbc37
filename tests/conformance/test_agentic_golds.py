"""The published golds handed in as outputs: what both verdicts give them, and that the check names every task that falls short."""

import json

import pytest

from benchwright.proving import CheckOptions, check, read_kept
from benchwright.proving.gold_outputs import as_handed_in
from benchwright.score import Scored, Unscored
from benchwright.scoring.jobs import Job
from benchwright.scoring.workers import score_jobs
from benchwright.trajectory import Submission


@pytest.fixture(scope="module")
def scores(suite):
    jobs = [
        Job(name, Submission(files=as_handed_in(suite, task, suite.golds[name]))) for name, task in suite.tasks.items()
    ]
    return {each.task_id: each for each in score_jobs(suite.folder, jobs)}


def ones(scores, mode):
    verdicts = {name: getattr(each, mode) for name, each in scores.items()}
    return {name for name, verdict in verdicts.items() if isinstance(verdict, Scored) and verdict.value == 1.0}


def test_the_sound_verdict_gives_every_gold_1_but_for_tasks_that_the_check_names(suite, scores):
    check(suite, CheckOptions(proofs=None, privacy=None))
    named = set(read_kept(suite).faulty["sound"])
    short = set(scores) - ones(scores, "sound")
    assert short == named
    assert len(short) <= 0.15 * len(suite.tasks)
    assert not any(isinstance(scores[name].sound, Scored) for name in short)  # no gold, or nothing to check: no score


def test_the_published_verdict_gives_175_golds_1_and_the_recorded_value_to_the_others(shared, suite, scores):
    recorded = {}
    for line in (shared / "conformance" / "agenticdatabench_task_expected.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["perturbation"] == "identity":
            recorded[row["task"]] = row["score"]
    assert len(ones(scores, "reference")) == 175
    missing = {name for name in suite.tasks if "missing_golds" in suite.label(name).extra}
    assert set(recorded) == set(suite.tasks) - missing
    for name, value in recorded.items():
        assert scores[name].reference.value == pytest.approx(value, abs=1e-9), name
    assert not missing & ones(scores, "reference")
    values = [each.reference.value for each in scores.values() if isinstance(each.reference, Scored)]
    assert round(sum(values) / 207, 4) == 0.8798


@pytest.mark.parametrize("name", ["loan_risk_6", "loan_risk_25"])
def test_a_task_that_lacks_one_gold_of_two_has_the_published_half_and_no_sound_score(scores, name):
    """The published evaluator counts a file that is not found as 0 and goes on; its mean of 0.8798 holds these halves."""
    assert scores[name].reference.value == 0.5
    assert isinstance(scores[name].sound, Unscored)
    assert "cannot be used" in scores[name].sound.reason
