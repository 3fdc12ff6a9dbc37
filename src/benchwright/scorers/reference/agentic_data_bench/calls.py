"""What a published scorer is called with, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from benchwright.score import Evidence

Release = Literal["july", "april"]
"""The testbed of 2026-07-03, and the one of 2026-04-11, whose scores are not comparable with it."""

SHOWN = 50
"""Findings that are kept; the published lists of errors end there too."""
_LONGEST = 5000


@dataclass(frozen=True, slots=True)
class Call:
    """One published call: the output's name, all files that were handed in by name, the golds, and the options."""

    name: str
    files: Mapping[str, Path]
    golds: tuple[Path, ...]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    release: Release = "july"

    @property
    def output(self) -> Path | None:
        """The file of that name, if it was handed in."""
        return self.files.get(self.name)

    @property
    def gold(self) -> Path:
        """The gold of a function that takes one; several are a TypeError, as opening a list of names is."""
        if len(self.golds) > 1:
            raise TypeError("expected the path of one gold, not a list")
        return self.golds[0]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A published score, why it is not higher, and the findings in detail."""

    value: float
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()


def finding(part: str, reason: str, expected: object = "", found: object = "") -> Evidence:
    """Something that is wrong, cut to what the published lists hold."""
    return Evidence(
        part=part[:200],
        verdict="wrong",
        reason=reason[:_LONGEST],
        expected=str(expected)[:_LONGEST],
        found=str(found)[:_LONGEST],
    )
