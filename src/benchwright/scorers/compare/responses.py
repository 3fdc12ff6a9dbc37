"""Free responses against the facts of a gold: right, wrong, or not to be told by rules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Literal

from benchwright.score import Evidence, Score, Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.scorers.compare.dates import same_moment
from benchwright.scorers.compare.facts import Fact, pieces, read_facts
from benchwright.scorers.compare.numbers import Number, NumberRule, compare_numbers
from benchwright.scorers.compare.opening import UnreadableOutput, read_output
from benchwright.scorers.compare.text import fold, normalise
from benchwright.trajectory import Submission

Verdict = Literal["right", "wrong", "cannot tell"]
SameNumber = Callable[[Number, Number], bool]
MOST_CHARACTERS = 20_000
_WORD = re.compile(r"\w+(?:['’.-]\w+)*")
_DOUBT = re.compile(
    r"(?i)\b(?:not|no|never|neither|nor|cannot|unable|unclear|unknown|instead|however|either|maybe|might|perhaps|or|\w+n't)\b"
)
_YES = frozenset({"yes", "true"})
_NO = frozenset({"no", "false", "none", "null"})


@dataclass(frozen=True, slots=True)
class Reading:
    """The verdict on a response, why, and what was found of each fact."""

    verdict: Verdict
    reason: str
    evidence: tuple[Evidence, ...] = ()


def two_decimals(gold: Number, found: Number) -> bool:
    """The paper's rule: equal when both are printed with two decimals."""
    cent = Decimal("0.01")
    if max(abs(gold.value), abs(found.value)) > Decimal(10) ** 20:
        return gold.value == found.value
    return gold.value.quantize(cent, ROUND_HALF_EVEN) == found.value.quantize(cent, ROUND_HALF_EVEN)


def stated_digits(gold: Number, found: Number) -> bool:
    """The stricter rule: equal in every digit that the gold states; further digits must round to them."""
    rule = NumberRule(percent=gold.percent, bare_percent=gold.percent, money=True, relative=Decimal("1e-9"))
    return not compare_numbers(gold, found, rule).fault


def read_response(response: str, facts: Sequence[Fact], question: str, same: SameNumber) -> Reading:
    """Judge a response by the facts of its gold. `same` says when two numbers are equal.

    A number or a day that is missing is wrong: there is no other way to say it. A name that is missing may be said
    otherwise, and more numbers than the gold and the question have may be candidates: rules cannot tell either.
    """
    text = normalise(response)[:MOST_CHARACTERS]
    if not text:
        return Reading("wrong", "no response")
    record = _record(response)
    if record is not None and (keyed := _by_key(record, facts, same)) is not None:
        return keyed
    if record is not None:
        text = "\n".join(_shown(value) for value in _leaves(record))
    return _Text(text, question, same).reading(facts)


def _record(response: str) -> dict[str, Any] | list[Any] | None:
    try:
        value = json.loads(response)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _leaves(value: Any, depth: int = 0) -> list[Any]:
    if depth > 20:
        return []
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _leaves(item, depth + 1)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item, depth + 1)]
    return [value]


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _by_key(record: Any, facts: Sequence[Fact], same: SameNumber) -> Reading | None:
    """The verdict on a record with the gold's own keys; None where the keys are others."""
    if not isinstance(record, dict):
        return None
    keys = [*dict.fromkeys(fact.key for fact in facts)]
    values = {_bare(name): value for name, value in record.items()}
    if not all(keys) or {_bare(key) for key in keys} != set(values):
        return None
    parts = []
    for key in keys:
        wanted = [fact for fact in facts if fact.key == key]
        value = values[_bare(key)]
        if len(_leaves(value)) != len(wanted):
            parts.append(Reading("wrong", f"{key}: {len(wanted)} values expected"))
            continue
        parts.append(_Text("\n".join(map(_shown, _leaves(value))), "", same).reading(wanted))
    evidence = tuple(item for part in parts for item in part.evidence)
    for verdict in ("wrong", "cannot tell"):
        if found := next((part for part in parts if part.verdict == verdict), None):
            return Reading(found.verdict, found.reason, evidence)
    return Reading("right", "every key holds its value", evidence)


