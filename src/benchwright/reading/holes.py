"""Text of which parts are unknown: ordinary strings in which a hole stands for what cannot be known."""

from __future__ import annotations

import posixpath
import re

HOLE = "\ufdd0"
"""Stands for any text, the empty one included. A Unicode noncharacter: no program holds it."""

FOLDERS = HOLE + "\ufdd1"
"""Stands, as a whole part of a path, for any folders below each other, or none: `**`, or where a walk has come to."""

LONGEST = 4096
"""Longer strings are data and not paths; they become one hole, so that no program can make us build large ones."""


def clip(text: str) -> str:
    """The text, or one hole where it is too long to be a path; neighbouring holes become one."""
    if len(text) > LONGEST:
        return HOLE
    return re.sub(f"{HOLE}+", HOLE, text) if HOLE in text else text


def has_hole(text: str) -> bool:
    """Whether a part of the text is unknown."""
    return HOLE in text


def from_glob(pattern: str) -> str:
    """A glob pattern as text with holes: `*`, `?` and brackets stand for what is not known, `**` for folders."""
    parts = (FOLDERS if part == "**" else re.sub(r"\*+|\?|\[[^\]]*\]", HOLE, part) for part in pattern.split("/"))
    return clip("/".join(parts))


def to_glob(text: str) -> str:
    """Text with holes as a glob pattern; what the text itself holds of `*` stays."""
    return text.replace(FOLDERS, "**").replace(HOLE, "*")


def pieces(text: str) -> list[str]:
    """What is known of the text: the pieces before, between and behind its holes."""
    return text.replace(f"{FOLDERS}/", HOLE).replace(FOLDERS, HOLE).split(HOLE)


def join_paths(parts: list[str]) -> str:
    """`os.path.join` on text with holes."""
    return clip(posixpath.join(*parts)) if parts else ""


def may_equal(left: str, right: str) -> bool | None:
    """Whether two texts are equal: True, False, or None where holes leave it open."""
    if not has_hole(left) and not has_hole(right):
        return left == right
    if has_hole(left) and has_hole(right):
        return None
    holed, plain = (left, right) if has_hole(left) else (right, left)
    pattern = ".*".join(map(re.escape, pieces(holed)))
    return None if re.fullmatch(pattern, plain, re.DOTALL) else False
