"""A model that plays a script: for tests, for trying a set-up without a key, and for measuring the harness itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import Field

from benchwright.chat.base import Message, Reply
from benchwright.errors import Broken, Fault, InputError
from benchwright.files import Record, read_jsonl
from benchwright.trajectory import Usage

_SCRIPTS: dict[str, Script] = {}


class ScriptedCall(Record):
    """A tool call that the model makes."""

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class ScriptedReply(Record):
    """One line of a script: what the model says, the tools it calls, and what that costs.

    `match` is text that the first message of the user must hold for the line to be played; `seconds` is how
    long the model takes; `error` makes the call fail with this text.
    """

    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    usage: Usage = Usage(input_tokens=100, output_tokens=20)
    match: str = ""
    seconds: float = Field(default=0.0, ge=0)
    error: str = ""


Script = Callable[[Sequence[Message]], ScriptedReply]
"""A conversation so far to the model's next reply. Called from many attempts at once: it keeps no state."""


def play(lines: Sequence[ScriptedReply]) -> Script:
    """The script that plays these lines in order, from the first in every conversation.

    Which line is due is read off the conversation (how often the model has spoken), so that any number of
    attempts can play one script at once. Raises `Broken(Fault.MODEL)` where the script is over.
    """

    def script(messages: Sequence[Message]) -> ScriptedReply:
        question = next((message.text for message in messages if message.role == "user"), "")
        due = [line for line in lines if line.match in question]
        spoken = sum(message.role == "assistant" for message in messages)
        if spoken >= len(due):
            raise Broken(Fault.MODEL, "the script is over", found=f"{len(due)} lines for this question")
        return due[spoken]

    return script


def read_script(path: Path) -> Script:
    """A script from a JSON Lines file, one `ScriptedReply` a line."""
    return play([ScriptedReply.from_json(value, f"{path}, line {number}") for number, value in read_jsonl(path)])


def register(name: str, script: Script | Sequence[ScriptedReply]) -> None:
    """Make a script known in this process, as the model `scripted/<name>`."""
    _SCRIPTS[name] = script if callable(script) else play(script)


def script_named(name: str) -> Script:
    """A registered script; else the script file of that path."""
    if name in _SCRIPTS:
        return _SCRIPTS[name]
    if Path(name).is_file():
        return _kept(name, Path(name).stat().st_mtime_ns)
    raise InputError(
        f"no script {name!r}",
        found=f"registered: {', '.join(sorted(_SCRIPTS)) or 'none'}",
        expected="scripted/<name of a registered script> or scripted/<path of a JSON Lines file>",
    )


@lru_cache(maxsize=32)
def _kept(name: str, changed: int) -> Script:  # noqa: ARG001 - a changed file is read anew
    return read_script(Path(name))


async def perform(script: Script, messages: Sequence[Message]) -> ScriptedReply:
    """The script's next reply, after the time it takes; a line with an error raises `Broken(Fault.MODEL)`."""
    reply = script(messages)
    if reply.seconds:
        await asyncio.sleep(reply.seconds)
    if reply.error:
        raise Broken(Fault.MODEL, reply.error)
    return reply


class ScriptedChat:
    """A scripted `ChatModel`; tool calls of the script are left out."""

    def __init__(self, script: Script | Sequence[ScriptedReply], name: str = "scripted/model") -> None:
        self.name = name
        self.script = script if callable(script) else play(script)

    async def reply(self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None) -> Reply:  # noqa: ARG002 - the protocol's
        """The script's next reply; a schema is not enforced."""
        line = await perform(self.script, messages)
        return Reply(text=line.text, model=self.name, usage=line.usage)
