"""Predictions in several columns: a probability of each class, or the members of an ensemble."""

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.score import Scored

LABELS = ["cat", "dog", "bird", "dog", "cat", "bird", "dog"]
GOLD = "id,y\n" + "".join(f"{row},{label}\n" for row, label in enumerate(LABELS))
CLASSES = sorted(set(LABELS))


def predicted(table, names=None, ids=None):
    names = names or [f"p_{name}" for name in CLASSES]
    rows = (",".join(map(str, (row, *table[row]))) for row in (range(len(table)) if ids is None else ids))
    return "\n".join([",".join(["id", *names]), *rows]) + "\n"


@pytest.fixture
def score(judge_file):
    def run(found, metric, gold=GOLD, **options):
        asked = {"id_columns": ["id"], "value_columns": ["y"], "metric": metric} | options
        return judge_file("model_metric", found, gold, suffix="csv", **asked)

    return run


def shares(seed):
    table = np.random.default_rng(seed).dirichlet([1, 1, 1], len(LABELS))
    return table / table.sum(axis=1, keepdims=True)


SURE = np.eye(3)[[CLASSES.index(label) for label in LABELS]]


@pytest.mark.parametrize("metric", ["roc_auc", "log_loss", "brier"])
def test_being_sure_and_right_is_1_and_the_classes_own_shares_are_0(score, metric):
    assert score(predicted(SURE), metric).value == pytest.approx(1)
    constant = np.tile([LABELS.count(name) / len(LABELS) for name in CLASSES], (len(LABELS), 1))
    assert score(predicted(constant), metric).value == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("metric", "library"),
    [
        ("roc_auc", lambda table: sk.roc_auc_score(LABELS, table, multi_class="ovr", labels=CLASSES)),
        ("log_loss", lambda table: sk.log_loss(LABELS, table, labels=CLASSES)),
    ],
)
def test_the_metric_is_the_librarys(score, metric, library):
    for seed in range(5):
        table = shares(seed)
        told = score(predicted(table), metric).details["columns"]["y"]["value"]
        assert told == pytest.approx(library(table))


@pytest.mark.parametrize("names", [CLASSES, ["prob_bird", "Prob Cat", "PROBA_DOG"], ["y_bird", "y_cat", "y_dog"]])
def test_columns_are_known_by_the_names_of_their_classes_in_any_order(score, names):
    assert score(predicted(SURE, names), "log_loss").value == pytest.approx(1)
    assert score(predicted(SURE[:, ::-1], names[::-1], ids=[3, 1, 0, 2, 6, 5, 4]), "log_loss").value == pytest.approx(1)


def test_classes_that_are_numbers_have_columns_too(score):
    gold = "id,y\n0,0\n1,1\n2,2\n"
    assert score(predicted(np.eye(3), ["p_0", "p_1", "p_2"]), "roc_auc", gold).value == 1


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (GOLD, "0 columns of predictions for the class 'bird'"),
        (predicted(SURE[:, :2], ["p_bird", "p_cat"]), "0 columns of predictions for the class 'dog'"),
        (
            predicted(np.c_[SURE, SURE[:, 0]], ["bird", "cat", "dog", "p_bird"]),
            "2 columns of predictions for the class 'bird'",
        ),
        (predicted(SURE * 2), "7 rows without usable predictions"),
        (predicted(SURE - 1), "7 rows without usable predictions"),
    ],
)
def test_predictions_that_are_not_there_or_are_none_score_0_with_the_reason(score, found, reason):
    found = score(found, "log_loss")
    assert isinstance(found, Scored)
    assert (found.value, reason in found.reason) == (0, True), found.reason


def test_rows_without_predictions_cost_their_share(score):
    assert score(predicted(SURE, ids=[0, 1, 2, 3]), "brier").value == pytest.approx(4 / 7)


ENSEMBLE = "id,y\n0,1\n1,3\n2,10\n"


def test_an_ensemble_is_measured_by_its_members(score):
    right = predicted(np.array([[1, 1], [3, 3], [10, 10]]), ["y_1", "y_2"])
    assert score(right, "crps", ENSEMBLE).value == 1
    wide = predicted(np.array([[0, 2], [2, 4], [9, 11]]), ["member_1", "member_2"])
    assert "no columns y_1, y_2" in score(wide, "crps", ENSEMBLE).reason
    wide = score(wide.replace("member", "y"), "crps", ENSEMBLE)
    assert wide.details["columns"]["y"]["value"] == pytest.approx(0.5)  # mean |x - y| = 1, half the mean |x - x'| = 0.5
    assert score(ENSEMBLE, "crps", ENSEMBLE).value == 1  # one column is a point forecast


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.floats(0, 1) | st.just(float("nan")), min_size=3, max_size=3), min_size=7, max_size=7))
def test_any_numbers_give_a_score_between_0_and_1(judge_file, table):
    for metric in ("roc_auc", "log_loss", "brier"):
        options = {"id_columns": ["id"], "value_columns": ["y"], "metric": metric}
        found = judge_file("model_metric", predicted(table), GOLD, suffix="csv", **options)
        assert isinstance(found, Scored)
        assert 0 <= found.value <= 1
