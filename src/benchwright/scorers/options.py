"""The options of a check as a sound scorer reads them: known names and fitting values only."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from benchwright.errors import SuiteError

PUBLISHED = "published"
"""The option under which a check keeps its published call, for the reference scorers alone."""

T = TypeVar("T", bound=str)


def known_options(scorer: str, options: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The options without the published call; a SuiteError names one that the scorer does not have."""
    given = {name: value for name, value in options.items() if name != PUBLISHED}
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise SuiteError(f"the {scorer} scorer has no option {unknown[0]!r}", expected=", ".join(names))
    return given


def one_of(scorer: str, name: str, value: Any, allowed: Sequence[T]) -> T:
    """An option's value, which has to be one of those allowed."""
    for choice in allowed:
        if value == choice:
            return choice
    raise _unfit(scorer, name, value, f"one of {', '.join(map(repr, filter(None, allowed)))}")


def share_of(scorer: str, name: str, value: Any) -> float:
    """An option that is a tolerance: a finite number that is not negative."""
    number = number_of(scorer, name, value)
    if number < 0:
        raise _unfit(scorer, name, value, "a number that is not negative")
    return number


def number_of(scorer: str, name: str, value: Any) -> float:
    """An option that is a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _unfit(scorer, name, value, "a finite number")
    return float(value)


def _unfit(scorer: str, name: str, value: Any, expected: str) -> SuiteError:
    return SuiteError(f"option {name!r} of the {scorer} scorer", found=repr(value)[:200], expected=expected)
