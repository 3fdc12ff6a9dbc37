"""Which skills a model is asked about for a task: all, or those near to what its question and solution say.

Near by meaning (vectors), by words, or used by other solutions beside skills that are near.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.chat.base import Embedder
from benchwright.errors import InputError
from benchwright.files import sha256
from benchwright.skills.annotation.asking import Case
from benchwright.skills.annotation.ranking import Companions, Words, fused, ranks
from benchwright.skills.embedding import KeptVectors
from benchwright.skills.nodes import SkillNode

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VECTORS_FILE = "vectors.sqlite"
_SENTENCES = re.compile(r"(?<=[.;:?!])\s+|\n+")
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")
_CAPITALS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MARKS = re.compile(r"[\W_]+")
_LINES, _MOST_PARTS = 6, 2_000


@dataclass(frozen=True, slots=True)
class Shortlist:
    """How many skills are offered for a task, found by which embedder.

    `audit` is the share of tasks (at least one, unless 0) for which all skills are asked about nevertheless: what of
    them the shortlist would have left out is measured there.
    """

    embedder: Embedder
    size: int
    audit: float = 0.05

    def __post_init__(self) -> None:
        if self.size < 1 or not 0 <= self.audit <= 1:
            expected = "at least one skill, and a share from 0 to 1"
            raise InputError("a shortlist", found=f"{self.size} skills, audit {self.audit}", expected=expected)


@dataclass(frozen=True, slots=True)
class Offer:
    """The skills that each task is asked about; without shortlists all of them."""

    skills: Sequence[SkillNode]
    near: Mapping[str, frozenset[int]] = field(default_factory=dict)
    audited: frozenset[str] = frozenset()

    def to(self, task: str) -> tuple[SkillNode, ...]:
        """The skills that a model is asked about, in their own order."""
        if task not in self.near or task in self.audited:
            return tuple(self.skills)
        return tuple(self.skills[place] for place in sorted(self.near[task]))

    def left_out(self, task: str, used: Iterable[str]) -> tuple[str, ...]:
        """Of the skills that an audited task uses those that its shortlist does not hold."""
        if task not in self.audited:
            return ()
        held = {self.skills[place].name for place in self.near[task]}
        return tuple(name for name in used if name not in held)


async def offer(
    skills: Sequence[SkillNode], cases: Mapping[str, Case], shortlist: Shortlist | None, folder: Path
) -> Offer:
    """What is offered to each task; vectors are kept in the folder. Errors: `Broken` where the embedder gives none."""
    if shortlist is None or shortlist.size >= len(skills):
        return Offer(skills)
    with KeptVectors(folder / VECTORS_FILE) as kept:
        described = await kept.of(shortlist.embedder, [f"{node.name}: {node.description}" for node in skills])
        words, companions, near = Words(skills), Companions(skills), {}
        for task, case in cases.items():
            parts = parts_of(case)
            said = [by_meaning(await kept.of(shortlist.embedder, parts), described), words.closeness("\n".join(parts))]
            along = companions.closeness(fused(said))
            near[task] = nearest([*said, along], shortlist.size)
    return Offer(skills, near, audited(cases, shortlist.audit))


def audited(tasks: Iterable[str], share: float) -> frozenset[str]:
    """A sample of tasks that depends on their names alone: one in so many, and the same whenever it is drawn."""
    ordered = sorted(tasks, key=lambda task: (sha256(f"audit\0{task}"), task))
    return frozenset(ordered[: ceil(share * len(ordered))])


def by_meaning(rows: NDArray[np.float32], skills: NDArray[np.float32]) -> NDArray[np.float64]:
    """How close each skill is to the part of a task that is nearest to it."""
    import numpy as np

    return np.asarray((rows @ skills.T).max(axis=0), dtype=np.float64)


def nearest(rankings: Sequence[NDArray[np.float64]], size: int) -> frozenset[int]:
    """The first so many skills of all rankings together; of equals the first."""
    import numpy as np

    return frozenset(np.flatnonzero(ranks(fused(rankings)) < size).tolist())


def parts_of(case: Case) -> list[str]:
    """The question's sentences and the solution's paragraphs, a few lines each, its names taken apart into words."""
    found = dict.fromkeys(part.strip() for part in _SENTENCES.split(case.question))
    for paragraph in _PARAGRAPHS.split(case.solution):
        lines = paragraph.splitlines()
        for start in range(0, len(lines), _LINES):
            found[_words("\n".join(lines[start : start + _LINES]))] = None
    return [part for part in found if part][:_MOST_PARTS] or [" "]


def _words(code: str) -> str:
    return " ".join(_MARKS.sub(" ", _CAPITALS.sub(" ", code)).split())
