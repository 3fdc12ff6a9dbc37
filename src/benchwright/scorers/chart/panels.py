"""A chart as it is compared: panels with texts, ticks and series, whichever way it was described."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

from benchwright.scorers.chart.tables import tolerances

if TYPE_CHECKING:
    import numpy as np

TEXTS: Final = ("title", "x_label", "y_label", "legend")
LISTS: Final = ("labels", "x_ticks", "y_ticks")


class UnreadableChart(Exception):
    """A description that cannot be judged, with the reason."""


@dataclass(frozen=True, eq=False)
class Series:
    """One series: a table of numbers of which every row is one thing that is drawn.

    `keys` names the rows (categories of bars, slices of a pie) where something does. The first `places` columns say
    where a thing stands, the others how large it is; `from_zero` says that its size is seen from zero on. Rows
    come in any order unless `ordered`. Keys that were guessed from the labels of an axis are not `certain`. A series
    too long to be written out has a `summary` instead.
    """

    kind: str
    label: str
    table: np.ndarray[Any, Any]
    keys: tuple[str, ...] = ()
    places: int = 0
    from_zero: bool = False
    ordered: bool = False
    certain: bool = True
    summary: str = ""

    @cached_property
    def allowed(self) -> np.ndarray[Any, Any]:
        """How far each cell may be off."""
        return tolerances(self.table, self.places, from_zero=self.from_zero)


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One axes of a chart. `kind` is its published name, `kinds` are ours.

    `rows` are the data as AgenticDataBench's hook writes them, where that is how the chart was described (None: it
    wrote none); `series` are what our own capture saw.
    """

    name: str
    kind: str
    kinds: frozenset[str] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict)
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    series: tuple[Series, ...] = ()
    rows: np.ndarray[Any, Any] | None = None
    raw: tuple[Mapping[str, Any], ...] = ()
    """Our capture's series as they were written."""


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """A whole figure. `source` says what described it: our capture, the published companions, or the output itself."""

    panels: tuple[Panel, ...]
    source: Literal["description", "companions", "output"]
    raw: Mapping[str, Any] = field(default_factory=dict)
    """The description as it was written, to draw it again."""
