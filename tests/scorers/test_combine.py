import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def test_a_check_whose_scorer_failed_counts_0_and_is_named():
    combined = combine([*scored(1), Unscored(reason="scorer: boom")])
    assert combined.value == 0.5
    assert combined.details == {"unscored_checks": 1}
    assert combined.reason == "check 2: no verdict, counted as 0 (scorer: boom)"


def test_a_check_that_the_suite_leaves_without_a_score_leaves_the_task_without_one():
    lost, failed = Unscored(reason="suite: no gold"), Unscored(reason="scorer: boom")
    for scores in ([*scored(1), lost], [failed, lost], [lost, failed]):
        assert combine(scores) == lost
    marked = Unscored(reason="self-reported: and nothing to check it by", details={"gold": "self-reported"})
    assert combine([*scored(1), marked]) == marked


def test_without_any_verdict_there_is_none():
    combined = combine([Unscored(reason="scorer: boom"), Unscored(reason="scorer: time limit")])
    assert isinstance(combined, Unscored)
    assert combined.reason == "scorer: boom; scorer: time limit"


@pytest.mark.parametrize("rule", ["mean", "all", "min"])
@given(values=st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=2, max_size=5), data=st.data())
def test_breaking_a_scorer_never_pays(rule, values, data):
    whole = combine(scored(*values), rule)
    broken = [Unscored(reason="scorer: boom") if data.draw(st.booleans()) else score for score in scored(*values)]
    after = combine(broken, rule)
    assert (after.value if isinstance(after, Scored) else 0) <= whole.value


def test_an_unknown_rule_and_no_checks_are_the_suites_fault():
    assert combine(scored(1), "median").reason.startswith("suite: unknown rule")
    assert combine([]).reason == "suite: the task has no checks"


def test_evidence_says_which_check_it_belongs_to():
    assert [item.part for item in combine(scored(1, 0)).evidence] == ["check 1: a", "check 2: a"]
