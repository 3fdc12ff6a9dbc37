"""Markdown in which text of others stays text: between fences that it cannot close, with nothing that does not show."""

from __future__ import annotations

import re
from collections.abc import Iterable

_TICKS = re.compile(r"`+")
_LONGEST_LINE, _MOST_LINES = 2000, 400


def fenced(text: str, language: str = "text") -> str:
    """Text as a block of code: no markup, link or HTML in it means anything, whatever it holds."""
    shown = visible(text.rstrip())
    ticks = max([2, *(len(run) for run in _TICKS.findall(shown))]) + 1
    return f"{'`' * ticks}{language}\n{shown}\n{'`' * ticks}\n"


def visible(text: str) -> str:
    """Text with every character escaped that does not show, or that turns the direction of others; cut where long."""
    lines = text.replace("\r\n", "\n").split("\n")
    shown = ["".join(map(_shown, line[:_LONGEST_LINE])) + _more(line) for line in lines[:_MOST_LINES]]
    return "\n".join([*shown, *([f"[{len(lines) - _MOST_LINES:,} more lines]"] if len(lines) > _MOST_LINES else [])])


def listed(items: Iterable[str]) -> str:
    """A list, one item a line, each on its line: fenced, since the items are names that others gave."""
    return fenced("\n".join(item.replace("\n", " ") for item in items) or "(none)")


def _more(line: str) -> str:
    return f" [{len(line) - _LONGEST_LINE:,} more characters]" if len(line) > _LONGEST_LINE else ""


def _shown(char: str) -> str:
    if char.isprintable() or char == "\t":
        return char
    return f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}"
