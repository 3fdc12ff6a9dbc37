"""What commands have in common that ask a model many questions: its name, limits, prices, and how far they are."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchwright.cli.output import progress

if TYPE_CHECKING:
    from benchwright.chat.asking import Limits, Progress, Spending
    from benchwright.chat.base import ChatModel
    from benchwright.spreading import Spread

ModelOption = Annotated[str, typer.Option(help="The model, by Inspect's name.")]
AtOnceOption = Annotated[int, typer.Option(min=1, help="Calls at a time.")]
TriesOption = Annotated[int, typer.Option(min=1, help="How often the model may try one question.")]
UsdOption = Annotated[float | None, typer.Option(min=0.0, help="Dollars that all calls may cost.")]
TokensOption = Annotated[int | None, typer.Option(min=1, help="Tokens that all calls may use.")]
PricesOption = Annotated[Path | None, typer.Option(help="A file of prices, over those that are known.")]
_SECONDS = 2.0


def asked_model(name: str, prices: Path | None, limits: Limits, *, batch: bool = False) -> ChatModel:
    """The model that is asked, by its provider's batch mode where wanted; a budget in dollars needs its price."""
    from benchwright.live.asking import asking_settings, chat_named
    from benchwright.prices import use_prices

    if prices is not None:
        use_prices(prices)
    return chat_named(name, asking_settings(batch=batch), priced=limits.usd is not None)


@contextmanager
def asked_over(spread: Spread | None, name: str, prices: Path | None, limits: Limits) -> Iterator[ChatModel]:
    """The model that is asked, from this machine or from the nodes of a cluster."""
    if spread is None:
        yield asked_model(name, prices, limits)
        return
    from benchwright.live.cluster.asking import chat_over
    from benchwright.prices import use_prices

    if prices is not None:
        use_prices(prices)
    with chat_over(spread, name, limits.at_once, priced=limits.usd is not None) as chat:
        yield chat


def telling(total: int | None = None) -> Callable[[Progress], None]:
    """Progress on stderr: at the beginning and the end, and every two seconds; None: how many it takes is not known."""
    last = 0.0

    def tell(now: Progress) -> None:
        nonlocal last
        answered = now.done + now.kept + now.failed
        if answered != total and time.monotonic() - last < _SECONDS:
            return
        last = time.monotonic()
        money = "" if now.spent.usd is None else f", {now.spent.usd:.2f} dollars"
        kept = f" ({now.kept:,} kept)" if now.kept else ""
        of = "" if total is None else f" of {total:,}"
        progress(f"{answered:,}{of}{kept}, {now.failed:,} failed, {now.spent.tokens:,} tokens{money}")

    return tell


def spent_document(spent: Spending) -> dict[str, Any]:
    """What all calls used, as part of a document."""
    return {"calls": spent.calls, "tokens": spent.tokens, "usd": spent.usd}