def _bare(name: str) -> str:
    return re.sub(r"[\W_]+", "", fold(normalise(name)))


class _Text:
    """A response as text, with its numbers, days and words."""

    def __init__(self, text: str, question: str, same: SameNumber) -> None:
        self.text, self.same = text, same
        self.words = [fold(word) for word in _WORD.findall(text)]
        self.pieces = [fact for _, _, fact in pieces(text)]
        self.asked = [fact for _, _, fact in pieces(normalise(question))]
        self.question_words = {fold(word) for word in _WORD.findall(normalise(question))}
        self.used: list[int] = []

    def reading(self, facts: Sequence[Fact]) -> Reading:
        """The verdict, with one piece of evidence for each fact."""
        if not facts:
            return Reading("cannot tell", "the gold states nothing that could be looked for")
        missing = [fact for fact in facts if not self._states(fact)]
        evidence = tuple(
            Evidence(part=fact.key, verdict="wrong" if fact in missing else "right", expected=fact.text)
            for fact in facts
        )
        hard = [fact for fact in missing if fact.kind in ("number", "moment")]
        if hard:
            return Reading("wrong", f"{hard[0].kind} missing", evidence)
        if missing:
            prose = any(fact.prose for fact in facts)
            decided = len(missing) == len(facts) and self._is_a_bare_value() and not prose
            return Reading("wrong" if decided else "cannot tell", f"{missing[0].kind} not found", evidence)
        doubt = self._doubt(facts)
        return Reading("cannot tell" if doubt else "right", doubt or "every fact is stated", evidence)

    def _states(self, fact: Fact) -> bool:
        if fact.kind == "truth":
            wanted, other = (_YES, _NO) if fact.text == "true" else (_NO, _YES)
            return bool(wanted & set(self.words)) and not other & set(self.words)
        if fact.kind == "name":
            return self._says(fact.text)
        for place, piece in enumerate(self.pieces):
            if place not in self.used and self._equal(fact, piece):
                self.used.append(place)
                return True
        return False

    def _equal(self, fact: Fact, piece: Fact) -> bool:
        if fact.number is not None and piece.number is not None:
            return self.same(fact.number, piece.number)
        if fact.moment is not None and piece.moment is not None:
            return same_moment(fact.moment, piece.moment)
        return False

    def _says(self, name: str) -> bool:
        """Whether the words of a name follow each other."""
        wanted = [fold(word) for word in _WORD.findall(name)]
        last = len(self.words) - len(wanted)
        return bool(wanted) and any(self.words[at : at + len(wanted)] == wanted for at in range(last + 1))

    def _is_a_bare_value(self) -> bool:
        """Whether the response is a value and no sentence: another name than the gold's is then another answer."""
        return len(self.words) <= 3 and not self.text.endswith("?")

    def _doubt(self, facts: Sequence[Fact]) -> str:
        """Why a response that states everything may still say something else; empty where it cannot."""
        surplus = [
            piece.text
            for place, piece in enumerate(self.pieces)
            if place not in self.used
            and not any(self._equal(piece, asked) for asked in self.asked)
            and not any(self._equal(fact, piece) for fact in facts)
        ]
        if surplus:
            return f"more numbers than the gold has: {', '.join(surplus[:3])}"
        if any(fact.prose for fact in facts):
            return "the gold is prose"
        stated = {fold(word) for fact in facts for word in _WORD.findall(fact.text)}
        doubtful = [word for word in _DOUBT.findall(self.text) if fold(word) not in stated | self.question_words]
        if doubtful:
            return f"the response says {doubtful[0]!r}"
        if self._in_another_order(facts):
            return "the values stand in another order"
        return self._candidates(facts)

    def _in_another_order(self, facts: Sequence[Fact]) -> bool:
        """Whether values that could be taken for each other changed places: whole numbers, decimals, or days."""
        values = [fact for fact in facts if fact.kind in ("number", "moment")]
        places: dict[object, list[int]] = {}
        for fact, place in zip(values, self.used, strict=True):
            if fact.group < 0:
                places.setdefault((fact.kind, fact.number and fact.number.is_integer), []).append(place)
        return any(found != sorted(found) for found in places.values())

    def _candidates(self, facts: Sequence[Fact]) -> str:
        """Whether a name stands in a list with others that the gold does not have."""
        names = [fact for fact in facts if fact.kind == "name"]
        stated = {word for fact in facts for word in map(fold, _WORD.findall(f"{fact.text} {fact.key}"))}
        for fact in names:
            pattern = rf"(?i)(?<!\w){re.escape(fold(fact.text))}(?!\w)\s*(?:,|/|\band\b|&)\s*(\w+)"
            for match in re.finditer(pattern, fold(self.text)):
                follower = match.group(1)
                if not follower.isdigit() and follower not in stated | self.question_words | _LINKING:
                    return f"{fact.text!r} stands in a list with {follower!r}"
        return ""


