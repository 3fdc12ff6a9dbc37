"""Faults of counting that people reported publicly, asked of the analysis of a run."""

import pytest

from benchwright.analysis.overview import overview
from benchwright.errors import Fault
from benchwright.gold import Gold
from benchwright.labels import Labels
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.scoring import keep_scores, score_run
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import Task
from benchwright.trajectory import Answered, Broke


@pytest.fixture
def analysed(tmp_path):
    """The cell, and the document, of a run: answers by task, None where it broke; tasks beyond them were not run."""

    def run(n, answers, gold=None, kinds=(), **spec):
        names = [f"t{number:04}" for number in range(n)]
        suite = Suite.write(
            tmp_path / "suite",
            SuiteInfo(name="counted"),
            [Task(id=name, question="?") for name in names],
            [Labels(task_id=name, answer_type=kind) for name, kind in zip(names, kinds, strict=False)],
            [Gold(task_id=name, answer="5") for name in names[:gold]],
        )
        cell = Cell(agent="a", suite_digest=suite.digest)
        about = {"suite": "counted", "suite_folder": str(suite.folder), "suite_digest": suite.digest}
        folder = RunFolder.create(tmp_path / "run", RunSpec(**about, cells=(cell,), **spec))
        for name, answer in zip(names, answers, strict=False):
            ending = Broke(fault=Fault.SANDBOX) if answer is None else Answered()
            folder.record(Attempt(cell=cell.id, task_id=name, ending=ending, answer=answer))
        keep_scores(score_run(suite, folder, modes=("sound",)), folder)
        document = overview(suite, [folder], "sound").document()
        return document["cells"][0], document

    return run


def test_b041_an_attempt_that_broke_stays_in_the_mean_and_is_told(case, analysed):
    given = case("B041")
    answers = ["5" if item.get("score") else None for item in given["input"]["results"]]
    cell, document = analysed(given["input"]["n_tasks"], answers)
    assert cell["mean"] == given["expected"]["accuracy"]
    (found,) = document["failures"]["cells"]
    assert found["classes"]["environment"]["n"] == given["expected"]["errors"]
    assert found["n"] == given["input"]["n_tasks"]


def test_b049_tasks_without_a_gold_are_told_beside_both_means(case, analysed):
    given, told = case("B049")["input"], case("B049")["expected"]["report"]
    answers = ["5"] * given["n_correct"] + ["6"] * (given["n_tasks"] - given["n_correct"])
    cell, document = analysed(given["n_tasks"], answers, gold=given["n_scorable"])
    assert (cell["mean"], cell["mean_all"], cell["unscorable"]) == (
        told["over_scorable"],
        told["over_all"],
        told["n_unscorable"],
    )
    (found,) = document["failures"]["cells"]
    assert (found["n"], found["classes"]["suite"]["of_attempts"]) == (given["n_scorable"], None)


def test_b092_every_kind_of_answer_is_in_the_total(case, analysed):
    results = case("B092")["input"]["results"]
    kinds = [item["metric"] for item in results]
    cell, document = analysed(len(results), ["5" if item["value"] else "6" for item in results], kinds=kinds)
    assert (cell["mean"], cell["tasks"]) == (case("B092")["expected"]["total"], case("B092")["expected"]["n"])
    assert {group["name"] for group in document["groups"]["answer type"]} == set(kinds)


def test_b110_what_was_not_attempted_counts_and_coverage_is_told(case, analysed):
    given, told = case("B110")["input"], case("B110")["expected"]
    answers = ["5"] * given["n_correct"] + ["6"] * (given["n_answered"] - given["n_correct"])
    cell, document = analysed(given["n_tasks"], answers)
    assert (cell["mean"], cell["coverage"]) == (told["accuracy"], told["coverage"])
    (found,) = document["failures"]["cells"]
    assert found["classes"]["not_run"]["n"] == given["n_tasks"] - given["n_answered"]


def test_b130_tasks_without_a_result_count(case, analysed):
    given, told = case("B130")["input"], case("B130")["expected"]
    cell, _ = analysed(given["tasks"], ["5"] * given["with_result"])
    assert (cell["mean"], cell["coverage"]) == (told["average_score"], told["finished"])


def test_b155_a_limited_run_divides_by_its_limit(case, analysed):
    given, told = case("B155")["input"], case("B155")["expected"]
    limit, correct = given["limit"] // 10, given["correct"] // 10
    cell, document = analysed(given["n_total"] // 10, ["5"] * correct + ["6"] * (limit - correct), limit=limit)
    assert (cell["mean"], document["n_tasks"] * 10) == (told["accuracy"], told["n"])
