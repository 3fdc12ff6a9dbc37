"""Cells of an interpreter that lives on: Python, with lines in between that are the shell's."""

from __future__ import annotations

import ast
import re
import warnings

_MAGIC = re.compile(r"^[ \t]*[!%]", re.MULTILINE)
_MAGIC_LINE = re.compile(r"^[ \t]*[!%](.*)$", re.MULTILINE)
_SHELL_CELL = re.compile(r"\s*%%(?:bash|sh|script (?:ba)?sh)[^\n]*\n")


def in_shell(cell: str) -> tuple[str, list[str]]:
    """A cell's code without the lines that are none of Python's, and the commands that stand in those."""
    if (whole := _SHELL_CELL.match(cell)) is not None:
        return "", [cell[whole.end() :]]
    found = _MAGIC_LINE.findall(cell) if _MAGIC.search(cell) else []
    commands = [f"python {line[4:]}" if line.startswith("run ") else line for line in found]
    return _MAGIC.sub("#", cell), commands


def parses(code: str) -> bool:
    """Whether a text is Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
