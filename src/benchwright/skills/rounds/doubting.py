"""Names that vectors alone leave in doubt, close pairs and the ends of chains: a model has the last word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.chat.asking import Ledger, Limits, Question, ask_all
from benchwright.chat.base import ChatModel
from benchwright.chat.fencing import shortened
from benchwright.chat.prompts import fenced_messages, reply_token
from benchwright.files import Record, canonical_json, sha256
from benchwright.skills.rounds.splitting import Telling, untold
from benchwright.skills.rounds.synonyms import CLOSENESS, Union, close_pairs, same_meaning, shortest
from benchwright.skills.rounds.words import sound_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PROMPTS = Path(__file__).parent / "prompts"
_BATCH, _MOST_TEXT = 20, 300


class SameVerdict(Record):
    """Whether the names of the pair of this number mean the same."""

    number: int
    same: bool


class SameForm(Record):
    """A verdict on each pair of a batch; `case` repeats the token of the question."""

    case: str
    pairs: tuple[SameVerdict, ...]


@dataclass(frozen=True, slots=True)
class Doubt:
    """Two names by their places, and the cosine of their vectors."""

    first: int
    second: int
    cosine: float


@dataclass(frozen=True, slots=True)
class Doubts:
    """Sets of names that vectors join, and what of it is put to a model.

    `ends`: a set's shortest name with each member that is only joined to it by others between them. `near`: the closest
    names of two sets that are close, but not close enough to be joined.
    """

    closeness: float
    sets: tuple[tuple[int, ...], ...]
    ends: tuple[Doubt, ...]
    near: tuple[Doubt, ...]


@dataclass(frozen=True, slots=True)
class Settled:
    """Sets of names that mean the same; `reasons` tell by place what a model said, where vectors say too little."""

    sets: tuple[tuple[int, ...], ...]
    closeness: float = CLOSENESS
    reasons: Mapping[int, str] = field(default_factory=dict)
    asked: int = 0
    same: int = 0


def doubts(
    names: Sequence[str], vectors: NDArray[np.float32], fresh: frozenset[int], closeness: float, ask_from: float
) -> Doubts:
    """What is doubtful among names of which some are fresh; sets without a fresh name were judged when they had one."""
    sets = tuple(same_meaning(names, vectors, closeness))
    of = {place: number for number, members in enumerate(sets) for place in members}
    holds_fresh = [not fresh.isdisjoint(members) for members in sets]
    ends = [
        doubt
        for members, wanted in zip(sets, holds_fresh, strict=True)
        if wanted
        for doubt in _ends(names, vectors, members, closeness)
    ]
    near: dict[tuple[int, int], Doubt] = {}
    for first, second, cosine in close_pairs(vectors, ask_from):
        pair = (min(of[first], of[second]), max(of[first], of[second]))
        if pair[0] == pair[1] or not (holds_fresh[pair[0]] or holds_fresh[pair[1]]):
            continue
        if pair not in near or cosine > near[pair].cosine:
            near[pair] = Doubt(first, second, cosine)
    return Doubts(closeness, sets, tuple(ends), tuple(near[pair] for pair in sorted(near)))


def _ends(names: Sequence[str], vectors: NDArray[np.float32], members: Sequence[int], closeness: float) -> list[Doubt]:
    """The members of a set that are not themselves close to its shortest name; of those of the same words one."""
    head = members[shortest([names[place] for place in members])]
    found = []
    for alike in _alike(names, members):
        cosine = float(vectors[alike[0]] @ vectors[head])
        if head not in alike and cosine < closeness:
            found.append(Doubt(head, alike[0], cosine))
    return found


def _alike(names: Sequence[str], members: Sequence[int]) -> list[list[int]]:
    """Members by the words of their names."""
    found: dict[frozenset[str], list[int]] = {}
    for place in members:
        found.setdefault(sound_words(names[place]), []).append(place)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class Judge:
    """Who is asked, where answers are kept, and within which limits."""

    model: ChatModel
    ledger: Ledger
    limits: Limits
    telling: Telling = untold


async def settle(names: Sequence[str], descriptions: Sequence[str], found: Doubts, judge: Judge, stage: str) -> Settled:
    """The sets as a model sees them: what it does not call the same, or gives no usable answer on, is not joined."""
    pairs = (*found.ends, *found.near)
    batches = [pairs[start : start + _BATCH] for start in range(0, len(pairs), _BATCH)]
    questions = [_question(batch, names, descriptions) for batch in batches]
    asked = await ask_all(judge.model, stage, questions, judge.ledger, judge.limits, judge.telling(len(questions)))
    same: set[Doubt] = set()
    for batch, question in zip(batches, questions, strict=True):
        if asked[question.key].status == "done":
            answer = asked[question.key].read(SameForm)
            same.update(batch[verdict.number - 1] for verdict in answer.pairs if verdict.same)
    return _settled(names, found, same)


def _settled(names: Sequence[str], found: Doubts, same: set[Doubt]) -> Settled:
    union = Union(len(names))
    apart = {doubt.second for doubt in found.ends if doubt not in same}
    for members in found.sets:
        head = members[shortest([names[place] for place in members])]
        for alike in _alike(names, members):
            for place in alike[1:]:
                union.join(alike[0], place)
            if alike[0] not in apart:
                union.join(head, alike[0])
    for doubt in found.near:
        if doubt in same:
            union.join(doubt.first, doubt.second)
    reasons: dict[int, str] = {}
    for doubt in sorted(same, key=lambda each: (-each.cosine, each.first, each.second)):
        for place, other in ((doubt.second, doubt.first), (doubt.first, doubt.second)):
            reasons.setdefault(place, f"the same as {names[other]!r} by the model, cosine {doubt.cosine:.3f}")
    return Settled(tuple(union.sets()), found.closeness, reasons, len(found.ends) + len(found.near), len(same))


def _question(batch: Sequence[Doubt], names: Sequence[str], descriptions: Sequence[str]) -> Question[SameForm]:
    """The question about pairs of names: texts of others as fenced data."""
    listed = []
    for number, doubt in enumerate(batch, start=1):
        shown = [_shown(names[place], descriptions[place]) for place in (doubt.first, doubt.second)]
        listed.append(f"{number}. {shown[0]}\n   {shown[1]}")
    text = "\n".join(listed)
    token = reply_token("same", text)

    def check(answer: SameForm) -> str:
        if answer.case != token:
            return f'"case" is not "{token}"'
        numbers = sorted(verdict.number for verdict in answer.pairs)
        if numbers != list(range(1, len(batch) + 1)):
            return f"verdicts on {numbers[:50]}; expected one on each of 1 to {len(batch)}"
        return ""

    messages = fenced_messages(_PROMPTS, ("same_system", "same_user"), {"pairs": text}, token=token, count=len(batch))
    key = sha256(canonical_json([[names[doubt.first], names[doubt.second]] for doubt in batch]))[:16]
    return Question(key, messages, SameForm, check)


def _shown(name: str, description: str) -> str:
    said = " ".join(shortened(description, _MOST_TEXT).split())
    return f"{' '.join(name.split())}: {said}" if said else " ".join(name.split())
