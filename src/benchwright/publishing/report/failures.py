"""What became of attempts that are not right: by agent, by domain, and over all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchwright.analysis.failures.shares import shares
from benchwright.publishing.report.source import Source
from benchwright.publishing.tables import Column, Pivot, Row, Table

_NOTE = (
    "Each attempt has one class, the first that fits in this order; the shares of skills are guesses by rule where no "
    "model was asked."
)


def failures(source: Source) -> Iterator[Table]:
    """Counts by agent, over all agents, and by domain; none where nothing failed."""
    found = source.document["failures"]
    if not found["classes"]:
        return
    words = {each["failure"]: each["title"] for each in found["classes"]}
    yield _overall(source, words)
    by_title = {cell["title"]: cell["classes"] for cell in found["cells"]}
    rows = [
        {**source.key(title), "title": title, **row}
        for title in source.titles
        for row in _rows(words, by_title.get(title, {}))
    ]
    yield _table("failures", "By agent", Column("title", "agent"), rows, ("run", "cell"))
    domains = [{"domain": one["name"], **row} for one in found["domains"] for row in _rows(words, one["classes"])]
    if len({row["domain"] for row in domains}) > 1:
        yield _table("failures_by_domain", "By domain", Column("domain", "domain"), domains, ())


def _rows(words: Mapping[str, str], classes: Mapping[str, Any]) -> Iterator[Row]:
    """One row a class that any agent has, so that a class that this one has not is 0."""
    for name, title in words.items():
        told = classes.get(name) or {"n": 0, "of_attempts": 0.0, "of_failures": 0.0, "estimated": 0}
        rest = {key: told[key] for key in ("of_attempts", "of_failures", "estimated")}
        yield {"class": name, "failure": title, "attempts": told["n"], **rest}


def _table(name: str, title: str, line: Column, rows: Sequence[Row], keys: tuple[str, ...]) -> Table:
    return Table(
        name,
        title,
        (line, Column("failure", "what went wrong"), Column("attempts", "attempts", "count")),
        tuple(rows),
        note=_NOTE,
        pivot=Pivot(line.name, "failure"),
        hidden=(*keys, "class", "of_attempts", "of_failures", "estimated"),
        query=name,
    )


def _overall(source: Source, words: Mapping[str, str]) -> Table:
    """Classes over all agents' attempts, most frequent first."""
    every = [row for rows in source.overview.failures.values() for row in rows]
    classes = shares(every)["classes"]
    rows = [
        {
            "class": name,
            "failure": words[name],
            "attempts": told["n"],
            "share": told["of_failures"],
            "of_attempts": told["of_attempts"],
            "estimated": told["estimated"],
        }
        for name, told in sorted(classes.items(), key=lambda pair: -pair[1]["n"])
    ]
    return Table(
        "failure_classes",
        "Over all agents",
        (
            Column("failure", "what went wrong"),
            Column("attempts", "attempts", "count"),
            Column("share", "of failures", "share"),
            Column("of_attempts", "of attempts", "share"),
            Column("estimated", "guessed", "count", about="no rule is sure, and no model was asked"),
        ),
        tuple(rows),
        hidden=("class",),
        query="failure_classes",
    )
