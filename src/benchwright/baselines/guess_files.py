"""Files without data: what a program can hand in that reads the question and nothing else.

Tables are a grid of numbers, fine enough that a rule which only asks whether a value occurs finds most of theirs;
documents report the best of everything that the question asks for. A rule that gives them credit can be fooled.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from benchwright.task import OutputKind, Task

_ROWS: Final = 200_001
_STEP: Final = 1.01
"""The ratio of neighbours in the logarithmic grid: one percent is a usual tolerance."""
_REACH: Final = 4000
"""Steps up and down from 1, to about 1e17 and 1e-17."""
_NAME = re.compile(r"\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+\b")
_NUMBERED = re.compile(r"(.*?)(\d+)")
_MANY, _USUAL = 31, 10
_TOKEN = re.compile(r"\s*(?:([{}\[\],:])|\"([^\"]*)\"|'([^']*)'|([^{}\[\],:\"']+))")


def guessed_files(task: Task, text: str) -> dict[str, bytes]:
    """A file for each output that one can be made of, by name; `text` is the likeliest answer in words."""
    writers: Mapping[OutputKind, Callable[[], bytes]] = {
        "table": number_grid,
        "document": lambda: json.dumps(best_document(task.question)).encode(),
        "predictions": lambda: _one_row(task.question),
        "text": text.encode,
    }
    return {output.name: writers[output.kind]() for output in task.outputs if output.kind in writers}


@cache
def number_grid() -> bytes:
    """A CSV table of 200,001 rows: whole numbers from 0, hundredths from -60 to 1140 and on, and numbers of both signs
    that grow by one percent.
    """
    sizes = [math.exp(place * math.log(_STEP)) for place in range(-_REACH, _REACH + 1)]
    signed = [0.0, *sizes, *(-size for size in sizes)]
    rows = (f"{row},{(row - 6000) / 100:.2f},{signed[min(row, len(signed) - 1)]:.12g}\n" for row in range(_ROWS))
    return ("whole,hundredths,one_percent\n" + "".join(rows)).encode()


def best_document(question: str) -> Any:
    """The document that the question describes, 1 for every value and its first whole number for every whole one.

    Without a description: 1 under each name that is spelled like a key.
    """
    described = _template(question)
    if described:
        return described
    return dict.fromkeys(_NAME.findall(question), 1)


def _one_row(question: str) -> bytes:
    names = list(dict.fromkeys(_NAME.findall(question))) or ["prediction"]
    return f"{','.join(names)}\n{','.join('x' for _ in names)}\n".encode()


def _template(question: str) -> dict[str, Any]:
    """The first object in braces that has keys."""
    for start in (match.start() for match in re.finditer(r"\{", question)):
        found = _Template(question, start).read()
        if found:
            return found
    return {}


class _Template:
    """An object written as an example: with `...`, `<float>` or words in the place of values."""

    def __init__(self, question: str, start: int) -> None:
        self._question = question
        self._tokens = [match.groups() for match in _TOKEN.finditer(question, start)]
        self._place = 0

    def read(self) -> dict[str, Any]:
        """The object; what cannot be read is left out."""
        self._place += 1  # the opening brace
        found: dict[str, Any] = {}
        while (piece := self._next()) is not None and piece != "}":
            if self._peek() == ":":
                self._place += 1
                found[piece.strip()] = self._value(found)
            elif piece.strip(" .") == "" and piece.strip():
                self._go_on(found)
        return found

    def _value(self, before: Mapping[str, Any]) -> Any:
        if self._peek() == "{":
            # braces around dots mean: like the one before
            return self.read() or (list(before.values())[-1] if before else {})
        if self._peek() == "[":
            while (piece := self._next()) is not None and piece != "]":
                pass
            return [1]
        leaf = self._next() or ""
        number = re.search(r"(?<![\w.])\d+(?![\w.])", self._question)
        return int(number.group()[:9]) if "int" in leaf and number else 1

    def _go_on(self, found: dict[str, Any]) -> None:
        """Dots after numbered keys: as many as the question speaks of."""
        last = next(reversed(found), "")
        match = _NUMBERED.fullmatch(last)
        if match is None:
            return
        stem, number = match.group(1), int(match.group(2)[:4])
        said = re.search(rf"\b(\d{{1,2}}) {re.escape(stem.strip('_ ').lower())}", self._question.lower())
        for place in range(number + 1, min(_MANY, int(said.group(1)) if said else _USUAL) + 1):
            found[f"{stem}{place}"] = found[last]

    def _next(self) -> str | None:
        if self._place >= len(self._tokens):
            return None
        self._place += 1
        return next((group for group in self._tokens[self._place - 1] if group is not None), "")

    def _peek(self) -> str | None:
        return self._tokens[self._place][0] if self._place < len(self._tokens) else None
