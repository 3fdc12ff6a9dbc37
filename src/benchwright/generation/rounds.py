"""Rounds of drafting, proving and choosing: every decision in one order, whatever is done side by side."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice, zip_longest
from typing import Protocol

from benchwright.files import sha256
from benchwright.generation.asked import Asked
from benchwright.generation.journal import Chosen, Drafted, Ended, Journal, Passed, Refused, Written
from benchwright.generation.prover import Verdict
from benchwright.generation.trial import Room
from benchwright.generation.workflow import Draft, Rejection, Wanted, Writer
from benchwright.generation.writing import Proved

_DRAFTS_A_ROOM = 8
_DRAFTS_A_TASK = 1.4
_IDLE_ROUNDS = 2


@dataclass(frozen=True, slots=True)
class Goal:
    """How many tasks are wanted, for which skills (descriptions by name), drawn by which seed."""

    tasks: int
    skills: Mapping[str, str]
    seed: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """How far a generation is."""

    round: int
    drafted: int
    proved: int
    rejected: int
    chosen: int


Told = Callable[[State], None]


class Provers(Protocol):
    """Who proves drafts."""

    def prove(self, drafts: Sequence[tuple[Draft, Room]]) -> Iterator[Verdict]:
        """The verdicts in the drafts' order."""


