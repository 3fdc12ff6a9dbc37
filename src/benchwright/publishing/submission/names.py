"""Names of files that others gave: which can be a file everywhere, and which two would be one."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_BYTES = 255
"""Of a name, in the file systems that most people have."""
_UNSEEN = ("Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn")
"""Categories of characters that are no part of a name that can be read: controls, marks of direction, unassigned."""


def plain_name(name: str) -> str:
    """The name, where it is one of a plain file. Errors: ValueError."""
    if not name or name in (".", "..") or any(mark in name for mark in "/\\\0"):
        raise ValueError(f"not the name of a file: {name[:60]!a}")
    if len(name.encode("utf-8", "surrogatepass")) > _BYTES:
        raise ValueError(f"a name of more than {_BYTES} bytes: {name[:40]!a}...")
    if unseen := next((each for each in name if unicodedata.category(each) in _UNSEEN), ""):
        raise ValueError(f"a name with an unseen character: {unseen!a} in {name[:60]!a}")
    return name


def twins(names: Iterable[str]) -> tuple[str, str] | None:
    """Two names that differ in the cases of letters or in how characters are composed alone."""
    seen: dict[str, str] = {}
    for name in names:
        same = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
        if same in seen:
            return seen[same], name
        seen[same] = name
    return None
