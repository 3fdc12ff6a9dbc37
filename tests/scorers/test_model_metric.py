import math

import numpy as np
import pytest
import scipy.stats
import sklearn.metrics as sk

from benchwright.errors import SuiteError
from benchwright.score import Scored, Unscored
from benchwright.scorers.model_metric import METRICS


def table(*columns, names):
    return "\n".join(",".join(map(str, row)) for row in (names, *zip(*columns, strict=True))) + "\n"


def labelled(values, ids=None):
    return table(ids or range(len(values)), values, names=("id", "y"))


@pytest.fixture
def score(judge_file):
    def run(found, gold, metric="mae", **options):
        options = {"id_columns": ["id"], "value_columns": ["y"], "metric": metric} | options
        return judge_file("model_metric", found, gold, suffix="csv", **options)

    return run


GOLD = labelled([1, 2, 3, 4])
UNIT = {"baseline": 1, "target": 0}


def test_predictions_that_are_the_labels_score_1(score):
    result = score(GOLD, GOLD)
    assert (result.value, result.details["columns"]["y"]["value"]) == (1, 0)


def test_the_metric_is_placed_between_baseline_and_target_and_held_there(score):
    assert score(labelled([1.5, 2.5, 3.5, 4.5]), GOLD, **UNIT).value == 0.5
    assert score(labelled([1.5, 2.5, 3.5, 4.5]), GOLD, baseline=1, target=0.75).value == 1
    assert score(labelled([9, 9, 9, 9]), GOLD, **UNIT).value == 0
    binary = labelled([0, 0, 1, 1])
    assert score(labelled([0, 0, 1, 0]), binary, "accuracy", baseline=0.5, target=1).value == 0.5
    assert score(labelled([0, 0, 1, 1]), binary, "accuracy", baseline=0.5, target=0.9).value == 1


def test_what_float_arithmetic_leaves_of_a_label_is_the_label_however_narrow_the_scale(score):
    gold, narrow = labelled([0.4096, 0.25]), {"baseline": 1e-4, "target": 0}
    assert score(labelled([0.4096 * (1 + 1e-9), 0.25 * (1 - 1e-9)]), gold, **narrow).value == 1
    assert score(labelled([0.4096 * (1 + 1e-7), 0.25]), gold, **narrow).value < 1


def test_without_a_scale_knowing_nothing_is_0_and_being_right_is_1(score):
    gold = labelled([1, 2, 3, 4, 10])
    assert score(labelled([4] * 5), gold, "mse").value == 0
    assert score(labelled([3] * 5), gold, "mae").value == 0
    assert score(labelled([0.5] * 4), labelled([0, 1, 0, 1]), "log_loss").value == pytest.approx(0)
    assert score(labelled([0.25] * 4), labelled([0, 1, 0, 0]), "brier").value == pytest.approx(0)
    assert score(labelled([0.3] * 4), labelled([0, 1, 0, 1]), "roc_auc").value == 0


def test_rows_join_by_id_whatever_their_order(score):
    assert score("id,y\n2,20\n1,10\n", "id,y\n1,10\n2,20\n", "rmse").value == 1
    assert score("y,ID\n20,2.0\n10, 1\n", "id,y\n1,10\n2,20\n", "rmse").value == 1
    assert score("id,y\n00123,1\n", "id,y\n123,1\n", **UNIT).value == 0
    long = "id,y\n123456789012345678,1\n123456789012345679,2\n"
    assert score("id,y\n123456789012345679,2\n123456789012345678,1\n", long, **UNIT).value == 1


def test_missing_ids_count_against(score):
    result = score(labelled([1, 2]), GOLD, **UNIT)
    assert (result.value, result.details["missing"]) == (0.5, 2)


def test_rows_that_are_not_asked_for_are_noted_only(score):
    result = score(labelled([1, 2, 3, 4, 5, 6]), GOLD, **UNIT)
    assert (result.value, result.details["unknown"]) == (1, 2)


