"""Prompts that stand in files beside their module: filled strictly, texts of others between lines they cannot hold."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template

from benchwright.chat.base import Message
from benchwright.chat.fencing import fence
from benchwright.files import read_text, sha256


@cache
def prompt(folder: Path, name: str) -> str:
    """A shipped prompt as it stands in its file."""
    return read_text(folder / f"{name}.txt").strip()


def reply_token(*texts: str) -> str:
    """What a reply about these texts has to repeat; nothing in them can know it beforehand."""
    return sha256("\0".join(("token", *texts)))[:12]


def fenced_messages(
    folder: Path, names: tuple[str, str], texts: Mapping[str, str], **ours: object
) -> tuple[Message, Message]:
    """The messages that two prompts make, the system's and the user's.

    `texts` were written by others: only the user's message holds them, between two lines `$fence` that depend on all of
    them. `ours` may stand in both. Raises KeyError where a prompt names what is not given.
    """
    line = fence("\n".join(texts.values()))
    system = Template(prompt(folder, names[0])).substitute(ours, fence=line)
    user = Template(prompt(folder, names[1])).substitute({**texts, **ours}, fence=line)
    return Message("system", system), Message("user", user)
