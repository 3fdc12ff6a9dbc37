"""`benchwright import`: other tools' logs to run folders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchwright.cli.app import app
from benchwright.cli.output import print_json, print_table, progress
from benchwright.errors import InputError

if TYPE_CHECKING:
    from benchwright.importers import Imported, Settings
    from benchwright.run import Attempt
    from benchwright.suite import Suite

_SHOWN = 20


@app.command("import")
def import_(  # noqa: PLR0913, PLR0917 - one parameter an option
    kind: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="Whose logs: claude_code, codex, openhands, mini_swe_agent, smolagents, atif, harbor, inspect; "
            "or predictions.",
        ),
    ],
    logs: Annotated[list[Path], typer.Argument(metavar="LOG...", help="Log files, or folders of them.")],
    suite: Annotated[str, typer.Option(help="The suite whose tasks were attempted: a name or a folder.")],
    out: Annotated[Path, typer.Option(help="The run folder to make.")],
    task: Annotated[str, typer.Option(help="The task that all logs are attempts at, where they do not tell it.")] = "",
    model: Annotated[str, typer.Option(help="The model, for logs that do not name it; prices go by it.")] = "",
    agent: Annotated[str, typer.Option(help="Whose predictions they are: files of predictions do not tell.")] = "",
    data_root: Annotated[
        list[str] | None, typer.Option(help="A folder in which the data lay on the machine of the logs.")
    ] = None,
    prices: Annotated[Path | None, typer.Option(help="A file of prices, over those that are known.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Make a run folder of other tools' logs, to be scored like a live run.

    Files read are estimated from the commands that a log shows, and marked so. Exit code 1: all else is imported, but
    some logs hold no attempt, or do not tell their task.
    """
    from benchwright.importers import Settings
    from benchwright.prices import use_prices
    from benchwright.suites import find

    if prices is not None:
        use_prices(prices)
    settings = Settings(task=task, model=model, data_roots=tuple(data_root or ()))
    if agent and kind != "predictions":
        raise InputError("--agent belongs to predictions", hint="logs tell whose they are")
    done = _imported(kind, logs, (find(suite, progress), out), settings, agent)
    if as_json:
        print_json(_document(done))
    else:
        _show(done)
    raise typer.Exit(1 if done.left_out else 0)


def _imported(kind: str, logs: list[Path], place: tuple[Suite, Path], settings: Settings, agent: str) -> Imported:
    """By what reads the format: samples of Inspect need Inspect, predictions are read as they are scored."""
    suite, out = place
    if kind == "inspect":
        from benchwright.live.inspect_logs import import_inspect

        return import_inspect(logs, suite, out, settings)
    if kind == "predictions":
        from benchwright.scoring import Predictor, import_predictions

        return import_predictions(logs, suite, out, Predictor(agent or "predictions", settings.model))
    from benchwright.importers import import_logs, importer

    return import_logs(importer(kind), logs, suite, out, settings)


def _document(done: Imported) -> dict[str, Any]:
    return {
        "run": str(done.folder.path),
        "attempts": [_attempt_json(attempt) for attempt in done.attempts],
        "left_out": [{"log": path, "reason": why} for path, why in done.left_out],
        "notes": [{"log": path, "note": note} for path, note in done.notes],
    }


def _attempt_json(attempt: Attempt) -> dict[str, Any]:
    return {
        "cell": attempt.cell,
        "task": attempt.task_id,
        "epoch": attempt.epoch,
        "ending": attempt.ending.to_json(),
        "answer": attempt.answer,
        "steps": attempt.steps,
        "usage": attempt.usage.model_dump(mode="json"),
        "accesses": attempt.accesses.to_json(),
        "model": attempt.model,
    }


def _show(done: Imported) -> None:
    rows = [
        (
            attempt.task_id,
            attempt.epoch,
            attempt.ending.kind,
            (attempt.answer or "")[:60],
            attempt.steps,
            None if attempt.usage.cost_usd is None else f"{attempt.usage.cost_usd:.4f}",
            len(attempt.accesses.files) if attempt.accesses.kind == "estimated" else None,
        )
        for attempt in done.attempts
    ]
    print_table("imported", ("task", "epoch", "ending", "answer", "steps", "dollars", "files read\n(estimated)"), rows)
    for path, why in [*done.left_out, *done.notes][:_SHOWN]:
        progress(f"{ascii(path)[1:-1]}: {ascii(why)[1:-1]}")
    progress(f"{len(done.attempts)} attempts imported, {len(done.left_out)} left out; the run is in {done.folder.path}")