def test_an_id_that_is_predicted_twice_with_different_values_has_no_prediction(score):
    result = score(GOLD + "0,9\n", GOLD, **UNIT)
    assert (result.value, result.details["duplicates"]) == (0.75, 1)


def test_predictions_that_repeat_others_are_rows_too_many(score):
    result = score(GOLD + "0,1\n", GOLD, **UNIT)
    assert (result.value, result.details["duplicates"]) == (0.8, 1)
    assert "1 predictions that repeat another" in result.reason
    assert score(GOLD + GOLD.partition("\n")[2], GOLD, **UNIT).value == 0.5
    assert score("id,y\n0,1\n0,1\n0,1\n0,1\n", GOLD, **UNIT).value < 0.25


def test_ids_that_repeat_in_the_gold_pair_by_value(score):
    gold = "id,y\na,1\na,2\nb,3\n"
    assert score("id,y\nb,3\na,2\na,1\n", gold, **UNIT).value == 1
    assert score("id,y\nb,3\na,2\n", gold, **UNIT).value < 1


def test_positional_pairing_happens_only_where_no_id_is_named(score):
    assert score("y\n2\n1\n", "y\n1\n2\n", id_columns=[], baseline=2, target=0).value == 0.5
    assert score("y\n1\n2\n", "y\n1\n2\n", id_columns=[], **UNIT).value == 1
    assert score("y\n1\n", "y\n1\n2\n", id_columns=[], **UNIT).value == 0.5
    assert score("y\n1\n2\n3\n3\n", "y\n1\n2\n", id_columns=[], **UNIT).value == 0.5


def test_columns_given_by_position_go_by_the_golds_names(score):
    gold = "id,x,y\na,9,1\nb,9,2\n"
    options = {"id_columns": [0], "value_columns": [2], **UNIT}
    assert score("y,id\n2,b\n1,a\n", gold, **options).value == 1
    assert score("k,v,w\nb,9,2\na,9,1\n", gold, **options).value == 1


def test_without_value_columns_all_but_the_ids_count(score):
    gold = "id,y,z\n1,1,5\n2,2,6\n"
    result = score("id,y\n1,1\n2,2\n", gold, value_columns=[], **UNIT)
    assert (result.value, result.details["columns"]["z"]["value"]) == (0.5, None)


def test_a_missing_file_column_or_id_scores_0_with_the_reason(score):
    assert score(None, GOLD).reason == "no file out.csv"
    assert "no id column id" in score("k,y\n1,1\n", GOLD).reason
    assert "no such column" in score("id,k\n1,1\n", GOLD).reason
    assert score(b"\x00\x01\x02", GOLD).reason.startswith("unreadable out.csv")
    assert score("id,y,Y\n0,1,1\n", GOLD, value_columns=["y"], **UNIT).value == 0.25
    assert "no such column" in score("id,y,y\n0,1,1\n", GOLD).reason


@pytest.mark.parametrize(
    ("gold", "options", "named"),
    [
        (..., {}, "the gold gold0.csv cannot be used"),
        ("id,y\na,foo\nb,bar\n", {}, "labels are not numeric, the first 'foo'"),
        ("id,y\na,\nb,\n", {}, "no labels"),
        ("id,y\na,1\n", {"value_columns": ["z"]}, "the gold has no column 'z'"),
        ("id,y\na,1\nb,1\n", {"metric": "pearson"}, "the labels are no ground for pearson"),
        ("id,y\na,1\nb,1\n", {"metric": "roc_auc"}, "1 classes where two are needed"),
        ("id,y\na,1\nb,1\n", {}, "the check needs a baseline"),
        ("id\na\n", {"value_columns": []}, "no column of labels"),
    ],
)
def test_labels_that_cannot_be_used_are_the_suites_fault(score, gold, options, named):
    result = score("id,y\na,1\nb,2\n", gold, **options)
    assert isinstance(result, Unscored)
    assert result.reason.startswith("suite: ")
    assert named in result.reason
    assert "gold" in result.details


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"metric": "nonsense"}, "option 'metric'"),
        ({"metric": None}, "option 'metric'"),
        ({"baseline": 0, "target": 1}, "a target below the baseline"),
        ({"metric": "accuracy", "baseline": 1, "target": 0}, "a target above the baseline"),
        ({"baseline": 0.9, "target": 0.9}, "a target below the baseline"),
        ({"baseline": math.nan}, "option 'baseline'"),
        ({"id_columns": [-1]}, "option 'id_columns'"),
        ({"value_columns": [None]}, "option 'value_columns'"),
        ({"other": 1}, "no option 'other'"),
    ],
)
def test_a_check_that_makes_no_sense_is_named(score, options, named):
    with pytest.raises(SuiteError, match=named):
        score(GOLD, GOLD, **options)


