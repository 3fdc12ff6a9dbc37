"""Every small published gold table, written otherwise without saying otherwise, scores 1; with an error in it, less."""

import csv
import io
import random
import re

import pytest

from benchwright.score import Scored
from benchwright.scorers.base import Expected
from benchwright.scorers.table import TableScorer
from benchwright.trajectory import Submission

ROWS = 30
NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?$")
DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)$")


@pytest.fixture(scope="module")
def golds(suite):
    """(task, check, rows of its gold) for every table of few rows."""
    found = []
    for task_id, gold in suite.golds.items():
        for check in gold.checks:
            path = suite.gold_files(task_id) / check.golds[0] if check.golds else None
            if check.scorer == "table" and path.is_file():
                rows = [row for row in csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"))) if row]
                if 1 < len(rows) <= ROWS:
                    found.append((task_id, check, rows))
    assert len(found) > 80
    return found


@pytest.fixture
def score(suite, tmp_path):
    def run(task_id, check, data):
        (tmp_path / "output").write_bytes(data)
        expected = Expected(suite.tasks[task_id], suite.golds[task_id], check, suite.gold_files(task_id))
        score = TableScorer().score(Submission(files={check.output: tmp_path / "output"}), expected)
        assert isinstance(score, Scored), (task_id, score)
        return score

    return run


def text(rows, ending="\n", **options):
    stream = io.StringIO()
    csv.writer(stream, lineterminator=ending, **options).writerows(rows)
    return stream.getvalue()


def cells(rows, change):
    return [rows[0], *([change(cell) for cell in row] for row in rows[1:])]


def grouped(cell):
    whole, point, rest = cell.lstrip("-").partition(".")
    return f"{'-' * (cell[0] == '-')}{int(whole):,}{point}{rest}" if NUMBER.match(cell) else cell


def noisy(cell):
    return repr(float(cell) * (1 + 1e-9)) if NUMBER.match(cell) and "." in cell else cell


def in_words(cell):
    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    found = DATE.match(cell)
    return f"{months[int(found[2]) - 1]} {int(found[3])}, {found[1]}" if found else cell


def encoded(rows, encoding):
    try:
        return text(rows).encode(encoding)
    except UnicodeEncodeError:
        return None


def frame(rows):
    import pandas as pd

    as_text = {name: str for place, name in enumerate(rows[0]) if any(re.match(r"0\d", row[place]) for row in rows[1:])}
    return pd.read_csv(io.StringIO(text(rows)), keep_default_na=False, na_values=[""], dtype=as_text)


def parquet(rows):
    stream = io.BytesIO()
    frame(rows).to_parquet(stream)
    return stream.getvalue()


def indexed(rows):
    return [["", *rows[0]], *([str(place), *row] for place, row in enumerate(rows[1:]))] if "" not in rows[0] else rows


REWRITES = {
    "columns in another order": lambda rows: text([row[::-1] for row in rows]).encode(),
    "UTF-16": lambda rows: encoded(rows, "utf-16"),
    "a byte order mark": lambda rows: encoded(rows, "utf-8-sig"),
    "cp1252": lambda rows: encoded(rows, "cp1252"),
    "latin-1": lambda rows: encoded(rows, "latin-1"),
    "GBK": lambda rows: encoded(rows, "gbk"),
    "no final line end": lambda rows: text(rows).encode().rstrip(b"\n"),
    "lines of Windows": lambda rows: text(rows, "\r\n").encode(),
    "tabs": lambda rows: text(rows, delimiter="\t").encode(),
    "semicolons": lambda rows: text(rows, delimiter=";").encode(),
    "all quoted": lambda rows: text(rows, quoting=csv.QUOTE_ALL).encode(),
    "the index of pandas": lambda rows: text(indexed(rows)).encode(),
    "spaces at the end": lambda rows: text(cells(rows, lambda cell: cell and cell + " ")).encode(),
    "thousands": lambda rows: text(cells(rows, grouped)).encode(),
    "what float arithmetic leaves": lambda rows: text(cells(rows, noisy)).encode(),
    "names in capitals": lambda rows: text([[name.upper().replace("_", " ") for name in rows[0]], *rows[1:]]).encode(),
    "NaN for nothing": lambda rows: text(cells(rows, lambda cell: cell or "NaN")).encode(),
    "midnight": lambda rows: text(cells(rows, lambda cell: cell + " 00:00:00" * bool(DATE.match(cell)))).encode(),
    "dates in words": lambda rows: text(cells(rows, in_words)).encode(),
    "truth values as 1 and 0": lambda rows: text(
        cells(rows, lambda cell: {"True": "1", "False": "0"}.get(cell, cell))
    ).encode(),
    "parquet": parquet,
    "JSON Lines": lambda rows: frame(rows).to_json(orient="records", lines=True, double_precision=15).encode(),
    "as pandas writes it": lambda rows: frame(rows).to_csv(index=False).encode(),
}
NOT_THE_SAME = {("sports_33", "JSON Lines")}
"""pandas writes 15 digits behind the point, and so a probability of 1e-19 as 0."""


@pytest.mark.parametrize("way", REWRITES)
def test_a_gold_that_is_written_otherwise_scores_1(golds, score, way):
    made = [(task, check, REWRITES[way](rows)) for task, check, rows in golds if (task, way) not in NOT_THE_SAME]
    wrong = [
        (task, found.value, found.reason)
        for task, check, data in made
        if data is not None and (found := score(task, check, data)).value != 1.0
    ]
    assert not wrong


def test_rows_in_another_order_score_1_where_order_is_free(golds, score):
    free = [each for each in golds if each[1].options.get("order", "any") == "any"]
    assert len(free) > 60
    for task, check, rows in free:
        assert score(task, check, text([rows[0], *rows[:0:-1]]).encode()).value == 1.0, task


def scored_places(check, rows):
    return [rows[0].index(name) for name in check.options.get("columns") or rows[0]]


def altered(cell):
    if NUMBER.match(cell):
        return str(int(cell) * 3 + 7) if "." not in cell else repr(float(cell) * 3 + 7)
    return {"True": "False", "False": "True"}.get(cell, "1907-01-01" if DATE.match(cell) else f"{cell} zzz")


def one_cell(rows, row, place):
    return [
        *rows[:row],
        [altered(cell) if at == place else cell for at, cell in enumerate(rows[row])],
        *rows[row + 1 :],
    ]


ERRORS = {
    "a wrong cell": one_cell,
    "a lost row": lambda rows, row, _: [*rows[:row], *rows[row + 1 :]] if len(rows) > 2 else None,
    "a row twice": lambda rows, row, _: [*rows, rows[row]],
    "all rows twice": lambda rows, *_: [*rows, *rows[1:]],
    "half of the rows": lambda rows, *_: rows[: 1 + len(rows) // 2] if len(rows) > 3 else None,
    "a column of junk": lambda rows, _, place: cells_of(rows, place, lambda _: "junk"),
    "a wrong column": lambda rows, _, place: cells_of(rows, place, altered),
}


def cells_of(rows, place, change):
    return [rows[0], *([change(cell) if at == place else cell for at, cell in enumerate(row)] for row in rows[1:])]


@pytest.mark.parametrize("kind", ERRORS)
def test_a_gold_with_an_error_scores_less_than_1_and_a_wrong_column_no_less_than_none(golds, score, kind):
    for task, check, rows in golds:
        chance = random.Random(task)
        places = scored_places(check, rows)
        row, place = chance.randrange(1, len(rows)), chance.choice(places)
        made = ERRORS[kind](rows, row, place)
        if made is None:
            continue
        value = score(task, check, text(made).encode()).value
        assert value < 1.0, task
        if "column" in kind and len(places) > 1:
            without = [[cell for at, cell in enumerate(line) if at != place] for line in rows]
            assert value >= score(task, check, text(without).encode()).value - 1e-9, task
