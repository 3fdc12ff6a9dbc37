"""Every number of a report: it stands in the Parquet files, and comes from the runs' own tables by the query beside it."""

import math
import os
from html.parser import HTMLParser

import duckdb
import polars as pl
import pytest

from benchwright.analysis.statistics.intervals import score_interval
from benchwright.analysis.statistics.pairs import flips, holm, mcnemar
from benchwright.analysis.statistics.ranks import ranks
from benchwright.publishing.report.gather import gather, source
from benchwright.publishing.report.queries import query
from benchwright.publishing.report.writing import write

BY_STATISTICS = {
    "accuracy": {"low", "high", "clusters", "without_faulty", "pass@2", "pass^2"},
    "places": {"best", "worst"},
    "pairs": {"low", "high", "p_holm", "p_mcnemar", "detectable"},
}
"""What no short query says: intervals, tests and resampling, which are recomputed below from values by task."""


class Numbers(HTMLParser):
    """The data elements of a page: where each says that it stands, its exact value, and what is shown."""

    def __init__(self, text):
        super().__init__()
        self.found, self._open = [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "data":
            self._open = dict(attrs)

    def handle_data(self, data):
        if self._open is not None:
            place = (self._open["data-table"], int(self._open["data-row"]), self._open["data-column"])
            self.found.append((*place, float(self._open["value"]), data))
            self._open = None


@pytest.fixture(scope="module")
def made(suite, run):
    return source(suite, [run], "sound", None, ["first"])


@pytest.fixture(scope="module")
def report(made):
    return gather(made)


@pytest.fixture(scope="module")
def folder(made, report, tmp_path_factory):
    out = tmp_path_factory.mktemp("tables")
    write(made, report, out, "parquet")
    return out


@pytest.fixture(scope="module")
def asked(folder):
    """Rows of a query that is asked in the folder of the tables."""

    def ask(text):
        before = os.getcwd()
        os.chdir(folder)
        try:
            with duckdb.connect() as base:
                return base.sql(text).pl()
        finally:
            os.chdir(before)

    return ask


def test_every_number_on_the_page_stands_in_the_parquet_files(made, report, folder, tmp_path):
    write(made, report, tmp_path / "report.html", "html")
    found = Numbers((tmp_path / "report.html").read_text()).found
    tables = {table.name: pl.read_parquet(folder / f"{table.name}.parquet") for table in report.tables}
    assert len(found) > 200
    wrong = [item for item in found if tables[item[0]][item[1], item[2]] != pytest.approx(item[3], abs=0)]
    assert wrong == []


def differences(table, told):
    """Where a query and a table disagree: rows that are missing, and values."""
    kinds = table.kinds
    lines = {table.pivot.line, table.pivot.across} if table.pivot else set()
    keys = [name for name in told.columns if kinds.get(name, "text") == "text" or name in lines]
    rows = {tuple(row[key] for key in keys): row for row in told.to_dicts()}
    for number, row in enumerate(table.rows):
        mine = rows.get(tuple(row[key] for key in keys), dict.fromkeys(told.columns, 0))
        for name in set(told.columns) - set(keys):
            one, two = row[name], mine[name]
            if (one is None) != (two is None) or (one is not None and not math.isclose(one, two, abs_tol=1e-9)):
                yield table.name, number, name, one, two


def test_every_number_comes_from_the_runs_tables_by_its_query(report, asked):
    wrong, unasked = [], []
    for table in report.tables:
        shown = {name for name, kind in table.kinds.items() if kind != "text"}
        if not shown:
            continue
        told = asked(query(table, "sound"))
        wrong += differences(table, told)
        left = shown - set(told.columns) - BY_STATISTICS.get(table.name, set())
        unasked += [(table.name, name) for name in left]
    assert wrong == []
    assert unasked == []


def test_a_number_that_was_changed_is_seen(report, asked):
    (table,) = [table for table in report.tables if table.name == "accuracy"]
    told = asked(query(table, "sound")).with_columns(pl.col("mean") + 0.001)
    assert {item[2] for item in differences(table, told)} == {"mean"}


@pytest.fixture(scope="module")
def by_task(asked, report):
    """Values by cell and task, and the dataset of each task, as their queries say."""
    (table,) = [table for table in report.tables if table.name == "tasks"]
    values = {}
    for row in asked(query(table, "sound")).sort("task_id").to_dicts():
        values.setdefault(row["cell"], {})[row["task_id"]] = row["value"]
    return values


def rows_of(report, name):
    (table,) = [table for table in report.tables if table.name == name]
    return table.rows


def test_intervals_are_those_of_the_values_by_task_in_their_groups(report, by_task):
    for row in rows_of(report, "accuracy"):  # six datasets are too few to take whole: every task is a group
        found = score_interval(list(by_task[row["cell"]].values()))
        assert (row["low"], row["high"], row["clusters"]) == pytest.approx((found.low, found.high, 12))


def test_places_are_those_of_the_values_by_task_resampled(report, by_task):
    found = {each.name: each for each in ranks({cell: list(of.values()) for cell, of in by_task.items()}, times=2_000)}
    for row in rows_of(report, "places"):
        told = found[row["cell"]]
        assert (row["best"], row["worst"], row["group_letters"]) == (told.low, told.high, told.group)


def test_p_values_and_intervals_of_pairs_are_those_of_the_differences_by_task(report, by_task):
    tested, rows = {}, rows_of(report, "pairs")
    for row in rows:
        one, two = (list(by_task[row[name]].values()) for name in ("first_cell", "second_cell"))
        tested[row["first_cell"], row["second_cell"]] = flips([a - b for a, b in zip(one, two, strict=True)])
        exact = mcnemar([value == 1 for value in one], [value == 1 for value in two])
        assert row["p_mcnemar"] == pytest.approx(exact.p)
    adjusted = holm({pair: each.p() for pair, each in tested.items()})
    for row in rows:
        pair = (row["first_cell"], row["second_cell"])
        assert (row["p_holm"], row["low"], row["high"]) == pytest.approx(
            (adjusted[pair], *tested[pair].interval(0.95)), abs=2e-6
        )


def test_pass_at_two_is_that_of_the_attempts_by_task(report, asked):
    text = """select cell, avg(1 - (n - c) * (n - c - 1) / (n * (n - 1))) as at, avg(c * (c - 1) / (n * (n - 1))) as every
    from (select cell, task_id, count(*) as n, count(*) filter (value = 1) as c from 'runs/scores.parquet'
          where name = 'sound' group by all) group by all"""
    found = {cell: (at, every) for cell, at, every in asked(text).rows()}
    for row in rows_of(report, "accuracy"):
        assert (row["pass@2"], row["pass^2"]) == pytest.approx(found[row["cell"]])