@dataclass(slots=True)
class Making:
    """One generation. Drafts of a room follow each other; tasks are chosen from the rooms in turn.

    A budget that is `spent` ends this sitting and not the generation: what is drafted is proved, and the next sitting
    begins with another round. `hoped` are the skills of this round's drafts, so that rooms do not all get the same;
    `cut` is the round in which one was spent last, now or in an earlier sitting.
    """

    goal: Goal
    writer: Writer
    rooms: Mapping[str, Room]
    journal: Journal
    provers: Provers
    told: Told
    covered: Counter[str] = field(default_factory=Counter)
    hoped: Counter[str] = field(default_factory=Counter)
    numbers: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    asked: Asked = field(default_factory=Asked)
    spent: bool = False
    cut: int = 0

    def run(self) -> None:
        """Go on until there are enough tasks, or no more can be had."""
        idle = 0
        for number in count(1):
            before = self.chosen
            self._round(number)
            idle = 0 if self.chosen > before or self.cut == number else idle + 1
            if why := self._why_end(idle):
                self.journal.decided(Ended(why=why))
            if why or self.spent:
                return

    @property
    def chosen(self) -> int:
        """How many tasks there are."""
        return sum(self.numbers.values())

    def _why_end(self, idle: int) -> str:
        if self.chosen >= self.goal.tasks:
            return "enough"
        return f"no task came of {idle} rounds" if idle >= _IDLE_ROUNDS else ""

    def _round(self, number: int) -> None:
        drafts = [draft for room in self.rooms for draft in self._drafts(number, room)]
        self.hoped.clear()
        fresh = [draft for draft in drafts if self._is_new(number, draft)]
        passed: dict[str, list[tuple[Draft, Proved]]] = {}
        for draft, proved in self._proved(number, fresh):
            passed.setdefault(draft.room, []).append((draft, proved))
        for turn in zip_longest(*(passed.get(room, []) for room in self.rooms)):
            for pair in turn:
                if pair is not None and self.chosen < self.goal.tasks:
                    self._choose(number, *pair)

    def _choose(self, number: int, draft: Draft, proved: Proved) -> None:
        """Make a proved draft a task, unless one nearly asks the same: which of the two is proved is known by now."""
        refused = self.journal.again(Refused)
        if refused is None and not self.journal.replaying and (near := self.asked.near(draft)):
            self._refuse(number, draft, near)
        elif refused is not None:
            self._tell(number, "rejected")
        else:
            self.numbers[draft.room] += 1
            self.covered.update(proved.skills)
            self.asked.became(draft)
            self.journal.decided(Chosen(draft=draft.name, task_id=f"{draft.room}-{self.numbers[draft.room]:03d}"))

    def _drafts(self, number: int, room: str) -> Iterator[Draft]:
        """The drafts of one room in this round: those of an earlier sitting, then the writer's others."""
        places = 0
        while entry := self.journal.again(Drafted, Refused):
            places += 1
            yield from self._heard(number, entry)
        if self.journal.again(Written):
            return
        written = self.writer.drafts(self.rooms[room].material, self._wanted(number, room))
        for item in islice(written, places, None) if not self.spent else ():
            entry = self._entry(number, room, item)
            self.journal.decided(entry)
            yield from self._heard(number, entry)
            self.spent = self.spent or self.cut == number
        self.journal.decided(Written(round=number, room=room))

    def _entry(self, number: int, room: str, item: Draft | Rejection) -> Drafted | Refused:
        """An item of a writer as a decision; a name that was given before gets the round's number."""
        if isinstance(item, Rejection):
            return Refused(round=number, room=room, by="writer", rejection=item)
        name = item.name if not self.asked.named(item.name) else f"{item.name[:110]}-r{number}"
        return Drafted(round=number, draft=item.model_copy(update={"name": name, "room": room}))

    def _heard(self, number: int, entry: Drafted | Refused) -> Iterator[Draft]:
        if isinstance(entry, Drafted):
            self.hoped.update(step.skill for step in entry.draft.workflow.steps if step.without is not None)
            self._tell(number, "drafted")
            yield entry.draft
        else:
            if entry.rejection.reason == "budget_spent":
                self.cut = number
            self._tell(number, "rejected")

    def _wanted(self, number: int, room: str) -> Wanted:
        """Skills that few tasks need are wanted most; each round and room has a seed of its own."""
        missing = self.goal.tasks - self.chosen
        digest = sha256(f"{self.goal.seed} {number} {room}")
        return Wanted(
            skills=self.goal.skills,
            number=min(_DRAFTS_A_ROOM, 1 + math.ceil(missing * _DRAFTS_A_TASK / len(self.rooms))),
            seed=int(digest[:12], 16),
            weights={skill: 1 / (1 + self.covered[skill] + self.hoped[skill]) for skill in self.goal.skills},
            covered=frozenset(self.covered),
        )

    def _is_new(self, number: int, draft: Draft) -> bool:
        """Whether neither name, question nor program was drafted before; a twin is refused."""
        if twin := self.asked.twin(draft):
            self._refuse(number, draft, twin)
        return twin is None

    def _refuse(self, number: int, draft: Draft, rejection: Rejection) -> None:
        self.journal.decided(Refused(round=number, room=draft.room, by="duplicate", rejection=rejection))
        self._tell(number, "rejected")

    def _proved(self, number: int, drafts: Sequence[Draft]) -> Iterator[tuple[Draft, Proved]]:
        """The drafts of this round that pass, in their order: told again, or proved now."""
        known: list[Passed | Refused] = []
        while len(known) < len(drafts) and (entry := self.journal.again(Passed, Refused)):
            known.append(entry)
        rest = drafts[len(known) :]
        verdicts = self.provers.prove([(draft, self.rooms[draft.room]) for draft in rest])
        for draft, entry in zip(drafts, [*known], strict=False):
            yield from self._told_of(number, draft, entry)
        for draft, verdict in zip(rest, verdicts, strict=True):
            entry = _decision(number, draft, verdict)
            self.journal.decided(entry)
            yield from self._told_of(number, draft, entry)

    def _told_of(self, number: int, draft: Draft, entry: Passed | Refused) -> Iterator[tuple[Draft, Proved]]:
        self._tell(number, "proved" if isinstance(entry, Passed) else "rejected")
        if isinstance(entry, Passed):
            yield draft, entry.proved

    def _tell(self, number: int, what: str) -> None:
        self.counts[what] += 1
        counts = self.counts
        self.told(State(number, counts["drafted"], counts["proved"], counts["rejected"], self.chosen))


def _decision(number: int, draft: Draft, verdict: Verdict) -> Passed | Refused:
    if verdict.proved is not None:
        return Passed(round=number, proved=verdict.proved)
    assert verdict.rejection is not None
    return Refused(round=number, room=draft.room, by="proof", rejection=verdict.rejection)
