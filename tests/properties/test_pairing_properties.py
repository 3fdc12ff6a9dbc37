"""Rows of two tables pair within tolerances as often as they can, however many there are."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from benchwright.scorers.compare.column_pair import ColumnPair, PairRule
from benchwright.scorers.compare.matching import most_pairs
from benchwright.scorers.compare.neighbours import match_within
from benchwright.scorers.compare.table_comparison import compare_tables
from benchwright.scorers.compare.table_rule import TableRule, Tolerance
from benchwright.scorers.compare.tables import Table
from benchwright.scorers.compare.typed_column import Budget, TypedColumn

PATIENT = settings(deadline=None, max_examples=80)
EDGES = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=40)


def most(edges, heights):
    """How many pairs there can be, by another hand."""
    if not edges:
        return 0
    left, right = zip(*edges, strict=True)
    graph = csr_array((np.ones(len(edges), dtype=np.int8), (left, right)), shape=heights)
    return int((maximum_bipartite_matching(graph, perm_type="column") >= 0).sum())


@PATIENT
@given(EDGES)
def test_as_many_pairs_as_there_can_be_come_out_of_some_candidates(edges):
    left, right = (np.array([edge[side] for edge in edges], dtype=np.int64) for side in (0, 1))
    pairs = [*zip(*(side.tolist() for side in most_pairs(left, right, (12, 12))), strict=True)]
    assert set(pairs) <= set(edges)
    assert all(len({pair[side] for pair in pairs}) == len(pairs) for side in (0, 1))
    assert len(pairs) == most(edges, (12, 12))


def pair(gold, found, tolerance):
    columns = [TypedColumn(pl.Series([str(cell) for cell in cells]), Budget(1000)) for cells in (gold, found)]
    for column in columns:
        column.read(np.arange(len(column)))
    return ColumnPair("c", *columns, PairRule(tolerance, scaled=True), Budget(1000))


NUMBERS = st.one_of(
    st.integers(-3, 3), st.floats(-2, 2).map(lambda number: round(number, 2)), st.floats(-1e6, 1e6), st.just("a word")
)
TABLES = st.integers(1, 3).flatmap(
    lambda width: st.tuples(*(st.lists(st.tuples(*[NUMBERS] * width), min_size=1, max_size=9) for _ in range(2)))
)
TOLERANCES = st.sampled_from([("0", "0.02"), ("0.01", "1e-9"), ("0.5", "1e-9"), ("0", "0.4"), ("0", "5"), ("2", "0.1")])


@PATIENT
@given(TABLES, TOLERANCES)
def test_rows_pair_within_tolerances_as_often_as_they_can(sides, tolerance):
    stated = TableRule.read({"absolute": tolerance[0], "relative": tolerance[1]})
    allowed = Tolerance(stated.absolute, stated.relative)
    columns = [pair(*cells, allowed) for cells in zip(*(zip(*side, strict=True) for side in sides), strict=True)]
    rows = tuple(np.arange(len(side)) for side in sides)
    every = np.repeat(rows[0], len(rows[1])), np.tile(rows[1], len(rows[0]))
    agree = np.logical_and.reduce([column.near(*every) for column in columns])
    keys = tuple(np.zeros(len(side), dtype=np.uint64) for side in rows)
    gold, found = match_within(rows, keys, columns)
    edges = [*zip(every[0][agree].tolist(), every[1][agree].tolist(), strict=True)]
    assert set(zip(gold.tolist(), found.tolist(), strict=True)) <= set(edges)
    assert len(set(gold.tolist())) == len(set(found.tolist())) == len(gold) == most(edges, tuple(map(len, rows)))


HEIGHT = 30_000
RULE = TableRule.read({"absolute": 0.01, "scaled": True, "credit": "columns"})


def table(columns):
    series = tuple(pl.Series([str(cell) for cell in column], dtype=pl.String) for column in columns)
    return Table(tuple(f"c{number}" for number in range(len(columns))), series, len(columns[0]))


@pytest.fixture(scope="module")
def numbers():
    """Columns so dense that every row has neighbours within the tolerance in each of them."""
    return np.random.default_rng(5).uniform(0, 100, (3, HEIGHT))


def shuffled(columns, chance):
    return columns[:, chance.permutation(columns.shape[1])]


@pytest.mark.parametrize("noise", [1e-9, 1e-4, 0.0099])
def test_many_rows_told_apart_by_dense_numbers_alone_are_paired_with_their_own(numbers, noise):
    chance = np.random.default_rng(6)
    found = shuffled(numbers + chance.uniform(-noise, noise, numbers.shape), chance)
    assert compare_tables(table(numbers), table(found), RULE).values["all"] == 1.0


@pytest.mark.parametrize("more", ["other rows", "rows again"])
def test_rows_too_many_cost_their_share_among_dense_numbers(numbers, more):
    chance = np.random.default_rng(7)
    extra = numbers[:, : HEIGHT // 10] if more == "rows again" else chance.uniform(200, 300, (3, HEIGHT // 10))
    longer = np.concatenate([numbers, extra], axis=1)
    found = shuffled(longer + chance.uniform(-0.009, 0.009, longer.shape), chance)
    verdict = compare_tables(table(numbers), table(found), RULE)
    assert verdict.values["columns"] == pytest.approx(10 / 11)
    assert compare_tables(table(found), table(numbers), RULE).values["columns"] == pytest.approx(10 / 11)


def test_wrong_cells_among_dense_numbers_cost_themselves_alone(numbers):
    chance = np.random.default_rng(8)
    found = shuffled(numbers + chance.uniform(-0.009, 0.009, numbers.shape), chance)
    found[1, :300] += 500
    verdict = compare_tables(table(numbers), table(found), RULE)
    assert verdict.details["cell_share"] == pytest.approx(1 - 300 / (3 * HEIGHT))


def test_another_table_of_dense_numbers_is_worth_little(numbers):
    other = np.random.default_rng(9).uniform(0, 100, numbers.shape)
    values = compare_tables(table(numbers), table(other), RULE).values
    assert max(values.values()) < 0.02


SPREADS = {
    "whole": lambda chance, size: chance.integers(0, 100, size),
    "even": lambda chance, size: np.round(chance.uniform(0, 10, size), 1),
    "bell": lambda chance, size: np.round(chance.normal(50, 15, size), 2),
    "skewed": lambda chance, size: np.round(chance.exponential(20, size), 2),
}


@pytest.mark.parametrize("spread", sorted(SPREADS))
@pytest.mark.parametrize("relative", [0, 0.02])
@pytest.mark.parametrize("size", [(2, 30), (1, 100), (4, 100), (7, 1000)])
def test_invented_numbers_earn_nothing(spread, relative, size):
    """Numbers of the gold's own spread, and even ones between its least and its greatest, under the right names."""
    rule = TableRule.read({"absolute": 0.01, "relative": relative, "scaled": True, "credit": "columns"})
    chance, earned = np.random.default_rng(1), []
    for _ in range(2):
        gold = SPREADS[spread](chance, size)
        even = np.round(chance.uniform(gold.min(), gold.max(), size), 2)
        earned += [
            compare_tables(table(gold), table(found), rule).values for found in (SPREADS[spread](chance, size), even)
        ]
    for credit in ("columns", "cells"):
        assert np.mean([values[credit] for values in earned]) <= 0.02, earned


