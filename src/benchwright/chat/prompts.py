"""Prompts that stand in files beside their module: filled strictly, texts of others between lines they cannot hold."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template

from benchwright.chat.base import Message
from benchwright.chat.fencing import fence
from benchwright.files import read_text


@cache
def prompt(folder: Path, name: str) -> str:
    """A shipped prompt as it stands in its file."""
    return read_text(folder / f"{name}.txt").strip()


def fenced_messages(folder: Path, name: str, texts: Mapping[str, str], **ours: object) -> tuple[Message, Message]:
    """The messages that `<name>_system` and `<name>_user` make.

    `texts` were written by others: only the user's message holds them, between two lines `$fence` that depend on all of
    them. `ours` may stand in both. Raises KeyError where a prompt names what is not given.
    """
    line = fence("\n".join(texts.values()))
    system = Template(prompt(folder, f"{name}_system")).substitute(ours, fence=line)
    user = Template(prompt(folder, f"{name}_user")).substitute({**texts, **ours}, fence=line)
    return Message("system", system), Message("user", user)
