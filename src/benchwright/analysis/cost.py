"""What right answers cost, which agents are on the front of cost against score, and what a router would gain."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum

from benchwright.analysis.sides import Side
from benchwright.files import Record
from benchwright.run.effort import Effort, effort


class CellCost(Effort):
    """What a cell took: means over its attempts (`Effort`), seconds, dollars in all, and for each right answer.

    A right answer is an attempt worth 1; `usd_per_right` divides all dollars by their number, `usd_per_point` by the
    sum of scores. Dollars that are not known of one attempt are unknown (None) in every sum. `on_front` is None where
    the cell does not compete.
    """

    title: str
    agent: str
    preset: str
    model: str
    variant: str
    mean: float | None
    seconds: float | None
    total_usd: float | None
    right: int
    usd_per_right: float | None
    usd_per_point: float | None
    on_front: bool | None = None


class Costs(Record):
    """Every cell's cost; the titles on the front, from the cheapest to the best, and those whose cost is not known."""

    cells: tuple[CellCost, ...]
    front: tuple[str, ...]
    unknown_cost: tuple[str, ...]


def cell_cost(each: Side, title: str = "") -> CellCost:
    """What a cell took, under its own title or another."""
    took, cell = effort(each.attempts), each.cell
    done = [attempt.wall_seconds for attempt in each.attempts if not attempt.runs_again]
    right = sum(number for _, number in each.repeats.values())
    points = fsum(value * each.repeats[task][0] for task, value in each.values.items())
    total = each.cost
    return CellCost(
        **took.model_dump(),
        title=title or cell.title,
        agent=cell.agent,
        preset=cell.preset,
        model=cell.model,
        variant=cell.variant,
        mean=fsum(each.values.values()) / len(each.values) if each.values else None,
        seconds=fsum(done) / len(done) if done else None,
        total_usd=total,
        right=right,
        usd_per_right=total / right if total is not None and right else None,
        usd_per_point=total / points if total is not None and points else None,
    )


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


def costs(sides: Mapping[str, Side]) -> Costs:
    """Every cell's cost, and the front of dollars an attempt against the mean score.

    The reference solutions, free and right, would beat everybody: they are neither on the front nor beaten.
    """
    cells = [cell_cost(each, title) for title, each in sides.items()]
    competing = [cell for cell in cells if not sides[cell.title].cell.is_reference]
    on_front = front({cell.title: (cell.cost_usd, cell.mean) for cell in competing})
    judged = {cell.title: cell.title in on_front for cell in competing if cell.cost_usd is not None}
    return Costs(
        cells=tuple(cell.model_copy(update={"on_front": judged.get(cell.title)}) for cell in cells),
        front=on_front,
        unknown_cost=tuple(cell.title for cell in competing if cell.cost_usd is None),
    )
