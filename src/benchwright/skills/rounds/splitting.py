"""Asking a model to split a cluster into parent skills; what it leaves out is asked about once more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import Field

from benchwright.chat.asking import Asked, Ledger, Limits, Progress, Question, ask_all
from benchwright.chat.base import ChatModel
from benchwright.chat.fencing import shortened
from benchwright.chat.prompts import fenced_messages, reply_token
from benchwright.files import Record, canonical_json, sha256
from benchwright.skills.corpus.base import cleaned
from benchwright.skills.naming import GivenName

_PROMPTS = Path(__file__).parent / "prompts"
_MOST_TEXT = 600
_TOLD = 30
_LEAST_SORTED = 0.5
"""An answer that leaves out more than this is given back; what a better one leaves out is asked about once more."""


class ParentForm(Record):
    """A parent skill as a model gives it; members are numbers from 1."""

    name: GivenName = Field(min_length=3, max_length=100, pattern=r"^[^\n\r]*[^\s][^\n\r]*$")
    description: str = Field(default="", max_length=1000)
    members: tuple[int, ...] = Field(min_length=1)


class SplitForm(Record):
    """All parent skills of a cluster; `case` repeats the token of the question."""

    case: str
    skills: tuple[ParentForm, ...] = Field(min_length=1, max_length=200)


Telling = Callable[[int], Callable[[Progress], None]]
"""How many questions there are, to what is called with how far they are."""


def untold(_: int) -> Callable[[Progress], None]:
    """Tells nobody."""
    return lambda _: None


@dataclass(frozen=True, slots=True)
class Group:
    """A cluster to be split: ids of its items and their texts."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def key(self) -> str:
        """Its name in the ledger: whatever else happens, the same items are the same question."""
        return sha256(canonical_json(self.ids))[:16]


@dataclass(slots=True)
class Split:
    """What became of a cluster: parent skills by name with the ids of their items, and why others were left out."""

    descriptions: dict[str, str] = field(default_factory=dict)
    members: dict[str, list[str]] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)

    def take(self, answer: SplitForm, ids: Sequence[str]) -> None:
        """Add an answer about these items; a name that is there already gets more members."""
        known = {name.casefold(): name for name in self.members}
        for parent in answer.skills:
            name = known.setdefault(parent.name.casefold(), parent.name)
            self.descriptions.setdefault(name, cleaned(parent.description).strip())
            mine = self.members.setdefault(name, [])
            mine += [ids[number - 1] for number in parent.members if ids[number - 1] not in mine]

    def missing(self, ids: Sequence[str]) -> list[str]:
        """Items that are in no skill."""
        sorted_in = {each for members in self.members.values() for each in members}
        return [each for each in ids if each not in sorted_in]


async def split_all(
    model: ChatModel, stage: str, groups: Sequence[Group], ledger: Ledger, limits: Limits, telling: Telling = untold
) -> list[Split]:
    """Each cluster's parent skills, in the order of the clusters; no item is lost, and none is in no answer unsaid."""
    splits = {group.key: Split() for group in groups}
    first = [_question(group, ()) for group in groups]
    asked = await ask_all(model, f"{stage}: split", first, ledger, limits, telling(len(first)))
    for group in groups:
        _take(splits[group.key], asked[group.key], group)
    rests = {group.key: _rest(group, splits[group.key]) for group in groups}
    open_ones = [(key, rest) for key, rest in rests.items() if rest.ids]
    questions = [_question(rest, tuple(splits[key].members), key) for key, rest in open_ones]
    again = await ask_all(model, f"{stage}: repair", questions, ledger, limits, telling(len(questions)))
    for key, rest in open_ones:
        _take(splits[key], again[key], rest)
        reason = again[key].reason or "the model put it into no skill"
        splits[key].left = dict.fromkeys(splits[key].missing(rest.ids), reason)
    return [splits[group.key] for group in groups]


def _take(split: Split, asked: Asked, group: Group) -> None:
    if asked.status == "done":
        split.take(asked.read(SplitForm), group.ids)


def _rest(group: Group, split: Split) -> Group:
    left = split.missing(group.ids)
    texts: Mapping[str, str] = dict(zip(group.ids, group.texts, strict=True))
    return Group(tuple(left), tuple(texts[each] for each in left))


def _question(group: Group, names: Sequence[str], key: str = "") -> Question[SplitForm]:
    """The question about a cluster, or with names about what was left out of it: texts of others as fenced data."""
    shown = [" ".join(shortened(text, _MOST_TEXT).split()) for text in group.texts]
    items = "\n".join(f"{number}. {text}" for number, text in enumerate(shown, start=1))
    listed = "\n".join(names) or "(none)"
    token = reply_token("split", canonical_json(group.ids), listed, items)

    def check(answer: SplitForm) -> str:
        return f'"case" is not "{token}"' if answer.case != token else complaint(answer, len(shown))

    prompts = ("split_system", "repair_user" if key else "split_user")
    messages = fenced_messages(_PROMPTS, prompts, {"items": items, "names": listed}, token=token, count=len(shown))
    return Question(key or group.key, messages, SplitForm, check, rule=f"half of {len(shown)}")


def complaint(answer: SplitForm, count: int) -> str:
    """What is wrong with an answer about so many items; empty where it can be used."""
    numbers = {number for parent in answer.skills for number in parent.members}
    if strange := sorted(number for number in numbers if not 1 <= number <= count):
        return f"there are items 1 to {count}, and no {', '.join(map(str, strange[:_TOLD]))}"
    names = Counter(parent.name.casefold() for parent in answer.skills)
    if twice := next((name for name, times in names.items() if times > 1), ""):
        return f"two skills are called {twice!r}"
    missing = sorted(set(range(1, count + 1)) - numbers)
    if len(missing) > count * _LEAST_SORTED:
        return f"these items are in no skill: {', '.join(map(str, missing[:_TOLD]))}"
    return ""
