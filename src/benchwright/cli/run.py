"""`benchwright run`: agents attempt the tasks of a suite."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchwright.cli.app import app
from benchwright.cli.efforts import efforts_document, price_date, print_efforts
from benchwright.cli.output import NOT_MEASURED, print_json, print_table, progress, shortened
from benchwright.cli.score import share
from benchwright.errors import InputError

if TYPE_CHECKING:
    from benchwright.live.planning import RunRequest
    from benchwright.live.prompts import Prompts
    from benchwright.live.runner import Outcome
    from benchwright.run import Attempt, RunSpec


_LEGEND = (
    "EA: Execution Accuracy; DA: Discovery Accuracy, the tasks whose required files were all read; with 95 % intervals"
)
_TROUBLES = 3

_Again = tuple[Path, str, str, Mapping[str, Any]]
"""An earlier run, which of its attempts, by what their limits are multiplied, and its secret arguments of models."""


class SandboxKind(StrEnum):
    """Which sandbox attempts get."""

    AUTO = "auto"
    NAMESPACE = "namespace"
    PODMAN = "podman"
    DOCKER = "docker"


class PackagesKind(StrEnum):
    """What agents may install."""

    NONE = "none"
    WHEELHOUSE = "wheelhouse"


@app.command()
def run(  # noqa: PLR0913, PLR0917 - a command's options are its parameters
    suite: Annotated[str, typer.Argument(help="A suite's name or folder.")],
    agent: Annotated[str, typer.Option(help="Agents, split at commas; AGENT:PRESET for one's own preset.")] = "",
    model: Annotated[str, typer.Option(help="Models by Inspect's names, split at commas.")] = "",
    model_role: Annotated[list[str] | None, typer.Option(help="ROLE=MODEL, e.g. judge=openai/gpt-5.")] = None,
    model_arg: Annotated[list[str] | None, typer.Option("-M", help="NAME=VALUE, handed to the model.")] = None,
    preset: Annotated[str, typer.Option(help="A preset of the agent.")] = "",
    variants: Annotated[str, typer.Option(help="Wordings of the questions, split at commas.")] = "",
    sweep: Annotated[list[str] | None, typer.Option(help="Settings to try, e.g. temperature=0:1:0.1.")] = None,
    subset: Annotated[str, typer.Option(help="full, hard, or another subset of the suite.")] = "full",
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many tasks.")] = None,
    ids: Annotated[str | None, typer.Option(help="Only these tasks, split at commas.")] = None,
    epochs: Annotated[int, typer.Option(min=1, help="How often each task is attempted.")] = 1,
    seed: Annotated[int, typer.Option(help="For agents that draw lots.")] = 0,
    task_limit: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE, for every task, e.g. memory_mb=2048.")
    ] = None,
    prompts: Annotated[Path | None, typer.Option(help="A folder of prompts that replace ours.")] = None,
    prices: Annotated[Path | None, typer.Option(help="A file of prices, over those that are known.")] = None,
    out: Annotated[Path | None, typer.Option(help="The run folder; the same command resumes the run in it.")] = None,
    again: Annotated[Path | None, typer.Option("--from", help="Attempts of this run once more; see --only.")] = None,
    only: Annotated[str, typer.Option(help="With --from: those that ended so: limit, limit:wall, broke...")] = "limit",
    raised: Annotated[str, typer.Option("--raise", help="With --from: limits times this, e.g. 2x.")] = "1x",
    sandbox: Annotated[SandboxKind, typer.Option(help="The kind of sandbox.")] = SandboxKind.AUTO,
    packages: Annotated[
        PackagesKind | None, typer.Option(help="What agents may install; default: none, unless the preset says so.")
    ] = None,
    max_parallel: Annotated[int | None, typer.Option(min=1, help="Attempts at once.")] = None,
    budget_usd: Annotated[float | None, typer.Option(min=0.0, help="Dollars that the whole run may cost.")] = None,
    budget_minutes: Annotated[float | None, typer.Option(min=0.0, help="Minutes that the whole run may take.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Let agents attempt a suite's tasks, and score their answers.

    Interrupted or killed at any moment, the same command goes on where it stopped. Exit code 1: the budget
    ended the run, or attempts broke by a fault of the model or the sandbox, and the same command goes on; or
    attempts broke by a fault of the suite, such as a data file that was changed.
    """
    from benchwright.live.planning import RunRequest
    from benchwright.prices import use_prices
    from benchwright.suite import Selection

    if prices is not None:
        use_prices(prices)
    if bool(again) == bool(agent):
        raise InputError("a run needs --agent, or --from an earlier run; not both", hint="benchwright run --help")
    if agent and (only, raised) != ("limit", "1x"):
        raise InputError("--only and --raise belong to --from", hint="--task-limit sets limits of a new run")
    request = RunRequest(
        agents=_names(agent),
        models=_names(model),
        preset=preset,
        variants=_names(variants) or ("",),
        sweep=tuple(sweep or ()),
        model_roles=_pairs(model_role, "--model-role"),
        model_args=_pairs(model_arg, "-M"),
        selection=Selection(subset, _chosen(ids), limit),
        epochs=epochs,
        seed=seed,
        limits=_numbers(task_limit),
        sandbox=sandbox.value,
        packages=packages.value if packages else None,
        budget_usd=budget_usd,
        budget_minutes=budget_minutes,
        max_parallel=max_parallel,
    )
    if again:
        outcome = _again(suite, (again, only, raised, request.model_args), prompts, out)
    else:
        outcome = _run(suite, request, prompts, out)
    print_outcome(outcome, as_json=as_json)
    raise typer.Exit(0 if outcome.in_order else 1)


