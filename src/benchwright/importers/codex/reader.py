"""What the readers of Codex's forms share: a draft, its turns, and its commands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchwright.errors import Fault
from benchwright.importers.base import Draft, DraftStep
from benchwright.trajectory import Answered, Broke, Trajectory, Usage

_CLASSES = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")


@dataclass(slots=True)
class Totals:
    """Totals as they are told one after the other; one that is less than the last begins anew."""

    told: list[Usage] = field(default_factory=list)
    before: Usage = field(default_factory=Usage)

    def take(self, total: Usage) -> Usage:
        """What all came to with this one."""
        last = self.told[-1] if self.told else Usage()
        if _all(total) < _all(last) or total.output_tokens < last.output_tokens:
            self.before = self.before.plus(last)
        self.told.append(total)
        return self.before.plus(total)

    def beyond(self, parent: Totals) -> Usage:
        """What came behind the totals that a thread's history took over from its parent's."""
        common = 0
        for own, theirs in zip(self.told, parent.told, strict=False):
            if own != theirs:
                break
            common += 1
        spent = self.before.plus(self.told[-1]) if self.told else Usage()
        taken = self.told[common - 1] if common else Usage()
        return Usage(**{name: max(0, getattr(spent, name) - getattr(taken, name)) for name in _CLASSES})


def _all(used: Usage) -> int:
    return used.input_tokens + used.cache_read_tokens + used.cache_write_tokens


@dataclass(slots=True)
class Reader(ABC):
    """One session as it is read, line by line."""

    draft: Draft = field(default_factory=lambda: Draft("codex"))
    ended: bool = False
    failure: str = ""
    trouble: str = ""
    """An error behind which nothing came: the stream broke there, if the log tells no end."""
    totals: Totals = field(default_factory=Totals)
    sent: int = 0
    """Sub-agents that were sent, and that the log does not hold: their tokens are not told."""
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
            elif self.trouble:
                draft.ending = Broke(fault=Fault.MODEL, detail=self.trouble[:300])
        if self.sent > 0:
            draft.note(f"{self.sent} sub-agents are not in the log, nor what they read and took")
            draft.lost += self.sent
        return draft.finished(notes)
