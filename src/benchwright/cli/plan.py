"""`benchwright plan` and `benchwright merge`: a run on many machines, whatever starts its parts."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli import run_options as options
from benchwright.cli.app import app
from benchwright.cli.output import print_json, print_table, progress, shortened
from benchwright.errors import InputError

if TYPE_CHECKING:
    from benchwright.live.cluster.merging import Merged


@app.command()
def plan(  # noqa: PLR0913, PLR0917 - a command's options are its parameters
    suite: Annotated[str, typer.Argument(help="A suite's name or folder.")],
    shards: Annotated[int, typer.Option(min=1, help="Into how many parts the run is cut.")],
    out: Annotated[Path, typer.Option(help="The folder for the shards and the scripts that start them.")],
    store: Annotated[str, typer.Option(help="Where parts are kept: a shared folder [--out] or an fsspec URL.")] = "",
    image: Annotated[str, typer.Option(help="The image of the Kubernetes jobs [benchwright:VERSION].")] = "",
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
    sandbox: options.Sandbox = options.SandboxKind.AUTO,
    packages: options.Packages = None,
    max_parallel: options.Parallel = None,
    calls_per_minute: options.Rate = None,
    budget_usd: options.Dollars = None,
    budget_minutes: options.Minutes = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Cut a run into shards, and write what a batch system starts them by.

    Attempts on the same data room stay together. Each shard is run by `benchwright run SHARD`, and goes on where it
    stopped when it is run again; `benchwright merge` makes one run of all. Money, attempts at once and calls a
    minute are those of the whole run: each shard gets its part.
    """
    asked = options.Asked.of(locals())
    from benchwright.live import planning
    from benchwright.live.cluster.planned import Target, merge_command
    from benchwright.live.cluster.planned import plan as planned
    from benchwright.live.cluster.scripts import IMAGE
    from benchwright.live.prompts import Prompts
    from benchwright.prices import use_prices
    from benchwright.suites import find

    if prices is not None:
        use_prices(prices)
    if not agent:
        raise InputError("a plan needs --agent", hint="benchwright plan --help")
    opened = find(suite, progress)
    spec = planning.resolve(asked.request(), opened, Prompts(prompts))
    made = planned(spec, opened, Target(out, shards, store, image or IMAGE, prompts), progress)
    document = [{"shard": shard.name, "attempts": len(shard.keys)} for shard in made]
    if as_json:
        print_json({"plan": str(out), "store": made[0].store, "suite": made[0].suite, "shards": document})
        return
    print_table(f"{len(made)} shards in {out}", ("shard", "attempts"), [tuple(line.values()) for line in document])
    slurm, manifest, first = (
        quote(f"{out}/{name}") for name in ("slurm.sh", "kubernetes.json", f"{made[0].name}.json")
    )
    progress(f"start them by {slurm} or {manifest}, or: benchwright run {first}")
    progress(f"then: {merge_command(made)}")


@app.command()
def merge(
    runs: Annotated[list[str], typer.Argument(help="Run folders of shards, by path or URL, or a folder of them.")],
    out: Annotated[Path, typer.Option(help="The run folder to make; the same command takes up what came since.")],
    suite: Annotated[str, typer.Option(help="The suite, where it lies elsewhere than for the plan.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Make one run of the runs of shards: it scores, resumes and compares as if one machine had made it.

    Exit code 1: attempts are missing, and it says which; run those shards again, and merge again.
    """
    from benchwright.live.cluster.merging import merge as merged
    from benchwright.suites import find

    came = merged(runs, out, find(suite, progress) if suite else None)
    _print(came, as_json=as_json)
    raise typer.Exit(0 if came.whole else 1)


def _print(came: Merged, *, as_json: bool) -> None:
    for note in came.notes:
        progress(note)
    if as_json:
        missing = {name: list(keys) for name, keys in came.missing.items()}
        print_json({"run": str(came.folder.path), "planned": came.planned, "done": came.done, "missing": missing})
        return
    for name, keys in came.missing.items():
        progress(f"{len(keys)} attempts are missing of {name}: {shortened(', '.join(keys))}")
    progress(f"{came.done} of {came.planned} attempts are in {came.folder.path}")
    progress(f"score them: benchwright score {quote(came.folder.spec.suite_folder)} {quote(str(came.folder.path))}")
