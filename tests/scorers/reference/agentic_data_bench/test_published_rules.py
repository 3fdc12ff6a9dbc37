"""The published rules where the recorded rows do not reach: one small call each, with the value that the rule gives."""

import json
import pickle
import sqlite3

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.gold import Check, Gold
from benchwright.score import Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.scorers.reference.agentic_data_bench import (
    APRIL,
    JULY,
    AgenticDataBenchAprilScorer,
    AgenticDataBenchScorer,
)
from benchwright.task import Task
from benchwright.trajectory import Submission


def written(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return {name: folder / name for name in files}


def call(folder, function, found, *golds, scorer=AgenticDataBenchScorer, **arguments):
    """Score `found` (a file's content, several by name, or None) against golds under the names of a real call."""
    ending = {"csv": ".csv", "model": ".csv", "image": ".png", "text": ".txt", "sqlite": ".db"}.get(function, ".json")
    output = f"output{ending}"
    files = written(
        folder / "handed_in", found if isinstance(found, dict) else {} if found is None else {output: found}
    )
    names = [f"result{place or ''}{ending}" for place in range(len(golds))]
    for name, gold in zip(names, golds, strict=True):
        written(folder / "gold", gold if isinstance(gold, dict) else {name: gold})
    published = {"function": f"compare_{function}", "arguments": arguments}
    check = Check(scorer="any", output=output, golds=tuple(names), options={"published": published})
    expected = Expected(task=Task(id="t", question="?"), gold=Gold(task_id="t"), check=check, files=folder / "gold")
    return scorer().score(Submission(files=files), expected)


@pytest.fixture
def say(tmp_path):
    """Calls in folders of their own."""
    numbers = iter(range(10**6))
    return lambda *arguments, **named: call(tmp_path / str(next(numbers)), *arguments, **named)


def error(score):
    return score.details.get("error", "").split(":")[0]


# --- tables


def table(*rows):
    return "".join(f"{','.join(map(str, row))}\n" for row in rows)


def test_ids_that_differ_in_their_last_digit_are_one_number(say):
    gold, other = table("a", (2**53 + 1,)), table("a", (2**53,))
    assert say("csv", other, gold, thresholds=[["a", 0]]).value == 1.0
    assert say("csv", "a\n00123\n", "a\n123\n", ignore_order=False).value == 1.0


@pytest.mark.parametrize(("found", "value"), [("1\n2\n", 1.0), ("2\n1\n", 1.0), ("1\n1\n", 0.0), ("1\n2", 0.0)])
def test_columns_are_sets_of_values_and_rows_are_line_ends(say, found, value):
    assert say("csv", f"x\n{found}", "y\n1\n2\n").value == value


def test_a_file_without_a_line_end_is_too_short_for_every_gold(say):
    old = "x\r1\r2\r"
    assert say("csv", old, old).value == 0.0
    assert say("csv", old, "x\n1\n2\n").value == 0.0
    assert say("csv", "x\n1\n2\n", old).value == 1.0


def test_a_threshold_by_place_means_the_output_column_where_sorted_values_are_compared(say):
    """Only the sorted values of a column know it; the search for the set goes by the gold's own tolerance."""
    gold, found = table("ab", (1, 2)), table("ba", (2.05, 1))
    assert say("csv", found, gold, thresholds=[[1, 0.05]]).value == 0.5
    assert say("csv", table("ab", (1.004, 7)), table("ab", (1.0, 7)), thresholds=[[0, 0]]).value == 0.5


def test_a_tolerance_of_zero_takes_infinities_and_others_raise(say):
    gold = table("v", ("inf",))
    assert say("csv", gold, gold, thresholds=[["v", 0]]).value == 1.0
    assert error(say("csv", gold, gold)) == "OverflowError"
    assert error(say("csv", gold, gold, ignore_order=False, thresholds=[["v", None]])) == "OverflowError"


def test_several_golds_need_a_list_of_options_each_and_the_best_counts(say):
    golds = table("a", (1,)), table("a", (2,))
    assert say("csv", table("a", (2,)), *golds).value == 1.0
    assert say("csv", table("a", (2,)), *golds, ignore_order=[True, False], specified_columns=[["a"], []]).value == 1.0
    assert error(say("csv", table("a", (2,)), *golds, ignore_order=True)) == "TypeError"
    assert say("csv", None, *golds, ignore_order=True).value == 0.0
    assert error(say("csv", table("a", (2,)), *golds, specified_columns=["a", "a"])) in {"KeyError", "TypeError"}
    assert error(say("csv", table("a", (2,)), *golds, specified_columns=[])) == "IndexError"


def test_numbers_too_large_for_a_tolerance_raise_unless_a_column_is_the_golds_throughout(say):
    """A column that a threshold by place makes relative takes them; the gold's own tolerance does not."""
    gold, whole = table("ab", (5, 1), (6, 1)), table("xy", ("1e308", 5), (1, 6))
    rules = {"thresholds": [[0, None]], "specified_columns": ["b"]}
    assert error(say("csv", whole, gold, **rules)) == "OverflowError"
    assert say("csv", table("xy", ("1e308", 1), (1, 1)), gold, **rules).value == 1.0
    assert error(say("csv", table("xyz", ("1e308", 1, 2), (1, 1, 2), (1, 1, 2)), gold, **rules)) == "OverflowError"


def test_a_gold_column_that_does_not_exist_raises(say):
    assert error(say("csv", "a\n1\n", "a\n1\n", specified_columns=["b"])) == "KeyError"


def test_a_relative_bucket_is_decided_as_the_published_logarithm_decides_it(say):
    """Numbers at the very edge of a bucket of 2 %."""
    import math

    from benchwright.scorers.reference.agentic_data_bench.cells import Column, Tolerance

    width = math.log1p(0.02)
    edges = [sign * math.exp((place + 0.5) * width) for place in range(-800, 800) for sign in (1, -1)]
    wanted = [("rel", 1 if edge > 0 else -1, round(math.log(abs(edge)) / width)) for edge in edges]
    assert Column(np.array(edges)).forms(Tolerance(0.02, True)) == wanted


numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, width=64).filter(lambda value: abs(value) < 1e300),
    st.integers(-(2**62), 2**62).map(float),
    st.sampled_from([0.0, -0.0, 0.005, 0.015, 0.025, -0.005, 1e-300, 1e17]),
)


