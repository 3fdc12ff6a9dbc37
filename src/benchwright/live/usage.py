"""Tokens as Inspect counts them, and money as a dated price table knows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inspect_ai.model import ModelCost, ModelInfo, ModelUsage, get_model_info, set_model_info

from benchwright.errors import InputError
from benchwright.files import home
from benchwright.prices import Price, prices
from benchwright.trajectory import Usage

_IN_INSPECT = ("anthropic", "google", "grok", "mistral", "openai")
"""Providers whose models Inspect knows more of, which is kept."""


_TOLD: dict[str, Price] = {}
"""What Inspect was told."""


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
    tokens = Usage(
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cache_read_tokens=used.input_tokens_cache_read or 0,
        cache_write_tokens=used.input_tokens_cache_write or 0,
        reasoning_tokens=used.reasoning_tokens or 0,
    )
    return tokens.model_copy(update={"cost_usd": price.of(tokens) if price else used.total_cost})


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
