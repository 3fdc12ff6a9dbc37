from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.gold import Check, Gold
from benchwright.scorers.base import Expected
from benchwright.scorers.reference.coda_bench import CodaBenchScorer, evaluate, exact_match, match, numeric_match
from benchwright.task import Task
from benchwright.trajectory import Submission

TRUTH = [
    # prediction, gold, exact, numbers alone
    ("1234", "1,234", False, False),
    ("$1,000", "$1,000.00", False, True),
    ("1 234", "1,234", False, True),
    ("38", "38%", False, True),
    ("38.0%", "38%", False, True),
    ("0.38", "38%", False, False),
    ("2016 - 2020", "2016-2020", False, False),
    ("2016–2020", "2016-2020", False, False),
    ("2020-01-15", "2020/01/15", False, False),
    ("−5", "-5", False, False),
    ("−5", "5", False, True),
    ("A1", "A-1", False, False),
    ("A-1", "B-1", False, True),
    ("UK 5", "US 5", False, True),
    ("the answer is 5", "5", False, True),
    ("In 2019 it was 5", "5", False, False),
    ("[1, 2]", "1, 2", False, True),
    ("2, 1", "1, 2", False, False),
    ("5; Ohio", "Ohio; 5", False, True),
    ("1e3", "1000", False, True),
    ("12345678901234567", "12345678901234568", False, True),
    ("1234567890123.1", "1234567890123.2", False, False),
    ("0", "0.0000009", False, True),
    ("3.141592", "3.141593", False, True),
    ("3.14", "3.14159", False, False),
    ("1.2.3", "1.20.3", False, True),
    ("1e400", "1e999", False, False),
    ("３８", "38", False, True),
    ("٣٨", "38", False, True),
    ("H2O 7", "CO2 7", False, True),
    ("Paris.", "Paris", False, False),
    ("Cafe\u0301", "Caf\u00e9", False, False),
    ("PARIS\u00a0 \t texas\n", "paris texas", True, False),
    ("STRASSE", "straße", False, False),
    ("", "", True, False),
]


@pytest.mark.parametrize(("prediction", "gold", "exact", "numeric"), TRUTH)
def test_the_published_verdicts_hold_faults_included(prediction, gold, exact, numeric):
    assert (exact_match(prediction, gold), numeric_match(prediction, gold)) == (exact, numeric)
    assert match(prediction, gold) == (exact, exact or numeric)


@dataclass(frozen=True)
class Row:
    instance_id: int
    answer: str = ""
    prediction: str = ""
    release_community: str = "community_1"
    dataset: str = "d"


def test_what_is_missing_is_wrong_and_what_is_unknown_is_ignored():
    result = evaluate(
        [Row(1, "5"), Row(2, "x"), Row(3, "7")], [Row(1, prediction="5.0"), Row(2, prediction=" X "), Row(9)]
    )
    assert result.summary() == {
        "n_gold": 3,
        "n_pred": 3,
        "n_scored": 2,
        "exact_correct": 1,
        "numeric_correct": 2,
        "exact_accuracy": 1 / 3,
        "numeric_accuracy": 2 / 3,
        "missing_count": 1,
        "extra_count": 1,
    }
    assert (result.missing_ids, result.extra_ids) == ([3], [9])


def test_the_last_duplicate_wins_and_all_are_counted():
    result = evaluate(
        [Row(1, "a"), Row(1, "b")], [Row(1, prediction="b"), Row(1, prediction="c"), Row(1, prediction="B")]
    )
    assert (result.n_gold, result.n_pred, result.n_scored, result.exact_accuracy) == (2, 3, 1, 0.5)


def test_no_predictions_and_no_tasks_give_zero():
    assert evaluate([Row(1, "a")], []).exact_accuracy == 0.0
    assert evaluate([], [Row(1)]).numeric_accuracy == 0.0


def test_instances_are_sorted_and_the_result_file_has_the_published_form(tmp_path):
    result = evaluate([Row(2, "é"), Row(1, "x")], [Row(2, prediction="É"), Row(1, prediction="y")])
    assert [item.instance_id for item in result.per_instance] == [1, 2]
    result.write(tmp_path / "result.json")
    text = (tmp_path / "result.json").read_text()
    assert text.startswith('{\n  "n_gold": 2,\n')
    assert text.endswith("}\n")
    assert "É" in text


def independent(prediction: str, gold: str) -> tuple[bool, bool]:
    """The rule written once more, by hand and without regular expressions."""

    def folded(text):
        return " ".join(text.split()).lower()

    def tokens(text):
        found, at = [], 0
        while at < len(text):
            end = token_end(text, at)
            if end:
                found.append(float(text[at:end]))
            at = end or at + 1
        return found

    def digits(text, at):
        while at < len(text) and text[at].isdecimal():
            at += 1
        return at

    def token_end(text, at):
        start = at + 1 if text[at] in "+-" else at
        whole = digits(text, start)
        end = whole
        if whole < len(text) and text[whole] == "." and digits(text, whole + 1) > whole + 1:
            end = digits(text, whole + 1)
        if end == start:
            return 0
        if end < len(text) and text[end] in "eE":
            exponent = end + 2 if text[end + 1 : end + 2] in ("+", "-") else end + 1
            after = digits(text, exponent)
            end = after if after > exponent else end
        return end

    ours, theirs = tokens(prediction), tokens(gold)
    numeric = (
        bool(ours) and len(ours) == len(theirs) and all(abs(a - b) <= 1e-6 for a, b in zip(ours, theirs, strict=True))
    )
    return folded(prediction) == folded(gold), numeric


answers = st.one_of(
    st.text(alphabet="0123456789.,-+eE% ;aAé٣\u00a0", max_size=12),
    st.floats(allow_nan=False).map(str),
    st.integers().map("{:,}".format),
)


@given(answers, answers)
def test_an_independent_reading_of_the_rule_agrees(prediction, gold):
    assert (exact_match(prediction, gold), numeric_match(prediction, gold)) == independent(prediction, gold)


@given(st.text(), st.text())
def test_numeric_accuracy_is_never_below_exact_accuracy(prediction, gold):
    verdict = match(prediction, gold)
    assert verdict.numeric or not verdict.exact


def score(answer, gold):
    task = Task(id="1", question="?")
    expected = Expected(task=task, gold=Gold(task_id="1", answer=gold), check=Check(scorer="answer"), files=None)
    return CodaBenchScorer().score(Submission(answer=answer), expected)


def test_the_scorer_gives_the_exact_match_and_shows_both():
    assert (score("38", "38%").value, score("38", "38%").details) == (0.0, {"exact": False, "numeric": True})
    assert score(" 38% ", "38%").value == 1.0
    assert score(None, "38%").value == 0.0
    assert score("38%", None).kind == "unscored"
