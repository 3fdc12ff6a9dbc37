"""Replies of models and outcomes of runs, kept: a work that was killed goes on without paying for a reply again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, Protocol

from benchwright.chat.asking.shelf import Shelf
from benchwright.chat.base import ChatModel, Message, Reply
from benchwright.chat.replies import MOST_CHARACTERS
from benchwright.files import Record, canonical_json, parse_json, sha256
from benchwright.generation.workflow import Draft, Rejection
from benchwright.trajectory import Usage

_FREE = Usage(cost_usd=0.0)


class Ran(Record):
    """What running a program came to: what it printed, the table that it wrote, or why it failed (empty: it did not).

    `table` is the text of `forms.TABLE_FILE`, None where there is none; `opened` the files of the room that it opened,
    None where that was not measured.
    """

    printed: str = ""
    table: str | None = None
    error: str = ""
    opened: tuple[str, ...] | None = None


class Execute(Protocol):
    """Runs a program on a room in a sandbox. Never raises for what the program does."""

    def __call__(self, code: str, *, fresh: bool = False) -> Ran:
        """What it came to; only a `fresh` run, in a sandbox of its own, measures the files that it opens."""


Prove = Callable[[Draft], Rejection | None]
"""What a machine has against a draft; None: nothing."""


class _KeptReply(Record):
    text: str
    model: str


class KeptChat:
    """A model whose every reply is kept by model, messages and schema; one that is kept costs nothing.

    The call that failed is made again. Of a reply too long to be read, what can be read is kept.
    """

    def __init__(self, model: ChatModel, shelf: Shelf) -> None:
        self.name = model.name
        self._model, self._shelf = model, shelf

    async def reply(self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None) -> Reply:
        """The reply that is kept, else a new one. Errors: those of the model."""
        texts = [[message.role, message.text, [str(path) for path in message.pictures]] for message in messages]
        key = sha256(canonical_json(["reply", self.name, texts, schema]))
        if (kept := self._shelf.get(key)) is not None:
            value = _KeptReply.model_validate_json(kept)
            return Reply(value.text, value.model, _FREE)
        reply = await self._model.reply(messages, schema)
        text = reply.text[:MOST_CHARACTERS].encode("utf-8", "replace").decode()
        self._shelf.put([(key, _KeptReply(text=text, model=reply.model).model_dump_json().encode())])
        return Reply(text, reply.model, reply.usage)


def kept_runs(execute: Execute, shelf: Shelf, room: str, lock: Lock) -> Execute:
    """Runs whose outcomes are kept by program and room (a digest): the errors that prompts hold stay the same."""

    def run(code: str, *, fresh: bool = False) -> Ran:
        key = sha256(canonical_json(["run", room, code, fresh]))
        if (kept := shelf.get(key)) is not None:
            return Ran.model_validate_json(kept)
        with lock:
            ran = execute(code, fresh=fresh)
        shelf.put([(key, ran.model_dump_json().encode())])
        return ran

    return run


def kept_proofs(prove: Prove, shelf: Shelf, room: str, lock: Lock) -> Prove:
    """Proofs whose outcomes are kept by draft and room (a digest)."""

    def run(draft: Draft) -> Rejection | None:
        key = sha256(canonical_json(["proof", room, draft.model_dump(mode="json")]))
        if (kept := shelf.get(key)) is not None:
            value = parse_json(kept.decode(), "a kept proof")
            return None if value is None else Rejection.from_json(value, "a kept proof")
        with lock:
            found = prove(draft)
        shelf.put([(key, canonical_json(None if found is None else found.to_json()).encode())])
        return found

    return run
