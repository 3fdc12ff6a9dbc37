"""The options of a check of a chart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from benchwright.errors import SuiteError
from benchwright.scorers.options import known_options

PARTS: Final = ("kind", "data", "title", "x_label", "y_label", "legend", "labels", "scale", "x_ticks", "y_ticks")

_USUAL: Final = PARTS[:8]


@dataclass(frozen=True, slots=True)
class ChartRule:
    """`parts`: what counts. `scale_free`: whether values may all be larger or smaller by one factor."""

    parts: tuple[str, ...] = _USUAL
    scale_free: bool = False

    @property
    def wants_data(self) -> bool:
        """Whether the data count."""
        return "data" in self.parts

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> ChartRule:
        """The rule of some options; a SuiteError names one that does not exist or has no such value."""
        given = known_options("chart", options, ("parts", "scale_free"))
        parts = given.get("parts", _USUAL)
        if not isinstance(parts, list | tuple) or not parts or not all(part in PARTS for part in parts):
            raise SuiteError("option 'parts' of the chart scorer", found=repr(parts)[:200], expected=", ".join(PARTS))
        free = given.get("scale_free", False)
        if not isinstance(free, bool):
            raise SuiteError(
                "option 'scale_free' of the chart scorer", found=repr(free)[:200], expected="true or false"
            )
        return cls(tuple(dict.fromkeys(parts)), free)
