"""Which functions a solution calls, and whether its steps name them; code is parsed and never run."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

_MOST_CHARACTERS = 200_000
_PROMPT = re.compile(r"^[ \t]*+(?:>>>|\.\.\.|In \[\d*\]:|\$)[ ]?", re.MULTILINE)
_MAGIC = re.compile(r"^([ \t]*+)[%!].*$", re.MULTILINE)
_CALLED = re.compile(r"\b([A-Za-z_]\w*+)\s?\(")
"""Words are taken whole or not at all, and lines one by one: an endless word, or none, takes no longer."""
_MADE = re.compile(r"\b(?:def|class|function|TABLE|INTO|VIEW|REFERENCES)\s+(?:IF NOT EXISTS\s+)?([A-Za-z_]\w*)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_PLAIN = frozenset(dir(builtins)) | frozenset(keyword.kwlist)
"""What every program calls and no skill is known by: print, len, range and the like."""
_OTHER_WORDS = frozenset({"function", "switch", "catch", "foreach", "values", "table", "using", "when", "then", "case"})
_SQL = frozenset(
    "ALL AND ANY AS BETWEEN BY CHAR CHECK DECIMAL DISTINCT EXISTS FROM HAVING IN INT INTO JOIN KEY LIKE NOT NUMERIC ON "
    "OR OVER PARTITION REFERENCES SELECT SET SOME UNION UNIQUE VARCHAR WHERE WITH".split()
)
"""What in SQL stands before a parenthesis and calls nothing; in small letters some are functions of other languages."""


def calls_of(code: str) -> frozenset[str]:
    """The plain names of the functions and methods that code calls, its own and Python's built-in ones left out.

    Python is parsed, with prompts and magics of consoles taken off; of what is no Python, each paragraph by itself, and
    at last whatever stands before a parenthesis is taken.
    """
    text = _MAGIC.sub(r"\1pass", _PROMPT.sub("", code[:_MOST_CHARACTERS]))
    return _found(text, paragraphs=True)


def _found(text: str, *, paragraphs: bool) -> frozenset[str]:
    tree = _parsed(text)
    if tree is not None:
        return _named(tree)
    if paragraphs:
        parts = [part for part in re.split(r"\n[ \t]*\n", text) if part.strip()]
        return frozenset().union(*(_found(part, paragraphs=False) for part in parts))
    own = set(_MADE.findall(text))
    names = {name for name in _CALLED.findall(text) if name.casefold() not in _OTHER_WORDS and name not in _SQL}
    return frozenset(names - own - _PLAIN)


def _parsed(text: str) -> ast.AST | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as those of escapes in other people's strings
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _named(tree: ast.AST) -> frozenset[str]:
    own: set[str] = set()
    called: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            own.add(node.name)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            called.add(node.func.attr)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called.add(node.func.id)
    return frozenset(name for name in called - own - _PLAIN if not name.startswith("__"))


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of a solution's calls its steps name, and which ones they do not."""

    calls: int
    missing: tuple[str, ...]

    @property
    def share(self) -> float:
        """From 0 to 1; 1 where nothing is called."""
        return 1.0 - len(self.missing) / self.calls if self.calls else 1.0


def coverage(calls: frozenset[str], texts: Iterable[str]) -> Coverage:
    """How far texts name calls, in any case of letters."""
    words = {word.casefold() for text in texts for word in _WORD.findall(text)}
    return Coverage(len(calls), tuple(sorted(name for name in calls if name.casefold() not in words)))