def published_form(value, size, relative):
    import math

    if not relative:
        return round(value / size) * size
    if value == 0 or size <= 0:
        return ("rel", 0.0 if value == 0 else value)
    return ("rel", 1 if value > 0 else -1, round(math.log(abs(value)) / math.log1p(size)))


@given(
    st.lists(numbers, min_size=1, max_size=30), st.sampled_from([(0.01, False), (0.01, True), (0.3, True), (0, True)])
)
@settings(max_examples=200, deadline=None)
def test_numbers_in_bulk_have_the_forms_of_numbers_one_by_one(values, tolerance):
    from benchwright.scorers.reference.agentic_data_bench.cells import Column, Tolerance

    size, relative = tolerance
    wanted = [published_form(value, size, relative) for value in values]
    assert Column(np.array(values)).forms(Tolerance(size, relative)) == wanted
    assert Column(np.array(values, dtype=object)).forms(Tolerance(size, relative)) == wanted
    assert [*map(str, Column(np.array(values)).forms(Tolerance(size, relative)))] == [*map(str, wanted)]


def published_pair(a, b, size, relative):
    import math

    if math.isnan(a) and math.isnan(b):
        return True
    if not relative:
        return math.isclose(a, b, abs_tol=size)
    if abs(a) < 1e-12 or abs(b) < 1e-12:
        return abs(a) < 1e-12 and abs(b) < 1e-12
    return not abs(a - b) / max(abs(a), abs(b)) > size


maybe = st.one_of(numbers, st.just(float("nan")))


