"""A score: a value with its evidence, or the reason why there is none; never NaN, never None."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from benchwright.files import Record, Tagged


class Evidence(Record):
    """Why one part of an output is right or wrong, in words a person can check."""

    part: str = ""
    verdict: Literal["right", "wrong", "note"]
    expected: str = ""
    found: str = ""
    reason: str = ""


class Scored(Tagged):
    """A value from 0 to 1."""

    kind: Literal["scored"] = "scored"
    value: float = Field(ge=0.0, le=1.0, allow_inf_nan=False)
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    details: dict[str, Any] = Field(default_factory=dict)


class Unscored(Tagged):
    """No value, and why: not measured, no gold, a scorer that failed."""

    kind: Literal["unscored"] = "unscored"
    reason: str = Field(min_length=1)
    details: dict[str, Any] = Field(default_factory=dict)


Score = Annotated[Scored | Unscored, Field(discriminator="kind")]


def unscorable(score: Score) -> bool:
    """Whether it is the suite's doing that there is no verdict: no gold, a broken gold, an unknown scorer.

    The same of a score as it was given, and as a run folder keeps it (see `without_gold`).
    """
    return isinstance(score, Unscored) and (score.reason.partition(":")[0] == "suite" or "gold" in score.details)


_FAULTS = frozenset(("suite", "scorer", "judge", "broke", "not measured", "not run yet", "not asked for"))
"""How reasons begin; what a scorer of somebody else's says in other words may quote the gold."""


def without_gold(score: Score) -> Score:
    """The score without any text that may quote the gold: for records that others may read.

    What is left of a scored value are the verdicts on its parts, and the numbers and truth values of its details; of
    a missing one, the beginning of its reason, which says whose fault it is, where that is one of ours.
    """
    numbers = {name: value for name, value in score.details.items() if isinstance(value, bool | int | float | None)}
    if isinstance(score, Unscored):
        fault = "suite" if unscorable(score) else score.reason.partition(":")[0]
        return Unscored(reason=fault if fault in _FAULTS else "no verdict", details=numbers)
    return Scored(
        value=score.value, evidence=tuple(Evidence(verdict=item.verdict) for item in score.evidence), details=numbers
    )