def test_numbers_of_the_golds_own_distribution_earn_nothing_in_one_long_column_either():
    """Its shape, far out, is more than a few quantiles tell."""
    chance = np.random.default_rng(11)
    rule = TableRule.read({"absolute": 0.01, "scaled": True, "credit": "columns"})
    for spread in ("skewed", "bell"):
        gold, found = SPREADS[spread](chance, (1, 30_000)), SPREADS[spread](chance, (1, 30_000))
        assert max(compare_tables(table(gold), table(found), rule).values.values()) <= 0.02, spread


@pytest.mark.parametrize("credit", ["columns", "cells"])
def test_one_number_again_and_again_and_flags_at_random_earn_nothing_by_either_credit(credit):
    chance = np.random.default_rng(10)
    rule = TableRule.read({"credit": credit})
    gold = [chance.choice([0, 0, 0, 1, 7], 200), chance.choice(["True", "False"], 200)]
    for found in ([[0] * 200, ["True"] * 200], [[0] * 200, chance.choice(["True", "False"], 200)]):
        assert compare_tables(table(gold), table(found), rule).values[credit] <= 0.03


@pytest.mark.parametrize("credit", ["columns", "cells"])
def test_a_table_of_one_row_is_worth_its_right_columns_whatever_numbers_they_hold(credit):
    verdict = compare_tables(table([[5], [7], ["x"], [2024]]), table([[5], [8], ["x"], [2024]]), RULE)
    assert verdict.values[credit] == 0.75


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.sampled_from(["whole", "few", "words", "truth", "same"]), min_size=1, max_size=4),
    st.integers(2, 12),
    st.randoms(use_true_random=False),
    st.sampled_from(["columns", "cells"]),
)
def test_no_error_ever_helps_where_chance_is_taken_off(kinds, height, chance, credit):
    """Rows know each other by a key, so that which rows pair is not what changes."""
    draw = {
        "whole": lambda row: chance.randrange(8),
        "few": lambda row: chance.choice([0, 0, 1]),
        "words": lambda row: chance.choice(["red", "blue", "green"]),
        "truth": lambda row: chance.choice(["True", "False"]),
        "same": lambda row: 2024,
    }
    gold = [[f"k{row}" for row in range(height)], *([draw[kind](row) for row in range(height)] for kind in kinds)]
    rule = TableRule.read({"key": ["c0"], "credit": credit})
    found, before = [list(column) for column in gold], 1.0
    spots = [(column, row) for column in range(1, len(gold)) for row in range(height)]
    chance.shuffle(spots)
    for column, row in spots[:15]:
        found[column][row] = "wrong"
        earned = compare_tables(table(gold), table(found), rule).values[credit]
        assert earned <= before + 1e-12
        before = earned