@given(
    st.lists(st.tuples(maybe, maybe | st.none()), min_size=1, max_size=3),
    st.sampled_from([(0.01, False), (0.01, True), (0.3, True), (0, True)]),
)
@settings(max_examples=300, deadline=None)
def test_cells_in_bulk_agree_where_cells_one_by_one_do(pairs, tolerance):
    from benchwright.scorers.reference.agentic_data_bench.cells import Column, Tolerance

    size, relative = tolerance
    pairs = [(a, a * (1 + 0.5 * size) if b is None else b) for a, b in pairs]
    gold, found = (np.array(side) for side in zip(*pairs, strict=True))
    wanted = all(published_pair(float(a), float(b), size, relative) for a, b in zip(gold, found, strict=True))
    assert Column(gold).pairs_with(Column(found), Tolerance(size, relative)) == wanted
    mixed = Column(gold.astype(object)), Column(found.astype(object))
    assert mixed[0].pairs_with(mixed[1], Tolerance(size, relative)) == wanted


cells = st.one_of(st.integers(-1000, 1000), st.floats(-1e6, 1e6), st.text("abc \u00e9", max_size=4), st.just(""))


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=8), st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_table_equals_itself_and_every_other_table_has_a_score_from_0_to_1(tmp_path_factory, rows, order):
    folder = tmp_path_factory.mktemp("tables")
    text = table(("a", "b"), *rows)
    same = call(folder / "same", "csv", text, text, ignore_order=order)
    other = call(folder / "other", "csv", table(("b", "a"), *rows[::-1], ("x", 1)), text, ignore_order=order)
    assert same.value == 1.0 or same.reason == "a table without rows"
    assert 0.0 <= other.value <= 1.0
    assert call(folder / "again", "csv", text, text, ignore_order=order) == same


# --- documents


LEAVES = [
    (None, 5, 5.04, 1.0), (None, 5, 5.06, 0.0), (None, 5, True, 0.0), (None, 1, True, 1.0), (None, "A ", " a", 1.0),
    (None, "5", 5, 1.0), (None, "None", None, 1.0), (None, None, None, 1.0), (None, None, 0, 0.0), (None, [1, 2], [2, 1], 1.0),
    (None, [2, 1], [2, 5], 0.5), (None, [1, 2], [2, 5], 0.0), (None, [], [], 0.0), (None, {}, {}, 0.0), (None, {"ab": 1, "c": 2}, {"ab": 1}, 0.5),
    (0.1, 10, 11, 1.0), (0.1, 10, 11.1, 0.0), (0.1, None, None, 1.0), (0.1, "x", "x", 0.0), (0.1, [1, 2], [2, 5], 0.0),
    (0.1, [], [], 1.0), (0.1, {"ab": 1, "c": 2}, {"ab": 1.05, "c": 9}, 0.5), (0, 3, 3, 1.0), ([1, 2], 9, 1.5, 1.0),
    ([1, 2], 9, "1.5", 0.0), ([1, 2], 9, 2.1, 0.0), ([1, 2, 3], 1, 1, 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "gold", "found", "value"), LEAVES)
def test_a_field_has_the_score_of_its_rule(say, rule, gold, found, value):
    score = say("json", json.dumps({"key": found}), json.dumps({"key": gold}), thresholds={"key": rule})
    assert score.value == pytest.approx(value)


@pytest.mark.parametrize(
    ("key", "found", "value"),
    [
        ("user_name", {"User Name": 1}, 1.0),
        ("rate", {"the rate of": 1}, 1.0),
        ("name", {"the_user_name": 1}, 1.0),
        ("r2", {"train_r2": 0, "test_r2": 1}, 0.0),
        ("precision", {"a": 1}, 1.0),
        ("silent", {"listen": 1}, 1.0),
        ("abc", {"xyz": 1}, 0.0),
        ("", {"anything": 1}, 1.0),
    ],
)
def test_keys_are_found_by_containment_and_by_letters(say, key, found, value):
    assert say("json", json.dumps(found), json.dumps({key: 1}), thresholds={key: None}).value == value