def _run(named: str, request: RunRequest, prompts: Path | None, out: Path | None) -> Outcome:
    from benchwright.live import planning
    from benchwright.live.prompts import Prompts
    from benchwright.suites import find

    words = Prompts(prompts)
    spec = planning.resolve(request, find(named, progress), words)
    return _started(spec, out or planning.default_folder(spec), words)


def _again(named: str, which: _Again, prompts: Path | None, out: Path | None) -> Outcome:
    from benchwright.live import planning
    from benchwright.live.prompts import Prompts
    from benchwright.run import RunFolder
    from benchwright.suites import find

    run, only, raised, secrets = which
    try:
        factor = float(raised.removesuffix("x"))
    except ValueError as error:
        raise InputError("--raise takes a factor", found=raised, expected="e.g. 2x") from error
    spec = planning.again(RunFolder.open(run), only, factor, secrets)
    suite = find(named, progress)
    if suite.digest != spec.suite_digest:
        raise InputError(f"{run} is a run of another suite", found=spec.suite, expected=suite.name)
    return _started(spec, out or planning.default_folder(spec), Prompts(prompts))


def _started(spec: RunSpec, folder: Path, words: Prompts) -> Outcome:
    """Run it; a folder that cannot be the run's is refused before tools are made, which takes minutes."""
    from benchwright.live import runner
    from benchwright.live.opening import tools_here
    from benchwright.run import RunFolder

    RunFolder.refuse(folder, spec)
    tools_here(spec.packages, progress)
    with _resumable():
        return runner.run(spec, folder, words)


@contextmanager
def _resumable() -> Iterator[None]:
    """Say what to do about a run that was cut off."""
    try:
        yield
    except KeyboardInterrupt:
        progress("interrupted: the same command goes on where this stopped")
        raise


