"""Text files of unknown make: their encoding, and the delimiter of a delimited one."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 50


def decode(data: bytes) -> tuple[str, str]:
    """The text of some bytes and the encoding it was read with: by its mark, else UTF-8, else Windows-1252."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, errors="replace"), encoding
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        # Latin-1 fills the five bytes that Windows-1252 leaves undefined.
        try:
            return data.decode("cp1252"), "cp1252"
        except UnicodeDecodeError:
            return data.decode("latin-1"), "latin-1"


def delimited_rows(text: str, delimiter: str) -> list[list[str]]:
    """The rows of a delimited text, lines without a character left out; a broken quote ends the text, never raises."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(row for row in reader if row)
    return rows


def find_delimiter(text: str, names: Iterable[str] = ()) -> str:
    """The delimiter under which the header holds most of the `names`, then the one that cuts all rows alike."""
    head = "\n".join(text[:200_000].splitlines()[:_SAMPLE_ROWS])
    wanted = {name.strip().casefold() for name in names}
    return max(DELIMITERS, key=lambda delimiter: _fitness(delimited_rows(head, delimiter), wanted))


def _fitness(rows: Sequence[Sequence[str]], wanted: set[str]) -> tuple[int, bool, int]:
    if not rows:
        return 0, False, 0
    width = len(rows[0])
    known = len(wanted & {name.strip().casefold() for name in rows[0]})
    return known, width > 1 and all(len(row) == width for row in rows), width
