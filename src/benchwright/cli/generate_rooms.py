"""`benchwright generate rooms` and `confusion`: data sets that belong together, and how alike their files are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli.generate_group import generate
from benchwright.cli.output import print_json, print_table, progress, shortened
from benchwright.cli.suites import JsonOption, SuiteArgument, find_suite

if TYPE_CHECKING:
    from benchwright.generation.rooms.writing import Manifest


@generate.command("rooms")
def rooms(  # noqa: PLR0913, PLR0917 - one parameter an option
    data: Annotated[Path, typer.Option(help="A folder of data sets: its folders, and the files directly in it.")],
    out: Annotated[Path, typer.Option(help="Where to write the rooms.")],
    code: Annotated[Path | None, typer.Option(help="Notebooks (.ipynb) and scripts (.py) that use the data.")] = None,
    least: Annotated[int, typer.Option(min=1, help="Data sets a room at least.")] = 3,
    most: Annotated[int, typer.Option(min=1, help="Data sets a room at most.")] = 30,
    seed: Annotated[int, typer.Option(min=0, help="The same seed makes the same rooms.")] = 0,
    copy: Annotated[
        bool, typer.Option("--copy", help="Copy files; otherwise they are hard links where possible.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Group data sets into rooms: by what programs use together, else by columns, joins and topic.

    Programs are read, never run. The data stay where they are; see docs/rooms.md.
    """
    from benchwright.generation.rooms.communities import SizeBounds
    from benchwright.generation.rooms.making import RoomsRequest, make_rooms

    made = make_rooms(RoomsRequest(data, out, code, SizeBounds(least, most), seed, copy, told=progress))
    print_json(made.to_json()) if as_json else _print(made, out)


@generate.command("confusion")
def confusion(suite: SuiteArgument, as_json: JsonOption = False) -> None:
    """How easily the required files of each task are taken for others in its room: an index from 0 to 1.

    It is the probability to take a wrong file where one picks among near files in proportion to how near they are.
    """
    from benchwright.generation.rooms.suites import suite_confusion

    found = suite_confusion(find_suite(suite), progress)
    if as_json:
        print_json({"suite": suite, "tasks": [each.model_dump(mode="json") for each in found]})
        return
    rows = [(each.task, each.required, each.near, f"{each.joining:.2f}", f"{each.index:.2f}") for each in found]
    print_table(
        f"{suite}: {len(found)} tasks", ("task", "required files", "near them", "tables that join", "index"), rows
    )


def _print(made: Manifest, out: Path) -> None:
    rows = [
        (
            room.name,
            len(room.datasets),
            room.files,
            f"{room.bytes / 1e6:.1f}",
            f"{room.cohesion:.2f}",
            f"{room.confusion.near:.1f}",
            f"{room.confusion.joining:.2f}",
            f"{room.confusion.index:.2f}",
            shortened(", ".join(room.topic)),
        )
        for room in made.rooms
    ]
    columns = ("room", "data sets", "files", "MB", "cohesion", "near files", "joining", "index", "topic")
    print_table(f"{len(made.rooms)} rooms in {out}", columns, rows)
    if made.programs:
        typer.echo(f"{made.programs_used} of {made.programs} programs use several of the data sets")
    if made.left_out:
        typer.echo(f"{len(made.left_out)} files are in no room (links and the like): see rooms.json")
