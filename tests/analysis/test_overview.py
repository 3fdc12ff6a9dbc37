import json
from dataclasses import replace
from functools import partial

import pytest

from benchwright.analysis.overview import Overview
from benchwright.analysis.sides import side
from benchwright.run import Attempt, Cell, RunFolder
from benchwright.scoring import keep_scores, score_run
from benchwright.trajectory import Answered


@pytest.fixture(scope="module")
def analyse(asked):
    return partial(asked, "analyse")


@pytest.fixture(scope="module")
def document(first, second, analyse):
    return json.loads(analyse(first.path, second.path, "--json"))


def test_every_cell_has_its_accuracy_with_fixed_denominators(document):
    one, two = document["cells"]
    assert (one["title"], two["title"]) == ("a", "a (second)")
    assert (one["mean"], one["tasks"], one["attempts"], one["unscored"], one["unscorable"]) == (0.2, 20, 40, 0, 0)
    assert one["clusters"] == 10
    assert one["ci95"][0] < 0.2 < one["ci95"][1]
    assert (two["mean"], two["finish_rate"], two["usd_per_right"]) == (0.8, 0.8, pytest.approx(10 / 32))
    assert (one["pass"], two["pass"]) == (
        {"pass@2": 0.2, "pass^2": 0.2, "tasks": 20},
        {"pass@2": 0.8, "pass^2": 0.8, "tasks": 20},
    )
    assert one["discovery"]["mean"] == 1
    assert one["without_faulty"] is None


def test_agents_stand_by_models(make, analyse):
    run = make("matrix", 4, 8, 12, agents=("a", "b", "c"))
    document = json.loads(analyse(run.path, "--json"))["matrix"]
    assert (document["agents"], document["models"]) == (["a", "b", "c"], [""])
    assert [cell["mean"] for cell in document["cells"]] == [0.2, 0.4, 0.6]
    assert document["cells"][0]["clusters"] == 10


def test_several_agents_and_models_are_a_table(first, suite, tmp_path, analyse):
    cells = tuple(
        Cell(agent=agent, model=model, suite_digest=suite.digest) for agent in ("a", "b") for model in ("m", "n")
    )
    run = RunFolder.create(tmp_path / "crossed", first.spec.model_copy(update={"cells": cells, "epochs": 1}))
    run.record(Attempt(cell=cells[1].id, task_id="t00", ending=Answered(), answer="t00"))
    keep_scores(score_run(suite, run), run)
    text = analyse(run.path)
    words = [line.split() for line in text.split("By agent and model")[1].splitlines()]
    assert [line for line in words if line[:1] in (["agent"], ["a"], ["b"])][:3] == [
        ["agent", "m", "n"],
        ["a", "0.000", "0.050"],
        ["b", "0.000", "0.000"],
    ]


def test_groups_of_tasks_are_those_of_the_labels(document):
    low, high = sorted(document["groups"]["domain"], key=lambda group: group["name"] == "high")
    assert (low["n_tasks"], high["n_tasks"]) == (10, 10)
    assert [low["cells"][title]["mean"] for title in ("a", "a (second)")] == [0.4, 1.0]
    assert [high["cells"][title]["mean"] for title in ("a", "a (second)")] == [0.0, 0.6]
    assert document["groups"]["difficulty"] == []


def test_cells_have_places_and_letters(document):
    assert [(rank["title"], rank["place"], rank["group"]) for rank in document["ranks"]] == [
        ("a (second)", 1, "a"),
        ("a", 2, "b"),
    ]


def test_skills_are_estimated_from_tasks_and_say_so(document):
    skills = document["skills"]
    assert skills["estimated"] == "each application is worth its task's score"
    assert skills["scores"]["a"] == {"join": {"mean": 0.2, "n": 20}}
    assert skills["challenging"]["high"] == {"join": {"mean": pytest.approx(0.3), "n": 20}}
    assert skills["deviations"]["a"]["join"] < 0 < skills["deviations"]["a (second)"]["join"]


def test_the_tables_show_the_same(first, second, analyse):
    text = analyse(first.path, second.path)
    assert "20 of 20 tasks" in text
    assert "a (second)" in text
    assert "answered 8, gave_up 32" in text
    assert "pass@2 0.800" in text


def test_tasks_that_were_not_asked_are_in_no_denominator(make, analyse):
    some = make("some", 3, ids=("t00", "t01", "t02", "t03"))
    found = json.loads(analyse(some.path, "--json"))
    assert (found["n_tasks"], found["of_tasks"], found["cells"][0]["mean"]) == (4, 20, 0.75)
    assert [(group["name"], group["n_tasks"]) for group in found["groups"]["domain"]] == [("low", 4)]
    assert found["ranks"] == []


def test_a_run_that_was_not_scored_says_how(first, tmp_path, analyse):
    bare = RunFolder.create(tmp_path / "bare", first.spec)
    assert "benchwright score" in analyse(bare.path, code=2)


def test_a_run_without_any_verdict_has_no_mean_and_no_error(first, suite):
    whole = side(first, "", "sound")
    bare = replace(whole, values={}, repeats={}, unscorable=frozenset(whole.values))
    (cell,) = Overview(suite, "sound", {"a": bare}).document()["cells"]
    assert (cell["mean"], cell["ci95"], cell["unscorable"], cell["usd_per_right"]) == (None, None, 20, None)


def test_runs_that_were_scored_by_other_golds_or_scorers_are_not_put_together(make, analyse):
    one, two = make("of_one_release", 4), make("of_another", 6)
    rows, stamp = two.read_scores("sound")
    two.write_scores("sound", rows, {**stamp, "gold": "another"})
    told = analyse(one.path, two.path, code=2)
    assert "scored by different golds" in told
    assert "benchwright score" in told
