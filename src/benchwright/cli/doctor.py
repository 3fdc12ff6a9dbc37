"""`benchwright doctor`: what this machine can do for attempts, what is missing, and how to mend it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli.app import app
from benchwright.cli.output import print_json, print_table, progress

if TYPE_CHECKING:
    from benchwright.sandbox.probe import Finding


@app.command()
def doctor(
    clean: Annotated[
        bool, typer.Option("--clean", help="Remove what killed runs left: containers, control groups, folders.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Say what this machine can do for attempts, by trying it.

    Exit code 0: attempts can be isolated; 3: they cannot.
    """
    if clean:
        _clean(as_json=as_json)
        return
    from benchwright.sandbox import probe

    found = list(probe.findings())
    kind = probe.isolating(found)
    if as_json:
        print_json({"sandbox": kind or None, "findings": [asdict(finding) for finding in found]})
    else:
        _show(found, kind)
    raise typer.Exit(0 if kind else 3)


def _clean(*, as_json: bool) -> None:
    from benchwright.sandbox import leftovers

    removed = []
    for what in leftovers.remove():
        removed.append(what)
        progress(f"removed {what}")
    if as_json:
        print_json({"removed": removed})
    elif not removed:
        progress("nothing was left behind")


def _show(found: list[Finding], kind: str) -> None:
    print_table("", ("what", "state", "found"), ((one.name, one.state, one.found) for one in found))
    lacking = [one for one in found if one.state != "ok"]
    if lacking:
        rows = ((one.name, one.costs, one.fix) for one in lacking)
        print_table("What is missing or limited", ("what", "it costs", "how to mend it"), rows)
    if kind:
        typer.echo(f"Attempts can be isolated: --sandbox auto takes {kind}.")
    else:
        typer.echo("Attempts cannot be isolated on this machine.")
