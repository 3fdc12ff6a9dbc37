"""Whether a file is a picture of any kind, by its first bytes."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

_STARTS: Final = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"II*\0", b"MM\0*", b"BM", b"%PDF-", b"%!PS", b"\x1f\x8b",
)  # fmt: skip
"""PNG, JPEG, GIF, WebP, TIFF (both ways round), BMP, PDF, PostScript, and SVG packed with gzip."""
_TEXTS: Final = frozenset((".svg", ".html", ".htm", ".json", ".pgf"))
"""Kinds of pictures that are text."""
_HEAD: Final = 4096


def is_picture(data: bytes, name: str) -> bool:
    """Whether a file begins as pictures do; which kind its name promises does not matter, but for texts."""
    if data.startswith(_STARTS):
        return True
    head = data[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    if PurePosixPath(name).suffix.lower() in _TEXTS:
        return bool(head)
    return head.startswith((b"<svg", b"<?xml")) and b"<svg" in head