def test_lists_pair_by_exact_keys_each_item_once(say):
    gold = [{"id": 1, "v": 1}, {"id": 1, "v": 2}, {"id": [3], "v": 3}, "no object"]
    rules = {"thresholds": {"v": None}, "matched_keys": ["id"]}
    assert say("json", json.dumps(gold), json.dumps(gold), **rules).value == 1.0
    assert say("json", json.dumps(gold[:1]), json.dumps(gold), **rules).value == pytest.approx(1 / 3)
    assert say("json", json.dumps(gold[1::-1]), json.dumps(gold[:2]), **rules).value == 0.0
    nan = '[{"id": NaN, "v": 1}]'
    assert say("json", nan, nan, **rules).value == 0.0


def test_a_whole_number_beyond_floats_raises_behind_the_right_item_of_a_list_too(say):
    vast = f"[1, 1{'0' * 400}]"
    for function in ("json", "json_normalized"):
        for rule in (None, 0.1):
            documents = (f'{{"a": {vast}}}',) * 2
            assert error(say(function, *documents, thresholds={"a": rule})) == "OverflowError"
            assert (
                say(function, *(text.replace("0" * 400, "0" * 300) for text in documents), thresholds={"a": rule}).value
                == 1.0
            )


def test_an_empty_key_of_the_gold_is_passed_over_in_groups_of_reported_values(say):
    rules = {"thresholds": {"g": {"a": None}}}
    assert say("json_normalized", '{"g": {"a": 1}}', '{"": {"a": 1}}', **rules).value == 0.0
    assert say("json_normalized", '{"g": {"a": 1}}', '{"the g": {"a": 1}}', **rules).value == 1.0


def test_whole_numbers_beyond_floats_raise_and_so_does_depth(say):
    assert error(say("json", f'{{"a": 1{"0" * 400}}}', '{"a": 1}', thresholds={"a": None})) == "OverflowError"
    deep = "[" * 100_000 + "]" * 100_000
    assert error(say("json", deep, "{}", thresholds={"a": None})) == "RecursionError"


@pytest.mark.parametrize(
    ("rule", "found", "value"),
    [([0, 2], 1, 0.5), ([2, 0], 0.5, 0.75), ([3, 3], 3, 1.0), ([3, 3], 3.1, 0.0), ([0, 1], float("nan"), 1.0), (None, 1, 0.0)],
)  # fmt: skip
def test_what_an_output_reports_of_itself_is_graded_between_bounds(say, rule, found, value):
    assert say("json_normalized", json.dumps({"auc": found}), thresholds={"auc": rule}).value == value


def test_with_a_gold_the_other_rules_count_too(say):
    found, gold = json.dumps({"a": 1.01, "b": [1, 9]}), json.dumps({"a": 1, "b": [9, 1]})
    assert say("json_normalized", found, gold, thresholds={"a": 0.01, "b": None}).value == 1.0


documents = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.floats(-9, 9) | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(documents, documents)
@settings(max_examples=80, deadline=None)
def test_any_two_documents_have_a_score_from_0_to_1(tmp_path_factory, found, gold):
    rules = {"thresholds": {"a": None, "b": {"c": 0.1, "d": [0, 1]}}, "matched_keys": ["a"]}
    folder = tmp_path_factory.mktemp("documents")
    score = call(folder / "one", "json", json.dumps(found), json.dumps(gold), **rules)
    assert 0.0 <= score.value <= 1.0
    assert "raised" not in score.details
    assert call(folder / "two", "json", json.dumps(found), json.dumps(gold), **rules) == score


# --- predictions

PREDICTED = "id,y\n1,1.0\n2,2.0\n3,3.0\n4,4.0\n"


