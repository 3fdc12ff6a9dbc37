"""Attempts made again with raised limits, each against the attempt that it repeats (AgenticDataBench, section 6.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import fsum

from pydantic import Field

from benchwright.analysis.sides import Side
from benchwright.analysis.statistics.pairs import flips
from benchwright.files import Record
from benchwright.run import Attempt, Key


class Repeated(Record):
    """One attempt before and after: what it was worth, and how it ended."""

    task_id: str
    epoch: int
    before: float
    after: float
    ending_before: str
    ending_after: str


class Raised(Record):
    """A cell of a run with higher limits (`title`) beside the same cell of a run with lower ones (`before`).

    `limits_before` and `limits_after` are by how much limits were multiplied; values are those of the attempts, one
    without a verdict counting 0, and the test flips signs of whole tasks. `still_limited` attempts a limit ended again.
    """

    title: str
    before: str
    limits_before: float = Field(serialization_alias="from")
    limits_after: float = Field(serialization_alias="to")
    pairs: int
    mean_before: float
    mean_after: float
    difference: float
    ci95: tuple[float, float]
    p: float
    better: int
    worse: int
    still_limited: int
    attempts: tuple[Repeated, ...]


def raised(sides: Mapping[str, Side]) -> list[Raised]:
    """Every cell that was run again with higher limits. Attempts are paired by cell, task and epoch."""
    return [
        _compared(title, now, before, was)
        for title, now in sides.items()
        for before, was in sides.items()
        if was.cell.id == now.cell.id and was.run.spec.raised < now.run.spec.raised
        if set(was.scores) & set(now.scores)
    ]


def _compared(title: str, now: Side, before: str, was: Side) -> Raised:
    rows = tuple(_rows(was, now))
    changes = [row.after - row.before for row in rows]
    tested = flips(changes, [row.task_id for row in rows])
    return Raised(
        title=title,
        before=before,
        limits_before=was.run.spec.raised,
        limits_after=now.run.spec.raised,
        pairs=len(rows),
        mean_before=fsum(row.before for row in rows) / len(rows),
        mean_after=fsum(row.after for row in rows) / len(rows),
        difference=tested.data.mean,
        ci95=tested.interval(0.95),
        p=tested.p(),
        better=sum(change > 0 for change in changes),
        worse=sum(change < 0 for change in changes),
        still_limited=sum(row.ending_after.startswith("limit") for row in rows),
        attempts=rows,
    )


def _rows(was: Side, now: Side) -> Iterator[Repeated]:
    before, after = _by_key(was.attempts), _by_key(now.attempts)
    for key, value in now.scores.items():
        if key in was.scores:
            yield Repeated(
                task_id=key.task_id,
                epoch=key.epoch,
                before=was.scores[key],
                after=value,
                ending_before=before[key].ended if key in before else "not_run",
                ending_after=after[key].ended if key in after else "not_run",
            )


def _by_key(attempts: Sequence[Attempt]) -> dict[Key, Attempt]:
    return {attempt.key: attempt for attempt in attempts}
