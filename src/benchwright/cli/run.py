"""`benchwright run`: agents attempt the tasks of a suite."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchwright.cli import run_options as options
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

_Place = tuple[Path | None, str, str, Path | None]
"""The run folder, a Ray cluster's address, the store of its parts, and the file of prices; empty: not given."""

_Again = tuple[Path, str, str, Mapping[str, Any]]
"""An earlier run, which of its attempts, by what their limits are multiplied, and its secret arguments of models."""


@app.command()
def run(  # noqa: PLR0913, PLR0917 - a command's options are its parameters
    suite: Annotated[str, typer.Argument(help="A suite's name or folder, or a shard's file.")] = "",
    agent: options.Agents = "",
    model: options.Models = "",
    model_role: options.Roles = None,
    model_arg: options.Arguments = None,
    preset: options.Preset = "",
    variants: options.Variants = "",
    sweep: options.Sweep = None,
    subset: options.Subset = "full",
    limit: options.Limit = None,
    ids: options.Ids = None,
    epochs: options.Epochs = 1,
    seed: options.Seed = 0,
    task_limit: options.TaskLimits = None,
    prompts: options.OwnPrompts = None,
    prices: options.Prices = None,
    out: Annotated[Path | None, typer.Option(help="The run folder; the same command resumes the run in it.")] = None,
    again: Annotated[Path | None, typer.Option("--from", help="Attempts of this run once more; see --only.")] = None,
    only: Annotated[str, typer.Option(help="With --from: those that ended so: limit, limit:wall, broke...")] = "limit",
    raised: Annotated[str, typer.Option("--raise", help="With --from: limits times this, e.g. 2x.")] = "1x",
    ray: Annotated[str, typer.Option(help="Make attempts on a Ray cluster: its address, or auto.")] = "",
    store: Annotated[str, typer.Option(help="With --ray: where parts are kept, a shared folder or URL.")] = "",
    shard: Annotated[str, typer.Option(help="The file or URL of a shard, as benchwright plan wrote it.")] = "",
    sandbox: options.Sandbox = options.SandboxKind.AUTO,
    packages: options.Packages = None,
    max_parallel: options.Parallel = None,
    calls_per_minute: options.Rate = None,
    budget_usd: options.Dollars = None,
    budget_minutes: options.Minutes = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Let agents attempt a suite's tasks, and score their answers.

    Interrupted or killed at any moment, the same command goes on where it stopped. Exit code 1: the budget
    ended the run, or attempts broke by a fault of the model or the sandbox, and the same command goes on; or
    attempts broke by a fault of the suite, such as a data file that was changed.
    """
    asked = options.Asked.of(locals())
    from benchwright.prices import use_prices

    if prices is not None:
        use_prices(prices)
    if shard or suite.endswith(".json"):
        outcome = _shard(shard, suite, asked, out)
    elif again:
        _require_one_way(suite, asked, again, (only, raised))
        outcome = _again(suite, (again, only, raised, asked.request().model_args), prompts, (out, ray, store, prices))
    else:
        _require_one_way(suite, asked, again, (only, raised))
        outcome = _run(suite, asked.request(), prompts, (out, ray, store, prices))
    print_outcome(outcome, as_json=as_json)
    raise typer.Exit(0 if outcome.in_order else 1)


def _require_one_way(suite: str, asked: options.Asked, again: Path | None, which: tuple[str, str]) -> None:
    if not suite:
        raise InputError("a run needs a suite", expected="its name or folder", hint="benchwright suites list")
    if bool(again) == bool(asked.agent):
        raise InputError("a run needs --agent, or --from an earlier run; not both", hint="benchwright run --help")
    if asked.agent and which != ("limit", "1x"):
        raise InputError("--only and --raise belong to --from", hint="--task-limit sets limits of a new run")


_OF_SHARDS = ("model_arg", "max_parallel", "calls_per_minute", "budget_usd")
"""What may be said anew of a shard, whose file says the rest."""


def _shard(named: str, suite: str, asked: options.Asked, out: Path | None) -> Outcome:
    from benchwright.live.cluster.sharded import Shares, run_shard
    from benchwright.live.cluster.shards import read_shard

    if named and suite:
        raise InputError("a shard says which suite it is of", found=suite, hint=f"benchwright run {named}")
    if given := asked.besides(*_OF_SHARDS):
        raise InputError(f"{given[0]} belongs to the plan; the shard's file says it")
    shares = Shares(asked.max_parallel, asked.budget_usd, asked.calls_per_minute)
    part = read_shard(named or suite)
    _prepare(part.spec)
    with _resumable():
        return run_shard(part, shares, out, asked.secrets(), progress)


def _run(named: str, request: RunRequest, prompts: Path | None, place: _Place) -> Outcome:
    from benchwright.live import planning
    from benchwright.live.prompts import Prompts
    from benchwright.suites import find

    words = Prompts(prompts)
    spec = planning.resolve(request, find(named, progress), words)
    return _started(spec, (place[0] or planning.default_folder(spec), *place[1:]), words)


def _again(named: str, which: _Again, prompts: Path | None, place: _Place) -> Outcome:
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
    return _started(spec, (place[0] or planning.default_folder(spec), *place[1:]), Prompts(prompts))


def _started(spec: RunSpec, place: tuple[Path, str, str, Path | None], words: Prompts) -> Outcome:
    """Run it; a folder that cannot be the run's is refused before tools are made, which takes minutes."""
    from benchwright.live import runner
    from benchwright.run import RunFolder

    folder, ray, store, prices = place
    if store and not ray:
        raise InputError("--store belongs to --ray, or to benchwright plan", found=store)
    RunFolder.refuse(folder, spec)
    if ray:
        from benchwright.live.cluster.driver import Where, run_on_ray

        with _resumable():
            return run_on_ray(spec, folder, Where(ray, store, words.folder, prices), words)
    _prepare(spec)
    with _resumable():
        return runner.run(spec, folder, words)


def _prepare(spec: RunSpec) -> None:
    from benchwright.live.opening import tools_here

    tools_here(spec.packages, progress)


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
