"""Text files of unknown make: their encoding, and the delimiter of a delimited one."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 50
_SAMPLE_BYTES = 1 << 16
_COMMON_CHINESE = re.compile(rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]")


def decode(data: bytes) -> tuple[str, str]:
    """The text of some bytes and the encoding it was read with: by its mark, by its zero bytes, else UTF-8, else GBK
    where its bytes come in pairs as Chinese does, else Windows-1252.
    """
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, errors="replace"), encoding
    if wide := _unmarked_utf_16(data):
        return data.decode(wide, errors="replace"), wide
    with suppress(UnicodeDecodeError):
        return data.decode("utf-8"), "utf-8"
    for encoding in ("gb18030", "cp1252") if _in_pairs(data) else ("cp1252",):
        with suppress(UnicodeDecodeError):
            return data.decode(encoding), encoding
    # Latin-1 fills the five bytes that Windows-1252 leaves undefined.
    return data.decode("latin-1"), "latin-1"


def _unmarked_utf_16(data: bytes) -> str:
    """UTF-16 shows by the zeros of its digits, delimiters and line ends."""
    sample = data[:_SAMPLE_BYTES]
    zeros = [sample[start::2].count(0) / max(1, len(sample) // 2) for start in (0, 1)]
    if len(data) % 2 == 0 and max(zeros) > 0.3 and min(zeros) < 0.01:
        return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
    return ""


def _in_pairs(data: bytes) -> bool:
    """Whether the bytes beyond ASCII are pairs, most of them common Chinese characters and signs.

    Letters with accents, which fill the same bytes in Windows-1252, stand alone, or in the lower rows of the table.
    """
    sample = data[:_SAMPLE_BYTES]
    high = sum(byte > 0x7F for byte in sample)
    common = _COMMON_CHINESE.findall(sample)
    return high > 0 and 2 * len(common) > 0.8 * high


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
