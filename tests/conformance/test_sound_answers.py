"""The sound answer scorer on the CoDA-Bench golds, perturbed in 35 ways; the golds are read from ../shared."""

import json
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from benchwright.scorers.answer import gold_fault, judge
from benchwright.scorers.answer.guideline import read_guideline

# Share of the scored rows that is accepted, at least and at most, and why it is not simply all or none.
ACCEPTED = {
    "identity": (1, 1),
    "extra_spaces": (1, 1),
    "nbsp_spaces": (1, 1),
    "lower_case": (1, 1),
    "upper_case": (1, 1),
    "quoted": (1, 1),
    "bracketed": (1, 1),
    "trailing_period": (1, 1),
    "sentence": (1, 1),
    "sentence_with_number": (1, 1),
    "fullwidth_digits": (1, 1),
    "percent_removed": (1, 1),  # the task fixes the unit; accepted with a warning
    "percent_spaced": (1, 1),
    "dollar_removed": (1, 1),
    "thousands_added": (1, 1),
    "thousands_removed": (1, 1),
    "semicolons_to_commas": (1, 1),
    "separator_no_space": (1, 1),
    "range_spaced": (1, 1),
    "unicode_minus": (1, 1),
    "en_dash": (1, 1),
    "commas_to_semicolons": (0.25, 0.32),  # the rest turned the thousands comma of 39,853 into 39;853: two numbers
    "trailing_zero": (0.90, 0.95),  # the rest tore a number or label apart: 64.0,000,000; I-95.0 N; 2020.0-02-22
    "leading_plus": (0.97, 0.99),  # the rest are signed dates, times and road names
    "scientific": (0.90, 0.94),  # as trailing_zero: 1.37e2,022; IPL-2.013e3
    "plus_1e-7": (0.90, 0.93),  # by the stated decimals; the rest state seven or more, or tore a number apart
    "plus_1e-5": (0.87, 0.92),  # by the stated decimals, likewise
    "one_digit_less": (0.03, 0.05),  # only where the digit was a zero: 4.0 is 4
    "negated": (0, 0.02),  # only minus zero, which is zero
    "unicode_minus_added": (0, 0.03),  # likewise
    "words_junk": (0, 0),
    "list_reversed": (0, 0),  # no task of this suite allows any order
    "list_last_dropped": (0, 0),
    "not_applicable": (0, 0),
    "empty": (0, 0),
}


@cache
def _tasks(shared: Path):
    records = json.loads((shared / "data" / "coda_bench" / "coda_bench.json").read_text(encoding="utf-8"))
    return {record["instance_id"]: record for record in records}


def _guideline(task):
    return read_guideline(task["answer_guidelines"], task["question"], {})


@cache
def _verdicts(shared: Path):
    """Verdicts by perturbation, of rows whose gold can be used: (instance, gold, prediction, right)."""
    found = defaultdict(list)
    with (shared / "conformance" / "coda_expected.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            task = _tasks(shared)[row["instance_id"]]
            if not gold_fault(task["answer"], _guideline(task)):
                right = judge(row["prediction"], task["answer"], _guideline(task)).right
                found[row["perturbation"]].append((row["instance_id"], task["answer"], row["prediction"], right))
    return found


def test_every_gold_is_right_for_its_own_task_or_is_listed_as_broken_with_a_reason(shared):
    broken = {}
    for number, task in _tasks(shared).items():
        fault = gold_fault(task["answer"], _guideline(task))
        if fault:
            broken[number] = fault
        else:
            assert judge(task["answer"], task["answer"], _guideline(task)).right, task["answer"]
    assert len(broken) <= 0.03 * len(_tasks(shared))
    assert set(broken) == {4, 534, 855}  # found by rules; the list says that nothing else fell to them


@pytest.mark.slow
@pytest.mark.parametrize("perturbation", sorted(ACCEPTED))
def test_a_perturbation_is_accepted_or_refused_as_its_kind_deserves(shared, perturbation):
    low, high = ACCEPTED[perturbation]
    rows = _verdicts(shared)[perturbation]
    share = sum(right for *_, right in rows) / len(rows)
    odd = [row for row in rows if row[3] != (low == 1)][:5]
    assert low <= share <= high, (share, odd)


@pytest.mark.slow
def test_every_perturbation_has_an_expectation(shared):
    assert set(_verdicts(shared)) == set(ACCEPTED)


@pytest.mark.slow
def test_answers_of_other_tasks_are_wrong(shared):
    """A know-nothing guesser that hands in the gold of another task is right only where both golds are equal."""
    tasks = list(_tasks(shared).values())
    for step in (1, 7, 101):
        for task, other in zip(tasks, tasks[step:] + tasks[:step], strict=True):
            if judge(other["answer"], task["answer"], _guideline(task)).right:
                said, gold = (text.strip("% ").casefold() for text in (other["answer"], task["answer"]))
                assert said == gold or float(said) == pytest.approx(float(gold), abs=0.5)
