"""`benchwright judge`: how far a judge can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli.app import group
from benchwright.cli.output import print_json, print_table

if TYPE_CHECKING:
    from benchwright.agreement import Agreement

judge = group("judge", "Hold a judge of free responses against people.")


@judge.command()
def calibrate(
    file: Annotated[Path, typer.Argument(help="Human verdicts (.jsonl): question, gold, response, human.")],
    model: Annotated[str, typer.Option(help="The judge, by Inspect's model name.")],
    times: Annotated[int, typer.Option(min=1, max=99, help="How often each case is asked.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Measure a judge against human verdicts: accuracy, Cohen's kappa, confusion, by category.

    `human` is yes or no; `category`, `gold_code`, `code` and `rationale` may be given.
    """
    import asyncio

    from benchwright.live.judging import judge_named
    from benchwright.scorers.judge import calibrate as measure
    from benchwright.scorers.judge import read_humans

    found = asyncio.run(measure(judge_named(model, times), read_humans(file)))
    if as_json:
        print_json(found.model_dump(mode="json"))
        return
    rows = [_row(name, each) for name, each in (("all", found.all), *found.categories.items())]
    print_table(f"{found.judge} against people", ("cases", "n", "accuracy", "kappa", "human/judge"), rows)
    if found.mean_agreement is not None and times > 1:
        typer.echo(f"The judge agrees with itself in {found.mean_agreement:.1%} of {times} repetitions.")


def _row(name: str, found: Agreement) -> tuple[object, ...]:
    confusion = ", ".join(f"{pair} {count}" for pair, count in found.confusion.items())
    return name, found.n, f"{found.accuracy:.3f}", found.kappa_in_words, confusion
