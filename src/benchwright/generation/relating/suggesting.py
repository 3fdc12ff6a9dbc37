"""A model suggests which columns join once rewritten; what does not measure well is told with the measured reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from benchwright.chat.base import ChatModel
from benchwright.chat.prompts import fenced_messages, reply_token
from benchwright.chat.replies import objects
from benchwright.errors import InputError
from benchwright.files import Record
from benchwright.generation.relating.ways import MEANINGS, Shared, Way, shared
from benchwright.profiles.batches import batches
from benchwright.profiles.delimited_rows import LaterRowsDiffer
from benchwright.profiles.entries import FileProfile
from benchwright.profiles.fuzzy import Fuzzy
from benchwright.profiles.prompt import as_prompt, quoted
from benchwright.profiles.relations import Join, Relation

PROMPTS = Path(__file__).parent / "prompts"
LEAST_SHARE, LEAST_MATCHED, MOST_CHANCE = 0.5, 3, 0.01
"""What a suggestion has to measure: as much in common, in as many different values, and as rarely by accident."""

_MOST_PAIRS = 20
_MOST_VALUES = 50_000


class Pair(Record):
    """A suggestion, as a model makes it."""

    left: str
    left_column: str
    right: str
    right_column: str
    way: Way


class Suggested(Record):
    """A suggestion and what was measured; `refused` says why it does not count, empty where it does.

    `exact` is false where a column has more different values than were looked at.
    """

    pair: Pair
    model: str
    share: float = 0.0
    of: int = 0
    matched: int = 0
    chance: float = 1.0
    exact: bool = True
    refused: str = ""


def kept(suggested: Sequence[Suggested]) -> tuple[Fuzzy, ...]:
    """The suggestions that count, as relations for review."""
    return tuple(
        Fuzzy(
            **each.pair.model_dump(exclude={"way"}),
            way=each.pair.way,
            contained=each.share,
            chance=each.chance,
            exact=each.exact,
            suggested_by=each.model,
        )
        for each in suggested
        if not each.refused
    )


async def suggest(
    folder: Path, entries: Sequence[FileProfile], relations: Sequence[Relation], model: ChatModel
) -> tuple[Suggested, ...]:
    """What the model suggests of the files in a folder, each measured, those that count first.

    A reply that cannot be read suggests nothing. Raises what `model.reply` raises.
    """
    joins = [each for each in relations if isinstance(each, Join) and each.accepted is not False]
    texts = {"files": as_prompt(entries), "known": _known(joins)}
    token = reply_token(*texts.values())
    ways = "\n".join(f"- {way}: {meaning}" for way, meaning in MEANINGS.items())
    names = ("suggest_system", "suggest_user")
    messages = fenced_messages(PROMPTS, names, texts, token=token, ways=ways, most=_MOST_PAIRS)
    reply = await model.reply(messages)
    columns = {entry.path: [column.name for table in entry.tables for column in table.columns] for entry in entries}
    found = [_measured(folder, pair, columns, model.name) for pair in _pairs(reply.text, token)]
    return tuple(sorted(found, key=lambda each: (bool(each.refused), -each.share, each.pair.left, each.pair.right)))


def _known(joins: Sequence[Join]) -> str:
    told = (
        f"{quoted(each.left)} {quoted(each.left_column)} = {quoted(each.right)} {quoted(each.right_column)}"
        for each in joins[:100]
    )
    return "\n".join(told) or "(none)"


def _pairs(reply: str, token: str) -> Iterator[Pair]:
    """The pairs of the object that answers this question, each once; what is no pair is passed over."""
    answer: Mapping[str, Any] = next((each for each in objects(reply) if each.get("case") == token), {})
    listed = answer.get("pairs")
    seen: set[Pair] = set()
    for value in listed[:_MOST_PAIRS] if isinstance(listed, list) else ():
        try:
            pair = Pair.model_validate(value)
        except ValidationError:
            continue
        if pair not in seen:
            seen.add(pair)
            yield pair


def _measured(folder: Path, pair: Pair, columns: Mapping[str, Sequence[str]], model: str) -> Suggested:
    complaint = _not_there(pair, columns)
    if complaint:
        return Suggested(pair=pair, model=model, refused=complaint)
    try:
        left, all_left = _values(folder / pair.left, pair.left_column)
        right, all_right = _values(folder / pair.right, pair.right_column)
    except (InputError, KeyError) as error:
        return Suggested(pair=pair, model=model, refused=f"cannot be read: {error}"[:200])
    found = shared(left, right, pair.way)
    return Suggested(
        pair=pair,
        model=model,
        share=found.share,
        of=found.of,
        matched=found.matched,
        chance=found.chance,
        exact=all_left and all_right,
        refused=_refusal(found),
    )


def _not_there(pair: Pair, columns: Mapping[str, Sequence[str]]) -> str:
    """Whether files and columns are known: nothing else is opened, whatever a model names."""
    for name, column in ((pair.left, pair.left_column), (pair.right, pair.right_column)):
        if name not in columns:
            return f"no file {name[:80]!r}"
        if column not in columns[name]:
            return f"{name} has no column {column[:80]!r}"
    return "both columns are of one file" if pair.left == pair.right else ""


def _refusal(found: Shared) -> str:
    if found.equal >= LEAST_SHARE:
        return f"joins as it is: {found.equal:.2f} of the values are equal"
    if found.share < LEAST_SHARE:
        return f"{found.matched} of {found.of} values are there ({found.share:.2f}, not {LEAST_SHARE})"
    if found.matched < LEAST_MATCHED:
        return f"only {found.matched} different values are there"
    if found.chance > MOST_CHANCE:
        return f"as many numbers are there by accident with probability {found.chance:.2f}"
    return ""


def _values(path: Path, column: str) -> tuple[set[str], bool]:
    """The different values of a column as text, and whether these are all."""
    for thorough in (False, True):
        values: set[str] = set()
        try:
            with ExitStack() as held:
                for frame in batches(path, thorough=thorough, held=held):
                    if column not in frame.columns:
                        raise KeyError(column)
                    values.update(str(value) for value in frame[column].drop_nulls().unique(maintain_order=True))
                    if len(values) > _MOST_VALUES:
                        return set(sorted(values)[:_MOST_VALUES]), False
        except LaterRowsDiffer:
            continue
        return values, True
    return set(), False
