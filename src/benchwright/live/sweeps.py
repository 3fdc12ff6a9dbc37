"""Sweeps: settings of a model, each with the values to try, in exact decimal steps."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation

from inspect_ai.model import GenerateConfig
from pydantic import ValidationError

from benchwright.errors import InputError
from benchwright.run.records import Setting

_MOST_STEPS = 1000
_FORM = "name=from:to:step or name=a,b,c, e.g. temperature=0:1:0.1"


def swept(sweep: Sequence[str]) -> tuple[dict[str, Setting], ...]:
    """Every combination of `name=from:to:step` or `name=a,b,c`; one empty setting without a sweep.

    Steps are decimal and both ends are included: 0:1:0.1 are eleven values, and 0.3 is 0.3. A value has the setting's
    own type, so that 0, 0.0 and 0.00 are one cell. Raises InputError.
    """
    axes = dict(map(_axis, sweep))
    if len(axes) < len(sweep):
        raise InputError("a setting is swept twice", found=" ".join(sweep), expected="each once")
    return tuple(dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values()))


def _axis(text: str) -> tuple[str, tuple[Setting, ...]]:
    name, _, values = text.partition("=")
    if name not in GenerateConfig.model_fields or not values:
        raise InputError(f"cannot sweep {text!r}", expected=_FORM)
    try:
        raw = tuple(_range(values)) if values.count(":") == 2 else tuple(part.strip() for part in values.split(","))
        listed = tuple(_typed(name, value) for value in raw)
    except (InvalidOperation, ValueError) as error:
        raise InputError(f"cannot sweep {text!r}", found=values, expected=f"values of {name}: {_FORM}") from error
    if len(set(listed)) < len(listed):
        raise InputError(f"cannot sweep {text!r}", found="a value that stands there twice", expected="each once")
    return name, listed


def _range(values: str) -> Iterator[str]:
    first, last, step = (Decimal(part.strip()) for part in values.split(":"))
    if not step > 0 or not first <= last or (last - first) / step > _MOST_STEPS:
        raise ValueError(values)
    for number in range(int((last - first) / step) + 1):
        yield str(first + number * step)


def _typed(name: str, text: str) -> Setting:
    """A value in the type that the setting has; ValueError where it can have no such value."""
    try:
        value = getattr(GenerateConfig.model_validate({name: text}), name)
    except ValidationError as error:
        raise ValueError(text) from error
    if not isinstance(value, str | int | float | bool) or value != value:  # noqa: PLR0124 - only NaN differs from itself
        raise ValueError(text)
    return value