def test_invented_dates_and_numbers_earn_nothing():
    chance = np.random.default_rng(2)
    days = np.datetime64("2024-01-01") + np.arange(365)
    gold = [days.astype(str), chance.integers(0, 100, 365)]
    found = [chance.choice(days, 365).astype(str), chance.integers(0, 100, 365)]
    assert compare_tables(table(gold), table(found), RULE).values["columns"] <= 0.02


@pytest.mark.parametrize("wrong", [0.02, 0.1, 0.3])
def test_right_rows_with_some_wrong_cells_keep_nearly_all_their_credit_though_numbers_are_dense(wrong):
    chance = np.random.default_rng(3)
    gold = chance.integers(0, 100, (7, 400))
    found = np.where(chance.uniform(size=gold.shape) < wrong, gold + 1000, gold)
    earned = compare_tables(table(gold), table(shuffled(found, chance)), RULE).values["columns"]
    assert 1 - 1.7 * wrong <= earned <= 1 - 0.9 * wrong


def test_wrong_columns_beside_right_ones_cost_themselves_alone():
    chance = np.random.default_rng(4)
    gold = chance.integers(0, 100, (5, 300)).astype(float)
    found = gold.copy()
    found[3:] = chance.uniform(500, 600, (2, 300))
    assert compare_tables(table(gold), table(shuffled(found, chance)), RULE).values["columns"] == pytest.approx(0.6)


def test_credit_never_grows_while_more_and_more_dense_cells_become_wrong():
    chance = np.random.default_rng(5)
    gold = chance.integers(0, 50, (3, 40))
    found, before = gold.copy(), 1.0
    for spot in chance.permutation(gold.size)[:60]:
        found.flat[spot] = 1000 + spot
        if spot % 8 == 0:
            earned = compare_tables(table(gold), table(found), RULE).values["columns"]
            assert earned <= before
            before = earned