def test_metrics_have_other_names(score):
    for name in ("Mean Absolute Error", "MAE", "mean-absolute-error"):
        assert score(GOLD, GOLD, name).value == 1
    assert score(labelled([1, 0]), labelled([1, 0]), "ROC_AUC_Score").value == 1


# --- known faults of the published rule, with the verdict that is right


def test_text_predictions_are_no_numbers(score):
    result = score(labelled(["foo", "bar", "baz", "q"]), GOLD, baseline=1, target=0)
    assert result.value == 0
    assert "not numeric, the first 'foo'" in result.reason


def test_predictions_that_are_missing_score_0(score):
    assert score(labelled(["", "NaN", "", "null"]), GOLD, baseline=1, target=0).value == 0
    assert score(labelled(["inf", "-inf", "1e999", "9" * 400]), GOLD, baseline=1, target=0).value == 0


def test_each_of_several_columns_is_measured(score):
    gold = "id,y,z\n1,1,5\n2,2,6\n"
    options = {"metric": "mse", "value_columns": ["y", "z"], "baseline": 1e-4, "target": 0}
    assert score("id,y,z\n1,1e6,1e6\n2,1e6,1e6\n", gold, **options).value == 0
    assert score("id,y,z\n1,1,1e6\n2,2,1e6\n", gold, **options).value == 0.5


def test_one_id_repeated_is_one_id(score):
    result = score("id,y\n0,1\n0,1\n0,1\n0,1\n", GOLD, baseline=1, target=0)
    assert (result.value, result.details["missing"], result.details["duplicates"]) == (
        pytest.approx(0.25 * 4 / 7),
        3,
        1,
    )
    assert score("id,y\n0,1\n0,2\n0,3\n0,4\n", GOLD, baseline=1, target=0).value == 0


def test_keys_by_position_join_like_any_others(score):
    gold, options = "k,y\na,1\nb,2\nc,3\nd,4\n", {"id_columns": [0], "value_columns": [1], "baseline": 1, "target": 0}
    assert score("k,y\na,1\nx,2\ny,3\nz,4\n", gold, **options).value == 0.25
    assert score("k,y\nd,4\nc,3\nb,2\na,1\n", gold, **options).value == 1


def test_a_metric_that_looks_at_no_row_says_so(score):
    result = score(labelled([4, 3, 2, 1]), GOLD, "ks")
    assert result.value == 1
    assert result.details["row_agnostic"]
    assert "row-agnostic" in result.reason
    assert score(labelled([4, 3, 2, 1]), GOLD, "pearson").value == 0


def test_labels_are_not_cut_off(score):
    assert score(labelled([1.9, 2.9, 3.9, 4.9]), labelled([1.0, 2.0, 3.0, 4.0]), "accuracy").value == 0


@pytest.mark.parametrize(("text", "value"), [("about ten", 0), ("10", 1), ("1e1", 1), ("10.0", 1), ("", 0)])
def test_what_cannot_be_parsed_has_no_error_metric(score, text, value):
    result = score(f"id,y\na,{text}\n", "id,y\na,10\n", baseline=1, target=0)
    assert result.value == value
    assert (result.details["columns"]["y"]["value"] is None) == (value == 0)