@pytest.mark.parametrize(
    ("metric", "value"),
    [("r2", 0.8), ("rmse", 0.5), ("mse", 0.75), ("medae", 1.0), ("rmsle", 0.9917), ("ks", 0.75), ("pearson", 0.0), ("roc auc score", 0.0),
     ("logloss_class", 0.0), ("silhouette", 0.0), ("crps", 0.0), (" Accuracy ", 0.75), ("MAE", 0.25)],
)  # fmt: skip
def test_each_metric_has_its_published_value_on_the_published_scale(say, metric, value):
    found = PREDICTED.replace("4,4.0", "4,5.0")
    score = say("model", found, PREDICTED, matched_columns=["id"], calculate_columns=["y"], metric=metric)
    assert score.value == pytest.approx(value, abs=1e-4)


def test_a_metric_that_fails_is_the_best_error_and_the_worst_score(say):
    texts = PREDICTED.replace("1.0", "one")
    for metric, value in (("mae", 1.0), ("ks", 1.0), ("r2", 0.0), ("f1", 0.0)):
        rules = {"matched_columns": ["id"], "calculate_columns": ["y"], "metric": metric, "upper_bound": 0.5}
        assert say("model", texts, PREDICTED, **rules).value == value, metric


def test_truth_values_are_no_predictions_for_r2(say):
    """As for every metric, failing is 0.0, which on this scale is a half."""
    truths, gold = "y\nTrue\nFalse\n", "y\n1\n0\n"
    assert say("model", truths, gold, calculate_columns=["y"], metric="r2", lower_bound=-1).value == 0.5
    assert say("model", gold, truths, calculate_columns=["y"], metric="r2", lower_bound=-1).value == 1.0


def test_a_metric_that_is_not_passed_what_it_needs_fails_earlier_for_several_columns(say):
    several, rules = "x,y\n1,2\n", {"lower_bound": -1, "upper_bound": 1}
    for metric, value in (("roc_auc_score", 0.5), ("logloss_class", 0.0), ("logloss_total", 0.0), ("silhouette", 0.0)):
        assert say("model", several, several, metric=metric, **rules).value == value, metric
        assert say("model", "y\n1\n", "y\n1\n", metric=metric, **rules).value == 0.0, metric


def test_keys_of_other_types_raise_and_no_keys_are_no_list(say):
    texts = "id,y\nx,1\n"
    assert error(say("model", texts, PREDICTED, matched_columns=["id"], calculate_columns=["y"])) == "ValueError"
    assert error(say("model", PREDICTED, PREDICTED, matched_columns=[])) == "ValueError"


def test_one_value_without_spread_is_a_full_score_by_r2(say):
    """NaN survives max(0, min(1, NaN)) as 1."""
    assert say("model", "y\n1\n", "y\n1\n", calculate_columns=["y"], metric="r2").value == 1.0


def test_crps_is_the_published_sum(say):
    gold, found = [3.0, 1.0, 2.5, 9.0], [1.0, 2.0, 2.0, 4.0]
    total = 0.0
    for wanted in gold:
        for value in {*found}:
            share = sum(other <= value for other in found) / len(found)
            total += share**2 if value < wanted else (share - 1) ** 2
    sides = [table("y", *((value,) for value in side)) for side in (found, gold)]
    score = say("model", *sides, calculate_columns=["y"], metric="crps", lower_bound=100.0, upper_bound=0.0)
    assert score.value == pytest.approx(1 - total / 100)


# --- charts


def npy(**arrays):
    import io

    stream = io.BytesIO()
    np.save(stream, arrays, allow_pickle=True)
    return stream.getvalue()


def chart(stem, info=None, data=None):
    info = {"subplot_0": {"type": "bar"}, "total_subplots": 1} if info is None else info
    data = npy(subplot_0=np.array([[1.0, 2.0, 3.0]])) if data is None else data
    return {f"{stem}.png": b"", f"{stem}.json": json.dumps(info), f"{stem}.npy": data}


def test_a_chart_matches_itself_and_its_multiples(say):
    assert say("image", chart("output"), chart("result")).value == 1.0
    scaled = npy(subplot_0=np.array([[1000.0, 2000.0, 3000.0]]))
    assert say("image", chart("output", data=scaled), chart("result")).value == 1.0


