import json
import re

import pytest

from benchwright.errors import SuiteError
from benchwright.score import Unscored


@pytest.fixture
def score(judge_file):
    def run(found, gold, **options):
        return judge_file("document", found, gold, **options)

    return run


@pytest.fixture
def value(score):
    return lambda found, gold, **options: score(found, gold, **options).value


GOLD = {"n": 3, "mean": 12.5, "name": "Rome", "ok": True, "none": None, "by": {"a": {"x": 1}, "b": {"x": 2}}}


@pytest.mark.parametrize(
    "gold",
    [
        GOLD,
        {},
        [],
        {"a": []},
        {"a": {}},
        [1, [2, [3]], {}],
        [{"a": 1}, {"a": None}],
        "text",
        5,
        None,
        True,
        {"big": 10**200, "small": 1e-300, "zero": 0},
    ],
)
def test_a_document_is_right_for_itself(value, gold):
    assert value(json.dumps(gold), json.dumps(gold)) == 1


@pytest.mark.parametrize(
    "found",
    [
        json.dumps(GOLD, indent=4).encode("utf-8-sig"),
        json.dumps(GOLD).encode("utf-16"),
        json.dumps(GOLD).encode("utf-16-le"),
        json.dumps(GOLD).encode("utf-32"),
        json.dumps(GOLD) + "\n\n",
        json.dumps(GOLD).replace("12.5", "1.25e1").replace('"n": 3', '"n": 3.0').replace("null", "NaN"),
        json.dumps(GOLD).replace('"mean"', '"Me an"').replace('"name"', '"NAME"').replace('"none"', '"no_ne"'),
        json.dumps(GOLD).replace("Rome", " rôme "),
        json.dumps(dict(reversed(GOLD.items()))),
        json.dumps({**GOLD, "more": 1}),
        json.dumps(GOLD).replace('"n": 3', '"n": 3, "n": 3'),
    ],
)
def test_another_way_to_write_the_same_is_right(value, found):
    assert value(found, GOLD) == 1


@pytest.mark.parametrize(
    ("found", "gold", "expected"),
    [
        ({"a": "7"}, {"a": 7}, 0),
        ({"a": True}, {"a": 1}, 0),
        ({"a": 1}, {"a": True}, 0),
        ({"a": 0}, {"a": None}, 0),
        ({"a": None}, {"a": 0}, 0),
        ({}, {"a": None}, 0),
        ({"a": "NaN"}, {"a": None}, 0),
        ({"a": [1]}, {"a": 1}, 0),
        ({"a": {"b": 1}}, {"a": [1]}, 0),
        ([{"a": 1}], {"a": 1}, 0),
        ({"a": 1}, [{"a": 1}], 0),
        ({"a": 1}, {}, 0),
        ({"a": "2024-01-01 00:00:00"}, {"a": "2024-01-01"}, 1),
        ({"a": "1,234"}, {"a": "1234"}, 1),
        ({"a": "123456789012345678"}, {"a": "123456789012345679"}, 0),
        ({"a": 123456789012345678}, {"a": 123456789012345679}, 1),
        ({"a": "00123"}, {"a": "123"}, 0),
        ({"a": 1e-13}, {"a": 0}, 1),
        ({"a": 1e-9}, {"a": 0}, 0),
        ({"a": 1e-20}, {"a": 1e-78}, 0),
    ],
)
def test_kinds_and_nulls_are_kept_apart(value, found, gold, expected):
    assert value(found, gold) == expected


def test_infinities_and_not_a_number_equal_themselves_only(value):
    gold = '{"a": NaN, "b": Infinity, "c": -Infinity}'
    assert value(gold, gold) == 1
    assert value('{"a": 0, "b": 1e308, "c": Infinity}', gold) == 0
    assert value('{"b": NaN, "a": Infinity, "c": NaN}', gold) == 0


def test_whole_numbers_beyond_doubles_are_compared_exactly(value):
    assert value({"a": 2**70 + 1}, {"a": 2**70}, relative=0) == 0
    assert value({"a": 2**70}, {"a": 2**70}, relative=0) == 1
    assert value('{"a": ' + "9" * 100_000 + "}", {"a": 9}) == 0


def test_noise_is_no_difference_between_decimals_but_is_one_between_whole_numbers(value):
    assert value({"a": 0.123 * (1 + 1e-9)}, {"a": 0.123}, fields={"a": 1e-10}) == 1
    assert value({"a": 0.123 * (1 + 1e-8)}, {"a": 0.123}, fields={"a": 1e-10}) == 0
    assert value({"a": 10**12 + 1}, {"a": 10**12}, fields={"a": 1e-13}) == 0
    assert value({"a": 130}, {"a": 100}, fields={"a": 0.3}) == 1


