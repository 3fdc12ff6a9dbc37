"""Golds that several independent answers agree against: the first thing to read again in a suite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from benchwright.proving.findings import Finding, Severity
from benchwright.proving.lint.base import quoted
from benchwright.proving.lint.text import plain
from benchwright.score import Scored
from benchwright.scoring.jobs import Job
from benchwright.scoring.workers import score_jobs
from benchwright.suite import Suite
from benchwright.trajectory import Submission

LEAST, SHARE = 3, 2 / 3


def suspects(suite: Suite, answers: Mapping[str, Sequence[str]]) -> Iterator[Finding]:
    """Tasks on which at least three answers, and two thirds of all, are one and the same, and the gold another.

    `answers` maps task ids to the answers of independent agents. Agreement is of the text, but for case, spaces and
    punctuation; whether it is against the gold is for the suite's own checks to say.
    """
    agreed = {name: found for name, given in answers.items() if name in suite.tasks and (found := _agreed(given))}
    jobs = [Job(name, Submission(answer=answer), modes=("sound",)) for name, (answer, _) in agreed.items()]
    for scores in score_jobs(suite.folder, jobs) if jobs else ():
        answer, count = agreed[scores.task_id]
        if isinstance(scores.sound, Scored) and scores.sound.value < 1.0:
            yield _finding(suite, scores.task_id, answer, f"{count} of {len(answers[scores.task_id])}")


def _agreed(given: Sequence[str]) -> tuple[str, int] | None:
    """The answer on which enough of them agree, and how many do."""
    answered = [answer for answer in given if plain(answer)]
    counts = Counter(plain(answer) for answer in answered)
    if not counts:
        return None
    text, count = counts.most_common(1)[0]
    enough = count >= LEAST and count >= SHARE * len(given)
    return (next(answer for answer in answered if plain(answer) == text), count) if enough else None


def _finding(suite: Suite, task_id: str, answer: str, share: str) -> Finding:
    gold = suite.golds[task_id].answer or ""
    return Finding(
        task_id=task_id,
        rule="suspect-gold",
        severity=Severity.WARNING,
        evidence=f"{share} independent answers are {quoted(answer, 80)}, the gold is {quoted(gold, 80)}",
        hint="strong agents agree against the gold: read question, guideline and solution again",
    )
