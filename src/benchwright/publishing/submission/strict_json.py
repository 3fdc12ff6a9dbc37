"""JSON that nobody vouches for: depth, sizes of numbers and doubled keys are bounded before anything reads it."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn, Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from benchwright.errors import InputError

DEEPEST = 40
"""Brackets inside brackets; a submission needs nine."""
_DIGITS = 18
"""Of a whole number: what fits 64 bits."""
_TEXT = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_BRACKETS = re.compile(r"[\[\]{}]")


class Share(float):
    """A share from 0 to 1 that knows how many decimals it was printed with; None: as many as the machine has."""

    __slots__ = ("decimals",)
    decimals: int | None

    def __new__(cls, value: float, decimals: int | None = None) -> Self:
        """A value, and the decimals of its text."""
        made = super().__new__(cls, value)
        made.decimals = decimals
        return made

    @classmethod
    def printed(cls, text: str) -> Self:
        """A number as JSON writes it."""
        digits = text.lower().partition("e")[0].partition(".")[2]
        exponent = int(text.lower().partition("e")[2] or 0)
        return cls(float(text), max(0, len(digits) - exponent))

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """How pydantic takes it: from a number between 0 and 1, and from nothing else."""
        return core_schema.no_info_plain_validator_function(
            cls._taken, serialization=core_schema.plain_serializer_function_ser_schema(float)
        )

    @classmethod
    def _taken(cls, value: object) -> Share:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise ValueError("not a number from 0 to 1")
        return value if isinstance(value, Share) else cls(value, 0 if isinstance(value, int) else None)


def parse(text: str, where: str) -> Any:
    """One JSON document as plain values, its fractions as `Share`; an InputError says what cannot be taken."""
    _shallow(text, where)
    try:
        value = json.loads(
            text, parse_float=_fraction, parse_int=_whole, parse_constant=_no_number, object_pairs_hook=_once
        )
        json.dumps(value, ensure_ascii=False).encode()  # half a character pair cannot be written down again
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not valid JSON", found=str(error)[:300], expected="one JSON document") from error
    return value


def _shallow(text: str, where: str) -> None:
    """Refuse what would be nested too deep, before the parser climbs down."""
    depth = 0
    for bracket in _BRACKETS.finditer(_TEXT.sub('""', text)):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > DEEPEST:
            raise InputError(f"{where}: nested too deep", expected=f"at most {DEEPEST} brackets inside each other")


def _fraction(text: str) -> Share:
    if len(text) > 40 or not math.isfinite(float(text)):
        raise ValueError(f"no such number: {text[:40]}")
    return Share.printed(text)


def _whole(text: str) -> int:
    if len(text.lstrip("-")) > _DIGITS:
        raise ValueError(f"a whole number of {len(text)} digits")
    return int(text)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number of JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a key twice")
    return found