def test_subplots_that_only_one_side_has_count(say):
    two = {"subplot_0": {"type": "bar"}, "subplot_1": {"type": "line"}, "total_subplots": 2}
    assert say("image", chart("output", info=two), chart("result", info=two)).value == 0.5


def test_a_gold_that_is_not_there_is_missing_whatever_was_handed_in(say, tmp_path):
    score = say("image", chart("output"), {})
    assert score.kind == "unscored"
    assert score.details["gold"] == "missing"
    assert error(score) == "AssertionError"


def test_a_description_without_subplots_has_no_part_in_data_with_subplots(say):
    plain = {"type": "bar", "figsize": [6, 4]}
    assert say("image", chart("output", info=plain), chart("result", info=plain)).value == 0.0


@pytest.mark.parametrize(
    ("aspect", "found", "wanted", "agrees"),
    [
        ("type", "BAR", "bar", True),
        ("graph_title", "Sales", "", False),
        ("graph_title", "", "", True),
        ("x_label", "Salos", "Sales", True),
        ("x_label", "zzz", "Sales", False),
        ("labels", ["a", "a"], ["b", "a"], True),
        ("labels", ["a"], ["a", "b"], False),
        ("xtick_labels", ["\u22121"], ["-1"], True),
        ("color", [], ["#102030"], True),
        ("color", ["#102030"], ["#112030"], True),
        ("color", ["#102030"], ["#ff2030"], False),
        ("figsize", [6, 4], [1, 1], False),
    ],
)
def test_an_aspect_agrees_as_published(say, aspect, found, wanted, agrees):
    """`figsize` stands beside the subplots, where it is not looked for: there it always agrees."""
    sides = [
        chart(stem, info={"subplot_0": {aspect: value}, "total_subplots": 1})
        for stem, value in (("output", found), ("result", wanted))
    ]
    assert say("image", *sides, calculate_columns=[aspect]).value == float(agrees)


class Hostile:
    def __reduce__(self):
        return (print, ("this must never be printed",))


def test_instructions_of_a_file_are_never_carried_out(say, capsys):
    import io

    stream = io.BytesIO()
    np.save(stream, {"subplot_0": Hostile()}, allow_pickle=True)
    assert error(say("image", chart("output", data=stream.getvalue()), chart("result"))) == "AttributeError"
    assert "never" not in capsys.readouterr().out
    stream.seek(0)
    np.load(stream, allow_pickle=True)  # the control: it would have run
    assert "never" in capsys.readouterr().out
    assert error(say("image", chart("output", data=pickle.dumps(Hostile())), chart("result"))) == "AttributeError"
    assert "never" not in capsys.readouterr().out


def stored(content, program=None):
    """The file of an array without dimensions that holds `content`, or what a program for the unpickler builds."""
    import io

    stream, cell = io.BytesIO(), np.empty((), dtype=object)
    cell[()] = content
    np.save(stream, cell, allow_pickle=True)
    return stream.getvalue() if program is None else stream.getvalue().split(b"\n", 1)[0] + b"\n" + program


def test_an_array_is_taken_as_it_was_pickled_in_a_file_or_alone(say):
    data = {"subplot_0": np.array([[1.0, 2.0, 3.0]])}
    cell = np.array(data, dtype=object)
    for way in (stored(data), pickle.dumps(cell), stored(None, pickle.dumps(cell.reshape(1)))):
        assert say("image", chart("output", data=way), chart("result")).value == 1.0
    for way in (pickle.dumps(data), stored(None, pickle.dumps(data)), pickle.dumps([1]), pickle.dumps(1.5)):
        assert error(say("image", chart("output", data=way), chart("result"))) == "AttributeError"
    two = np.array([data, data], dtype=object)
    assert error(say("image", chart("output", data=pickle.dumps(two)), chart("result"))) == "ValueError"


