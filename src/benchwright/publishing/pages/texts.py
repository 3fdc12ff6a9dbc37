"""Texts and JSON documents beside their golds, line by line."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from typing import Any

from benchwright.publishing.pages.exhibits import LineShown, TextShown
from benchwright.publishing.pages.words import clean

_LINES = 1_500
"""Lines of a text that are compared: the time that it takes grows with their square."""
_SHOWN = 300
_LINE = 400
_ABOUT = 3
"""Equal lines about a difference."""


def text_shown(text: str) -> TextShown:
    """The beginning of a text that there is no gold for."""
    lines = text.splitlines()
    return TextShown(
        lines=tuple(LineShown(text=_cut(each)) for each in lines[:_SHOWN]), left_out=max(0, len(lines) - _SHOWN)
    )


def texts_shown(gold: str, found: str) -> TextShown:
    """The lines in which a text differs from its gold, in the gold's order."""
    golds, founds = gold.splitlines(), found.splitlines()
    left_out = max(0, len(golds) - _LINES, len(founds) - _LINES)
    shown = list(_compared(golds[:_LINES], founds[:_LINES]))
    return TextShown(lines=tuple(shown[:_SHOWN]), compared=True, left_out=left_out + max(0, len(shown) - _SHOWN))


def written(value: Any) -> str:
    """A JSON value as text, a line a member, keys in order: equal values are equal texts.

    Without commas, by which a line would differ because another one comes after it.
    """
    return json.dumps(value, indent=2, separators=("", ": "), sort_keys=True, ensure_ascii=False, default=repr)


def _compared(golds: Sequence[str], founds: Sequence[str]) -> Iterator[LineShown]:
    matcher = difflib.SequenceMatcher(None, golds, founds)
    for kind, start, stop, other, last in matcher.get_opcodes():
        if kind == "equal":
            yield from _equal(golds[start:stop], first=start == 0, last=stop == len(golds))
            continue
        yield from (LineShown(text=_cut(each), state="gold") for each in golds[start:stop])
        yield from (LineShown(text=_cut(each), state="found") for each in founds[other:last])


def _equal(lines: Sequence[str], *, first: bool, last: bool) -> Iterator[LineShown]:
    """Equal lines next to differences, and how many lie between."""
    before, after = 0 if first and not last else _ABOUT, 0 if last and not first else _ABOUT
    if len(lines) <= before + after + 1:
        yield from (LineShown(text=_cut(each)) for each in lines)
        return
    yield from (LineShown(text=_cut(each)) for each in lines[:before])
    yield LineShown(skipped=len(lines) - before - after)
    yield from (LineShown(text=_cut(each)) for each in lines[len(lines) - after :])


def _cut(text: str) -> str:
    return clean(text if len(text) <= _LINE else f"{text[:_LINE]}…")
