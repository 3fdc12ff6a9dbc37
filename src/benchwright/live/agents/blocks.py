"""Tool calls that a model writes as fenced blocks of text."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([A-Za-z_]*)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_OPEN = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([A-Za-z_]+)[ \t]*\n(.*)\Z", re.DOTALL | re.MULTILINE)
_TOOLS: dict[str, Literal["bash", "python", "submit"]] = {
    "bash": "bash",
    "sh": "bash",
    "shell": "bash",
    "python": "python",
    "py": "python",
    "submit": "submit",
    "answer": "submit",
}


class TextCall(NamedTuple):
    """A call written as a block: the tool, and the text inside."""

    tool: Literal["bash", "python", "submit"]
    text: str


def calls_in(message: str) -> tuple[TextCall, ...]:
    """The calls of a message in order; a last block whose end was cut off (or stopped at) counts too."""
    found = [(match.group(2), match.group(3)) for match in _FENCE.finditer(message)]
    rest = _FENCE.sub("", message)
    if unclosed := _OPEN.search(rest):
        found.append((unclosed.group(2), unclosed.group(3)))
    return tuple(
        TextCall(_TOOLS[name.lower()], text.strip("\n"))
        for name, text in found
        if name.lower() in _TOOLS and text.strip()
    )


def up_to_first_call(message: str) -> str:
    """A message up to the end of its first call."""
    for match in _FENCE.finditer(message):
        if match.group(2).lower() in _TOOLS and match.group(3).strip():
            return message[: match.end()]
    return message
