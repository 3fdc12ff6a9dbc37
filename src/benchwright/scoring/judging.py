"""Verdicts of a judge where rules could not tell: cases are gathered, judged together, and put into their places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchwright.run import Key
from benchwright.score import Score, Scored, Unscored
from benchwright.scorers.combine import combine
from benchwright.scorers.judge import Decision, JudgeCase
from benchwright.scoring.aggregate import Judged
from benchwright.scoring.verdicts import CheckScores, Mode
from benchwright.spreading import Spread
from benchwright.suite import Suite
from benchwright.trajectory import Submission

Judging = Callable[[Sequence[JudgeCase]], Sequence[Decision]]
"""A judge as scoring sees it: cases in, as many decisions out. The model behind it is handed in from above."""


@dataclass(frozen=True, slots=True)
class Ways:
    """How verdicts come about: a `judge` decides where rules cannot tell, a `spread` says where outputs are judged.

    None: nobody does, and on this machine.
    """

    judge: Judging | None = None
    spread: Spread | None = None


USUAL = Ways()
_PICTURE_BYTES = 5 << 20
_MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")
_Place = tuple[int, int, Mode]


def with_judge(
    suite: Suite,
    rows: Sequence[Judged],
    submissions: Mapping[Key, Submission],
    modes: Sequence[Mode],
    judge: Judging,
) -> list[Judged]:
    """The rows with the judge's verdicts in the place of those that rules could not give.

    `submissions` are by `Judged.key`. Yes is 1, no is 0; where the judge cannot tell or fails, the row stays without a
    value, with that reason, and counts as such.
    """
    cases: dict[_Place, JudgeCase] = {}
    for number, row in enumerate(rows):
        for place, check in enumerate(row.scores.checks):
            for mode in modes:
                if needs_judge(score := getattr(check, mode)):
                    cases[number, place, mode] = _case(suite, row, score, submissions[row.key], mode)
    if not cases:
        return list(rows)
    decided = dict(zip(cases, judge(list(cases.values())), strict=True))
    return [_judged(suite, row, number, decided, modes) for number, row in enumerate(rows)]


def needs_judge(score: Score | None) -> bool:
    """Whether rules left a verdict to a judge."""
    return isinstance(score, Unscored) and score.details.get("judge") == "needed"


def _case(suite: Suite, row: Judged, score: Unscored, submission: Submission, mode: Mode) -> JudgeCase:
    task, gold = suite.tasks[row.scores.task_id], suite.golds[row.scores.task_id]
    record: dict[str, Any] = score.details.get("record") or {}
    return JudgeCase(
        question=task.question,
        gold="\nor: ".join(text for text in (gold.answer, *gold.alternatives) if text),
        response=str(record.get("answer") or record.get("output", "")),
        gold_code=gold.solution.code if gold.solution else "",
        code=str(record.get("code", "")),
        rationale=str(record.get("rationale", "")),
        mode=mode,
        pictures=tuple(path for name in record.get("pictures", ()) if _is_picture(path := submission.files[name])),
    )


def _is_picture(path: Path) -> bool:
    if path.is_symlink() or not path.is_file() or path.stat().st_size > _PICTURE_BYTES:
        return False
    with path.open("rb") as stream:
        return stream.read(8).startswith(_MAGIC)


def _judged(
    suite: Suite, row: Judged, number: int, decided: Mapping[_Place, Decision], modes: Sequence[Mode]
) -> Judged:
    checks = list(row.scores.checks)
    changed: set[Mode] = set()
    for place in range(len(checks)):
        for mode in modes:
            if (decision := decided.get((number, place, mode))) is not None:
                checks[place] = checks[place].model_copy(update={mode: verdict_of(decision)})
                changed.add(mode)
    if not changed:
        return row
    rule = suite.golds[row.scores.task_id].combine
    update: dict[str, Any] = {mode: combine(_verdicts(checks, mode), rule) for mode in changed}
    return replace(row, scores=row.scores.model_copy(update={**update, "checks": tuple(checks)}))


def _verdicts(checks: Sequence[CheckScores], mode: Mode) -> list[Score]:
    return [score for check in checks if (score := getattr(check, mode)) is not None]


def verdict_of(decision: Decision) -> Score:
    """A decision as a score."""
    told = {
        "decided_by": "judge",
        "votes": decision.votes,
        "agreement": decision.agreement,
        "judge_failed": decision.failed,
    }
    if decision.verdict == "cannot tell":
        return Unscored(reason="judge: cannot tell", details={**told, "judge_says": decision.reason})
    if decision.verdict is None:
        return Unscored(reason=f"judge: failed ({decision.reason})", details=told)
    return Scored(value=float(decision.verdict == "yes"), reason=f"judge: {decision.reason}", details=told)