def test_tolerances_are_relative_and_a_field_can_have_its_own(value):
    gold, fields = {"a": 100.0, "b": 100.0, "c": 100.0}, {"a": None, "b": 0.05, "c": 0}
    assert value({"a": 100.9, "b": 104.9, "c": 100.0}, gold, fields=fields, relative=0.01) == 1
    assert value({"a": 101.1, "b": 105.1, "c": 100.1}, gold, fields=fields, relative=0.01) == 0
    assert value({"a": 100.0 * (1 + 1e-10), "b": 0, "c": 0}, gold) == pytest.approx(1 / 3)


@pytest.mark.parametrize(("found", "right"), [(0.5, 1), (1, 1), (0.49, 0), (1e9, 0), (True, 0), (None, 0), ("0.7", 0)])
def test_a_range_takes_numbers_inside_it_and_nothing_else(value, found, right):
    assert value({"auc": found}, {}, fields={"auc": [0.5, 1.0]}) == right


def test_a_range_refuses_not_a_number_and_infinity(value):
    for text in ("NaN", "Infinity", "1e999"):
        assert value(f'{{"auc": {text}}}', {}, fields={"auc": [0, 1e308]}) == 0


def test_a_key_given_twice_with_different_values_is_not_found(score):
    result = score('{"a": 1, "a": 2, "b": 1}', {"a": 2, "b": 1})
    assert (result.value, result.evidence[0].reason) == (0.5, "several keys of that name")
    assert score('{"A": 1, "a_": 2}', {"a": 2}).value == 0
    assert score('{"A": 1, "a": 2}', {"a": 2}).value == 1  # the one that is spelled as asked


def test_a_sign_is_part_of_a_key(value):
    assert value({"1": 5}, {"-1": 5}) == 0
    assert value({"top-10": 5}, {"top_10": 5}) == 1


ITEMS = [{"id": 1, "m": "a", "v": 10}, {"id": 1, "m": "b", "v": 20}, {"id": 2, "m": "a", "v": 30}]


def test_items_pair_by_key_whatever_their_order(value):
    assert value(ITEMS[::-1], ITEMS, key=["id", "m"]) == 1
    assert (
        value(
            [{**item, "id": str(item["id"]), "M": item["m"].upper()} for item in ITEMS],
            ITEMS,
            key=["id"],
            fields={"v": None},
        )
        == 1
    )
    assert value(ITEMS, ITEMS, key=["id"]) == 1


def test_missing_surplus_and_repeated_items_count_as_wrong(value):
    assert value(ITEMS[:2], ITEMS, key=["id", "m"]) == pytest.approx(2 / 3)
    assert value([*ITEMS, {"id": 9, "m": "z", "v": 1}], ITEMS, key=["id", "m"]) == pytest.approx(3 / 4)
    assert value([*ITEMS, *ITEMS], ITEMS, key=["id", "m"]) == pytest.approx(1 / 2)
    assert value([], ITEMS) == 0
    assert value(ITEMS, []) == 0


def test_a_swapped_value_is_wrong_under_its_key(value):
    swapped = [{**ITEMS[0], "v": 20}, {**ITEMS[1], "v": 10}, ITEMS[2]]
    assert value(swapped, ITEMS, key=["id", "m"], fields={"v": None}) == pytest.approx(1 / 3)


def test_names_and_objects_may_change_places_but_series_and_matrices_may_not(value):
    assert value(["b", "a"], ["a", "b"]) == 1
    assert value(ITEMS[::-1], ITEMS) == 1
    assert value([2, 1], [1, 2]) == 0
    assert value([[0, 1], [1, 0]], [[1, 0], [0, 1]]) == 0
    assert value([2, 1], [1, 2], order="any") == 1
    assert value(["b", "a"], ["a", "b"], order="given") == 0


def test_free_items_are_assigned_so_that_most_is_right(value):
    assert value([{"a": 1, "b": 3}, {"a": 1, "b": 2, "c": 9}], [{"a": 1, "b": 2}, {"a": 1, "b": 4}]) == pytest.approx(
        3 / 4
    )


def test_many_unequal_items_are_paired_without_end(value):
    gold = [{"a": number, "b": [str(number)] * 5} for number in range(3000)]
    found = [{"a": -number - 1, "b": [str(number)] * 5} for number in range(3000)]
    assert 0 <= value(found, gold) <= 1


def test_a_list_or_object_below_a_named_field_shares_its_weight(value):
    gold = {"xs": [1, 2, 3, 4], "n": 7}
    assert value({"xs": [1, 2, 3, 0], "n": 7}, gold, fields={"xs": None, "n": None}) == pytest.approx((0.75 + 1) / 2)


def test_json_lines_are_a_list(judge_file, value):
    text = '{"id": 1, "v": 2}\n\n{"id": 2, "v": 3}\n'
    assert value(text, [{"id": 1, "v": 2}, {"id": 2, "v": 3}]) == 1
    assert judge_file("document", '{"id": 1}\n', '{"id": 1}\n', suffix="jsonl").value == 1
    assert "Extra data" in judge_file("document", '{"id": 1}\n{"id": ', {"id": 1}).reason


