"""How far a picture bears out its description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchwright.files import sha256
from benchwright.scorers.chart.numbers import members


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a picture agrees with a drawing of its description, from 0 to 1; None: that is not known."""

    value: float | None
    reason: str
    confirms: bool = False
    contradicts: bool = False


def verify(description: Mapping[str, Any], picture: bytes, name: str) -> Agreement:
    """Whether the picture is the one that was described."""
    known = members(description.get("pictures")).get(name)
    return Agreement(None, "" if known == sha256(picture) else "the picture is not the one that was described")
