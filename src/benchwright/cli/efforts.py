"""What attempts took, as a table and as JSON: steps, tokens by class, dollars, successful steps, finish rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchwright.cli.output import print_table, progress

if TYPE_CHECKING:
    from benchwright.run import RunFolder
    from benchwright.run.effort import Effort

_COLUMNS = (
    *("agent", "steps", "successful\nsteps", "finished", "tokens\nK", "uncached\nK", "cache read\nK"),
    *("cache write\nK", "output\nK", "reasoning\nK", "$ an\nattempt"),
)
_LEGEND = (
    "means over attempts; successful steps: in which the agent acted and nothing failed that it ran; finished: it "
    "handed something in itself"
)
UNKNOWN = "unknown"


def efforts_document(folder: RunFolder) -> list[dict[str, Any]]:
    """The effort of each cell; null is unknown."""
    return [{"cell": cell, "title": title, **found.model_dump()} for cell, title, found in _efforts(folder)]


def price_date() -> str:
    """The date of the price table that holds."""
    from benchwright.prices import prices

    return prices().date


def print_efforts(folder: RunFolder) -> None:
    """One row for each agent that talked to a model."""
    rows = [_row(title, found) for _, title, found in _efforts(folder) if found.tokens or found.untold]
    if rows:
        print_table(f"Effort, at the prices of {price_date()}", _COLUMNS, rows)
        progress(_LEGEND)


def _efforts(folder: RunFolder) -> list[tuple[str, str, Effort]]:
    from benchwright.run.effort import effort

    attempts = folder.attempts().values()
    return [
        (cell.id, cell.title, effort([attempt for attempt in attempts if attempt.cell == cell.id]))
        for cell in folder.spec.cells
    ]


def _row(title: str, found: Effort) -> tuple[object, ...]:
    tokens = (
        *(found.tokens, found.input_tokens, found.cache_read_tokens),
        *(found.cache_write_tokens, found.output_tokens, found.reasoning_tokens),
    )
    steps = UNKNOWN if found.steps is None else f"{found.steps:.1f}"
    cost = UNKNOWN if found.cost_usd is None else f"{found.cost_usd:.4f}"
    shares = (_percent(found.successful_steps), _percent(found.finished))
    return title, steps, *shares, *map(_thousands, tokens), cost


def _thousands(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value / 1000:.1f}"


def _percent(share: float | None) -> str:
    return UNKNOWN if share is None else f"{100 * share:.1f} %"
