"""What a call does, by the names that programs give to tools and to their arguments."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

from benchwright.importers.base import DraftCall, kind_of, path_in
from benchwright.importers.values import items, shown, text
from benchwright.trajectory import CallKind

_SHELL = re.compile(r"^(?:\S*/)?(?:bash|sh|zsh|dash)$")
_PATCH = ("apply_patch", "applypatch")
_LONGEST_COMMAND = 1 << 20
_COMMANDS = ("command", "cmd", "keystrokes", "script")
_TYPED = frozenset(("bash_session", "shell_session"))
"""Tools of which `input` is what is typed into a shell that goes on."""
_FOLDERS = ("workdir", "working_directory", "directory", "dir_path", "cwd")
_EDITS: dict[str, CallKind] = {
    "view": "read",
    "create": "write",
    "write": "write",
    **dict.fromkeys(("str_replace", "insert", "undo_edit", "edit"), "edit"),
}
"""What editors are told to do with a file, of which one tool serves all."""
_NO_COMMANDS = frozenset(("task_tracker", "delegate", "task", "memory", "think"))
"""Tools of which `command` names what they are to do, and is no line of a shell."""
_CONTENTS = ("content", "file_text", "contents", "text")
_PATCHES = ("patch", "input")


def script(command: object) -> str:
    """The script of a command: as a list or in one text, with or without the shell that ran it."""
    if isinstance(command, str):
        words = _split(command) if len(command) <= _LONGEST_COMMAND else []
    else:
        words = [text(word) for word in items(command)]
    if len(words) >= 3 and _SHELL.match(words[0]) and re.fullmatch(r"-[a-z]*c", words[1]):
        return words[2]
    if len(words) == 2 and words[0] in _PATCH:
        return f"{words[0]} <<'EOF'\n{words[1]}\nEOF"
    if isinstance(command, str):
        return text(command)
    return shlex.join(words)


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def describe(call: DraftCall, given: Mapping[str, Any]) -> None:
    """Take a call for what its tool's name and its arguments say; what they leave open is another call's text."""
    call.kind, call.path, call.text = kind_of(call.tool), path_in(given), shown(dict(given))
    commands = (*_COMMANDS, "input") if call.tool in _TYPED else _COMMANDS
    command = next((given[name] for name in commands if isinstance(given.get(name), str | list)), None)
    content = next((given[name] for name in _CONTENTS if isinstance(given.get(name), str)), None)
    if call.path and isinstance(command, str) and command in _EDITS:
        call.kind = _EDITS[command]
    elif command is not None and call.kind in ("shell", "other") and call.tool not in _NO_COMMANDS:
        folder = next((given[name] for name in _FOLDERS if isinstance(given.get(name), str)), "")
        call.kind, call.text, call.path = "shell", script(command), text(folder)
    elif call.kind == "edit" and not call.path:
        call.text = next((text(given[name]) for name in _PATCHES if isinstance(given.get(name), str)), call.text)
    if call.kind == "write" and content is not None:
        call.text = text(content)
