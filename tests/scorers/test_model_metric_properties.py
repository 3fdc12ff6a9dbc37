"""What holds for predictions whatever they are: range, repetition, identity, row order, and that errors never help."""

from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.score import Unscored
from benchwright.scorers.model_metric import METRICS

cells = st.one_of(
    st.floats(width=32).map(str), st.integers(-5, 5).map(str), st.sampled_from(["", "NaN", "x", "True", "1,5", "5%"])
)
numbers = st.lists(st.integers(-1000, 1000), min_size=3, max_size=12)
NUMERIC = [name for name, metric in METRICS.items() if metric.needs == "numbers" and name not in {"rmsle", "mape"}]


@pytest.fixture(scope="session")
def score(judge_file):
    def run(found, gold, metric, **options):
        options = {"id_columns": ["id"], "value_columns": ["y"], "metric": metric} | options
        return judge_file("model_metric", found, gold, suffix="csv", **options)

    return run


def table(rows):
    return "".join(f'{name},"{value}"\n' for name, value in [("id", "y"), *rows])


@given(
    found=st.lists(st.tuples(st.integers(0, 6), cells), max_size=8),
    gold=st.lists(cells, min_size=1, max_size=6),
    metric=st.sampled_from(sorted(METRICS)),
)
def test_scores_lie_between_0_and_1_and_repeat(score, found, gold, metric):
    result = score(table(found), table(enumerate(gold)), metric)
    assert result == score(table(found), table(enumerate(gold)), metric)
    if isinstance(result, Unscored):
        assert result.reason.startswith("suite: ")
    else:
        assert 0 <= result.value <= 1


@given(labels=numbers, metric=st.sampled_from(NUMERIC), data=st.data())
def test_the_labels_are_right_in_any_order(score, labels, metric, data):
    rows = list(enumerate(labels))
    result = score(table(data.draw(st.permutations(rows))), table(rows), metric)
    known = len(set(labels)) == 1 and metric != "ks"
    constant = metric == "medae" and any(median(abs(label - one) for label in labels) == 0 for one in labels)
    assert isinstance(result, Unscored) == (known or constant)
    assert result.kind == "unscored" or result.value == 1


@given(labels=numbers, data=st.data(), metric=st.sampled_from(["mae", "mse", "rmse", "accuracy"]))
def test_each_further_error_or_lost_row_costs(score, labels, data, metric):
    gold, found = table(enumerate(labels)), dict(enumerate(labels))
    scale = {} if metric == "accuracy" else {"baseline": 10**7, "target": 0}
    scores = [score(table(found.items()), gold, metric, **scale).value]
    for row in data.draw(st.lists(st.sampled_from(range(len(labels))), unique=True)):
        found[row] += 3000
        scores.append(score(table(found.items()), gold, metric, **scale).value)
    for row in data.draw(st.lists(st.sampled_from(range(len(labels))), unique=True)):
        before = found.pop(row)
        lost = score(table(found.items()), gold, metric, **scale).value
        if before == labels[row]:
            assert lost < scores[-1] or scores[-1] == 0
    assert scores == sorted(scores, reverse=True)


@given(
    labels=st.lists(st.sampled_from("abc"), min_size=2, max_size=12),
    metric=st.sampled_from(["accuracy", "f1", "f1_macro", "recall"]),
)
def test_classes_may_be_written_in_any_case(score, labels, metric):
    assert score(table(enumerate(map(str.upper, labels))), table(enumerate(labels)), metric).value == 1
