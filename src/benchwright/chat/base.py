"""A model to talk to: messages in, one reply out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from benchwright.trajectory import Usage


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; `pictures` are image files for models that can see."""

    role: Literal["system", "user", "assistant"]
    text: str
    pictures: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said, which model was served, and what it cost."""

    text: str
    model: str
    usage: Usage = field(default_factory=Usage)


class ChatModel(Protocol):
    """One chat model. Raises `Broken(Fault.MODEL)` where no reply could be had."""

    name: str

    async def reply(self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None) -> Reply:
        """One reply; with a JSON schema where structured output is wanted."""


class Embedder(Protocol):
    """Texts to vectors."""

    name: str

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector a text, all of one length."""
