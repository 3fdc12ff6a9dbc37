"""What models cost, in a dated price file that users can extend; an unknown price is unknown, and never 0."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pydantic import Field

from benchwright.errors import InputError
from benchwright.files import Record, home, read_toml
from benchwright.trajectory import Usage

_SHIPPED = Path(__file__).with_name("prices.toml")
_RELEASE = re.compile(r"[-@](\d{8}|\d{4}-\d{2}-\d{2}|latest|default)$")
_DRESS = re.compile(r"\[\w+\]$|-v\d+(:\d+)?$|^(?:[a-z-]+\.)?anthropic\.")
"""What clouds and harnesses put around a model's name: a size of window, a version, a region."""
_MILLION = 1_000_000.0


class Price(Record):
    """What a model costs, in dollars a million tokens. Reading from and writing to a cache default to `input`.

    `cache_write_long` is for what a cache keeps for an hour: without it, the cost of usage that holds such is unknown.
    `source` is where the price was read.
    """

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cache_read: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    cache_write: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    cache_write_long: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    source: str = ""

    def of(self, usage: Usage) -> float:
        """The dollars of these tokens."""
        read = self.input if self.cache_read is None else self.cache_read
        write = self.input if self.cache_write is None else self.cache_write
        long = write if self.cache_write_long is None else self.cache_write_long
        total = usage.input_tokens * self.input + usage.output_tokens * self.output
        total += usage.cache_read_tokens * read + (usage.cache_write_tokens - usage.cache_write_long_tokens) * write
        total += usage.cache_write_long_tokens * long
        return total / _MILLION


class Prices(Record):
    """A price table: its date, and prices by the model's name as Inspect spells it."""

    date: str = ""
    models: dict[str, Price] = Field(default_factory=dict)

    def price(self, model: str) -> Price | None:
        """The price of a model, or of the model that it is a dated release of; None where it is not known."""
        return self.models.get(model) or self.models.get(_RELEASE.sub("", model))

    def price_by_name(self, model: str) -> Price | None:
        """The price of a model as a harness names it, with or without its provider; None where not one is meant."""
        if found := self.price(model):
            return found
        name = _RELEASE.sub("", _DRESS.sub("", _DRESS.sub("", model)))
        known = [price for key, price in self.models.items() if name in (key, key.partition("/")[2])]
        return known[0] if len(known) == 1 else None

    def cost(self, models: Mapping[str, Usage]) -> float | None:
        """The dollars of what several models used; None unless every price is known and every reply told its tokens."""
        total = 0.0
        for model, usage in models.items():
            price = self.price_by_name(model)
            if price is None or usage.uncounted_calls:
                return None
            if usage.cache_write_long_tokens and price.cache_write_long is None:
                return None
            total += price.of(usage)
        return total if models else None


_GIVEN: list[Path] = []
"""The file that this command was given."""


def use_prices(path: Path) -> Prices:
    """Let a file's prices prevail in this process, over the user's and the shipped ones.

    Errors: InputError where it cannot be read, or holds no prices.
    """
    given = _read(path)
    if not given.models:
        raise InputError(
            f"{path} holds no prices",
            expected='[models."provider/name"] with input and output in dollars a million tokens',
        )
    _GIVEN[:] = [path]
    prices.cache_clear()
    return prices()


def forget_given_prices() -> None:
    """Go back to the user's and the shipped prices, as they now stand in their files."""
    _GIVEN.clear()
    prices.cache_clear()


@cache
def prices() -> Prices:
    """The shipped table, overlaid by the user's own `$BENCHWRIGHT_HOME/prices.toml`, and by the file that was given."""
    table = _read(_SHIPPED)
    own = home() / "prices.toml"
    for path in (*([own] if own.is_file() else []), *_GIVEN):
        added = _read(path)
        table = Prices(date=added.date or table.date, models={**table.models, **added.models})
    return table


def _read(path: Path) -> Prices:
    return Prices.from_json(read_toml(path), str(path))
