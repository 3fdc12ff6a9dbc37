"""What holds of the table scorer for every table: range, identity, invariances, and that errors never help."""

import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.scorers.compare.table_comparison import compare_tables
from benchwright.scorers.compare.table_rule import TableRule
from benchwright.scorers.compare.tables import Table, read_quickly, read_slowly

PATIENT = settings(deadline=None, max_examples=60)
CREDITS = ("all", "cells", "columns")
WORDS = st.text("abcxyzé _-", min_size=1, max_size=6)
CELLS = {
    "word": WORDS,
    "whole": st.integers(-50, 50).map(str),
    "long": st.integers(10**16, 10**16 + 5).map(str),
    "float": st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: repr(round(value, 4))),
    "small": st.floats(0, 1e-3).map(repr),
    "date": st.dates().map(str),
    "truth": st.sampled_from(["True", "False"]),
    "odd": st.sampled_from(
        ["", "nan", "inf", "-inf", "12.5%", "1,234", "$5", "NA", "0", "00", "1e5", "3 May 2020", "\\N"]
    ),
}


@st.composite
def tables(draw, most=12):
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=4))
    height = draw(st.integers(1, most))
    return [draw(st.lists(CELLS[kind], min_size=height, max_size=height)) for kind in kinds]


def _table(columns, names=None):
    names = names or [f"c{number}" for number in range(len(columns))]
    series = tuple(pl.Series(column, dtype=pl.String) for column in columns)
    return Table(tuple(names), series, len(columns[0]))


RULES = st.builds(
    lambda absolute, scaled, order: TableRule.read(
        {"absolute": absolute, "scaled": scaled, "order": order, "credit": "columns"}
    ),
    st.sampled_from([0, 0.01, 1]),
    st.booleans(),
    st.sampled_from(["any", "given"]),
)


@PATIENT
@given(tables(), tables(), RULES)
def test_every_value_lies_between_0_and_1_and_comes_again(gold, found, rule):
    verdicts = [compare_tables(_table(gold), _table(found), rule) for _ in range(2)]
    assert verdicts[0] == verdicts[1]
    assert all(0 <= verdicts[0].values[credit] <= 1 for credit in CREDITS)


@PATIENT
@given(tables(), RULES)
def test_the_gold_itself_is_right(gold, rule):
    assert set(compare_tables(_table(gold), _table(gold), rule).values.values()) == {1.0}


@PATIENT
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_columns_and_of_free_rows_does_not_count(gold, chance):
    rows, places = list(range(len(gold[0]))), list(range(len(gold)))
    chance.shuffle(rows)
    chance.shuffle(places)
    found = _table([[gold[place][row] for row in rows] for place in places], [f"C {place}" for place in places])
    verdict = compare_tables(_table(gold), found, TableRule.read({"credit": "columns"}))
    assert set(verdict.values.values()) == {1.0}, verdict.reason


@PATIENT
@given(tables(), st.randoms(use_true_random=False), st.sampled_from(["any", "given"]))
def test_what_float_arithmetic_leaves_does_not_count(gold, chance, order):
    def noisy(cell):
        plain = cell.replace(".", "", 1).lstrip("-").isdigit() and "." in cell
        return repr(float(cell) * (1 + chance.uniform(-1e-9, 1e-9))) if plain else cell

    found = [[noisy(cell) for cell in column] for column in gold]
    verdict = compare_tables(_table(gold), _table(found), TableRule.read({"order": order}))
    assert verdict.values["all"] == 1.0, verdict.reason


@PATIENT
@given(tables(), st.randoms(use_true_random=False), RULES)
def test_more_wrong_cells_never_help(gold, chance, rule):
    found = [list(column) for column in gold]
    before = compare_tables(_table(gold), _table(found), rule)
    spots = [(column, row) for column in range(len(gold)) for row in range(len(gold[0]))]
    chance.shuffle(spots)
    for column, row in spots[:6]:
        found[column][row] = f"wrong {column} {row}"
        verdict = compare_tables(_table(gold), _table(found), rule)
        assert verdict.details["cell_share"] < before.details["cell_share"]
        assert verdict.values["cells"] <= before.values["cells"]
        assert verdict.values["all"] == 0.0
        before = verdict


