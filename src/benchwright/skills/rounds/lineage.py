"""Skills as they grow, merge and go: who is above whom, with the reason for each that went, and no step lost."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Literal

from benchwright.skills.nodes import Removed


@dataclass(slots=True)
class Lineage:
    """A directed graph without circles: skills by id, those below and above each, and the steps each has of its own.

    What is merged goes into a top skill, and what is removed hands its children and steps to those above it: neither
    can make a circle, and a step is lost only with a top skill, in which case `loose` has the reason.
    """

    names: dict[str, str] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)
    rounds: dict[str, int] = field(default_factory=dict)
    children: dict[str, set[str]] = field(default_factory=dict)
    parents: dict[str, set[str]] = field(default_factory=dict)
    own: dict[str, set[str]] = field(default_factory=dict)
    gone: list[Removed] = field(default_factory=list)
    loose: dict[str, str] = field(default_factory=dict)
    made: dict[int, int] = field(default_factory=dict)

    def add(
        self, name: str, description: str, round_: int, children: Iterable[str] = (), steps: Iterable[str] = ()
    ) -> str:
        """A new top skill over some skills, or with some steps; its id is `<round + 1>-<number>`, as published."""
        number = self.made.get(round_, 0)
        self.made[round_] = number + 1
        skill = f"{round_ + 1}-{number}"
        self.names[skill], self.descriptions[skill], self.rounds[skill] = name, description, round_
        self.children[skill], self.parents[skill], self.own[skill] = set(children), set(), set(steps)
        for child in self.children[skill]:
            self.parents[child].add(skill)
        return skill

    def tops(self) -> list[str]:
        """The skills that none is above, in the order they were made."""
        return [skill for skill in self.names if not self.parents[skill]]

    def merge(self, skill: str, into: str, reason: str, round_: int) -> None:
        """Let a top skill take over another one; those that were above that one keep what it had."""
        for heir in {into, *self.parents[skill]}:
            self._hand_over(skill, heir)
        self._forget(skill, "merged", (into,), reason, round_)

    def remove(self, skill: str, reason: str, round_: int) -> None:
        """Take a skill out: what it had goes to those above it; without any its children are tops, its steps loose."""
        above = sorted(self.parents[skill])
        for heir in above:
            self._hand_over(skill, heir)
        if not above:
            self.loose.update(dict.fromkeys(self.own[skill], reason))
        self._forget(skill, "removed", tuple(above or sorted(self.children[skill])), reason, round_)

    def _hand_over(self, skill: str, heir: str) -> None:
        taken = self.children[skill] - {heir}
        self.children[heir] |= taken
        self.own[heir] |= self.own[skill]
        for child in taken:
            self.parents[child].add(heir)

    def _forget(
        self, skill: str, how: Literal["merged", "removed"], into: tuple[str, ...], reason: str, round_: int
    ) -> None:
        self.gone.append(Removed(id=skill, name=self.names[skill], how=how, into=into, reason=reason, round=round_))
        for child in self.children.pop(skill):
            self.parents[child].discard(skill)
        for parent in self.parents.pop(skill):
            self.children[parent].discard(skill)
        for kept in (self.names, self.descriptions, self.rounds, self.own):
            del kept[skill]

    def steps(self) -> dict[str, frozenset[str]]:
        """The steps of each skill, those of all skills below included."""
        found: dict[str, frozenset[str]] = {}
        for skill in self._from_below():
            found[skill] = frozenset(self.own[skill]).union(*(found[child] for child in self.children[skill]))
        return found

    def depths(self) -> dict[str, int]:
        """How many links each skill is below its nearest top skill."""
        level, depth = self.tops(), 0
        found: dict[str, int] = {}
        while level:
            found.update(dict.fromkeys(level, depth))
            below = dict.fromkeys(child for skill in level for child in sorted(self.children[skill]))
            level, depth = [skill for skill in below if skill not in found], depth + 1
        return found

    def _from_below(self) -> list[str]:
        """All skills, each after those below it."""
        waiting = {skill: len(below) for skill, below in self.children.items()}
        free = [skill for skill, count in waiting.items() if not count]
        for skill in free:
            for parent in self.parents[skill]:
                waiting[parent] -= 1
                if not waiting[parent]:
                    free.append(parent)
        return free

    def copy(self) -> Lineage:
        """One that can change without changing this one."""
        return deepcopy(self)
