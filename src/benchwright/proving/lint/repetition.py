"""Rules: a gold that repeats what the agent is told, instead of an answer of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.proving.findings import Severity
from benchwright.proving.guideline import examples
from benchwright.proving.lint.base import Case, TaskRule, quoted
from benchwright.proving.lint.text import plain, shared_run, words

_QUOTED = re.compile(r"'[^'\n]{3,}?'(?!\w)|\"[^\"\n]{3,}?\"|`[^`\n]{3,}?`|“[^”\n]{3,}?”")
_LONG_RUN = 6


def repeats_guideline(case: Case) -> Iterator[str]:
    """A run of six words or more of the guideline stands in the gold; literals that it quotes do not count."""
    run = shared_run(case.answer, _QUOTED.sub(" ¶ ", case.task.guidelines))
    if run >= _LONG_RUN or (run >= 4 and run == len(words(case.answer))):
        yield f"{run} words in a row stand in the guideline too; the gold is {quoted(case.answer)}"


def repeats_question(case: Case) -> Iterator[str]:
    """The gold is the question, or most of it."""
    run = shared_run(case.answer, case.task.question)
    if run >= _LONG_RUN and run >= 0.5 * len(words(case.answer)) and not _is_choice(case):
        yield f"{run} words in a row stand in the question too; the gold is {quoted(case.answer)}"


def _is_choice(case: Case) -> bool:
    """Whether the words of the gold stand between quotes in the question: a choice that it offers."""
    offered = plain(" ".join(_QUOTED.findall(case.task.question)))
    return any(plain(part) in offered for part in case.answer.split(";") if len(words(part)) >= 3)


def equals_example(case: Case) -> Iterator[str]:
    """The gold is the example that the guideline gives."""
    for example in examples(case.task.guidelines):
        if plain(example.text) == plain(case.answer) and plain(case.answer):
            yield f"the guideline's example is {quoted(example.text)}, and so is the gold"
            return


RULES = (
    TaskRule(
        "gold-repeats-guideline",
        Severity.ERROR,
        "the gold is an instruction, not an answer: write the answer",
        repeats_guideline,
    ),
    TaskRule(
        "gold-repeats-question", Severity.ERROR, "the gold is the question, not an answer: write it", repeats_question
    ),
    TaskRule(
        "gold-equals-example",
        Severity.WARNING,
        "the prompt gives the answer away: choose an example that is not the answer",
        equals_example,
    ),
)
