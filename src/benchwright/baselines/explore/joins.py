"""A table widened by the columns of another that shares a key with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .shelf import Found
from .tables import load
from .words import Question

if TYPE_CHECKING:
    import pandas as pd

_LOOKED_AT = 12


def widened(frame: pd.DataFrame, own: Found, found: Sequence[Found], question: Question) -> pd.DataFrame | None:
    """The table with what one other adds, where that speaks of words of the question that this does not."""
    others = [(_gain(own, other, question), other) for other in found[:_LOOKED_AT] if other is not own]
    useful = sorted((pair for pair in others if pair[0] > 0 and _shared(own, pair[1])), key=lambda pair: -pair[0])
    for _, other in useful[:2]:
        added = load(other.sketch)
        keys = [name for name in _shared(own, other) if name in frame and name in added and _alike(frame, added, name)]
        if keys and not added.duplicated(keys).any():
            extra = [name for name in added.columns if name in keys or name not in frame.columns]
            return frame.merge(added[extra], on=keys, how="left")
    return None


def _gain(own: Found, other: Found, question: Question) -> float:
    """How many words of the question the other table adds."""
    return len((other.covered - own.covered) & question.meaningful)


def _shared(own: Found, other: Found) -> list[str]:
    return [name for name in own.sketch.columns if name in other.sketch.columns and name]


def _alike(frame: pd.DataFrame, added: pd.DataFrame, name: str) -> bool:
    """Whether a column can be a key: of one type, and with values in common."""
    if frame[name].dtype != added[name].dtype or frame[name].dtype.kind == "f":
        return False
    return bool(frame[name].isin(added[name]).mean() > 0.3)
