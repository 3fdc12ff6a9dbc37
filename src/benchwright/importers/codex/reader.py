"""What the readers of Codex's forms share: a draft, its turns, and its commands."""

from __future__ import annotations

import re
import shlex
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchwright.errors import Fault
from benchwright.importers.base import Draft, DraftStep
from benchwright.importers.values import items, text
from benchwright.trajectory import Answered, Broke, Trajectory

_SHELL = re.compile(r"^(?:\S*/)?(?:bash|sh|zsh|dash)$")
_LONGEST_COMMAND = 1 << 20


@dataclass(slots=True)
class Reader(ABC):
    """One session as it is read, line by line."""

    draft: Draft = field(default_factory=lambda: Draft("codex"))
    ended: bool = False
    failure: str = ""
    _open: DraftStep | None = None

    @property
    def spoke_last(self) -> bool:
        """Whether the log ends with what the agent said, in forms that do not tell of an end."""
        return False

    @abstractmethod
    def begins(self, line: Mapping[str, Any]) -> bool:
        """Whether a line begins another session."""

    @abstractmethod
    def take(self, line: Mapping[str, Any]) -> None:
        """One line."""

    def words_step(self) -> DraftStep:
        """The turn that words belong to: the one under way while it has made no call yet."""
        if self._open is None or self._open.calls:
            self._open = self.draft.step()
        return self._open

    def call_step(self, *, beside: bool) -> DraftStep:
        """The turn that a call belongs to: with words before it, or with another that has not come back yet."""
        if self._open is None or (self._open.calls and not beside):
            self._open = self.draft.step()
        return self._open

    def message(self, words: str) -> None:
        """What the agent said; the last counts as its answer."""
        if words.strip() and not (self._open and words in self._open.texts):
            self.words_step().say(words)
            self.draft.last_message = words

    def finished(self, notes: list[str]) -> Trajectory:
        """The session as a trajectory."""
        draft = self.draft
        if draft.ending is None:
            if self.failure:
                draft.ending = Broke(fault=Fault.MODEL, detail=self.failure[:300])
            elif self.ended or self.spoke_last:
                draft.ending = Answered()
        return draft.finished(notes)


def script(command: object) -> str:
    """The script of a command: as a list or in one text, with or without the shell that ran it."""
    if isinstance(command, str):
        words = _split(command) if len(command) <= _LONGEST_COMMAND else []
    else:
        words = [text(word) for word in items(command)]
    if len(words) >= 3 and _SHELL.match(words[0]) and re.fullmatch(r"-[a-z]*c", words[1]):
        return words[2]
    if isinstance(command, str):
        return text(command)
    return shlex.join(words)


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []
