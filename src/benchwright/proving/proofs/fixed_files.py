"""Outputs of a program that read no data: they know what a check looks at (names, ranges), and nothing of the answer.

A check that gives them credit measures little. Tables hold a grid of numbers, fine enough that rules which ask only
whether a value occurs find most of theirs; documents hold the best value that each range allows.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final

from benchwright.gold import Check
from benchwright.proving.lint.base import Case

_ROWS: Final = 20_001
_STEP: Final = 1.01
"""The ratio of neighbours in the logarithmic grid: one percent is a usual tolerance."""


def fixed_files(case: Case, folder: Path) -> dict[str, Path]:
    """Write a fixed file for each output that one can be made of; by the outputs' names."""
    found: dict[str, Path] = {}
    for check in case.gold.checks:
        write = _WRITERS.get(check.scorer)
        if write is not None and check.output not in found:
            found[check.output] = folder / str(len(found))
            found[check.output].write_text(write(check), encoding="utf-8")
    return found


def _table(check: Check) -> str:
    """The scored columns, where they are named, and three at least, each one of the grids in turn."""
    named = check.options.get("columns")
    names = [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
    names += [f"column {number}" for number in range(len(names) + 1, 4)]
    quoted = ",".join(f'"{name}"' for name in (name.replace('"', '""') for name in names))
    columns = [*islice(cycle(_grids()), len(names))]
    return "\n".join([quoted, *map(",".join, zip(*columns, strict=True)), ""])


@cache
def _grids() -> tuple[Sequence[str], ...]:
    """Whole numbers from 0, hundredths from 0, and a logarithmic grid of both signs."""
    half = _ROWS // 2
    sizes = (math.exp((place - half // 2) * math.log(_STEP)) for place in range(half))
    signed = [0.0, *(sign * size for size in sizes for sign in (1, -1))]
    hundredths = [f"{number / 100:.2f}" for number in range(_ROWS)]
    return [*map(str, range(_ROWS))], hundredths, [f"{value:.6g}" for value in signed]


def _document(check: Check) -> str:
    return json.dumps(_best(check.options.get("fields") or {}))


def _best(field: Any) -> Any:
    """The best that a field's range allows; 1 for whatever else."""
    if isinstance(field, Mapping):
        return {name: _best(inner) for name, inner in field.items()}
    return field[1] if isinstance(field, list) and len(field) == 2 else 1


def _predictions(check: Check) -> str:
    """One row of texts under the names that the check looks for."""
    asked = [*check.options.get("id_columns", ()), *check.options.get("value_columns", ())]
    names = list(dict.fromkeys(map(str, asked))) or ["prediction"]
    return f"{','.join(json.dumps(name) for name in names)}\n{','.join('x' for _ in names)}\n"


_WRITERS: Final[Mapping[str, Callable[[Check], str]]] = {
    "table": _table,
    "document": _document,
    "model_metric": _predictions,
    "text": lambda _: "1",
}
