"""Asking a model to score every application of a skill (AgenticDataBench, section 6.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import fsum
from pathlib import Path

from pydantic import Field

from benchwright.analysis.failures.casefile import Casefile, casefile
from benchwright.analysis.failures.reasons import Planned
from benchwright.analysis.kept import KeptFile, OfAttempt
from benchwright.chat.asking import Ledger, Limits, Progress, Question, ask_all
from benchwright.chat.base import ChatModel, Message
from benchwright.chat.prompts import fenced_messages, prompt, reply_token
from benchwright.files import Record, sha256
from benchwright.run import Key, RunFolder
from benchwright.score import Scored
from benchwright.scoring.verdicts import Mode
from benchwright.suite import Suite

_PROMPTS = Path(__file__).with_name("prompts")
_NAMES = ("system", "case")
_APART = 0.25
"""How far the mean of an attempt's applications may lie from its own score."""


class Applications(OfAttempt):
    """The scores of one attempt's skills, each from 0 to 1."""

    scores: dict[str, float]


APPLICATIONS = KeptFile("skills.jsonl", Applications)


class _One(Record):
    skill: str
    score: float = Field(ge=0.0, le=1.0, allow_inf_nan=False)


class Scores(Record):
    """A reply: every skill of the task with its score."""

    case: str
    skills: tuple[_One, ...]


async def score_applications(
    suite: Suite,
    run: RunFolder,
    mode: Mode,
    model: ChatModel,
    ledger: Ledger,
    told: Callable[[Progress], None] = lambda _: None,
) -> tuple[int, int]:
    """Ask of every attempt that has a verdict, and whose task names skills; keep the scores in the run folder.

    Returns how many attempts were asked of, and of how many no usable answer came. Replies may quote gold: the ledger
    must not lie in the run folder. Errors: those of `ask_all`.
    """
    planned = Planned(suite, run, mode)
    keys = [key for key in planned.keys if _judged(planned, key) and suite.label(key.task_id).skills]
    questions = (_question(planned, key) for key in keys)
    stage = f"skills/{mode}/{run.path.absolute()}"
    answers = await ask_all(model, stage, questions, ledger, Limits(), told)
    said = [
        Applications(
            **key._asdict(),
            uuid=planned.attempts[key].uuid,
            mode=mode,
            model=model.name,
            prompt=prompt_digest(),
            scores={one.skill: one.score for one in found.read(Scores).skills},
        )
        for key in keys
        if (found := answers.get(str(key))) is not None and found.status == "done"
    ]
    APPLICATIONS.keep(run, said)
    return len(keys), len(keys) - len(said)


def _judged(planned: Planned, key: Key) -> bool:
    return key in planned.attempts and isinstance(planned.score(key), Scored)


def _question(planned: Planned, key: Key) -> Question[Scores]:
    case, score = casefile(planned, key), planned.score(key)
    value = score.value if isinstance(score, Scored) else 0.0
    skills = tuple(dict.fromkeys(planned.suite.label(key.task_id).skills))
    messages, token = _asked(case, skills, value)
    rule = f"{value:.6f}"
    return Question(str(key), messages, Scores, lambda said: "; ".join(_complaints(said, token, skills, value)), rule)


def _asked(case: Casefile, skills: Sequence[str], value: float) -> tuple[tuple[Message, ...], str]:
    texts = {**case.texts(), "named": "\n".join(skills)}
    token = reply_token(*texts.values())
    return fenced_messages(_PROMPTS, _NAMES, texts, token=token, value=f"{value:.3f}"), token


def _complaints(said: Scores, token: str, skills: Sequence[str], value: float) -> Iterator[str]:
    if said.case != token:
        yield f'"case" is not {token}'
    named = [one.skill for one in said.skills]
    if sorted(named) != sorted(skills):
        wrong = sorted({*named} ^ {*skills}) or sorted(name for name in {*named} if named.count(name) > 1)
        yield f"every skill of the list once, and no other; look at {', '.join(wrong[:5])}"
        return
    mean = fsum(one.score for one in said.skills) / len(said.skills)
    if abs(mean - value) > _APART:
        yield f"the mean of the scores is {mean:.2f}, and the attempt's score {value:.2f}: they do not fit"


def prompt_digest() -> str:
    """SHA-256 of the prompts."""
    return sha256("\0".join(prompt(_PROMPTS, name) for name in _NAMES))