@pytest.mark.parametrize(
    "found", ["{'a': 1}", "", "   ", "{", b"\x00\x01\x02\xff", "not json", '{"a": 1}}', b"\xff\xfe"]
)
def test_what_is_no_json_scores_0_with_the_reason(score, found):
    result = score(found, {"a": 1})
    assert result.value == 0
    assert result.reason.startswith("unreadable out.json: ")


def test_no_file_scores_0(score):
    result = score(None, {"a": 1})
    assert (result.value, result.reason) == (0, "no file out.json")


def test_a_gold_that_cannot_be_used_is_the_suites_fault(score):
    for gold in (..., "{", "{'a': 1}"):
        result = score({"a": 1}, gold)
        assert isinstance(result, Unscored)
        assert result.reason.startswith("suite: the gold gold0.json cannot be used")
        assert "gold" in result.details
    lacks = score({"a": 1}, {"a": 1}, fields={"b": None})
    assert lacks.reason == "suite: the gold has no field 'b'"
    assert score({"a": 1}, {"a": 1}, fields={"a": {"b": None}}).reason == "suite: a is a number, not an object with b"


def test_of_several_golds_the_best_counts(value):
    assert value({"a": 2}, ({"a": 1}, {"a": 2}, {"a": 3})) == 1
    assert value([1, 2, 3], ([1, 2, 3, 4, 5], [1, 2, 3])) == 1


def test_numbers_that_an_agent_says_of_itself_score_nothing(score):
    result = score({"auc": 1.0}, {}, self_reported=True, fields={"auc": [0.5, 1]})
    assert isinstance(result, Unscored)
    assert result.reason.startswith("self-reported")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"nonsense": 1}, "no option 'nonsense'"),
        ({"order": "sorted"}, "option 'order'"),
        ({"relative": -1}, "option 'relative'"),
        ({"relative": True}, "option 'relative'"),
        ({"fields": [1]}, "option 'fields'"),
        ({"fields": {"a": {"b": "x"}}}, "option 'fields.a.b'"),
        ({"fields": {"a": [1, 0]}}, "option 'fields.a'"),
        ({"fields": {"a": True}}, "option 'fields.a'"),
    ],
)
def test_an_option_that_does_not_exist_or_fit_is_named(score, options, named):
    with pytest.raises(SuiteError, match=re.escape(named)):
        score({}, {}, **options)


def test_the_published_call_is_left_to_the_reference(value):
    assert value({"a": 1}, {"a": 1}, published={"function": "compare_json", "arguments": {"thresholds": {"b": 1}}}) == 1


def test_evidence_names_the_first_differences_and_counts_all(score):
    result = score({"a": list(range(1, 101)), "b": None}, {"a": list(range(100)), "b": "x"})
    assert result.details["wrong"] == 101
    assert len(result.evidence) == 20
    assert (result.evidence[0].part, result.evidence[0].expected, result.evidence[0].found) == ("a[0]", "0", "1")


# --- known faults of the published rule, with the verdict that is right


def test_a_group_that_is_null_counts_with_each_of_its_leaves(value):
    fields = {"a": {"train": {"AUC": [0.5, 1]}}, "b": {"train": {"AUC": [0.5, 1]}}}
    assert value({"a": {"train": {"AUC": 1}}, "b": None}, {}, fields=fields) == 0.5


def test_a_group_that_is_a_number_counts_with_each_of_its_leaves(value):
    gold, fields = {"m": {"x": {"a": 1}}, "k": 1}, {"m": {"x": {"a": None}}, "k": None}
    assert value({"m": 0, "k": 1}, gold, fields=fields) == 0.5
    assert value({"m": 0, "k": 1}, gold) == 0.5


@pytest.mark.parametrize(
    ("found", "gold"),
    [
        ({"a": 7}, {"precision": 7, "recall": 7, "auc": 7}),
        ({"name": 5}, {"mean": 5}),
        ({"train_r2": 0.1, "test_r2": 0.9}, {"r2": 0.9}),
        ({"stain": 5}, {"saint": 5}),
    ],
)
def test_keys_do_not_match_by_their_letters_or_by_a_part(value, found, gold):
    assert value(found, gold, fields=dict.fromkeys(gold)) == 0


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ('{"a": []}', {"fields": {"a": None}}),
        ('{"a": 1}', {}),
        ('[{"a": 1}, {"a": 2}]', {"fields": {"a": None}}),
        ('{"a": NaN}', {"fields": {"a": None}}),
        ('\ufeff{"a": 1}', {"fields": {"a": None}}),
    ],
)
def test_identical_files_score_1(value, text, options):
    assert value(text, text, **options) == 1


def test_single_quotes_are_no_json_and_truth_is_no_number(value):
    assert value({"p": True}, {"p": 1}, fields={"p": None}) == 0


def test_no_comparable_key_is_0_and_no_crash(value):
    assert value({"a": 1}, {}) == 0


def test_an_empty_gold_is_right_for_nothing_only(value):
    assert [value(found, []) for found in ([], ["17 projects"], {})] == [1, 0, 0]
