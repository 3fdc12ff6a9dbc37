"""A chart as it is compared: panels with texts, ticks and series, whichever way it was described."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

from benchwright.scorers.chart.tables import tolerances

if TYPE_CHECKING:
    import numpy as np

_BY_LOT: Final = 0.15
"""How far either rim of a band may be off, as a share of its width: of intervals from 1,000 draws, 60 rims differ by a
tenth at most.
"""
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
    too long to be written out has a `summary` instead. The rows of a `path` are joined in their order. `unseen`: how
    many lie outside of what its axes shows. The last `spans` columns say how far error bars reach.
    Where rows stand for spans of time, they stand at their beginnings, which end at `ends`. A `band` says how sure a
    line is, by its last two columns.
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
    path: bool = False
    unseen: int = 0
    spans: int = 0
    ends: tuple[float, ...] = ()
    band: bool = False

    @cached_property
    def allowed(self) -> np.ndarray[Any, Any]:
        """How far each cell may be off. Bands are drawn by lot, as seaborn's are, and come out a little different."""
        import numpy as np

        allowed = tolerances(self.table, self.places, from_zero=self.from_zero)
        if self.band:
            width = abs(self.table[:, -1] - self.table[:, -2])[:, None]
            allowed[:, -2:] = np.fmax(allowed[:, -2:], _BY_LOT * width)
        return allowed


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
    scales: tuple[str, str] | None = None
    """How the axes count: "linear", "log" and so on; None where that is not told."""
    upright: bool | None = None
    """Whether bars, boxes and the like stand or lie; None where there are none, or both."""

    @property
    def turned(self) -> Panel:
        """The same panel lying where it stands, or standing: what is written at its axes changes places."""
        lists = {**self.lists, **_crossed(self.lists, "x_ticks", "y_ticks", ())}
        texts = {**self.texts, **_crossed(self.texts, "x_label", "y_label", "")}
        scales = None if self.scales is None else self.scales[::-1]
        upright = None if self.upright is None else not self.upright
        return replace(self, texts=texts, lists=lists, scales=scales, upright=upright)


def _crossed(owner: Mapping[str, Any], one: str, other: str, nothing: Any) -> dict[str, Any]:
    return {one: owner.get(other, nothing), other: owner.get(one, nothing)}


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """A whole figure. `source` says what described it: our capture, the published companions, or the output itself."""

    panels: tuple[Panel, ...]
    source: Literal["description", "companions", "output"]
    raw: Mapping[str, Any] = field(default_factory=dict)
    """The description as it was written, to draw it again."""
