"""Columns whose values are equal once they are rewritten: suggested by a model, measured, for people to review."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from benchwright.files import Tagged


class Fuzzy(Tagged):
    """Two columns that join once values are rewritten in a `way`. `contained`: the share of the left one's different
    rewritten values that the right one has; `chance`: how probable that is by accident (0 for texts).
    """

    kind: Literal["fuzzy"] = "fuzzy"
    left: str
    left_column: str
    right: str
    right_column: str
    way: str
    contained: float = Field(ge=0, le=1)
    chance: float = Field(ge=0, le=1)
    exact: bool
    suggested_by: str
    accepted: bool | None = None
