"""Attempts made again with raised limits, each against the attempt that it repeats (AgenticDataBench, section 6.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from typing import Any

from benchwright.analysis.sides import Side, ending
from benchwright.analysis.statistics.pairs import flips
from benchwright.run import Attempt, Key


def raised(sides: Mapping[str, Side]) -> list[dict[str, Any]]:
    """Every cell of a run with higher limits beside the same cell of a run with lower ones.

    Attempts are paired by cell, task and epoch. Values are those of the attempts; one without a verdict counts 0.
    `still_limited` are those that a limit ended again.
    """
    return [
        {"title": title, "before": before, "from": was.run.spec.raised, "to": now.run.spec.raised, **_pairs(was, now)}
        for title, now in sides.items()
        for before, was in sides.items()
        if was.cell.id == now.cell.id and was.run.spec.raised < now.run.spec.raised
        if set(was.scores) & set(now.scores)
    ]


def _pairs(was: Side, now: Side) -> dict[str, Any]:
    rows = list(_rows(was, now))
    changes = [row["after"] - row["before"] for row in rows]
    tested = flips(changes, [row["task_id"] for row in rows])
    limited = [row for row in rows if row["ending_after"].startswith("limit")]
    return {
        "pairs": len(rows),
        "mean_before": fsum(row["before"] for row in rows) / len(rows),
        "mean_after": fsum(row["after"] for row in rows) / len(rows),
        "difference": tested.data.mean,
        "ci95": list(tested.interval(0.95)),
        "p": tested.p(),
        "better": sum(change > 0 for change in changes),
        "worse": sum(change < 0 for change in changes),
        "still_limited": len(limited),
        "attempts": rows,
    }


def _rows(was: Side, now: Side) -> Iterator[dict[str, Any]]:
    before, after = _by_key(was.attempts), _by_key(now.attempts)
    for key, value in now.scores.items():
        if key in was.scores:
            yield {
                "task_id": key.task_id,
                "epoch": key.epoch,
                "before": was.scores[key],
                "after": value,
                "ending_before": ending(before[key]) if key in before else "not_run",
                "ending_after": ending(after[key]) if key in after else "not_run",
            }


def _by_key(attempts: Sequence[Attempt]) -> dict[Key, Attempt]:
    return {attempt.key: attempt for attempt in attempts}
