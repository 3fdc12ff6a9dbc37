"""What a room of the lake holds, as its plan in `rooms/<room>.toml` says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field, model_validator

from benchwright.errors import SuiteError
from benchwright.files import Record, read_toml
from benchwright.suites.lake.changes import Change

ROOMS = Path(__file__).parent / "rooms"


class TablePlan(Record):
    """One table: where it comes from and what happens to it."""

    source: str
    name: str = ""
    change: tuple[Change, ...] = ()


class FilePlan(Record):
    """One file: a single table (`source`, `change`), or several (`table`) in a workbook or a database."""

    path: str = Field(min_length=1)
    source: str = ""
    change: tuple[Change, ...] = ()
    table: tuple[TablePlan, ...] = ()
    delimiter: str = ""
    encoding: str = "utf-8"
    decimal: str = "."
    missing: str = ""
    preamble: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_or_many(self) -> FilePlan:
        if bool(self.source) == bool(self.table):
            raise ValueError("give either `source` or `[[file.table]]`")
        return self

    @property
    def tables(self) -> tuple[TablePlan, ...]:
        """The tables of the file; a single one is named after the file."""
        if self.table:
            return self.table
        stem = self.path.rpartition("/")[2].partition(".")[0]
        return (TablePlan(source=self.source, name=stem, change=self.change),)


class NotePlan(Record):
    """A text file: literal `text`, then the documentation of a data set where `describes` names one."""

    path: str
    text: str = ""
    describes: str = ""


class FillPlan(Record):
    """Sources that are laid out by rule among these folders; see `layout`."""

    folders: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    stale_percent: int = Field(default=20, ge=0, le=100)
    shelves: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Folders by R package instead: a source goes to the shelf that lists its package."""


class RoomPlan(Record):
    """A room: its title, its files and notes, and what fills it up."""

    title: str
    domain: str
    file: tuple[FilePlan, ...] = ()
    note: tuple[NotePlan, ...] = ()
    fill: FillPlan = FillPlan()

    @property
    def weight(self) -> int:
        """About how long the room takes to write; files planned by hand are the larger ones."""
        return 10 * sum(len(file.tables) for file in self.file) + len(self.fill.sources)


def read_rooms() -> dict[str, RoomPlan]:
    """Every room's plan by the room's name."""
    return {path.stem: read_room(path.stem) for path in sorted(ROOMS.glob("*.toml"))}


def read_room(name: str) -> RoomPlan:
    """The plan of one room."""
    path = ROOMS / f"{name}.toml"
    plan = RoomPlan.from_json(read_toml(path), path.name)
    paths = list(_paths(plan))
    twice = {name for name in paths if paths.count(name) > 1}
    if twice:
        raise SuiteError(f"{path.name} plans a file twice", found=", ".join(sorted(twice)))
    return plan


def _paths(plan: RoomPlan) -> Iterator[str]:
    yield from (file.path for file in plan.file)
    yield from (note.path for note in plan.note)
