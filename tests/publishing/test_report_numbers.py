"""Every number of a report: it stands in the Parquet files, and comes from the runs' own tables by the query beside it."""

from functools import partial

import polars as pl
import pytest
from tests.publishing.recomputing import differences, numbers_elsewhere, recomputed_differently, rows_told

from benchwright.analysis.statistics.intervals import score_interval
from benchwright.analysis.statistics.pairs import flips, holm, mcnemar
from benchwright.analysis.statistics.planning import detectable
from benchwright.analysis.statistics.ranks import ranks
from benchwright.publishing.report.gather import gather, source
from benchwright.publishing.report.queries import query
from benchwright.publishing.report.writing import write


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
def told(folder):
    """Rows of a query that is asked in the folder of the tables."""
    return partial(rows_told, folder)


def test_every_number_on_the_page_stands_in_the_parquet_files(page_path, folder):
    found, wrong = numbers_elsewhere(page_path.read_text(), folder)
    assert found > 200
    assert wrong == []


def test_every_number_comes_from_the_runs_tables_by_its_query(report, folder):
    assert recomputed_differently(report, folder, "sound") == ([], [])


def test_a_number_that_was_changed_is_seen(report, told):
    (table,) = [table for table in report.tables if table.name == "accuracy"]
    changed = told(query(table, "sound")).with_columns(pl.col("mean") + 0.001)
    assert {item[2] for item in differences(table, changed)} == {"mean"}


@pytest.fixture(scope="module")
def by_task(told, report):
    """Values by cell and task, and the dataset of each task, as their queries say."""
    (table,) = [table for table in report.tables if table.name == "tasks"]
    values = {}
    for row in told(query(table, "sound")).sort("task_id").to_dicts():
        values.setdefault(row["cell"], {})[row["task_id"]] = row["value"]
    return values


def rows_of(report, name):
    (table,) = [table for table in report.tables if table.name == name]
    assert table.rows
    return table.rows


def test_intervals_are_those_of_the_values_by_task_in_their_groups(report, by_task):
    for row in rows_of(report, "accuracy"):  # six datasets are too few to take whole: every task is a group
        found = score_interval(list(by_task[row["cell"]].values()))
        assert (row["low"], row["high"], row["clusters"]) == pytest.approx((found.low, found.high, 12))


def test_intervals_of_groups_are_those_of_their_tasks(report, by_task):
    for row in rows_of(report, "by_domain"):
        places = range(6) if row["label"] == "shops" else range(6, 12)
        found = score_interval([by_task[row["cell"]][f"t{place:02}"] for place in places])
        assert (row["low"], row["high"]) == pytest.approx((found.low, found.high))


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


def test_what_pairs_would_show_is_that_of_the_exact_test_corrected(report, by_task):
    rows = rows_of(report, "pairs")
    for row in rows:
        one, two = (list(by_task[row[name]].values()) for name in ("first_cell", "second_cell"))
        apart = sum(a != b for a, b in zip(one, two, strict=True)) / len(one)
        seen = detectable(len(one), apart, alpha=0.05 / len(rows))
        assert row["detectable"] == (pytest.approx(seen) if seen < 1 else None)
    assert {row["detectable"] is None for row in rows} == {True, False}


def test_pass_at_two_is_that_of_the_attempts_by_task(report, told):
    text = """select cell, avg(1 - (n - c) * (n - c - 1) / (n * (n - 1))) as at, avg(c * (c - 1) / (n * (n - 1))) as every
    from (select cell, task_id, count(*) as n, count(*) filter (value = 1) as c from 'runs/scores.parquet'
          where name = 'sound' group by all) group by all"""
    found = {cell: (at, every) for cell, at, every in told(text).rows()}
    for row in rows_of(report, "accuracy"):
        assert (row["pass@2"], row["pass^2"]) == pytest.approx(found[row["cell"]])


def test_numbers_of_the_same_attempts_with_raised_limits(suite, make, tmp_path):
    runs = [make("before", {"b": 3, "c": 2}), make("after", {"b": 7, "c": 1}, raised=2.0)]
    made = source(suite, runs, "sound", None, ["before", "after"])
    report = gather(made)
    write(made, report, tmp_path, "parquet")
    rows = rows_of(report, "raised")
    assert [(row["before_run"], row["better"], row["worse"]) for row in rows] == [("before", 8, 0), ("before", 0, 2)]
    assert any(row["still_limited"] for row in rows)
    assert recomputed_differently(report, tmp_path, "sound") == ([], [])
