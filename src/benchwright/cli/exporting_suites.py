"""`benchwright export harbor|inspect|hf`: suites in the forms of other programs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli.exporting import export
from benchwright.cli.output import print_json, progress
from benchwright.cli.suites import find_suite
from benchwright.errors import InputError

if TYPE_CHECKING:
    from benchwright.suite import Selection

SuiteArgument = Annotated[str, typer.Argument(metavar="SUITE", help="A suite's name or folder.")]
Ids = Annotated[str | None, typer.Option(help="Only these tasks, split at commas.")]
SubsetOption = Annotated[str, typer.Option(help="full, demo, hard, or another subset of the suite.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]


class RoomsChoice(StrEnum):
    """How the tasks of an export share their data rooms."""

    LINK = "link"
    MOUNT = "mount"


@export.command("harbor")
def export_harbor(  # noqa: PLR0913, PLR0917 - one parameter an option
    suite: SuiteArgument,
    out: Annotated[Path, typer.Option(help="The folder to write tasks/, rooms/ and verifier/ into.")],
    ids: Ids = None,
    subset: SubsetOption = "full",
    organisation: Annotated[str, typer.Option(help="The first part of the tasks' names.")] = "benchwright",
    network: Annotated[bool, typer.Option(help="Let agents use the network.")] = False,
    rooms: Annotated[
        RoomsChoice,
        typer.Option(help="link: hard links in every task, copied into its image; mount: read-only, docker alone."),
    ] = RoomsChoice.LINK,
    as_json: JsonOption = False,
) -> None:
    """Write a Harbor task folder for each task, with our scorer as verifier and the reference solution as oracle.

    The gold lies in tests/ and solution/, which Harbor keeps from the agent. Exit code 1: some tasks are left out.
    """
    from benchwright.publishing import harbor

    options = harbor.HarborOptions(out, organisation, network, rooms.value)
    done = harbor.export_harbor(find_suite(suite), _selection(ids, subset), options)
    if as_json:
        print_json(
            {
                "folder": str(done.folder),
                "tasks": list(done.tasks),
                "left_out": done.left_out,
                "room_bytes": done.rooms,
                "data_bytes": done.linked,
            }
        )
    else:
        for name, why in done.left_out.items():
            progress(f"{name} is left out: {why}")
        typer.echo(
            f"{len(done.tasks)} tasks in {out / 'tasks'}; their data are {done.rooms / 1e6:.1f} MB, "
            f"{done.linked / 1e6:.1f} MB if each task had its own"
        )
    raise typer.Exit(1 if done.left_out else 0)


@export.command("inspect")
def export_inspect(
    suite: SuiteArgument,
    out: Annotated[Path, typer.Option(help="The folder to write the package into.")],
    ids: Ids = None,
    subset: SubsetOption = "full",
) -> None:
    """Write a small package that runs with `inspect eval DIR`, with any solver of Inspect.

    It holds a copy of the suite with its gold and data; the same scorers judge as here.
    """
    from benchwright.publishing import inspect_package

    made = inspect_package.export_inspect(find_suite(suite), _selection(ids, subset), out)
    typer.echo(f"{len(made.suite.tasks)} tasks in {out}, with {made.files} files of data ({made.bytes / 1e6:.1f} MB)")


@export.command("hf")
def export_hf(  # noqa: PLR0913, PLR0917 - one parameter an option
    suite: SuiteArgument,
    out: Annotated[Path, typer.Option(help="The folder of the data set's repository.")],
    with_gold: Annotated[bool, typer.Option(help="Write the right answers, too.")] = False,
    data: Annotated[bool, typer.Option(help="Write the data rooms.")] = True,
    push: Annotated[str, typer.Option(metavar="REPO", help="Push to this repository (owner/name) of the hub.")] = "",
    public: Annotated[bool, typer.Option(help="With --push: a new repository is public.")] = False,
    endpoint: Annotated[str, typer.Option(help="The address of another hub.")] = "",
) -> None:
    """Write a suite as a data set of the Hugging Face hub, and push it where --push says so.

    Without --with-gold nothing of the gold is written. The token is $HF_TOKEN, or that of `hf auth login`.
    `benchwright suites fetch hugging_face --from REPO` reads it back.
    """
    from benchwright.publishing import hugging_face

    if (public or endpoint) and not push:
        raise InputError("--public and --endpoint belong to --push")
    made = hugging_face.export_hugging_face(find_suite(suite), out, gold=with_gold, data=data)
    gold = "with gold" if with_gold else "without gold"
    size = f"{made.files} files of data ({made.bytes / 1e6:.1f} MB)"
    typer.echo(f"{made.suite.name} {made.suite.info.release}: {len(made.suite.tasks)} tasks in {out}, {gold}, {size}")
    if push:
        target = hugging_face.Target(push, endpoint, public)
        typer.echo(hugging_face.push(out, target, f"{made.suite.name} {made.suite.info.release}, {gold}"))


def _selection(ids: str | None, subset: str) -> Selection:
    """The tasks to write; an empty list, of a shell variable that is not set, is not every task."""
    from benchwright.suite import Selection

    names = tuple(filter(None, (name.strip() for name in (ids or "").split(","))))
    if ids is not None and not names:
        raise InputError("--ids names no task", found=repr(ids), hint="leave it out to take every task")
    return Selection(subset=subset, ids=names)