def test_a_plain_array_in_the_place_of_a_table_of_subplots_is_one_chart(say):
    plain = {"type": "bar"}
    for found, value in (
        (np.array([3.0, 1.0, 2.0]), 1.0),
        (np.array([3.0, 1.0, 9.0]), 0.0),
        (np.array([3.0, 1.0]), 0.0),
    ):
        sides = (
            chart("output", info=plain, data=stored(found)),
            chart("result", info=plain, data=stored(np.arange(1.0, 4))),
        )
        assert say("image", *sides).value == value


def test_a_companion_that_is_a_giant_is_not_opened(tmp_path):
    files = written(tmp_path / "out", chart("output"))
    gold = written(tmp_path / "gold", chart("result"))["result.png"]
    published = {"function": "compare_image", "arguments": {}}
    check = Check(scorer="any", output="output.png", golds=("result.png",), options={"published": published})
    expected = Expected(task=Task(id="t", question="?"), gold=Gold(task_id="t"), check=check, files=gold.parent)
    assert AgenticDataBenchScorer().score(Submission(files=files), expected).value == 1.0
    with files["output.npy"].open("r+b") as stream:
        stream.truncate(1 << 40)
    score = AgenticDataBenchScorer().score(Submission(files=files), expected)
    assert (score.value, "no file with the chart's data" in score.reason) == (0.0, True)


@pytest.mark.parametrize(
    ("data", "raised"),
    [(b"", "EOFError"), (b"text", "UnpicklingError"), (npy(subplot_0=np.ones(3))[:-20], "UnpicklingError"),
     (npy(axes=np.ones(3)), "AttributeError"), (npy(subplot_0=[1, 2]), "AttributeError")],
)  # fmt: skip
def test_broken_chart_data_raise_what_the_published_loading_raises(say, data, raised):
    assert error(say("image", chart("output", data=data), chart("result"))) == raised


# --- texts and databases


def database(path, **tables):
    with sqlite3.connect(path) as connection:
        for name, (columns, *rows) in tables.items():
            connection.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
            connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", rows)
    connection.close()
    return path.read_bytes()


def test_databases_are_compared_in_order_and_nothing_is_written_beside_them(tmp_path, say):
    gold = database(tmp_path / "gold.db", t=("ab", (1, "x"), (2, "y")), u=("c", (5,)))
    turned = database(tmp_path / "turned.db", t=("ab", (2, "y"), (1, "x")), u=("c", (5,)), more=("d", (1,)))
    assert say("sqlite", gold, gold).value == 1.0
    assert say("sqlite", turned, gold, ignore_order=True).value == 0.5
    assert say("sqlite", database(tmp_path / "one.db", u=("c", (5,))), gold).value == 1.0
    assert say("sqlite", database(tmp_path / "two.db", u=("c", (5,))), gold, specified_schema={"t": None}).value == 0.0
    assert [*tmp_path.rglob("_*"), *tmp_path.rglob("*-journal")] == []


def test_several_databases_need_a_list_of_schemas(tmp_path, say):
    one, other = (database(tmp_path / name, t=("a", (place,))) for place, name in enumerate(("one.db", "other.db")))
    assert say("sqlite", other, one, other).value == 1.0
    assert say("sqlite", other, one, other, specified_schema=[{"t": ["a"]}, {}]).value == 1.0
    assert error(say("sqlite", other, one, other, specified_schema={"t": ["a"]})) == "KeyError"
    assert error(say("sqlite", other, one, other, specified_schema=[{}])) == "IndexError"
    assert say("sqlite", other, other, specified_schema={"t": ["a"]}).value == 1.0


def test_what_a_database_kept_in_its_log_counts(tmp_path, say):
    path = tmp_path / "open.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE t (a)")
    connection.execute("INSERT INTO t VALUES (1)")
    connection.commit()
    handed_in = {"output.db": path.read_bytes(), "output.db-wal": (tmp_path / "open.db-wal").read_bytes()}
    gold = database(tmp_path / "gold.db", t=("a", (1,)))
    assert say("sqlite", handed_in, gold).value == 1.0
    connection.close()


