"""How agents searched: which required files they saw, opened and used, when, and what they opened for nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchwright.analysis.discovery.summary import Summary
from benchwright.publishing.report.source import Source
from benchwright.publishing.tables import Column, Pivot, Table

_SHARES = ("listed", "opened", "content_read", "complete")
_MOMENTS = ("first_listed", "first_opened", "last_used")


def discovery(source: Source) -> Iterator[Table]:
    """A row an agent and way of knowing, and how much was found after each step; none where neither is known."""
    found = {each.title: each for each in source.overview.searched}
    told = [(title, basis, known) for title in source.titles for basis, known in found[title].known()]
    if told:
        yield _searches(source, told)
        yield _curve(source, told)


def _searches(source: Source, told: Sequence[tuple[str, str, Summary]]) -> Table:
    rows = [
        {
            **source.key(title),
            "title": title,
            "basis": basis,
            **row.model_dump(include={"attempts", "required", *_SHARES, "wasted_share", "wasted_per_attempt"}),
            **{name: getattr(row, name).step for name in _MOMENTS},
            **row.near_misses,
        }
        for title, basis, row in told
    ]
    return Table(
        "discovery",
        "Files that a right answer needs",
        (
            Column("title", "agent"),
            Column("basis", "known by", about="measured by the sandbox, or estimated from a log: never mixed"),
            Column("attempts", "attempts", "count"),
            Column("required", "required files", "count", about="of all attempts"),
            Column("listed", "seen", "share", about="their name came back to the agent"),
            Column("opened", "opened", "share"),
            Column("content_read", "or a copy", "share", about="it, or a file of the same content, was opened"),
            Column("complete", "all opened", "share", about="attempts that opened every required file"),
            Column("first_listed", "seen at step", "number", about="median, where the step is known"),
            Column("first_opened", "opened at step", "number", about="median, where the step is known"),
            Column("last_used", "last used at step", "number", about="median, where the step is known"),
            Column("wasted_share", "wasted reads", "share", about="of the files opened, those that are not required"),
            Column("wasted_per_attempt", "wasted an attempt", "number"),
            Column("copy", "a copy instead", "count", about="required files for which only this was opened"),
            Column("same_name", "same name instead", "count"),
            Column("similar", "like it instead", "count", about="another year or state of the file, by its name"),
        ),
        tuple(rows),
        note="Where required files are known, and how they were read.",
        hidden=("run", "cell"),
        query="discovery",
    )


def _curve(source: Source, told: Sequence[tuple[str, str, Summary]]) -> Table:
    rows = [
        {**source.key(title), "title": title, "basis": basis, "line": _line(title, basis), **point.model_dump()}
        for title, basis, row in told
        for point in row.curve
    ]
    return Table(
        "discovery_curve",
        "Required files found by each step",
        (Column("step", "step", "count"), Column("line", "agent"), Column("recall", "found", "share")),
        tuple(rows),
        note="Mean recall over attempts; one that has ended keeps its last value.",
        pivot=Pivot("step", "line"),
        hidden=("run", "cell", "basis", "precision"),
        query="discovery_curve",
    )


def _line(title: str, basis: str) -> str:
    return title if basis == "measured" else f"{title} ({basis})"
