"""Text files of unknown make: their encoding, and the delimiter of a delimited one."""

from __future__ import annotations

import codecs
import csv
import io
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import chain

DELIMITERS = (",", ";", "\t", "|")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE_ROWS = 50
_SAMPLE_BYTES = 1 << 16
_FEW_ZEROS = 0.05
_COMMON_CHINESE = re.compile(rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]")


def decode(data: bytes) -> tuple[str, str]:
    """The text of some bytes and the encoding it was read with; what that does not hold is replaced."""
    encoding = encoding_of([data])
    return data.decode(encoding, errors="replace"), encoding


def encoding_of(chunks: Iterable[bytes], *, whole: bool = True) -> str:
    """The encoding of a text that comes in pieces: by its mark, by its zero bytes, else UTF-8, else GBK where its bytes
    come in pairs as Chinese does, else Windows-1252.

    All pieces are looked at to tell whether it is UTF-8, the first one for everything else. `whole`: no character goes
    on beyond the last piece.
    """
    rest = iter(chunks)
    head = next(rest, b"")
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    if wide := _unmarked_utf_16(head):
        return wide
    if _decodes(chain([head], rest), "utf-8", final=whole):
        return "utf-8"
    for encoding in ("gb18030", "cp1252") if _in_pairs(head) else ("cp1252",):
        if _decodes([head], encoding):
            return encoding
    # Latin-1 fills the five bytes that Windows-1252 leaves undefined.
    return "latin-1"


def _decodes(chunks: Iterable[bytes], encoding: str, *, final: bool = False) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for chunk in chunks:
            decoder.decode(chunk)
        decoder.decode(b"", final)
    except UnicodeDecodeError:
        return False
    return True


def _unmarked_utf_16(data: bytes) -> str:
    """UTF-16 shows by the zeros of its digits, delimiters and line ends, which are few among Chinese characters."""
    sample = data[:_SAMPLE_BYTES]
    zeros = [sample[start::2].count(0) / max(1, len(sample) // 2) for start in (0, 1)]
    encoding = "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
    few = max(zeros) > _FEW_ZEROS and min(zeros) < 0.5 * max(zeros) and _decodes([sample], encoding)
    few = few and "\n" in sample.decode(encoding, "ignore")
    return encoding if len(data) % 2 == 0 and (few or (max(zeros) > 0.3 and min(zeros) < 0.01)) else ""


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


def find_delimiter(head: str, names: Iterable[str] = ()) -> str:
    """The delimiter under which the header holds most of the `names`, then the one that cuts all rows alike.

    `head` are the first lines of a text, its last one whole.
    """
    lines = "\n".join(head.splitlines()[:_SAMPLE_ROWS])
    wanted = {name.strip().casefold() for name in names}
    return max(DELIMITERS, key=lambda delimiter: _fitness(delimited_rows(lines, delimiter), wanted))


def whole_lines(head: str) -> str:
    """The beginning of a longer text without what may be half a line; all of it where it is but one."""
    return head[: head.rfind("\n") + 1] or head


def _fitness(rows: Sequence[Sequence[str]], wanted: set[str]) -> tuple[int, bool, int]:
    if not rows:
        return 0, False, 0
    width = len(rows[0])
    known = len(wanted & {name.strip().casefold() for name in rows[0]})
    return known, width > 1 and all(len(row) == width for row in rows), width