def test_texts_are_equal_up_to_space_and_case_alone(say):
    assert say("text", " A  b\n", "a B").value == 1.0
    assert say("text", "a-b", "a b").value == 0.0
    assert say("text", b"\xff", "a").value == 0.0


# --- errors, tasks, releases


def test_links_and_giants_are_not_opened(tmp_path):
    gold = written(tmp_path / "gold", {"result.txt": "secret"})["result.txt"]
    link = tmp_path / "output.txt"
    link.symlink_to(gold)
    published = {"function": "compare_text", "arguments": {}}
    check = Check(scorer="any", output="output.txt", golds=("result.txt",), options={"published": published})
    expected = Expected(task=Task(id="t", question="?"), gold=Gold(task_id="t"), check=check, files=gold.parent)
    score = AgenticDataBenchScorer().score(Submission(files={"output.txt": link}), expected)
    assert score.value == 0.0
    link.unlink()
    link.write_text("secret")
    assert AgenticDataBenchScorer().score(Submission(files={"output.txt": link}), expected).value == 1.0
    with link.open("r+b") as stream:
        stream.truncate(1 << 30)
    assert "not opened" in AgenticDataBenchScorer().score(Submission(files={"output.txt": link}), expected).reason


def test_unknown_options_raise_as_in_python(say):
    assert error(say("json", "{}", "{}", nonsense=1)) == "TypeError"
    assert error(say("csv", "a\n1\n", "a\n1\n", nonsense=1)) == "AssertionError"


RAISES = Scored(value=0.0, details={"error": "UnicodeDecodeError: no", "raised": True})
NOT_FOUND = Scored(value=0.0, details={"error": "FileNotFoundError: no", "raised": True})
ONE, ZERO = Scored(value=1.0), Scored(value=0.0)
GONE = Unscored(reason="suite: the gold is not here", details={"gold": "missing"})
LATE = Unscored(reason="scorer: time limit of 120 seconds")


@pytest.mark.parametrize(
    ("scores", "value"),
    [
        ((ONE, RAISES, ZERO, ZERO, ZERO), 0.5),
        ((RAISES, ONE, ONE, ONE, ONE), 0.0),
        ((ONE, ONE, ONE, ONE, RAISES), 0.8),
        ((ONE, NOT_FOUND, ONE), 2 / 3),
        ((ONE, GONE), 0.5),
        ((ONE, LATE, ONE), 0.5),
    ],
)
def test_a_call_that_raises_ends_the_scoring_of_its_task(scores, value):
    assert JULY.score(scores, True).value == pytest.approx(value)


def test_a_task_without_any_gold_or_with_a_scorer_of_ours_that_failed_has_no_score():
    assert JULY.score((GONE, GONE), True) == GONE
    failed = Unscored(reason="scorer: ran out of memory")
    assert JULY.score((ONE, failed), True) == failed
    assert JULY.score((RAISES, failed), True).value == 0.0


def test_april_wants_an_end_and_orders_tables_and_has_buckets_of_each_number(say):
    assert APRIL.score((ONE,), False).value == 0.0
    assert APRIL.score((ONE,), True).value == JULY.score((ONE,), False).value == 1.0
    tables = "a\n1\n2\n", "a\n2\n1\n"
    assert say("csv", *tables, scorer=AgenticDataBenchAprilScorer).value == 0.0
    near = {"thresholds": [["a", None]], "ignore_order": True}
    assert say("csv", "a\n100.2\n", "a\n100\n", **near).value == 1.0
    assert say("csv", "a\n100.2\n", "a\n100\n", scorer=AgenticDataBenchAprilScorer, **near).value == 0.0
    exact = {"thresholds": [["a", 0]]}
    assert error(say("csv", "a\n1\n", "a\n1\n", scorer=AgenticDataBenchAprilScorer, **exact)) == "ZeroDivisionError"
    labels = "y\na\nb\n", "y\na\na\n"
    assert say("model", *labels, calculate_columns=["y"]).value == 0.5
    assert say("model", *labels, calculate_columns=["y"], scorer=AgenticDataBenchAprilScorer).value == 0.0
