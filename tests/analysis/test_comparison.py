import json
import shutil
from functools import partial

import pytest

from benchwright.analysis.comparison import Difference, verdict
from benchwright.analysis.statistics.planning import detectable
from benchwright.errors import Fault
from benchwright.run import Attempt, RunFolder
from benchwright.scoring import keep_scores, score_run
from benchwright.suite import Suite
from benchwright.trajectory import Broke

TASKS = [f"t{number:02}" for number in range(20)]


@pytest.fixture(scope="module")
def compare(asked):
    return partial(asked, "compare")


def test_what_flipped_and_whether_it_is_more_than_noise(first, second, compare):
    document = json.loads(compare(first.path, second.path, "--json"))
    assert document["verdict"].startswith("the second is better: +0.600 [")
    assert (document["first"]["mean"], document["second"]["mean"], document["n_tasks"]) == (0.2, 0.8, 20)
    assert [row["task"] for row in document["flips"]["better"]] == TASKS[4:16]
    assert (document["flips"]["worse"], document["flips"]["same"]) == ([], 8)
    assert document["flips"]["mcnemar"] == {"first_only": 0, "second_only": 12, "p": pytest.approx(2 / 2**12)}
    assert (document["difference"]["cluster_by"], document["difference"]["clusters"]) == ("dataset", 10)
    assert document["difference"]["p"] == pytest.approx(2 / 2**6)
    assert document["first"]["endings"] == {"answered": 8, "gave_up": 32}
    assert (document["first"]["cost_usd"], document["first"]["median_steps"]) == (10.0, 1.5)
    moved = {group["name"]: group["difference"] for group in document["groups"]["domain"]}
    assert moved == {"low": 0.6, "high": 0.6}
    assert document["failures"]["moved"] == [{"from": "no_answer", "to": "right", "n": 24}]
    (joins,) = document["groups"]["skills"]
    assert (joins["name"], joins["n_tasks"], joins["first"], joins["second"]) == ("join", 20, 0.2, 0.8)
    assert document["discovery"]["n_tasks"] == 20


def test_the_way_back_is_the_same_with_the_other_sign(first, second, compare):
    there = json.loads(compare(first.path, second.path, "--json"))
    back = json.loads(compare(second.path, first.path, "--json"))
    assert back["difference"]["mean"] == -there["difference"]["mean"]
    assert back["difference"]["p"] == there["difference"]["p"]
    assert [row["task"] for row in back["flips"]["worse"]] == TASKS[4:16]
    assert "the second is worse" in back["verdict"]


def test_a_small_difference_is_called_noise(make, first, compare):
    assert "no difference beyond noise: +0.050" in compare(first.path, make("near", 5).path)
    same = compare(first.path, first.path)
    assert "no difference beyond noise: +0.000 [-0.339, +0.339], p = 1" in same  # other tasks might well show one
    assert "four times in five" not in same


def test_what_could_be_seen_counts_clusters_not_tasks(make, first, second, compare):
    def seen(*more):
        return json.loads(compare(first.path, second.path, *more, "--json"))["difference"]["detectable"]

    assert seen("--cluster-by", "task") == pytest.approx(detectable(20, 0.6))
    assert seen() > seen("--cluster-by", "task")  # ten datasets of two tasks that are alike
    assert seen("--cluster-by", "domain") == 1  # two clusters show nothing, however large


def test_the_verdict_says_which_difference_could_have_been_seen():
    noise = Difference(mean=0.02, ci95=(-0.05, 0.09), p=0.6, cluster_by="task", clusters=20, detectable=0.07)
    assert verdict(noise).endswith("; one of 0.070 would be found four times in five")
    assert verdict(noise.model_copy(update={"detectable": 1.0})).endswith("p = 0.6")


def test_cells_of_one_run_are_compared_by_name(make, compare):
    both = make("both", 4, 16)
    document = json.loads(compare(both.path, both.path, "--first-cell", "a", "--second-cell", "b", "--json"))
    assert (document["first"]["title"], document["second"]["title"]) == ("a", "b")
    assert document["difference"]["mean"] == pytest.approx(0.6)
    assert "has 2 cells" in compare(both.path, both.path, code=2)
    assert "no single cell 'c'" in compare(both.path, both.path, "--first-cell", "c", code=2)


def test_runs_over_other_tasks_are_compared_only_on_demand(make, first, compare):
    some = make("some", 16, ids=tuple(TASKS[:12]))
    assert "tasks: 20 and 12" in compare(first.path, some.path, code=2)
    document = json.loads(compare(first.path, some.path, "--anyway", "--json"))
    assert (document["n_tasks"], len(document["left_out"])) == (12, 8)
    assert document["different"] == ["tasks: 20 and 12 with a verdict"]


def test_runs_that_were_scored_against_other_golds_are_refused(first, second, suite, tmp_path, compare):
    changed = suite.golds["t00"].model_copy(update={"answer": "other"})
    golds = [changed if gold.task_id == "t00" else gold for gold in suite.golds.values()]
    again = Suite.write(tmp_path / "again", suite.info, suite.tasks.values(), suite.labels.values(), golds)
    other = RunFolder.open(shutil.copytree(second.path, tmp_path / "other"))
    keep_scores(score_run(again, other), other)
    assert "golds" in compare(first.path, other.path, code=2)


def test_settings_that_differ_are_shown_beside_the_verdict(make, first, compare):
    text = compare(first.path, make("raised", 16, raised=2.0).path)
    assert "differs beside the cell: raised: 1.0 and 2.0" in text


def test_an_attempt_without_a_score_counts_0_and_is_shown(first, second, suite, tmp_path, compare):
    second = RunFolder.open(shutil.copytree(second.path, tmp_path / "second"))
    cell = second.spec.cells[0].id
    second.record(Attempt(cell=cell, task_id="t00", epoch=1, ending=Broke(fault=Fault.SANDBOX, detail="no space")))
    keep_scores(score_run(suite, second), second)
    document = json.loads(compare(first.path, second.path, "--json"))
    assert document["second"]["unscored"] == 1
    assert document["second"]["endings"]["broke:sandbox"] == 1
    assert document["flips"]["worse"] == [{"task": "t00", "first": 1.0, "second": 0.5}]


def test_runs_that_were_not_scored_say_how(first, tmp_path, compare):
    bare = RunFolder.create(tmp_path / "bare", first.spec)
    assert "benchwright score" in compare(first.path, bare.path, code=2)


def test_without_the_suite_the_tasks_are_compared_without_labels(first, second, suite, compare):
    declared = suite.folder / "suite.toml"
    declared.rename(suite.folder / "away")
    try:
        document = json.loads(compare(first.path, second.path, "--json"))
    finally:
        (suite.folder / "away").rename(declared)
    assert (document["difference"]["cluster_by"], document["groups"]["domain"]) == ("task", [])
