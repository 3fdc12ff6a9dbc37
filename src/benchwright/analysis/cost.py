"""What right answers cost, which agents are on the front of cost against score, and what a router would gain."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import Any

from benchwright.analysis.sides import Side
from benchwright.run.effort import effort


def cell_cost(each: Side) -> dict[str, Any]:
    """What a cell took: means over its attempts (`Effort`), seconds, dollars in all, and for each right answer.

    A right answer is an attempt worth 1; `usd_per_right` divides all dollars by their number, `usd_per_point` by the
    sum of scores. Dollars that are not known of one attempt are unknown in every sum.
    """
    took, cell = effort(each.attempts), each.cell
    done = [attempt.wall_seconds for attempt in each.attempts if not attempt.runs_again]
    right = sum(number for _, number in each.repeats.values())
    points = fsum(value * each.repeats[task][0] for task, value in each.values.items())
    total = each.cost
    return {
        **{name: getattr(cell, name) for name in ("agent", "preset", "model", "variant")},
        "mean": fsum(each.values.values()) / len(each.values) if each.values else None,
        **took.model_dump(mode="json"),
        "seconds": fsum(done) / len(done) if done else None,
        "total_usd": total,
        "right": right,
        "usd_per_right": total / right if total is not None and right else None,
        "usd_per_point": total / points if total is not None and points else None,
    }


def front(cells: Mapping[str, tuple[float | None, float | None]]) -> tuple[str, ...]:
    """The cells, given as (dollars, score), that no other is both as cheap and as good as, and better in one.

    From the cheapest to the best. Cells of which one of the two is not known are left out, and beat nobody.
    """
    known = {name: (usd, mean) for name, (usd, mean) in cells.items() if usd is not None and mean is not None}
    beaten = {
        name
        for name, (usd, mean) in known.items()
        for other_usd, other in known.values()
        if other_usd <= usd and other >= mean and (other_usd, other) != (usd, mean)
    }
    return tuple(sorted(known.keys() - beaten, key=lambda name: (known[name], name)))


def costs(sides: Mapping[str, Side]) -> dict[str, Any]:
    """Every cell's cost, and the front of dollars an attempt against the mean score.

    The reference solutions, free and right, would beat everybody: they are neither on the front nor beaten.
    """
    cells = [{"title": title, **cell_cost(each)} for title, each in sides.items()]
    competing = {cell["title"]: cell for cell in cells if not sides[cell["title"]].cell.is_reference}
    priced = {title: (cell["cost_usd"], cell["mean"]) for title, cell in competing.items()}
    on_front = front(priced)
    unknown = [title for title, (usd, _) in priced.items() if usd is None]
    judged = priced.keys() - unknown
    return {
        "cells": [
            {**cell, "on_front": cell["title"] in on_front if cell["title"] in judged else None} for cell in cells
        ],
        "front": list(on_front),
        "unknown_cost": unknown,
    }
