"""What a model replied, read as explanation and code: JSON as it was asked for, or as models really write it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MOST_SNIPPETS = 20
_CHARACTERS = 100_000
_STARTS = 200
"""How many opening brackets are tried: a hostile reply may hold nothing else."""

_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|)')
_TRIPLE = re.compile(r'"""(.*?)"""', re.DOTALL)
_CODE = ("code", "python_code", "snippet")
_WHY = ("explanation", "rationale", "reasoning", "explination")
_STEPS = ("steps", "step", "snippets")
_PYTHON = ("python", "py", "python3", "")
_OPENING = re.compile(r"[{\[]")
_JSON = re.compile(r"{\s*[\"']|\[\s*{")
"""How an object or a list of objects begins, unlike other brackets in prose and code."""

_BROKEN = re.compile(r"{\s*\"(?:steps?|code|explanation)\"\s*:")
"""The form that was asked for, where it could not be read: blocks inside it are no snippets of their own."""

_DECODER = json.JSONDecoder(strict=False)
"""Raw newlines inside texts are what models write most often instead of JSON."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """One piece of code, and why it was written."""

    code: str
    explanation: str = ""


class NoCode(Exception):
    """A reply that holds no code in any form that can be read; the message says what is wrong with it."""


def read_steps(reply: str, *, cut_off: bool = False) -> tuple[Snippet, ...]:
    """The snippets of a reply, in order. Raises NoCode.

    Taken are, the first of these that the reply holds: an object with steps (`steps`, or `step` as the published code
    says), objects with code, fenced blocks of Python. Of several objects with steps the last counts: models draft. Raw
    newlines, wrong escapes, triple quotes and a fence around everything or around the code do no harm. A reply that was
    cut off counts only where its JSON is whole: half a program is none.
    """
    return _bounded(_Reading.of(reply).steps(), reply, cut_off=cut_off)


def read_single(reply: str, *, cut_off: bool = False) -> Snippet:
    """The one snippet of a reply. Raises NoCode. As `read_steps`, but of several objects with code the last counts, and
    steps or blocks are put together.
    """
    reading = _Reading.of(reply)
    if reading.objects and not reading.listed:
        return reading.objects[-1]
    snippets = _bounded(reading.steps(), reply, cut_off=cut_off)
    why = "\n\n".join(part.explanation for part in snippets if part.explanation)
    return Snippet("\n\n".join(part.code for part in snippets), why)


def _bounded(snippets: list[Snippet], reply: str, *, cut_off: bool) -> tuple[Snippet, ...]:
    if not snippets and cut_off:
        raise NoCode("the reply was cut off before its code was whole")
    if not snippets and not reply.strip():
        raise NoCode("the reply is empty")
    snippets = snippets or ([] if _BROKEN.search(reply) else _of_blocks(reply[:_CHARACTERS]))
    if not snippets:
        raise NoCode("the reply holds no code in the form that was asked for")
    if len(snippets) > MOST_SNIPPETS:
        raise NoCode(f"the reply holds {len(snippets)} snippets; more than {MOST_SNIPPETS} are not run")
    return tuple(snippets)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the JSON of a reply holds: the last list of steps, and every object with code that stands by itself."""

    listed: list[Snippet]
    objects: list[Snippet]

    @classmethod
    def of(cls, reply: str) -> _Reading:
        """The JSON as it stands; mended where it holds no code so."""
        text = reply[:_CHARACTERS]
        for version in (text, _mended(text)):
            found = list(_objects(version))
            reading = cls(_of_steps(found), _of_objects(found))
            if reading.steps():
                break
        return reading

    def steps(self) -> list[Snippet]:
        """The list of steps, else the objects."""
        return self.listed or self.objects


def _objects(text: str) -> Iterator[Any]:
    """The outermost JSON objects and lists of a text, in order, up to the first that is broken.

    What stands inside a broken one is a part of something, and never taken for the whole.
    """
    place, starts = 0, 0
    while starts < _STARTS and (match := _OPENING.search(text, place)) is not None:
        starts += 1
        try:
            value, place = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            if _JSON.match(text, match.start()):
                return
            place = match.start() + 1
            continue
        yield value


def _mended(text: str) -> str:
    """A text whose triple quotes and wrong escapes are as JSON wants them."""
    text = _TRIPLE.sub(lambda match: json.dumps(match.group(1).strip("\n")), text)
    return _ESCAPE.sub(lambda match: match.group(0) if match.group(1) else "\\\\", text)


def _of_steps(found: list[Any]) -> list[Snippet]:
    for value in reversed(found):
        listed = next((value[name] for name in _STEPS if name in value), None) if isinstance(value, dict) else value
        if isinstance(listed, list):
            snippets = [snippet for item in listed if (snippet := _snippet(item)) is not None]
            if snippets and len(snippets) == len(listed):
                return snippets
    return []


def _of_objects(found: list[Any]) -> list[Snippet]:
    return [snippet for value in found if (snippet := _snippet(value)) is not None]


def _snippet(value: Any) -> Snippet | None:
    if not isinstance(value, dict):
        return None
    code = next((value[name] for name in _CODE if name in value), None)
    if isinstance(code, list) and all(isinstance(line, str) for line in code):
        code = "\n".join(code)
    if not isinstance(code, str) or not code.strip():
        return None
    lines = code.strip().split("\n")
    if len(lines) > 1 and (fence := _fence(lines[0])[0]) and lines[-1].strip() == fence:
        code = "\n".join(lines[1:-1])
    why = next((value[name] for name in _WHY if isinstance(value.get(name), str)), "")
    return Snippet(code.strip("\n"), why.strip())


def _of_blocks(text: str) -> list[Snippet]:
    """Fenced blocks of Python; what is said before each is its explanation. Line by line: replies may be hostile."""
    snippets: list[Snippet] = []
    said: list[str] = []
    code: list[str] = []
    fence = language = ""
    for line in text.split("\n"):
        if not fence:
            fence, language = _fence(line)
            code = []
            said += [] if fence else [line]
        elif line.strip() != fence:
            code.append(line)
        else:
            fence, whole = "", "\n".join(code).strip("\n")
            if language in _PYTHON and whole.strip() and not whole.lstrip().startswith("{"):
                snippets.append(Snippet(whole, "\n".join(said).strip()))
                said = []
    return snippets


def _fence(line: str) -> tuple[str, str]:
    """The fence that a line opens, and the language it names; both empty where it opens none."""
    bare = line.strip()
    if not bare.startswith(("```", "~~~")):
        return "", ""
    rest = bare.lstrip(bare[0])
    return bare[: len(bare) - len(rest)], rest.strip().partition(" ")[0].lower()
