"""What reviewers wrote on pages: read back, checked, and held against each other."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from pydantic import ValidationError

from benchwright.agreement import Agreement, agreement_of
from benchwright.files import Record
from benchwright.generation.review.page import DECISION, FENCE
from benchwright.task import TaskId

Verdict = Literal["accept", "edit", "reject", ""]


class Decision(Record):
    """What one reviewer decided about one task; an empty verdict: nothing yet. Texts are empty where they stay."""

    task: TaskId
    verdict: Verdict
    reason: str = ""
    question: str = ""
    guidelines: str = ""

    @property
    def said(self) -> str:
        """The decision as it is compared: two that edit a task differently do not agree."""
        return self.verdict if self.verdict != "edit" else f"edit\n{self.question}\n{self.guidelines}"


class Settled(Record):
    """A task that is decided: by all reviewers alike (`by` "reviewers"), or by whoever adjudicated."""

    task: TaskId
    verdict: Literal["accept", "edit", "reject"]
    by: Literal["reviewers", "adjudication"]
    reason: str = ""
    question: str = ""
    guidelines: str = ""
    decisions: tuple[Decision, ...] = ()


class Ruling(Record):
    """Reviews held against each other: what is settled, where they differ, what nobody decided, how far they agree.

    `agreement` is over the tasks that both decided, by verdict alone; None with one reviewer.
    """

    settled: tuple[Settled, ...]
    differing: tuple[TaskId, ...]
    undecided: tuple[TaskId, ...]
    agreement: Agreement | None


class Unclear(Exception):
    """A page whose decision cannot be read; the message says why."""


def read_decision(text: str, task_id: str) -> Decision:
    """The decision on a page. Raises Unclear for one that is not there, is not TOML, or does not make sense."""
    block = _block(text)
    try:
        values = tomllib.loads(block)
        decision = Decision.model_validate(values)
    except tomllib.TOMLDecodeError as error:
        raise Unclear(f"the decision is not TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise Unclear(f"{where or 'the decision'}: {first['msg']}") from error
    decision = decision.model_copy(update={name: getattr(decision, name).strip() for name in _TEXTS})
    if decision.task != task_id:
        raise Unclear(f"the decision is about {decision.task}")
    if decision.verdict == "reject" and not decision.reason:
        raise Unclear("a task is rejected with a reason")
    edits = bool(decision.question or decision.guidelines)
    if edits != (decision.verdict == "edit"):
        raise Unclear("edit needs a new question or guidelines" if not edits else "new texts need the verdict edit")
    return decision


_TEXTS = ("reason", "question", "guidelines")


def _block(text: str) -> str:
    """What stands between the fences under the first heading of a decision."""
    lines = text.splitlines()
    if DECISION not in lines:
        raise Unclear(f"no line {DECISION!r}")
    below = lines[lines.index(DECISION) + 1 :]
    start = next((place for place, line in enumerate(below) if line.startswith(FENCE)), None)
    end = None if start is None else next((n for n, line in enumerate(below) if n > start and line == FENCE), None)
    if start is None or end is None or any(line.strip() for line in below[:start]):
        raise Unclear(f"no block between {FENCE}toml and {FENCE} under {DECISION!r}")
    return "\n".join(below[start + 1 : end])


def without_decision(text: str) -> str:
    """A page but for what a reviewer may change, line ends as they are compared."""
    lines = text.splitlines()
    if DECISION not in lines:
        return text
    start = lines.index(DECISION)
    end = next((n for n, line in enumerate(lines) if n > start + 2 and line == FENCE), start)
    return "\n".join(line.rstrip() for line in (*lines[:start], *lines[end + 1 :])).strip()


def rule(reviews: Sequence[Mapping[str, Decision]], adjudicated: Mapping[str, Decision]) -> Ruling:
    """Hold one review, or two, against each other; what differs is settled by adjudication alone."""
    tasks = list(dict.fromkeys(task for review in reviews for task in review))
    settled: list[Settled] = []
    differing: list[str] = []
    undecided: list[str] = []
    for task in tasks:
        said = [review[task] for review in reviews if task in review]
        final = adjudicated.get(task)
        if any(not each.verdict for each in said) or len(said) < len(reviews):
            undecided.append(task)
        elif len({each.said for each in said}) == 1:
            settled.append(_settled(said[0], "reviewers", said))
        elif final is not None and final.verdict:
            settled.append(_settled(final, "adjudication", (*said, final)))
        else:
            differing.append(task)
    return Ruling(
        settled=tuple(settled),
        differing=tuple(differing),
        undecided=tuple(undecided),
        agreement=_agreement(reviews) if len(reviews) > 1 else None,
    )


def _settled(final: Decision, by: Literal["reviewers", "adjudication"], said: Sequence[Decision]) -> Settled:
    reasons = dict.fromkeys(each.reason for each in said if each.verdict == final.verdict and each.reason)
    return Settled.model_validate(
        {**final.model_dump(), "by": by, "reason": "; ".join(reasons), "decisions": tuple(said)}
    )


def _agreement(reviews: Sequence[Mapping[str, Decision]]) -> Agreement | None:
    pairs = [*_both(*reviews[:2])]
    return agreement_of(pairs) if pairs else None


def _both(first: Mapping[str, Decision], second: Mapping[str, Decision]) -> Iterator[tuple[str, str]]:
    for task, decision in first.items():
        other = second.get(task)
        if other is not None and decision.verdict and other.verdict:
            yield decision.verdict, other.verdict
