"""`benchwright demo`: the main job on the built-in suite, without any key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchwright.cli.app import app
from benchwright.cli.output import progress
from benchwright.cli.run import print_outcome

AGENTS = ("oracle", "explorer", "know_nothing", "constant", "random")


@app.command()
def demo(
    out: Annotated[Path | None, typer.Option(help="The run folder; default: the next runs/demo-N.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Run five agents over twenty tasks of the built-in suite.

    Prints one table, and where the run is. oracle runs the reference solutions; explorer searches files without
    a model; the others read no data at all. Builds the suite and the toolbox (the Python that agents' code runs
    in) where they are not there yet.
    """
    from benchwright.live import planning, runner
    from benchwright.live.opening import toolbox_here
    from benchwright.live.prompts import Prompts
    from benchwright.suite import Selection
    from benchwright.suites import find

    suite = find("lake", progress)
    toolbox_here(progress)
    request = planning.RunRequest(agents=AGENTS, selection=Selection(subset="demo"))
    words = Prompts(None)
    outcome = runner.run(planning.resolve(request, suite, words), out or _next_folder(), words)
    print_outcome(outcome, as_json=as_json)
    made = outcome.folder.path
    progress(f"look closer: benchwright view {made}, or: benchwright report {made} --out report.html")
    raise typer.Exit(0 if outcome.in_order else 1)


def _next_folder() -> Path:
    """The next after all that are there; `demo-2.old` is none of them."""
    told = [path.name.removeprefix("demo-") for path in Path("runs").glob("demo-[0-9]*")]
    numbers = [int(number) for number in told if number.isascii() and number.isdigit()]
    return Path("runs") / f"demo-{max(numbers, default=0) + 1}"
