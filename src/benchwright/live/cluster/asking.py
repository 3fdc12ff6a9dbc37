"""A model that the nodes of a cluster are asked to call: each with its own key, all within one budget."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchwright.chat.base import Message, Reply
from benchwright.closing import Closing
from benchwright.files import canonical_json, parse_json
from benchwright.generation.modelled.calling import Calling
from benchwright.live.asking import chat_named
from benchwright.live.usage import refuse_unpriced
from benchwright.spreading import Crew, Item, Spread, Work
from benchwright.trajectory import Usage

_NAME = "null"
"""Asked of a node to learn what the model is called in records."""


class Ask(Closing):
    """Calls a model for those that ask in text, from the machine that it is on; from any thread."""

    together = True

    def __init__(self, model: str) -> None:
        self._chat = chat_named(model)
        self._calling = Calling()

    def do(self, text: str) -> str:
        """The reply to one question."""
        asked = parse_json(text, "a question")
        if asked is None:
            return self._chat.name
        messages = [
            Message(each["role"], each["text"], tuple(map(Path, each["pictures"]))) for each in asked["messages"]
        ]
        reply = self._calling.run(self._chat.reply(messages, asked["schema"]))
        return canonical_json({"text": reply.text, "model": reply.model, "usage": reply.usage.model_dump(mode="json")})

    def close(self) -> None:
        """End the loop that calls are made in. Idempotent."""
        self._calling.close()


class SpreadChat:
    """A `ChatModel` behind a crew. A call whose node is lost is made by another one."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self.name = crew.submit(Item(_NAME)).result()

    async def reply(self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None) -> Reply:
        """One reply; errors as on one machine, and EnvironmentFault where no node can call the model."""
        pictures = tuple(path.absolute() for message in messages for path in message.pictures)
        told = [
            {"role": each.role, "text": each.text, "pictures": [str(path.absolute()) for path in each.pictures]}
            for each in messages
        ]
        text = json.dumps({"messages": told, "schema": schema})
        found = parse_json(await asyncio.wrap_future(self._crew.submit(Item(text, pictures))), "a node")
        return Reply(found["text"], found["model"], Usage.model_validate(found["usage"]))


@contextmanager
def chat_over(spread: Spread, model: str, at_once: int, *, priced: bool = False) -> Iterator[SpreadChat]:
    """The model of this name, called by the nodes, at most so many calls at once on all of them together.

    Errors: InputError where its price has to be known and is not; those of a crew's items.
    """
    if priced:
        refuse_unpriced((model,), "a budget in dollars")
    with spread.crew(Work(Ask, {"model": model}, at_once=at_once)) as crew:
        yield SpreadChat(crew)
