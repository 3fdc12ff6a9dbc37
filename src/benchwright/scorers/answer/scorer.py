"""The answer scorer: 1 if every part of the final answer is right, else 0, with the evidence for each part."""

from __future__ import annotations

from typing import Any

from benchwright.score import Score, Scored, Unscored
from benchwright.scorers.answer.broken import gold_fault, gold_notes
from benchwright.scorers.answer.golds import read_gold
from benchwright.scorers.answer.guideline import Guideline, read_guideline
from benchwright.scorers.answer.judgement import MAX_CHARACTERS, Judgement, judge
from benchwright.scorers.base import Expected
from benchwright.trajectory import Submission


class AnswerScorer:
    """Judges `submission.answer` by the gold answer and its alternatives, as the task's guidelines ask for it.

    Options of the check: see `read_guideline`. The gold's fault, where it has one, makes the task unscored.
    """

    name = "answer"
    version = 1

    def score(self, submission: Submission, expected: Expected) -> Score:
        """1 or 0, with one piece of evidence for each part; unscored where the gold is missing or broken."""
        task, gold = expected.task, expected.gold
        golds = [text for text in (gold.answer, *gold.alternatives) if text is not None and text.strip()]
        if not golds:
            return Unscored(reason="no gold answer", details={"gold": "missing"})
        guideline = read_guideline(task.guidelines, task.question, expected.check.options)
        sound = [text for text in golds if not gold_fault(text, guideline)]
        if not sound:
            return Unscored(reason=gold_fault(golds[0], guideline), details={"gold": "broken"})
        answer = submission.answer if submission.answer is not None else _from_file(submission, expected)
        return _score("" if answer is None else answer, sound, guideline)


def _from_file(submission: Submission, expected: Expected) -> str | None:
    path = submission.files.get(expected.check.output)
    if path is None or path.is_symlink() or not path.is_file():
        return None
    with path.open("rb") as stream:
        return stream.read(4 * MAX_CHARACTERS).decode("utf-8-sig", errors="replace")


def _score(answer: str, golds: list[str], guideline: Guideline) -> Scored:
    judged = [judge(answer, gold, guideline) for gold in golds]
    variant = next((place for place, judgement in enumerate(judged) if judgement.right), 0)
    best = judged[variant]
    return Scored(
        value=1.0 if best.right else 0.0,
        reason=best.reason,
        evidence=best.evidence,
        details=_details(best, variant, golds, guideline),
    )


def _details(judgement: Judgement, variant: int, golds: list[str], guideline: Guideline) -> dict[str, Any]:
    details: dict[str, Any] = {
        "types": list(judgement.types),
        "order": judgement.order,
        "right_parts": judgement.right_parts,
        "parts": len(judgement.types),
    }
    notes = gold_notes(golds[variant], read_gold(golds[variant]), guideline)
    optional = {
        "how": judgement.how,
        "warnings": list(judgement.warnings),
        "gold_notes": list(notes),
        "variant": variant if len(golds) > 1 else "",
    }
    return details | {name: value for name, value in optional.items() if value not in ("", [])}
