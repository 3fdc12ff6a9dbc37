"""Tokens as Inspect counts them, and money as a dated price table knows it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from inspect_ai.model import ModelCost, ModelInfo, ModelUsage, get_model_info, set_model_info
from pydantic import Field

from benchwright.errors import InputError
from benchwright.files import Record, home, read_toml
from benchwright.trajectory import Usage

_SHIPPED = Path(__file__).with_name("prices.toml")
_RELEASE = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$")
_MILLION = 1_000_000.0
_IN_INSPECT = ("anthropic", "google", "grok", "mistral", "openai")
"""Providers whose models Inspect knows more of, which is kept."""


class Price(Record):
    """What a model costs, in dollars a million tokens. Reading from and writing to a cache default to `input`.

    `source` is where the price was read.
    """

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float | None = Field(None, ge=0)
    cache_write: float | None = Field(None, ge=0)
    source: str = ""

    def of(self, usage: ModelUsage) -> float:
        """The dollars of one call."""
        read = self.input if self.cache_read is None else self.cache_read
        write = self.input if self.cache_write is None else self.cache_write
        total = usage.input_tokens * self.input + usage.output_tokens * self.output
        total += (usage.input_tokens_cache_read or 0) * read + (usage.input_tokens_cache_write or 0) * write
        return total / _MILLION


class Prices(Record):
    """A price table: its date, and prices by the model's name as Inspect spells it."""

    date: str = ""
    models: dict[str, Price] = Field(default_factory=dict)

    def price(self, model: str) -> Price | None:
        """The price of a model, or of the model that it is a dated release of; None where it is not known."""
        return self.models.get(model) or self.models.get(_RELEASE.sub("", model))


_TOLD: dict[str, Price] = {}
"""What Inspect was told."""


@cache
def prices() -> Prices:
    """The shipped table, overlaid by the user's own `$BENCHWRIGHT_HOME/prices.toml`."""
    shipped = Prices.from_json(read_toml(_SHIPPED), str(_SHIPPED))
    own = home() / "prices.toml"
    if not own.is_file():
        return shipped
    added = Prices.from_json(read_toml(own), str(own))
    return Prices(date=added.date or shipped.date, models={**shipped.models, **added.models})


def tell_prices(models: Iterable[str]) -> None:
    """Let Inspect know what these models cost: then its logs keep costs, and limits in dollars hold."""
    for name in models:
        price = prices().price(name)
        if price is not None and _TOLD.get(name) != price:
            known = get_model_info(name) if name.partition("/")[0] in _IN_INSPECT else None
            cost = ModelCost(
                input=price.input,
                output=price.output,
                input_cache_read=price.input if price.cache_read is None else price.cache_read,
                input_cache_write=price.input if price.cache_write is None else price.cache_write,
            )
            set_model_info(name, (known or ModelInfo()).model_copy(update={"cost": cost}))
            _TOLD[name] = price


def refuse_unpriced(models: Iterable[str], what: str) -> None:
    """Where money is limited, every model needs a known price: an unknown one is never taken for 0."""
    unknown = sorted({model for model in models if model and prices().price(model) is None})
    if unknown:
        raise InputError(
            f"{what} cannot be kept: no price is known for {', '.join(unknown)}",
            found=f"the price table of {prices().date}",
            expected=f'[models."{unknown[0]}"] with input and output in dollars a million tokens',
            hint=f"write it into {home() / 'prices.toml'}",
        )


def usage_of(used: ModelUsage | None, model: str = "") -> Usage:
    """One call's or one attempt's usage as we record it; the cost is None where the price is not known."""
    if used is None:
        return Usage()
    price = prices().price(model) if model else None
    return Usage(
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cache_read_tokens=used.input_tokens_cache_read or 0,
        cache_write_tokens=used.input_tokens_cache_write or 0,
        reasoning_tokens=used.reasoning_tokens or 0,
        cost_usd=price.of(used) if price else used.total_cost,
    )


def total(used: Mapping[str, ModelUsage], uncounted: int = 0) -> Usage:
    """The sum over models; its cost is known only where every model's is, and every reply said its tokens."""
    parts = [usage_of(usage, model) for model, usage in used.items()]
    costs = [part.cost_usd for part in parts]
    return Usage(
        input_tokens=sum(part.input_tokens for part in parts),
        output_tokens=sum(part.output_tokens for part in parts),
        cache_read_tokens=sum(part.cache_read_tokens for part in parts),
        cache_write_tokens=sum(part.cache_write_tokens for part in parts),
        reasoning_tokens=sum(part.reasoning_tokens for part in parts),
        cost_usd=None if uncounted or None in costs else sum(cost for cost in costs if cost is not None),
        uncounted_calls=uncounted,
    )
