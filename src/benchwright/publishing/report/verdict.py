"""What a reader in a hurry takes along: who is best, whether that is more than noise, what it cost, what fails most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchwright.publishing.report.contents import Card, Sentence
from benchwright.publishing.report.source import Source
from benchwright.publishing.tables import Table

_NAMED = 4
"""Agents named one by one in a sentence."""


def sentences(source: Source, accuracy: Table, places: Table) -> Iterator[Sentence]:
    """The verdict, one sentence a line."""
    if not accuracy.rows or accuracy.rows[0]["mean"] is None:
        yield ("No task has a verdict: nothing can be said of these runs.",)
        return
    best = accuracy.rows[0]
    yield (
        *(best["title"], " reaches the highest ", f"{source.mode} mean, ", accuracy.number(0, "mean")),
        *(" [", accuracy.number(0, "low"), ", ", accuracy.number(0, "high"), "] over "),
        *(accuracy.number(0, "tasks"), f" task{'' if best['tasks'] == 1 else 's'}."),
    )
    if places.rows:
        yield (_apart(places),)


def _apart(places: Table) -> str:
    """Whether the first place is more than noise."""
    first, rest = places.rows[0], places.rows[1:]
    like = [row["title"] for row in rest if set(row["group_letters"]) & set(first["group_letters"])]
    if not like:
        return "That is more than noise: the paired test tells it apart from every other agent."
    others = len(rest) - len(like)
    told = f"That is not more than noise: on these tasks it cannot be told apart from {_listed(like)}"
    return f"{told}; it can from the other {others}." if others else f"{told}."


def _listed(names: Sequence[str]) -> str:
    shown = list(names[:_NAMED])
    if len(names) > _NAMED:
        shown.append(f"{len(names) - _NAMED} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def cards(accuracy: Table) -> Iterator[Card]:
    """Figures at a glance."""
    if accuracy.rows and accuracy.rows[0]["mean"] is not None:
        yield Card("highest mean", accuracy.number(0, "mean"), (accuracy.rows[0]["title"],))
