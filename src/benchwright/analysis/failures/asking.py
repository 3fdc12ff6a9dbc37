"""Asking a model for the causes that rules cannot decide, without telling it what they say."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchwright.analysis.failures.casefile import Casefile, casefile
from benchwright.analysis.failures.classes import NOT_THE_AGENTS, SKILL_CLASSES, is_open
from benchwright.analysis.failures.opinions import OPINIONS, Opinion
from benchwright.analysis.failures.reasons import Planned, failures
from benchwright.analysis.failures.record import Failure
from benchwright.chat.asking import Asked, Ledger, Limits, Progress, Question, ask_all
from benchwright.chat.base import ChatModel
from benchwright.chat.prompts import fenced_messages, prompt, reply_token
from benchwright.files import Record, sha256
from benchwright.run import RunFolder
from benchwright.scoring.verdicts import Mode
from benchwright.suite import Suite

_PROMPTS = Path(__file__).with_name("prompts")
_NAMES = ("system", "case")
_STAGE = "failures"
_LONGEST_QUOTE = 300
_MEANINGS = {
    "global_limit": "it ran out of all its time, turns, tokens or money",
    "step_timeout": "a single call ran out of time, which led it to something worse or to nothing",
    "self_repair": "errors came back to it, and it did not put them right",
    "format": "the answer is right, but not in the form, the place or the file that was asked for",
    "never_found": "it never came across a data file that is needed",
    "found_unused": "it came across a data file that is needed, and did not use it or used another one",
    "no_answer": "it stopped without handing in anything, for no other cause in this list",
    **{name: f"a step of this kind is wrong or left out: {title}" for name, title in SKILL_CLASSES.items()},
}


class Cause(Record):
    """A reply: the class, and the step and the words that show it."""

    case: str
    reason: str = ""
    failure: str
    step: int | None = None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """How a run's failures are asked for: all that rules leave open, and `sample` that they decide, by `seed`."""

    model: ChatModel
    sample: int = 20
    seed: int = 0
    limits: Limits = field(default_factory=Limits)
    told: Callable[[Progress], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Asking:
    """How many attempts a model was asked of, and how many it gave no usable answer on."""

    asked: int
    failed: int


def chosen(rows: Sequence[Failure], sample: int, seed: int) -> list[Failure]:
    """The failures to ask a model for: those that rules leave open, and some that they decide, to compare."""
    those = [row for row in rows if row.failed and row.by_rules not in NOT_THE_AGENTS]
    sure = [row for row in those if not is_open(row.by_rules)]
    compared = random.Random(seed).sample(sure, min(sample, len(sure)))  # noqa: S311 - no secret depends on it
    return [row for row in those if is_open(row.by_rules) or row in compared]


async def inquire(suite: Suite, run: RunFolder, mode: Mode, inquiry: Inquiry, ledger: Ledger) -> Asking:
    """Ask, and keep what was said in the run folder; what is kept there already by the ledger is not asked again.

    Replies may quote gold: the ledger must not lie in the run folder. Errors: those of `ask_all`.
    """
    planned = Planned(suite, run, mode)
    rows = chosen(failures(suite, run, mode), inquiry.sample, inquiry.seed)
    cases = {str(row.key): casefile(planned, row.key) for row in rows}
    stage = f"{_STAGE}/{mode}/{run.path.absolute()}"
    questions = (_question(name, case) for name, case in cases.items())
    answers = await ask_all(inquiry.model, stage, questions, ledger, inquiry.limits, inquiry.told)
    opinions = [
        _opinion(planned, row, inquiry.model.name, found)
        for row in rows
        if (found := answers.get(str(row.key))) is not None and found.status == "done"
    ]
    OPINIONS.keep(run, opinions)
    return Asking(asked=len(rows), failed=len(rows) - len(opinions))


def _opinion(planned: Planned, row: Failure, model: str, found: Asked) -> Opinion:
    cause = found.read(Cause)
    attempt = planned.attempts[row.key]
    return Opinion(
        cell=row.cell,
        task_id=row.task_id,
        epoch=row.epoch,
        uuid=attempt.uuid,
        mode=planned.mode,
        model=model,
        prompt=prompt_digest(),
        failure=cause.failure,
        step=cause.step,
        quote=cause.quote[:_LONGEST_QUOTE],
    )


def _question(name: str, case: Casefile) -> Question[Cause]:
    texts = case.texts()
    token = reply_token(*texts.values())
    classes = "\n".join(f"- {name}: {meaning}" for name, meaning in _MEANINGS.items())
    messages = fenced_messages(_PROMPTS, _NAMES, texts, token=token, classes=classes)
    return Question(name, messages, Cause, check=lambda cause: "; ".join(_complaints(cause, token, case)))


def _complaints(cause: Cause, token: str, case: Casefile) -> Iterator[str]:
    if cause.case != token:
        yield f'"case" is not {token}'
    if cause.failure not in _MEANINGS:
        yield f'"failure" is none of {", ".join(_MEANINGS)}'
    if cause.quote.strip() and not case.holds(cause.step, cause.quote):
        yield f'"quote" does not stand in step {cause.step}: copy it letter by letter'


def prompt_digest() -> str:
    """SHA-256 of the prompts and of what they say of the classes."""
    return sha256("\0".join((*(prompt(_PROMPTS, name) for name in _NAMES), *_MEANINGS, *_MEANINGS.values())))
