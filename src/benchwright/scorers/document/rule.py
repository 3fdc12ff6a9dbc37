"""What a check says of its document: which fields count, how exactly, and how the items of lists pair up."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from benchwright.errors import SuiteError
from benchwright.scorers.options import known_options, one_of, share_of


@dataclass(frozen=True, slots=True)
class Range:
    """A field whose number may be anything from `low` to `high`, whatever the gold says."""

    low: float
    high: float


Spec = Mapping[str, "Spec"] | Range | float | None
"""What counts of a value: fields of an object (or of every object of a list), a range, or all of it within a relative
tolerance (None: the default one)."""


@dataclass(frozen=True, slots=True)
class DocumentRule:
    """The options of a check.

    `fields`: a nested object; a leaf is null (default tolerance), a number (relative tolerance) or `[low, high]`;
    without it every key of the gold counts. `key`: keys that pair the items of lists. `order`: "given" pairs items by
    place, "any" by what is in them; without it, lists of texts and of objects are "any", and lists of numbers and of
    lists "given". `relative`: the default tolerance of numbers. `self_reported`: the numbers are what an agent says
    of itself.
    """

    fields: Mapping[str, Spec] = field(default_factory=dict)
    key: tuple[str, ...] = ()
    order: Literal["", "any", "given"] = ""
    relative: float = 1e-9
    self_reported: bool = False

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> DocumentRule:
        """The rule of some options; a SuiteError names one that does not exist or has no such value."""
        given = known_options("document", options, tuple(cls.__dataclass_fields__))
        key = given.get("key") or ()
        return cls(
            fields=_fields(given.get("fields") or {}, "fields"),
            key=(key,) if isinstance(key, str) else tuple(map(str, key)),
            order=one_of("document", "order", given.get("order") or "", ("", "any", "given")),
            relative=share_of("document", "relative", given.get("relative", 1e-9)),
            self_reported=bool(given.get("self_reported", False)),
        )


def _fields(value: Any, where: str) -> Mapping[str, Spec]:
    if not isinstance(value, Mapping):
        raise SuiteError(f"option {where!r} of the document scorer", found=repr(value)[:200], expected="an object")
    return {str(name): _spec(item, f"{where}.{name}") for name, item in value.items()}


def _spec(value: Any, where: str) -> Spec:
    if value is None:
        return None
    if isinstance(value, Mapping):
        return _fields(value, where)
    if isinstance(value, list | tuple) and len(value) == 2 and all(map(_finite, value)) and value[0] <= value[1]:
        return Range(float(value[0]), float(value[1]))
    if _finite(value) and value >= 0:
        return float(value)
    raise SuiteError(
        f"option {where!r} of the document scorer",
        found=repr(value)[:200],
        expected="null, a relative tolerance, [low, high], or an object of these",
    )


def only_ranges(spec: Spec) -> bool:
    """Whether ranges are all that counts, so that the gold has to say nothing."""
    if isinstance(spec, Mapping):
        return bool(spec) and all(map(only_ranges, spec.values()))
    return isinstance(spec, Range)


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