def print_outcome(outcome: Outcome, *, as_json: bool) -> None:
    """What a run came to: one table with a row for each agent, and where the run folder is."""
    for note in outcome.notes:
        progress(note)
    scores = outcome.scoring.document() if outcome.scoring else None
    if as_json:
        print_json(_document(outcome, scores))
        return
    if scores:
        median = _median_seconds(outcome)
        columns = (
            "agent",
            "attempts",
            "scored",
            "unscored",
            "broken",
            "EA\nreference",
            "EA\nsound",
            "DA",
            "median\nseconds",
        )
        rows = [_row(cell, median[cell["cell"]]) for cell in scores["cells"]]
        print_table(f"{scores['suite']} {scores['release']}, {scores['n_tasks']} tasks", columns, rows)
        progress(_LEGEND)
    print_efforts(outcome.folder)
    for line in _troubles(outcome.folder.attempts().values()):
        progress(line)
    progress(f"{outcome.done} of {outcome.planned} attempts done; the run is in {outcome.folder.path}")
    if outcome.stopped:
        progress(f"stopped: {outcome.stopped}; raise it and run the same command to go on")


def _troubles(attempts: Collection[Attempt]) -> Iterator[str]:
    """What kept attempts from being carried through or traced, the most frequent first."""
    broke = Counter(
        f"{attempt.ending.fault}: {shortened(ascii(attempt.ending.detail)[1:-1])}"
        for attempt in attempts
        if attempt.ending.kind == "broke"
    )
    unseen = Counter(attempt.accesses.reason for attempt in attempts if attempt.accesses.kind == "not_measured")
    for what, reasons in (("broke", broke), ("files read were not measured", unseen)):
        for reason, count in reasons.most_common(_TROUBLES):
            yield f"{count} attempts: {what}: {reason}"


def _document(outcome: Outcome, scores: dict[str, Any] | None) -> dict[str, Any]:
    spent = outcome.folder.spend()
    return {
        "run": str(outcome.folder.path),
        "planned": outcome.planned,
        "done": outcome.done,
        "faulty": outcome.faulty,
        "stopped": outcome.stopped,
        "notes": list(outcome.notes),
        "prompts": {name: outcome.folder.spec.wording(name) for name in outcome.folder.spec.prompts},
        "spent": {
            "usd": spent.usd,
            "unpriced_tokens": spent.unpriced,
            "tokens": spent.tokens,
            "uncounted_replies": spent.uncounted,
        },
        "prices": price_date(),
        "effort": efforts_document(outcome.folder),
        "scores": scores,
    }


def _row(cell: dict[str, Any], median: float | None) -> tuple[object, ...]:
    """EA and DA with their 95 % intervals; DA over the tasks whose required files are known."""
    sound, discovery = cell["sound"], cell["discovery"]["sound"]
    seconds = None if median is None else f"{median:.2f}"
    counts = (sound["scored"] + sound["unscored"], sound["scored"], sound["unscored"], sound["broke"])
    found = share(discovery) or NOT_MEASURED
    return cell["title"], *counts, share(cell["reference"]), share(sound), found, seconds


def _median_seconds(outcome: Outcome) -> dict[str, float | None]:
    seconds: dict[str, list[float]] = {cell.id: [] for cell in outcome.folder.spec.cells}
    for attempt in outcome.folder.attempts().values():
        seconds[attempt.cell].append(attempt.wall_seconds)
    return {cell: statistics.median(values) if values else None for cell, values in seconds.items()}


def _chosen(ids: str | None) -> tuple[str, ...]:
    """The tasks of `--ids`; an empty list, of a shell variable that is not set, is not every task."""
    names = _names(ids or "")
    if ids is not None and not names:
        raise InputError("--ids names no task", found=repr(ids), hint="leave it out to take every task")
    return names


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _pairs(texts: list[str] | None, option: str) -> dict[str, Any]:
    pairs = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"{option} takes NAME=VALUE", found=text or "nothing")
        pairs[name] = value
    return pairs


def _numbers(texts: list[str] | None) -> dict[str, float]:
    found = {}
    for name, value in _pairs(texts, "--task-limit").items():
        try:
            found[name] = float(value)
        except ValueError as error:
            raise InputError(
                "--task-limit takes NAME=NUMBER", found=f"{name}={value}", hint="e.g. memory_mb=2048"
            ) from error
    return found
