"""A report's numbers held against its Parquet files, and made again from the runs' own tables by the documented queries."""

import math
import os
from html.parser import HTMLParser
from pathlib import Path

import duckdb
import polars as pl

from benchwright.analysis.frames import Frames
from benchwright.publishing.report.gather import gather, source
from benchwright.publishing.report.queries import query
from benchwright.publishing.report.writing import write
from benchwright.suite import Suite

BY_STATISTICS = {
    "accuracy": {"low", "high", "clusters", "without_faulty", "pass@2", "pass^2"},
    "by_label": {"low", "high"},
    "dsbc_setups": {"low", "high"},
    "dsbc_temperatures": {"low", "high"},
    "dsbc_wordings": {"low", "high", "p", "p_mcnemar"},
    "places": {"best", "worst"},
    "raised": {"low", "high", "p"},
    "pairs": {"low", "high", "p_holm", "p_mcnemar", "detectable"},
}
"""What no short query says: intervals, tests and resampling, which tests recompute from values by task."""


BY_FUNCTIONS = {"routers"}
"""Tables that functions of analysis make whole, by cross-validation and resampling; `test_recomputing` makes them again."""


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


def rows_told(folder, text):
    """What a query says in the folder of the tables."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        with duckdb.connect() as base:
            return base.sql(text).pl()
    finally:
        os.chdir(before)


def numbers_elsewhere(page, folder):
    """How many numbers a page shows, and those of them that do not stand in the files where it says."""
    found = Numbers(page).found
    tables = {name: pl.read_parquet(folder / f"{name}.parquet") for name in {item[0] for item in found}}
    return len(found), [item for item in found if tables[item[0]][item[1], item[2]] != item[3]]


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


def recomputed_differently(report, folder, mode):
    """What the queries make otherwise than the report has it, and columns of numbers that nothing makes."""
    wrong, unasked = [], []
    for table in report.tables:
        shown = {name for name, kind in table.kinds.items() if kind != "text"}
        if shown and table.name not in BY_FUNCTIONS:
            told = rows_told(folder, query(table, mode))
            wrong += differences(table, told)
            left = shown - set(told.columns) - BY_STATISTICS.get(table.query, set())
            unasked += [(table.name, name) for name in sorted(left)]
    return wrong, unasked


def whole_report_recomputed(run, folder):
    """Write the report of a run as a page and as files; what of it cannot be found or recomputed."""
    frames = Frames.of([run])
    (opened,) = frames.runs.values()
    made = source(Suite.open(Path(opened.spec.suite_folder)), [opened], "sound", None, list(frames.runs))
    report = gather(made)
    write(made, report, folder, "parquet")
    write(made, report, folder / "report.html", "html")
    found, wrong = numbers_elsewhere((folder / "report.html").read_text(), folder)
    return found, (wrong, *recomputed_differently(report, folder, "sound"))
