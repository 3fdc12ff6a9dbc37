"""What answers cost, who is on the front, what a router gains, and what raised limits brought."""

import json
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.analysis.cost import cell_cost, costs, front
from benchwright.analysis.raised import raised
from benchwright.analysis.routing import Bench, routed, routers
from benchwright.analysis.sides import side
from benchwright.run import Attempt, RunFolder
from benchwright.scoring import keep_scores, score_run
from benchwright.trajectory import Answered, GaveUp, LimitHit, Usage


def test_the_front_holds_what_nothing_beats_in_both():
    cells = {"cheap": (1.0, 0.4), "dear": (9.0, 0.8), "worse": (9.5, 0.7), "same": (1.0, 0.4), "free": (None, 0.9)}
    assert front(cells) == ("cheap", "same", "dear")
    assert front({}) == ()


@given(st.dictionaries(st.text(max_size=3), st.tuples(st.floats(0, 9), st.floats(0, 1)), min_size=1, max_size=8))
def test_every_cell_is_on_the_front_or_beaten_by_one_that_is(cells):
    found = front(cells)
    assert found
    for name, (usd, mean) in cells.items():
        beaten = any(
            cells[other][0] <= usd and cells[other][1] >= mean and cells[other] != (usd, mean) for other in found
        )
        assert (name in found) != beaten


def test_published_costs_and_scores_give_the_published_front():
    """Table 4 and 5 of AgenticDataBench: the cheapest, and those that score more for more."""
    table = {
        "SA Qwen": (0.07, 47.1), "SA Kimi": (0.26, 43.8), "SA Claude": (1.66, 46.7),
        "DA Qwen": (0.06, 44.4), "DA Kimi": (0.11, 44.8), "DA Claude": (0.52, 46.1),
        "CC Qwen": (0.12, 40.9), "CC Kimi": (0.32, 44.3), "CC Claude": (0.47, 46.6),
        "CX Qwen": (0.10, 39.9), "CX Kimi": (0.19, 48.8), "CX Claude": (0.76, 31.6),
    }  # fmt: skip
    assert front(table) == ("DA Qwen", "SA Qwen", "CX Kimi")


def test_a_right_answer_costs_all_dollars_over_right_attempts(make):
    found = cell_cost(side(make("priced", 5), "", "sound"))
    assert (found.total_usd, found.right, found.usd_per_right) == (10.0, 10, 1.0)
    assert (found.cost_usd, found.steps, found.seconds, found.finished) == (0.25, 1.5, 2.0, 0.25)


def test_an_unknown_price_stays_unknown(make):
    whole = side(make("unpriced", 5), "", "sound")
    first, *rest = whole.attempts
    attempts = (first.model_copy(update={"usage": Usage(cost_usd=None)}), *rest)
    found = cell_cost(replace(whole, attempts=attempts))
    assert (found.total_usd, found.usd_per_right, found.cost_usd, found.unknown_costs) == (None, None, None, 1)


def bench(groups, scores):
    tasks = tuple(groups)
    return Bench(tasks, scores, {agent: dict.fromkeys(tasks, 1.0) for agent in scores})


GROUPS = {f"t{number}": "even" if number % 2 == 0 else "odd" for number in range(40)}


def test_a_router_gains_where_agents_are_good_at_different_kinds():
    scores = {
        "e": {task: float(group == "even") for task, group in GROUPS.items()},
        "o": {task: float(group == "odd") for task, group in GROUPS.items()},
    }
    found = routed(bench(GROUPS, scores), GROUPS)
    assert all(value == 1.0 for value, _ in found.router.values())
    assert sum(value for value, _ in found.single.values()) / 40 < 0.6


def test_what_a_router_chooses_by_chance_does_not_count_as_gain():
    """On noise the choice in sample looks better than it is; held-out tasks do not."""
    import random

    draw = random.Random(3)
    scores = {name: {task: float(draw.random() < 0.5) for task in GROUPS} for name in "abcdef"}
    found = bench(GROUPS, scores)
    held_out = sum(value for value, _ in routed(found, GROUPS).router.values()) / 40
    in_sample = sum(
        scores[found.best([t for t in GROUPS if GROUPS[t] == group])][task] for task, group in GROUPS.items()
    )
    assert in_sample / 40 >= 0.6 > held_out


