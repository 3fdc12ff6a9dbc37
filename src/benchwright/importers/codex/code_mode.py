"""The commands in the programs by which Codex's model makes its calls: `tools.exec_command({...})`."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from benchwright.reading.holes import HOLE

_EXEC = re.compile(r"\bexec_command\(\s*\{")
_TEXT = r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"""
_CMD, _WORKDIR = (
    re.compile(rf"""(?:^|[{{,\s])["']?{name}["']?\s*:\s*({_TEXT})""", re.DOTALL) for name in ("cmd", "workdir")
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_PUT_IN = re.compile(r"\$\{[^}\n]{0,500}\}")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}
_MOST = 200


@dataclass(frozen=True, slots=True)
class Command:
    """A command, and the folder that it is run in; empty: the session's."""

    text: str
    folder: str


def commands(code: str) -> list[Command]:
    """The commands whose texts stand in the program, in their order; what the program puts in is a hole."""
    starts = [found.end() - 1 for found in _EXEC.finditer(code)][:_MOST]
    return [command for part in _parts(code, starts) if (command := _command(part)) is not None]


def one_script(found: list[Command]) -> str:
    """Several commands as one script, each in a shell of its own."""
    return "\n".join(
        f"(\n{f'cd {shlex.quote(command.folder)}{chr(10)}' if command.folder else ''}{command.text}\n)"
        for command in found
    )


def _parts(code: str, starts: list[int]) -> Iterator[str]:
    for start, end in zip(starts, [*starts[1:], len(code)], strict=False):
        yield code[start:end]


def _command(part: str) -> Command | None:
    """A call's object: JSON, or as JavaScript also writes it."""
    try:
        told = json.JSONDecoder().raw_decode(part)[0]
    except (ValueError, RecursionError):
        text, folder = (pattern.search(part) for pattern in (_CMD, _WORKDIR))
        told = {"cmd": _text(text[1]) if text else None, "workdir": _text(folder[1]) if folder else ""}
    if not isinstance(told.get("cmd"), str):
        return None
    return Command(told["cmd"], told["workdir"] if isinstance(told.get("workdir"), str) else "")


def _text(written: str) -> str:
    """The text that a literal of JavaScript stands for."""
    inside = written[1:-1]
    if written[0] == "`":
        inside = _PUT_IN.sub(HOLE, inside)
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _ESCAPES.get(found[2], found[2]), inside)