@pytest.mark.parametrize(("found", "expected"), [(0.95, 1.0), (0.7, 0.5), (0.3, 0.0)])
def test_a_relative_gap_is_capped(score, found, expected):
    labels = [1] * 100
    predictions = [1] * round(100 * found) + [0] * round(100 * (1 - found))
    result = score(labelled(predictions), labelled(labels), "accuracy", baseline=0.5, target=0.9)
    assert result.value == pytest.approx(expected)


def test_truth_values_are_classes_and_numbers_only_of_their_own_kind(score):
    truths = labelled([True, False, True])
    assert score(labelled([1, 0, 1]), truths, "accuracy").value == 1
    assert score(labelled(["TRUE", "false", "True"]), labelled([1, 0, 1]), "accuracy").value == 1
    assert score(labelled([True, False, True]), truths, "mae", baseline=1, target=0).value == 1
    assert score(labelled([True, False, True]), labelled([1, 0, 2]), "mae", baseline=1, target=0).value == 0
    assert score(labelled([True, False, True]), labelled([1, 0, 2]), "accuracy").value == 0


def test_predictions_out_of_range_are_no_probabilities(score):
    binary = labelled([0, 1, 0, 1])
    assert score(labelled([-1, 2, -3, 5]), binary, "brier").value == 0
    assert score(labelled([-1, 2, -3, 5]), binary, "roc_auc").value == 1
    assert score(labelled([0, 1, 0, 1]), binary, "log_loss").value == pytest.approx(1)


def test_a_metric_that_fails_is_0_with_its_reason(score):
    result = score(labelled([5, 5, 5, 5]), GOLD, "pearson")
    assert isinstance(result, Scored)
    assert (result.value, result.details["columns"]["y"]["value"]) == (0, None)
    assert "a constant has no correlation" in result.reason


# --- the metrics themselves, against scikit-learn and SciPy

RANDOM = np.random.default_rng(7)
NUMBERS = RANDOM.normal(5, 2, 200).clip(0.1), RANDOM.normal(5, 2, 200).clip(0.1)
CLASSES = RANDOM.integers(0, 4, 200), RANDOM.integers(0, 5, 200)
SCORES = np.array([0.0, 1.0] * 100), RANDOM.random(200)
RATINGS = CLASSES[0].astype(float), RANDOM.integers(0, 4, 200).astype(float)


def two_samples(labels, scores):
    return scipy.stats.ks_2samp(scores[labels == 1], scores[labels == 0], alternative="less").statistic


@pytest.mark.parametrize(
    ("name", "sides", "other"),
    [
        ("accuracy", CLASSES, sk.accuracy_score),
        ("balanced_accuracy", RATINGS, sk.balanced_accuracy_score),
        ("f1", CLASSES, lambda y, p: sk.f1_score(y, p, average="weighted")),
        ("f1_macro", CLASSES, lambda y, p: sk.f1_score(y, p, average="macro")),
        ("precision_macro", CLASSES, lambda y, p: sk.precision_score(y, p, average="macro", zero_division=0)),
        ("recall_micro", CLASSES, lambda y, p: sk.recall_score(y, p, average="micro")),
        ("mcc", CLASSES, sk.matthews_corrcoef),
        ("kappa", CLASSES, sk.cohen_kappa_score),
        ("quadratic_kappa", RATINGS, lambda y, p: sk.cohen_kappa_score(y, p, weights="quadratic")),
        ("roc_auc", SCORES, sk.roc_auc_score),
        ("pr_auc", SCORES, sk.average_precision_score),
        ("ks_separation", SCORES, two_samples),
        ("log_loss", SCORES, sk.log_loss),
        ("brier", SCORES, sk.brier_score_loss),
        ("r2", NUMBERS, sk.r2_score),
        ("explained_variance", NUMBERS, sk.explained_variance_score),
        ("mae", NUMBERS, sk.mean_absolute_error),
        ("mse", NUMBERS, sk.mean_squared_error),
        ("rmse", NUMBERS, sk.root_mean_squared_error),
        ("rmsle", NUMBERS, sk.root_mean_squared_log_error),
        ("medae", NUMBERS, sk.median_absolute_error),
        ("max_error", NUMBERS, sk.max_error),
        ("mape", NUMBERS, sk.mean_absolute_percentage_error),
        ("crps", NUMBERS, sk.mean_absolute_error),
        ("pearson", NUMBERS, lambda y, p: scipy.stats.pearsonr(y, p).statistic),
        ("spearman", NUMBERS, lambda y, p: scipy.stats.spearmanr(y, p).statistic),
        ("kendall", NUMBERS, lambda y, p: scipy.stats.kendalltau(y, p).statistic),
        ("ks", NUMBERS, lambda y, p: scipy.stats.ks_2samp(y, p).statistic),
        ("smape", NUMBERS, lambda y, p: np.mean(2 * abs(y - p) / (abs(y) + abs(p)))),
    ],
)
def test_metrics_are_those_of_the_known_libraries(name, sides, other):
    assert METRICS[name].value(*sides) == pytest.approx(other(*sides), rel=1e-9)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_is_best_on_the_labels_and_its_worst_is_worse(name):
    metric = METRICS[name]
    labels = {"classes": CLASSES[0], "ratings": RATINGS[0], "numbers": NUMBERS[0]}.get(metric.needs, SCORES[0])
    assert metric.value(labels, labels) == pytest.approx(metric.best)
    uninformed = metric.baseline(labels)
    assert abs(uninformed - metric.best) >= 0.25
    assert (metric.best > uninformed) == (metric.best > metric.worst)


