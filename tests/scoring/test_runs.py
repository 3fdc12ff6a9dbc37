import pytest

from benchwright.errors import Fault, InputError
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.scoring import keep_scores, score_run, scores_text
from benchwright.trajectory import Answered, Broke, Estimated, FileAccess, GaveUp, LimitHit, Measured

SEEN = Measured(tracer="fanotify", files=(FileAccess(path="a/x.csv"), FileAccess(path="a/y.csv")), room_files=20)


@pytest.fixture
def run(suite, tmp_path):
    cells = tuple(Cell(agent=name, suite_digest=suite.digest) for name in ("one", "two"))
    spec = RunSpec(suite="small", suite_folder=str(suite.folder), suite_digest=suite.digest, cells=cells)
    return RunFolder.create(tmp_path / "run", spec)


def attempt(run, cell, task, ending=None, **more):
    made = Attempt(cell=run.spec.cells[cell].id, task_id=task, epoch=1, ending=ending or Answered(), **more)
    run.record(made)
    return made


@pytest.fixture
def finished(run):
    attempt(run, 0, "1", answer="38 %", accesses=SEEN)
    attempt(run, 0, "2", GaveUp())
    attempt(run, 0, "3", Broke(fault=Fault.SANDBOX, detail="no space"))
    attempt(run, 0, "4", LimitHit(which="wall"), answer="1234", accesses=SEEN)
    attempt(run, 1, "1", Broke(fault=Fault.AGENT, detail="crashed"))
    return run


def cell(document, title):
    return next(item for item in document["cells"] if item["title"].startswith(title))


def test_every_planned_attempt_has_a_verdict_in_every_cell(suite, finished):
    document = score_run(suite, finished).document()
    assert len(document["tasks"]) == 8
    one = cell(document, "one")["sound"]
    assert (one["mean"], one["n"], one["scored"], one["unscored"], one["broke"]) == (0.5, 4, 3, 1, 1)
    two = cell(document, "two")["sound"]
    assert (two["mean"], two["n"], two["scored"], two["unscored"]) == (0.0, 4, 1, 3)


def test_a_fault_of_the_sandbox_is_no_score_and_a_fault_of_the_agent_is_zero(suite, finished):
    tasks = {(task["cell"], task["id"]): task for task in score_run(suite, finished).document()["tasks"]}
    one, two = (item.id for item in finished.spec.cells)
    assert tasks[one, "3"]["sound"] == {"score": None, "reason": "broke: sandbox (no space)"}
    assert tasks[two, "1"]["sound"]["score"] == 0
    assert tasks[two, "2"]["sound"]["reason"] == "not run yet"


def test_discovery_of_a_run_is_what_was_measured(suite, finished):
    one = cell(score_run(suite, finished).document(), "one")["discovery"]
    assert (one["reference"]["mean"], one["sound"]["found"], one["sound"]["n"]) == (0.25, 1, 3)
    assert (one["sound"]["measured"], one["sound"]["not_measured"]) == (1, 2)
    assert (one["files_opened"], one["precision"], one["swept"]) == (2, 1.0, 0)


def test_what_was_estimated_is_marked_as_that_wherever_it_stands(suite, run):
    attempt(run, 0, "1", answer="38%", accesses=Estimated(files=SEEN.files))
    attempt(run, 0, "2", answer="x", accesses=SEEN)
    scoring = score_run(suite, run)
    task = next(item for item in scoring.document()["tasks"] if item["id"] == "1")["discovery"]
    assert (task["score"], task["measured"], task["estimated"], task["swept"]) == (1.0, False, True, None)
    one = cell(scoring.document(), "one")["discovery"]
    assert (one["sound"]["found"], one["estimated"]["found"]) == (1, 1)
    keep_scores(scoring, run)
    names = {(row.task_id, row.name) for row in run.read_scores("discovery")[0] if row.cell == run.spec.cells[0].id}
    assert {("1", "discovery.estimated"), ("2", "discovery")} <= names
    assert ("1", "discovery") not in names


def test_scores_are_kept_with_their_digests_and_scoring_again_gives_equal_bytes(suite, finished):
    keep_scores(score_run(suite, finished), finished)
    first = scores_text(finished)
    rows, stamp = finished.read_scores("sound")
    assert len(rows) == 8
    assert (stamp["suite"], stamp["gold"]) == (suite.digest, suite.gold_digest)
    keep_scores(score_run(suite, finished), finished)
    assert scores_text(finished) == first
    assert first.count("\n") == 24


def test_a_run_of_other_questions_is_refused(suite, finished, tmp_path):
    spec = finished.spec.model_copy(update={"suite_digest": "0" * 64})
    with pytest.raises(InputError, match="other questions or data"):
        score_run(suite, RunFolder.create(tmp_path / "other", spec))


def test_outputs_that_were_thrown_away_leave_the_attempt_unscored(suite, run, tmp_path):
    (tmp_path / "answer.txt").write_text("38%")
    kept = run.artifacts.keep(tmp_path / "answer.txt")
    attempt(run, 0, "1", files={"answer.txt": kept})
    assert score_run(suite, run).rows[0].scores.sound.value == 1
    run.artifacts.locate(kept.sha256).unlink()
    assert "no longer holds answer.txt" in score_run(suite, run).rows[0].scores.sound.reason


def test_a_run_over_some_tasks_divides_by_those(suite, run, tmp_path):
    spec = run.spec.model_copy(update={"ids": ("1", "3"), "cells": run.spec.cells[:1]})
    some = RunFolder.create(tmp_path / "some", spec)
    attempt(some, 0, "1", answer="38%")
    document = score_run(suite, some).document()
    assert (document["n_tasks"], document["sound"]["mean"], document["missing_ids"]) == (2, 0.5, ["3"])


def test_a_subset_that_the_run_did_not_touch_is_an_error_and_not_a_zero(suite, run, tmp_path):
    some = RunFolder.create(tmp_path / "some", run.spec.model_copy(update={"ids": ("1",)}))
    with pytest.raises(InputError, match="no task of the subset 'hard'"):
        score_run(suite, some, subset="hard")
