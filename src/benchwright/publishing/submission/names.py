"""Names of files in a workspace that others gave: which can be files everywhere, and which two would be one."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_BYTES, _PATH_BYTES = 255, 1000
"""Of a name and of a path, in the file systems that most people have."""
_UNSEEN = ("Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn")
"""Categories of characters that are no part of a name that can be read: controls, marks of direction, unassigned."""


def plain_name(path: str) -> str:
    """The path below a workspace, where each part of it is a name that can be anywhere. Errors: ValueError."""
    if len(path.encode("utf-8", "surrogatepass")) > _PATH_BYTES:
        raise ValueError(f"a path of more than {_PATH_BYTES} bytes: {path[:40]!a}...")
    for name in path.split("/"):
        _check(name)
    return path


def _check(name: str) -> None:
    if name in ("", ".", "..") or "\\" in name:
        raise ValueError(f"not the name of a file: {name[:60]!a}")
    if len(name.encode("utf-8", "surrogatepass")) > _BYTES:
        raise ValueError(f"a name of more than {_BYTES} bytes: {name[:40]!a}...")
    if unseen := next((each for each in name if unicodedata.category(each) in _UNSEEN), ""):
        raise ValueError(f"a name with an unseen character: {unseen!a} in {name[:60]!a}")


def fit(names: Iterable[str], before: Iterable[str] = ()) -> list[str]:
    """The names that a submission takes, in order; of twins the one that is among `before`, else the first."""
    wanted = frozenset(before)
    kept: dict[str, str] = {}
    for name in sorted(names, key=lambda name: (name not in wanted, name)):
        try:
            kept.setdefault(_same(plain_name(name)), name)
        except ValueError:
            continue
    return sorted(kept.values())


def twins(names: Iterable[str]) -> tuple[str, str] | None:
    """Two names that differ in the cases of letters or in how characters are composed alone."""
    seen: dict[str, str] = {}
    for name in names:
        same = _same(name)
        if same in seen:
            return seen[same], name
        seen[same] = name
    return None


def _same(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