WIDE = {"baseline": 100, "target": 0}


def test_one_value_for_all_rows_earns_nothing_however_wide_the_scale_where_the_check_says_so(score):
    for guess in (2, 2.5, 3):
        assert score(labelled([guess] * 4), GOLD, **WIDE).value > 0.98
        assert score(labelled([guess] * 4), GOLD, **WIDE, above_constant=True).value == 0
    assert score(labelled([1.5, 2.5, 3.5, 4.5]), GOLD, **WIDE, above_constant=True).value == 0.5
    assert score(GOLD, GOLD, **WIDE, above_constant=True).value == 1
    labels = labelled(["cat", "cat", "cat", "dog"])
    scale = {"metric": "accuracy", "baseline": 0, "target": 1}
    assert score(labelled(["cat"] * 4), labels, **scale).value == 0.75
    assert score(labelled(["cat"] * 4), labels, **scale, above_constant=True).value == 0
    assert score(labels, labels, **scale, above_constant=True).value == 1


def test_a_stated_scale_that_is_narrower_or_a_label_that_never_changes_stays_as_it_is(score):
    near = labelled([1.05, 2.05, 3.05, 4.05])
    assert score(near, GOLD, baseline=0.1, target=0, above_constant=True).value == pytest.approx(0.5)
    assert score(labelled([5.5, 5.5]), labelled([5, 5]), **UNIT, above_constant=True).value == 0.5
    assert score("y\n5.5\n", "y\n5\n", **UNIT, id_columns=[], above_constant=True).value == 0.5


def test_whether_a_constant_counts_is_yes_or_no(score):
    with pytest.raises(SuiteError, match="above_constant"):
        score(GOLD, GOLD, **UNIT, above_constant="yes")


@pytest.mark.parametrize("metric", sorted(METRICS))
def test_no_constant_earns_anything_by_any_metric_where_the_check_says_so(score, metric):
    binary = METRICS[metric].needs in {"classes", "ratings", "scores", "probabilities"}
    values = [0, 1, 0, 1, 0, 0, 1, 0] if binary else [1.0, 2.5, 3.0, 7.0, 4.0, 2.0, 9.0, 5.0]
    rising = METRICS[metric].best > METRICS[metric].worst
    scale = {"baseline": METRICS[metric].best - 1000 if rising else 1000, "target": METRICS[metric].best}
    for guess in {*values, np.mean(values), np.median(values)}:
        found = score(labelled([guess] * len(values)), labelled(values), metric, **scale, above_constant=True)
        assert found.value == pytest.approx(0, abs=1e-6), guess