@PATIENT
@given(tables(), st.data(), st.sampled_from(["cells", "columns"]), st.sampled_from(["any", "given"]))
def test_leaving_a_column_out_is_never_worth_more_than_handing_it_in(gold, data, credit, order):
    """However wrong it is: its values in other rows, another column's, or something else altogether.

    What is worth a tenth or less may be so by luck, and is not tried without its columns.
    """
    found = [list(column) for column in gold]
    place = data.draw(st.integers(0, len(gold) - 1))
    kind = data.draw(st.sampled_from(sorted(CELLS)))
    other = data.draw(st.lists(CELLS[kind], min_size=len(gold[0]), max_size=len(gold[0])))
    found[place] = data.draw(st.sampled_from([other, found[place][1:] + found[place][:1], found[0]]))
    spoiled = data.draw(st.integers(0, len(gold) - 1))
    found[spoiled][0] = "spoiled"
    rule = TableRule.read({"credit": credit, "order": order, "absolute": 0.01, "scaled": True})
    names = [f"c{number}" for number in range(len(gold))]
    kept = compare_tables(_table(gold, names), _table(found, names), rule).values[credit]
    for left in range(len(gold)):
        some = [number for number in range(len(gold)) if number != left]
        if some:
            fewer = _table([found[number] for number in some], [names[number] for number in some])
            assert compare_tables(_table(gold, names), fewer, rule).values[credit] <= max(0.1, kept) + 1e-6, left


@PATIENT
@given(tables(), st.integers(1, 5), RULES)
def test_rows_too_many_and_missing_rows_cost_their_share(gold, more, rule):
    height = len(gold[0])
    longer = [[*column, *[f"more {number}" for number in range(more)]] for column in gold]
    verdict = compare_tables(_table(gold), _table(longer), rule)
    assert verdict.values["columns"] == pytest.approx(height / (height + more))
    verdict = compare_tables(_table(longer), _table(gold), rule)
    assert verdict.values["columns"] == pytest.approx(height / (height + more))


FIELDS = st.text("ab,;\"'\n\r é1.", max_size=5)


@PATIENT
@given(st.lists(st.lists(FIELDS, min_size=2, max_size=2), min_size=1, max_size=8), st.sampled_from(["\n", "\r\n"]))
def test_both_readers_of_csv_read_the_same(rows, end):
    def quoted(cell):
        return '"' + cell.replace('"', '""') + '"' if set(cell) & set(',"\n\r') else cell

    body = end.join(",".join(map(quoted, row)) for row in [["a", "b"], *rows]).encode() + end.encode()
    quick = read_quickly(body, ",")
    slow = read_slowly(body, ",")
    assert quick is None or (quick.names, quick.rows) == (slow.names, slow.rows)


def test_the_quick_reader_reads_plain_files():
    assert read_quickly(b"a,b\n1,2\n\n3,\n", ",").rows == (("1", "2"), ("3", ""))
    assert read_quickly(b'a,b\r\n"x, ""y""",2\r\n', ",").rows == (('x, "y"', "2"),)
    assert read_quickly(b"a,b\n1,2,3\n", ",") is None


def test_a_large_shuffled_table_with_noise_and_errors_is_paired_row_by_row():
    chance = random.Random(4)
    height = 5000
    gold = [
        [f"name {chance.randrange(50)}" for _ in range(height)],
        *[[repr(chance.random()) for _ in range(height)] for _ in range(3)],
    ]
    rows = list(range(height))
    chance.shuffle(rows)
    found = [[column[row] for row in rows] for column in gold]
    for column in found[1:]:
        column[:] = [repr(float(cell) + chance.uniform(-0.004, 0.004)) for cell in column]
    rule = TableRule.read({"absolute": 0.01, "scaled": True})
    assert compare_tables(_table(gold), _table(found), rule).values["all"] == 1.0
    for row in range(0, height, 50):
        found[1][row] = "7"
    assert compare_tables(_table(gold), _table(found), rule).values["cells"] == pytest.approx(1 - 0.02 / 4)