def test_routers_are_told_by_kind_with_single_and_oracle(make, suite):
    run = make("routed", 12, 4)
    sides = {cell.title: side(run, cell.id, "sound") for cell in run.spec.cells}
    (by_domain,) = routers(sides, suite.labels)
    assert (by_domain.kind, by_domain.tasks, by_domain.groups) == ("domain", 20, 2)
    assert (by_domain.best_single.title, by_domain.best_single.mean) == ("a", 0.6)
    assert (by_domain.oracle.mean, by_domain.router.mean, by_domain.gain.mean) == (0.6, 0.6, 0.0)
    assert by_domain.router.cost_usd == 0.25
    assert routers({"a": sides["a"]}, suite.labels) == []


def test_nothing_is_routed_to_reference_solutions_nor_beaten_by_them(make, suite):
    """They are free and always right: the best at every kind of task, and alone on the front of cost and score."""
    run = make("with_oracle", 20, 12, 4, agents=("oracle", "a", "b"))
    sides = {cell.title: side(run, cell.id, "sound") for cell in run.spec.cells}
    free = [attempt.model_copy(update={"usage": Usage(cost_usd=0.0)}) for attempt in sides["oracle"].attempts]
    sides["oracle"] = replace(sides["oracle"], attempts=tuple(free))
    (by_domain,) = routers(sides, suite.labels)
    assert by_domain == routers({title: sides[title] for title in ("a", "b")}, suite.labels)[0]
    assert (by_domain.best_single.title, by_domain.oracle.mean) == ("a", 0.6)
    assert set(by_domain.choices.values()) <= {"a", "b"}
    assert routers({title: sides[title] for title in ("oracle", "a")}, suite.labels) == []
    found = costs(sides)
    assert (found.front, found.unknown_cost) == (("a",), ())
    assert {cell.title: cell.on_front for cell in found.cells} == {"oracle": None, "a": True, "b": False}


def test_attempts_with_raised_limits_are_held_against_the_same_attempts(suite, make, tmp_path):
    first = make("limits", 0)
    cell = first.spec.cells[0]
    only = tuple(f"{cell.id}/{task}/1" for task in ("t00", "t01", "t02"))
    again = RunFolder.create(tmp_path / "again", first.spec.model_copy(update={"raised": 2.0, "only": only}))
    for task, ending, answer in (
        ("t00", Answered(), "t00"),
        ("t01", LimitHit(which="wall"), None),
        ("t02", GaveUp(), None),
    ):
        again.record(Attempt(cell=cell.id, task_id=task, epoch=1, ending=ending, answer=answer))
    keep_scores(score_run(suite, again), again)
    sides = {name: side(run, "", "sound") for name, run in (("base", first), ("raised", again))}
    (found,) = raised(sides)
    assert (found.title, found.before, found.pairs, found.still_limited) == ("raised", "base", 3, 1)
    assert (found.limits_before, found.limits_after) == (1.0, 2.0)
    assert (found.mean_before, found.mean_after) == (0.0, pytest.approx(1 / 3))
    assert (found.better, found.worse, found.p) == (1, 0, 1.0)
    assert found.attempts[1].ending_after == "limit:wall"
    assert raised({"base": sides["base"]}) == []


def test_the_document_says_all_of_it(first, second, asked):
    document = json.loads(asked("analyse", first.path, second.path, "--json"))
    assert document["cost"]["front"] == ["a (second)"]
    assert [cell["on_front"] for cell in document["cost"]["cells"]] == [False, True]
    assert document["raised"] == []
    assert Counter(row["kind"] for row in document["cost"]["routers"]) == {"domain": 1}
    assert document["cells"][0]["beside"]["mode"] == "reference"
