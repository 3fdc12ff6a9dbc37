"""Verdicts that only a judge gives are not given again: any claim for them stands, and none beyond them; claims alone."""

import json

import pytest

from benchwright.gold import Check, Gold
from benchwright.labels import Labels
from benchwright.publishing.submission import check, make, opened, write
from benchwright.publishing.submission.reproducing import rescored_package
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.scorers.judge import Decision
from benchwright.scoring import Ways, keep_scores, score_run
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import Task
from benchwright.trajectory import Answered

WORDS = "because of the holidays, people buy many gifts"


@pytest.fixture
def judged(tmp_path):
    """Three free-text questions that a judge has to decide, and one whose rule can: right, wrong, right; wrong."""
    free = (Check(scorer="response"),)
    golds = [Gold(task_id=name, answer=WORDS, checks=free) for name in "abc"] + [Gold(task_id="d", answer="42")]
    tasks = [Task(id=name, question="Why?") for name in "abcd"]
    suite = Suite.write(tmp_path / "suite", SuiteInfo(name="small"), tasks, golds=golds)
    cell = Cell(agent="a", suite_digest=suite.digest)
    spec = RunSpec(suite="small", suite_folder=str(suite.folder), suite_digest=suite.digest, cells=(cell,))
    run = RunFolder.create(tmp_path / "run", spec)
    for name in "abcd":
        run.record(Attempt(cell=cell.id, task_id=name, ending=Answered(), answer=f"answer of {name}"))
    verdicts = {"a": "yes", "b": "no", "c": "yes"}
    keep_scores(
        score_run(
            suite,
            run,
            ways=Ways(lambda cases: [Decision(verdicts.get(case.response[-1:]), "", {}, 1.0) for case in cases]),
        ),
        run,
    )
    return suite, make(suite, [run])


def verdict_on(package, suite, folder, **changes):
    write(package, folder / "made")
    form = json.loads((folder / "made" / "submission.json").read_text())
    form["results"]["full"] |= changes
    (folder / "made" / "submission.json").write_text(json.dumps(form))
    (folder / "made" / "protocol.json").unlink()
    with opened(folder / "made") as parcel:
        return check(parcel, suite)


def test_what_a_judge_has_said_stands_and_is_noted(judged, tmp_path):
    suite, package = judged
    assert package.detailed.results["full"].n_correct == 2
    verdict = verdict_on(package, suite, tmp_path)
    assert not verdict.refused
    assert [finding.code for finding in verdict.findings] == ["judge"]
    assert verdict.findings[0].reason.startswith("3 verdicts")


def test_no_more_than_a_judge_can_have_said_is_taken(judged, tmp_path):
    """Three of four tasks are the judge's: four right ones cannot be, as the rule knows that one is wrong."""
    suite, package = judged
    verdict = verdict_on(package, suite, tmp_path, execution_accuracy=1.0, n_correct=4)
    assert verdict.refused
    assert "execution accuracy (full) is said to be 1.0, and is 0.0000 to 0.7500" in verdict.reasons


def test_scoring_again_without_the_judge_says_which_verdicts_are_gone(judged):
    suite, package = judged
    found = rescored_package(package, suite, {})
    assert {(item.task, item.then, item.now) for item in found.tasks if item.verdict == "sound"} == {
        ("a", 1.0, None), ("b", 0.0, None), ("c", 1.0, None),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("reference", "share", "sizes", "reasons"),
    [
        ("", 0.5, {"full": 4}, []),
        ("", 0.51, {"full": 4}, ["k/4 for no whole k"]),
        ("agentic_data_bench", 0.51, {"full": 4}, []),  # tasks there can be worth a part of 1
        ("", 0.5, {"full": 4, "hard": 2}, ["4 tasks in hard, not 2"]),
        ("", 0.5, {"full": 6}, ["has 4 tasks in full, not 6"]),
        ("", 0.5, {"full": 4, "easy": 2}, ["no subset easy"]),
    ],
)
def test_a_claim_is_held_against_the_suite_s_subsets_and_rule(tmp_path, reference, share, sizes, reasons):
    tasks = [Task(id=name, question="?") for name in "abcd"]
    labels = [Labels(task_id=name, subsets=("full", "hard")) for name in "abcd"]
    suite = Suite.write(tmp_path / "suite", SuiteInfo(name="small", reference=reference), tasks, labels)
    results = {name: {"execution_accuracy": share, "n_tasks": size} for name, size in sizes.items()}
    path = tmp_path / "claim.json"
    path.write_text(json.dumps({"submission_id": "c", "method": "m", "model": "", "results": results}))
    with opened(path) as parcel:
        verdict = check(parcel, suite)
    assert len(verdict.reasons) == len(reasons)
    assert all(any(reason in told for told in verdict.reasons) for reason in reasons)
    assert [finding.code for finding in verdict.findings if not finding.refused] == ["claim"]
