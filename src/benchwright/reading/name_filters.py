"""What programs that pass lines on leave of file names: `sort`, `head`, `grep` and the like."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchwright.reading.shell_programs import operands
from benchwright.reading.shell_state import Names

_KEEPING = frozenset("sort cat tac uniq tee rev nl".split())
_PLAIN = re.compile(r"[\w\s./,:@=-]*")
"""Patterns that are followed hold nothing else but `^`, `$`, `|` and escaped signs: no pattern of a log takes long."""
_MOST_ALTERNATIVES = 20


def filtered(fed: Names, program: str, words: Sequence[str]) -> Names:
    """The names behind a filter; where it is not known which it lets through all of them, and that is not sure."""
    if program in _KEEPING:
        return fed
    if program in ("head", "tail"):
        return Names(fed.paths, sure=fed.sure and len(fed.paths) <= _count(words))
    kept = _grep(fed, words) if program in ("grep", "egrep", "fgrep") else None
    return Names(fed.paths, sure=False) if kept is None else kept


def _count(words: Sequence[str]) -> int:
    """How many lines `head` shows; 0 where it is not told plainly."""
    found = operands(words, "-n")
    told = [*found.values("-n", "--lines"), *(name[1:] for name, _ in found.options if name[1:].isdecimal())]
    number = told[0] if told else "10"
    return int(number) if number.isdecimal() and len(number) < 9 else 0


def _grep(fed: Names, words: Sequence[str]) -> Names | None:
    found = operands(words, "-e")
    patterns = [*found.values("-e")] or list(found.words[:1])
    flags = {letter for name, _ in found.options if name != "-e" for letter in name[1:]}
    if len(patterns) != 1 or flags - set("viEFPq") or len(found.words) > (0 if found.values("-e") else 1):
        return None
    tests = [_test(part) for part in re.split(r"\\?\|", patterns[0])[:_MOST_ALTERNATIVES]]
    if None in tests:
        return None
    text = "|".join(test for test in tests if test is not None)
    wanted = re.compile(text, re.IGNORECASE if "i" in flags else 0)
    return Names([path for path in fed.paths if bool(wanted.search(path)) != ("v" in flags)], fed.sure)


def _test(part: str) -> str | None:
    """One alternative of a pattern as Python writes it; None for those that are not followed."""
    start, end = part.startswith("^"), part.endswith("$")
    bare = part[int(start) : len(part) - int(end)]
    literal = re.sub(r"\\([./$^-])", r"\1", bare)
    if not _PLAIN.fullmatch(literal) or "\\" in literal:
        return None
    middle = "".join("." if letter == "." and bare.count("\\.") == 0 else re.escape(letter) for letter in literal)
    return f"{'^' if start else ''}{middle}{'$' if end else ''}"