_LINKING = frozenset("with at and the a an its it which where whose that this in of for to by r is was has".split())


NEEDS_A_JUDGE = "judge: rules cannot tell"
_OPTIONS = frozenset({"answer_type", "tolerance"})


def score_response(submission: Submission, expected: Expected, same: SameNumber) -> Score:
    """1 or 0 where the facts of the gold decide; else Unscored, with what a judge needs in the details."""
    gold, options = expected.gold, expected.check.options
    unknown = sorted(set(options) - _OPTIONS)
    if unknown:
        return Unscored(reason=f"suite: the response scorer has no option {unknown[0]!r}")
    golds = [text for text in (gold.answer, *gold.alternatives) if text is not None and text.strip()]
    if not golds:
        return Unscored(reason="suite: no gold answer", details={"gold": "missing"})
    question = "\n".join((expected.task.question, *expected.task.variants.values()))
    answer = submission.answer or ""
    readings = [read_response(answer, read_facts(text, options), question, same) for text in golds]
    best = min(readings, key=lambda reading: ("right", "cannot tell", "wrong").index(reading.verdict))
    return _score(best, submission)


def _score(reading: Reading, submission: Submission) -> Score:
    if reading.verdict == "cannot tell":
        details = {"judge": "needed", "record": _record_of(submission)}
        return Unscored(reason=f"{NEEDS_A_JUDGE}: {reading.reason}", details=details)
    return Scored(
        value=float(reading.verdict == "right"),
        reason=reading.reason,
        evidence=reading.evidence,
        details={"decided_by": "rules"},
    )


RECORD = "response.json"
"""What an approach hands in beside its answer: code, output, rationale and the names of its pictures."""

_RECORD_BYTES = 1 << 20
_RECORD_CHARACTERS = 20_000


def _record_of(submission: Submission) -> dict[str, Any]:
    """What a judge is given of a submission: its answer, and the texts of its record where there is one."""
    answer = {"answer": (submission.answer or "")[:_RECORD_CHARACTERS]}
    path = submission.files.get(RECORD)
    if path is None:
        return answer
    try:
        value = _record(read_output(path, _RECORD_BYTES).decode("utf-8-sig", "replace"))
    except UnreadableOutput:
        return answer
    if not isinstance(value, dict):
        return answer
    named = [name for name in ("code", "output", "rationale") if name in value]
    texts: dict[str, Any] = {name: str(value[name])[:_RECORD_CHARACTERS] for name in named}
    listed = value.get("pictures")
    pictures = [str(name) for name in listed[:10]] if isinstance(listed, list) else []
    return {**answer, **texts, "pictures": [name for name in pictures if name in submission.files]}
