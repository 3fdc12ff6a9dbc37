"""The limits of an attempt as a run sets them: the task's, overridden and raised."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from benchwright.run.records import Cell, RunSpec
from benchwright.task import Limits, Task


def in_force(stated: Limits, overrides: Mapping[str, float], raised: float = 1.0) -> Limits:
    """A task's limits as a run sets them. More time is not more processors: `cpus` is never raised."""
    values = Limits.model_validate({**stated.model_dump(), **overrides}).model_dump()
    if raised == 1.0:
        return Limits.model_validate(values)
    names = {name for name, value in values.items() if value is not None} - {"cpus"}
    whole = {name for name in names if isinstance(values[name], int)}
    more = {name: values[name] * raised for name in names}
    return Limits.model_validate(values | more | {name: max(1, round(more[name])) for name in whole})


def overrides(spec: RunSpec, cell: Cell) -> dict[str, float]:
    """What a run sets in place of its tasks' limits: what the cell's preset says, and over it what the run says."""
    return {**spec.cell_limits.get(cell.id, {}), **spec.limits}


def counted(tasks: Iterable[Task], spec: RunSpec, cell: Cell) -> dict[str, Counter[str]]:
    """By limit, how many of the tasks were run under which value; `none` where it is not set."""
    found: dict[str, Counter[str]] = {name: Counter() for name in Limits.model_fields}
    changed = overrides(spec, cell)
    for task in tasks:
        for name, value in in_force(task.limits, changed, spec.raised).model_dump().items():
            found[name]["none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)] += 1
    return found
