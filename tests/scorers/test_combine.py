import pytest

from benchwright.score import Evidence, Scored, Unscored
from benchwright.scorers.combine import combine


def scored(*values):
    return [Scored(value=value, evidence=(Evidence(part="a", verdict="note"),)) for value in values]


@pytest.mark.parametrize(
    ("rule", "values", "whole"),
    [
        ("mean", (1, 0), 0.5),
        ("mean", (0.1,) * 10, 0.1),
        ("min", (1, 0.25), 0.25),
        ("all", (1, 1), 1),
        ("all", (1, 0.9), 0),
    ],
)
def test_checks_compose_by_mean_by_min_or_by_all(rule, values, whole):
    assert combine(scored(*values), rule).value == whole


def test_a_metric_of_another_kind_is_part_of_the_total():
    assert combine([*scored(1), Scored(value=0.0, reason="another metric")]).value == 0.5


def test_a_single_score_is_passed_on_unchanged():
    (single,) = scored(0.3)
    assert combine([single], "all") is single


def test_one_check_without_a_score_leaves_the_task_without_one():
    combined = combine([*scored(1), Unscored(reason="scorer: boom")])
    assert isinstance(combined, Unscored)
    assert combined.reason == "scorer: boom"


def test_an_unknown_rule_and_no_checks_are_the_suites_fault():
    assert combine(scored(1), "median").reason.startswith("suite: unknown rule")
    assert combine([]).reason == "suite: the task has no checks"


def test_evidence_says_which_check_it_belongs_to():
    assert [item.part for item in combine(scored(1, 0)).evidence] == ["check 1: a", "check 2: a"]