LONG = 12_000


def _shuffled(columns, chance):
    rows = list(range(len(columns[0])))
    chance.shuffle(rows)
    return [[column[row] for row in rows] for column in columns]


@pytest.mark.parametrize("named", ["id", "value"], ids=["whose name says key", "that nothing calls a key"])
def test_rows_of_a_long_table_are_paired_by_every_cell_where_keys_repeat_themselves(named):
    chance = random.Random(5)
    gold = [[str(row) for row in range(LONG)], [str(row % 7) for row in range(LONG)]]
    names = [named, "count"]
    rule = TableRule.read({"credit": "cells"})
    twice = [[*column, *column[:100]] for column in gold]
    twice[1][:100] = ["9"] * 100  # the first of two rows of one key is the wrong one
    for found, agreement in ((gold, 1.0), (twice, LONG / (LONG + 100))):
        verdict = compare_tables(_table(gold, names), _table(_shuffled(found, chance), names), rule)
        assert verdict.details["row_agreement"] == verdict.details["cell_share"] == agreement


def test_a_long_column_of_noise_and_words_is_right_where_either_is():
    chance = random.Random(6)
    gold = [
        [f"row {row}" for row in range(LONG)],
        [repr(chance.random()) if row % 4 else f"word {row}" for row in range(LONG)],
    ]
    noisy = [cell if " " in cell else repr(float(cell) * (1 + 1e-9 * chance.uniform(-0.9, 0.9))) for cell in gold[1]]
    for order in ("any", "given"):
        found = [list(gold[0]), list(noisy)]
        found[1][8], found[1][9], found[1][10] = "other", "0.5", ""
        found = found if order == "given" else _shuffled(found, chance)
        verdict = compare_tables(_table(gold), _table(found), TableRule.read({"credit": "cells", "order": order}))
        assert verdict.details["cell_share"] == pytest.approx(1 - 3 / (2 * LONG), abs=1e-9)


def test_dates_that_differ_leave_cells_of_unusual_form_to_be_looked_at():
    height = 101_000  # more than are looked at one by one
    days = pl.date_range(pl.date(1800, 1, 1), pl.date(2100, 1, 1), eager=True).head(height).cast(pl.String).to_list()
    gold = [[f"{days[row]} {row % 24:02}:00:00" for row in range(height)], ["12.5%"] * height]
    found = [[f"{days[row]} {row % 24:02}:00:01" for row in range(height)], ["0.125"] * height]
    verdict = compare_tables(_table(gold), _table(found), TableRule.read({"order": "given"}))
    assert verdict.details["cell_share"] == 0.5
    assert not any("were not looked at" in note for note in verdict.notes)


@pytest.mark.parametrize("kind", ["date", "float"])
def test_what_anyone_could_invent_of_a_column_with_holes_leaves_the_gold_as_it_is(kind):
    chance = random.Random(7)
    cells = {
        "date": lambda: f"{chance.randrange(1900, 2020)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}",
        "float": lambda: repr(chance.random()),
    }
    column = [cells[kind]() if row % 10 else "" for row in range(200)]
    gold = _table([[f"row {row}" for row in range(200)], column])
    found = _table([gold.columns[0].to_list(), ["?" if row % 10 == 1 else cell for row, cell in enumerate(column)]])
    verdict = compare_tables(gold, found, TableRule.read({"credit": "columns"}))
    assert gold.columns[1].to_list() == column
    assert verdict.evidence[0].expected == column[1]
    assert verdict.details["by_chance"]["c1"] < 0.2
    assert verdict.values["columns"] == pytest.approx(0.95, abs=0.03)
