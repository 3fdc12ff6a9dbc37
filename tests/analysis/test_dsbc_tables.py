import pytest
from scipy.stats import binomtest

from benchwright.analysis.dsbc import OUTCOMES, tables
from benchwright.analysis.dsbc.document import tables_of
from benchwright.analysis.dsbc.frame import frame_of, outcome_of
from benchwright.analysis.dsbc.pairing import Pair, compared, raw_against_clean
from benchwright.errors import Fault
from benchwright.run import Attempt, ScoreRow
from benchwright.score import Scored, Unscored
from benchwright.trajectory import Answered, Broke, GaveUp, LimitHit


def row(task="q1", outcome="right", **values):
    usual = {"model": "m", "approach": "single_code", "variant": "clean", "temperature": 0.0, "epoch": 1}
    labels = {"dataset": "D", "categories": ["Statistics"], "n_categories": 1}
    return {**usual, **labels, "task_id": task, "outcome": outcome, "right": outcome == "right", **values}


def test_attempts_without_a_verdict_stay_in_the_denominator_and_the_published_share_stands_beside():
    found = tables.shares(frame_of([row("q1"), row("q2", "incorrect"), row("q3", "undecided"), row("q4", "harness")]))
    assert (found["accuracy"], found["published"], found["without_verdict"]) == (0.25, 0.5, 2)
    low, high = found["ci95"]
    assert 0 < low < 0.25 < high < 1


def test_a_question_counts_in_each_of_its_categories():
    rows = [row("q1", categories=["A", "B"], n_categories=2), row("q2", "code", categories=["B"])]
    found = {each["category"]: (each["n"], each["right"]) for each in tables.by(frame_of(rows), "category")}
    assert found == {"A": (1, 1), "B": (2, 1)}


def test_one_temperature_has_no_deviation_and_the_lower_of_two_equal_ones_is_named():
    (one,) = tables.by_setup(frame_of([row(temperature=None)]))
    assert one["sd"] is None
    assert one["highest"]["temperature"] is None
    (two,) = tables.by_setup(frame_of([row(temperature=0.3), row(temperature=0.1)]))
    assert (two["sd"], two["highest"]["temperature"], two["lowest"]["temperature"]) == (0.0, 0.1, 0.1)


def test_rates_of_questions_over_all_attempts():
    rows = [row("q1", epoch=n) for n in range(10)]
    rows += [row("q2", "right" if n < 8 else "code", epoch=n) for n in range(10)]
    rows += [row("q3", "data", epoch=n) for n in range(10)]
    found = tables.by_question(frame_of(rows))
    assert found["summary"] == {
        "questions": 3,
        "mean": pytest.approx(0.6),
        "median": 0.8,
        "highest": 1.0,
        "above_80": 1,  # 80 per cent are not above 80 per cent
        "never_right": 1,
        "always_right": 1,
    }


def test_causes_are_shares_of_the_failures():
    rows = [row("q1"), row("q2", "code"), row("q3", "code"), row("q4", "incorrect")]
    (found,) = tables.causes(frame_of(rows), "approach")
    assert found["counts"]["code"] == 2
    assert found["share_of_failures"]["code"] == pytest.approx(2 / 3)
    assert set(found["counts"]) == set(OUTCOMES)


def test_costs_are_compared_over_the_models_that_every_approach_was_played_with():
    rows = [
        row(cost_usd=1.0, tokens=100),
        row("q2", cost_usd=3.0, tokens=300),
        row(model="dear", cost_usd=10.0, tokens=1000),
        row(approach="multi_code", cost_usd=3.6, tokens=500),
        row("q9", "not run", approach="multi_code"),
    ]
    found = {each["approach"]: each for each in tables.costs(frame_of(rows))}
    assert found["multi_code"]["models"] == ["m"]
    assert found["multi_code"]["cost_usd_ratio"] == pytest.approx(1.8)
    assert found["multi_code"]["tokens_ratio"] == pytest.approx(2.5)
    unknown = tables.costs(frame_of([row(cost_usd=1.0), row("q2", cost_usd=None, tokens=5)]))
    assert unknown[0]["cost_usd"] is None


def test_wordings_are_compared_in_pairs():
    rows = []
    for number in range(10):
        rows.append(row(f"q{number}", variant="raw", outcome="right"))
        rows.append(row(f"q{number}", variant="clean", outcome="right" if number < 3 else "incorrect"))
    rows += [row("q77", variant="raw"), row("q78", variant="raw"), row("q78", "undecided")]
    (found,) = raw_against_clean(frame_of(rows))
    assert (found["pairs"], found["only_raw"], found["only_clean"], found["left_out"]) == (10, 7, 0, 1)
    assert found["difference"] == pytest.approx(0.7)
    assert found["p_mcnemar"] == pytest.approx(2 / 2**7)
    assert found["p_mcnemar"] == pytest.approx(binomtest(7, 7).pvalue)


def test_pairs_of_one_question_are_no_independent_evidence():
    alone = compared(
        [Pair(number, first=True, second=False) for number in range(8)] + [Pair(99, first=True, second=True)] * 8
    )
    together = compared([Pair(0, first=True, second=False)] * 8 + [Pair(99, first=True, second=True)] * 8)
    assert alone["p_mcnemar"] == together["p_mcnemar"] < 0.05
    assert alone["p_clustered"] < 0.05 < together["p_clustered"]
    assert compared([Pair(0, first=True, second=True)])["p_clustered"] == 1.0


ATTEMPT = Attempt(cell="c", task_id="q", ending=Answered(), answer="1")
WRONG = ScoreRow(cell="c", task_id="q", epoch=1, name="sound", score=Scored(value=0.0))


@pytest.mark.parametrize(
    ("attempt", "score", "record", "outcome"),
    [
        (None, None, {}, "not run"),
        (ATTEMPT, WRONG, {}, "incorrect"),
        (ATTEMPT, WRONG, {"error": "data"}, "data"),
        (ATTEMPT, WRONG, {"error": "what an agent wrote"}, "incorrect"),
        (ATTEMPT, WRONG.model_copy(update={"score": Scored(value=1.0)}), {"error": "code"}, "right"),
        (ATTEMPT, WRONG.model_copy(update={"score": Unscored(reason="judge")}), {"error": ""}, "undecided"),
        (ATTEMPT, None, {"error": "format"}, "format"),
        (ATTEMPT.model_copy(update={"ending": LimitHit(which="wall")}), WRONG, {}, "code"),
        (ATTEMPT.model_copy(update={"ending": LimitHit(which="messages")}), WRONG, {}, "no answer"),
        (ATTEMPT.model_copy(update={"ending": GaveUp()}), WRONG, {}, "no answer"),
        (ATTEMPT.model_copy(update={"ending": GaveUp()}), WRONG, {"error": ""}, "incorrect"),
        (ATTEMPT.model_copy(update={"ending": Broke(fault=Fault.MODEL)}), None, {}, "harness"),
        (ATTEMPT.model_copy(update={"ending": Broke(fault=Fault.AGENT)}), WRONG, {}, "code"),
    ],
)
def test_what_became_of_an_attempt(attempt, score, record, outcome):
    assert outcome_of(attempt, score, record) == outcome


def test_tables_of_nothing_are_empty():
    assert tables_of(frame_of([]))["accuracy"] == []
    assert tables_of(frame_of([]))["overall"]["accuracy"] is None
