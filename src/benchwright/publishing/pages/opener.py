"""The program that opens hostile files so that people can look at them: jobs on stdin, exhibits on stdout."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from benchwright.dialects import decode
from benchwright.publishing.pages.exhibits import Body, Exhibit, NotShown, Showing
from benchwright.publishing.pages.pictures import is_picture, picture_shown
from benchwright.publishing.pages.tables import table_shown, tables_shown
from benchwright.publishing.pages.texts import text_shown, texts_shown, written
from benchwright.scorers.compare.documents import read_document
from benchwright.scorers.compare.opening import UnreadableOutput, read_head, read_output
from benchwright.scorers.compare.tables import read_table
from benchwright.serving import Tell, serve

_TEXT_BYTES = 2 << 20
_PICTURE_BYTES = 50 << 20
_TABLES = (".csv", ".tsv", ".parquet", ".xlsx")
_DOCUMENTS = (".json", ".jsonl", ".ndjson")
_LINES = (".jsonl", ".ndjson")
_TABLE_SCORERS = ("table", "model_metric")


def main(memory_mb: str, seconds: str) -> None:
    """Open what is asked for until stdin ends, within the limits."""
    serve(lambda: _answer, int(memory_mb), float(seconds))


def _answer(job: dict[str, Any], tell: Tell) -> None:
    tell({"exhibit": exhibit(Showing.model_validate(job)).model_dump(mode="json")})


def exhibit(showing: Showing) -> Exhibit:
    """What a file holds, beside its golds. Never raises on what an agent handed in, short of the process's limits."""
    golds = tuple(Path(path) for path in showing.golds)
    if showing.path is None:
        beside = tuple(_alone(path, showing) for path in golds)
        return Exhibit(
            name=showing.name, output=showing.output, found=NotShown(reason="nothing was handed in"), gold=beside
        )
    path = Path(showing.path)
    try:
        bytes_ = read_head(path, 0)[1]
    except UnreadableOutput as error:
        return Exhibit(name=showing.name, output=showing.output, found=NotShown(reason=str(error)))
    compared = _compared(path, golds, showing)
    if compared is not None:
        more = (f"compared with one of {len(golds)} golds",) if len(golds) > 1 else ()
        return Exhibit(name=showing.name, output=showing.output, bytes=bytes_, found=compared, notes=more)
    beside = tuple(_alone(gold, showing) for gold in golds)
    return Exhibit(name=showing.name, output=showing.output, bytes=bytes_, found=_alone(path, showing), gold=beside)


def _compared(path: Path, golds: tuple[Path, ...], showing: Showing) -> Body | None:
    """The file and its gold in one; None where they are to be shown beside each other."""
    if not golds:
        return None
    gold = golds[0]
    try:
        if showing.scorer == "table":
            tables = {each.name: read_table(each) for each in golds}
            names = {name for table in tables.values() for name in table.names}
            return tables_shown(tables, read_table(path, names), showing.options)
        if showing.scorer == "document":
            lines = showing.name.casefold().endswith(_LINES)
            return texts_shown(*(written(read_document(each, lines=lines).value) for each in (gold, path)))
        if showing.scorer == "text":
            return texts_shown(_text(gold), _text(path))
    except UnreadableOutput:
        return None
    return None


def _alone(path: Path, showing: Showing) -> Body:
    """One file by itself; one that is not what it is called as the text that it is."""
    try:
        return _read(path, showing)
    except UnreadableOutput as error:
        return _as_text(path, str(error))
    except (RecursionError, ValueError) as error:
        return _as_text(path, f"{type(error).__name__}: {error}"[:200])


def _read(path: Path, showing: Showing) -> Body:
    """One file by what it holds and what it is called."""
    name, head = showing.name.casefold(), read_head(path, 4096)[0]
    if is_picture(head):
        return _picture(path)
    if name.endswith(_TABLES) or showing.scorer in _TABLE_SCORERS:
        return table_shown(read_table(path))
    if name.endswith(_DOCUMENTS):
        return text_shown(written(read_document(path, lines=name.endswith(_LINES)).value))
    if b"\x00" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return NotShown(reason="a binary file")
    return text_shown(_text(path))


def _picture(path: Path) -> Body:
    try:
        return picture_shown(read_output(path, _PICTURE_BYTES))
    except UnreadableOutput as error:
        return NotShown(reason=str(error))


def _as_text(path: Path, why: str) -> Body:
    """What is no table or document, though it is called one, as the text that it is; else why it is not shown."""
    try:
        text = _text(path)
    except UnreadableOutput:
        return NotShown(reason=why)
    return NotShown(reason=why) if "\x00" in text[:4096] else text_shown(text)


def _text(path: Path) -> str:
    return decode(read_output(path, _TEXT_BYTES))[0]


if __name__ == "__main__":
    main(*sys.argv[1:])
