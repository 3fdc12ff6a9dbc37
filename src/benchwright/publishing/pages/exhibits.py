"""What an attempt handed in, ready to be looked at: tables cell by cell, texts line by line, pictures."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from benchwright.files import Record, Tagged

CellState = Literal["plain", "right", "wrong", "missing", "surplus"]
LineState = Literal["same", "gold", "found"]


class CellShown(Record):
    """One cell: what was handed in, and, where that is wrong or missing, what was expected."""

    found: str = ""
    gold: str = ""
    state: CellState = "plain"


class RowShown(Record):
    """One row and its number (from 1): in the gold where it stands for a row there or is missing, else in the file."""

    number: int
    state: CellState
    cells: tuple[CellShown, ...]


class TableShown(Tagged):
    """A table; with a gold, its rows are paired with the gold's as the scorer pairs them.

    `states` are by column: `missing` for one that only the gold has, `surplus` for one that it has not. Counts are
    those of the whole table, of which `rows` may be a part; None where there was no gold to compare with.
    """

    kind: Literal["table"] = "table"
    columns: tuple[str, ...]
    states: tuple[CellState, ...]
    rows: tuple[RowShown, ...]
    height: int
    width: int
    gold_height: int | None = None
    wrong_cells: int | None = None
    missing_rows: int | None = None
    surplus_rows: int | None = None

    @property
    def compared(self) -> bool:
        """Whether there was a gold."""
        return self.gold_height is not None


class LineShown(Record):
    """One line, and on which side it stands; `skipped` counts equal lines that are left out here instead."""

    text: str = ""
    state: LineState = "same"
    skipped: int = 0


class TextShown(Tagged):
    """A text, or, with a gold, the lines in which the two differ and some about them."""

    kind: Literal["text"] = "text"
    lines: tuple[LineShown, ...]
    compared: bool = False
    left_out: int = 0


class PictureShown(Tagged):
    """A picture as a PNG of ours, in base64."""

    kind: Literal["picture"] = "picture"
    png: str
    width: int
    height: int


class NotShown(Tagged):
    """Nothing to show, and why."""

    kind: Literal["not_shown"] = "not_shown"
    reason: str


Body = Annotated[TableShown | TextShown | PictureShown | NotShown, Field(discriminator="kind")]


class Exhibit(Record):
    """One file that was handed in or asked for, and the gold beside it.

    Where `found` is compared with the gold in itself (a table, a text), `gold` is empty.
    """

    name: str
    output: str = ""
    bytes: int | None = None
    found: Body
    gold: tuple[Body, ...] = ()
    notes: tuple[str, ...] = ()


class Showing(Record):
    """One file to be opened: where it lies, and the gold files and the check that it is compared by.

    `path` is None where nothing was handed in. `scorer` is empty where no check looks at the file.
    """

    name: str
    output: str = ""
    path: str | None = None
    golds: tuple[str, ...] = ()
    scorer: str = ""
    options: dict[str, Any] = Field(default_factory=dict)
