"""Which plots stand in which part of the report, and when there is nothing to draw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from importlib.util import find_spec
from typing import ParamSpec

from benchwright.publishing.plots.costs import cost_against_score
from benchwright.publishing.plots.discovery import discovery_timeline
from benchwright.publishing.plots.failures import failure_stacks
from benchwright.publishing.plots.figures import Figure
from benchwright.publishing.plots.heatmaps import heatmap
from benchwright.publishing.plots.intervals import intervals
from benchwright.publishing.plots.skills import strengths
from benchwright.publishing.plots.temperatures import by_temperature
from benchwright.publishing.report.source import Source
from benchwright.publishing.tables import Row, Table
from benchwright.publishing.titles import told_apart

_P = ParamSpec("_P")
_DRAWN = ("domain", "category")
"""The kinds of labels that a heatmap shows."""


def possible() -> bool:
    """Whether what draws is installed."""
    return find_spec("altair") is not None and find_spec("vl_convert") is not None


def _drawn(draw: Callable[_P, Iterable[Figure]]) -> Callable[_P, tuple[Figure, ...]]:
    """All the figures of a part; none where nothing can be drawn, which the report says once."""

    @wraps(draw)
    def drawn(*args: _P.args, **kwargs: _P.kwargs) -> tuple[Figure, ...]:
        return tuple(draw(*args, **kwargs)) if possible() else ()

    return drawn


@_drawn
def accuracy(source: Source, table: Table) -> Iterator[Figure]:
    """Intervals, and the temperatures where there is more than one."""
    if any(row["mean"] is not None for row in table.rows):
        yield intervals(_labelled(source, table.rows), f"{source.mode} mean")
    found = list(_temperatures(source, table))
    series = told_apart(list(dict.fromkeys(row["series"] for row in found)))
    found = [{**row, "series": series[row["series"]]} for row in found]
    if len({row["temperature"] for row in found}) > 1:
        yield by_temperature(found, f"{source.mode} mean")


def _temperatures(source: Source, table: Table) -> Iterator[Row]:
    for row in table.rows:
        cell = source.overview.sides[row["title"]].cell
        temperature = cell.generation.get("temperature")
        if isinstance(temperature, int | float) and row["mean"] is not None:
            rest = {name: value for name, value in cell.generation.items() if name != "temperature"}
            series = cell.model_copy(update={"generation": rest}).title
            yield {**row, "series": series, "temperature": temperature}


def _labelled(source: Source, rows: Iterable[Row]) -> list[Row]:
    return [{**row, "title": source.labels.get(row["title"], row["title"])} for row in rows]


@_drawn
def groups(source: Source, tables: Sequence[Table]) -> Iterator[Figure]:
    """Heatmaps by domain and by category."""
    for table in tables:
        kind = table.name.removeprefix("by_")
        if kind in _DRAWN and len({row["label"] for row in table.rows}) > 1:
            yield heatmap(table.name, kind, _labelled(source, table.rows), tuple(source.labels.values()))


@_drawn
def cost(source: Source, table: Table) -> Iterator[Figure]:
    """Cost against score, where two agents or more have a cost."""
    told = source.overview.costs
    rows = [{"title": cell.title, "mean": cell.mean, "cost": cell.cost_usd} for cell in told.cells]
    known = [row for row in rows if row["cost"] is not None and row["mean"] is not None]
    if len(known) > 1 and any(row["cost"] for row in known) and table.rows:
        front = [source.labels[title] for title in told.front]
        yield cost_against_score(_labelled(source, rows), front, f"{source.mode} mean")


@_drawn
def failures(source: Source, tables: Sequence[Table]) -> Iterator[Figure]:
    """What went wrong, by agent and by domain."""
    words = [each["title"] for each in source.document["failures"]["classes"]]
    for table in tables:
        if table.pivot is None:
            continue
        rows = [{**row, "title": row[table.pivot.line], "share": row["of_attempts"]} for row in table.rows]
        lines = [source.labels.get(line, line) for line in dict.fromkeys(row["title"] for row in rows)]
        if any(row["share"] for row in rows):
            yield failure_stacks(table.name, _labelled(source, rows), lines, words)


@_drawn
def discovery(_source: Source, tables: Sequence[Table]) -> Iterator[Figure]:
    """How soon required files are opened."""
    for table in tables:
        if table.name == "discovery_curve" and len({row["step"] for row in table.rows}) > 1:
            lines = list(dict.fromkeys(row["line"] for row in table.rows))
            yield discovery_timeline(
                [{**row, "title": row["line"], "share": row["recall"]} for row in table.rows], lines
            )


@_drawn
def skills(source: Source, tables: Sequence[Table]) -> Iterator[Figure]:
    """The profile by category, and strengths and weaknesses where agents differ in any."""
    labels = tuple(source.labels.values())
    for table in tables:
        if table.name == "skill_profile":
            yield heatmap(table.name, "category of skills", _labelled(source, table.rows), labels)
        if table.name == "skill_deviations" and any(row["deviation"] for row in table.rows):
            yield strengths(_labelled(source, table.rows), labels)
