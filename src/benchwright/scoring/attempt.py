"""One attempt's verdicts: each check by the published rule and by the sound scorer, and what was discovered."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Literal

from benchwright.errors import BenchwrightError
from benchwright.files import Record, canonical_json, sha256
from benchwright.gold import Check, Gold
from benchwright.score import Score, Unscored
from benchwright.scorers.base import Expected, Scorer
from benchwright.scorers.combine import combine
from benchwright.scorers.registry import discovery_scorer, reference_scorer, sound_scorer
from benchwright.suite import Suite
from benchwright.trajectory import FileAccess, Measured, Submission

Mode = Literal["reference", "sound"]
BOTH: tuple[Mode, ...] = ("reference", "sound")
_ANSWER_BYTES = 1 << 20


class CheckScores(Record):
    """The verdicts of one check; None where that mode was not asked for."""

    scorer: str
    output: str
    reference: Score | None = None
    sound: Score | None = None


class Discovery(Record):
    """What was found of the required files. `known`: whether they are known; `measured`: whether a tracer saw
    what the attempt read, in which case `opened` counts the files and `swept` says if it was (nearly) all.
    """

    known: bool
    measured: bool
    opened: int | None = None
    swept: bool | None = None
    score: Score


class TaskScores(Record):
    """The verdicts on one attempt; None where that mode was not asked for.

    `discovery` is what was measured; `claimed` what the agent says of itself, judged in the same way.
    `answered` is whether anything was handed in.
    """

    task_id: str
    answered: bool
    reference: Score | None = None
    sound: Score | None = None
    discovery: Discovery
    claimed: Discovery | None = None
    checks: tuple[CheckScores, ...] = ()


def score_attempt(
    suite: Suite,
    task_id: str,
    submission: Submission,
    modes: Collection[Mode] = BOTH,
    claimed: Sequence[str] | None = None,
) -> TaskScores:
    """Judge one submission. Opens the agent's files: call it in a worker process (`scoring.workers`).

    Never raises on what an agent handed in: a scorer that fails leaves `Unscored` with its reason.
    """
    gold = suite.golds.get(task_id) or Gold(task_id=task_id, checks=())  # such a task is unscored
    handed_in = _with_answer(submission, gold)
    checks = tuple(_check(suite, handed_in, gold, check, modes) for check in gold.checks)
    return TaskScores(
        task_id=task_id,
        answered=bool((handed_in.answer or "").strip() or set(handed_in.files) - {"answer.txt"}),
        reference=_whole(suite, gold, [check.reference for check in checks]) if "reference" in modes else None,
        sound=_whole(suite, gold, [check.sound for check in checks]) if "sound" in modes else None,
        discovery=_discovery(suite, handed_in, gold),
        claimed=None if claimed is None else _discovery(suite, _as_claimed(claimed), gold),
        checks=checks,
    )


def has_gold(suite: Suite, task_id: str) -> bool:
    """Whether there is anything to compare with."""
    gold = suite.golds.get(task_id)
    return gold is not None and bool(gold.checks) and bool(gold.answer or gold.files or _golds_in(gold))


def _golds_in(gold: Gold) -> bool:
    return any(check.golds or check.options for check in gold.checks)


def scorer_digest(suite: Suite, modes: Collection[Mode] = BOTH) -> str:
    """SHA-256 over the names and versions of all scorers that a suite's golds call, and of how they compose."""
    used = {("discovery", discovery_scorer().name, discovery_scorer().version)}
    for scorer in {check.scorer for gold in suite.golds.values() for check in gold.checks}:
        for mode in modes:
            found = _find(suite, mode, scorer)
            used.add((mode, scorer, found.version if not isinstance(found, Unscored) else -1))
    return sha256(canonical_json(sorted(used)))


def _check(suite: Suite, submission: Submission, gold: Gold, check: Check, modes: Collection[Mode]) -> CheckScores:
    expected = Expected(task=suite.tasks[gold.task_id], gold=gold, check=check, files=suite.gold_files(gold.task_id))

    def verdict(mode: Mode) -> Score | None:
        if mode not in modes:
            return None
        scorer = _find(suite, mode, check.scorer)
        return scorer if isinstance(scorer, Unscored) else _guarded(scorer, lambda: scorer.score(submission, expected))

    return CheckScores(scorer=check.scorer, output=check.output, reference=verdict("reference"), sound=verdict("sound"))


def _find(suite: Suite, mode: Mode, name: str) -> Scorer | Unscored:
    try:
        return sound_scorer(name) if mode == "sound" else reference_scorer(suite.info.reference, name)
    except BenchwrightError as error:
        return Unscored(reason=f"suite: {error.what}", details={"found": error.found})


def _guarded(scorer: Scorer, judge: Callable[[], Score]) -> Score:
    try:
        return judge()
    except MemoryError:
        return Unscored(reason=f"scorer: {scorer.name} ran out of memory")
    except Exception as error:  # noqa: BLE001 - whatever a scorer raises is the scorer's fault, and must be shown as that
        return Unscored(reason=f"scorer: {scorer.name} failed: {type(error).__name__}: {error}"[:500])


def _whole(suite: Suite, gold: Gold, scores: Sequence[Score | None]) -> Score:
    if not has_gold(suite, gold.task_id):
        return Unscored(reason="suite: no gold for this task")
    return combine([score for score in scores if score is not None], gold.combine)


def _discovery(suite: Suite, submission: Submission, gold: Gold) -> Discovery:
    scorer = discovery_scorer()
    check = Check(scorer=scorer.name)
    expected = Expected(task=suite.tasks[gold.task_id], gold=gold, check=check, files=suite.gold_files(gold.task_id))
    seen = submission.accesses if isinstance(submission.accesses, Measured) else None
    return Discovery(
        known=gold.discovery_known,
        measured=seen is not None,
        opened=len(seen.files) if seen else None,
        swept=seen.swept if seen else None,
        score=_guarded(scorer, lambda: scorer.score(submission, expected)),
    )


def _as_claimed(paths: Sequence[str]) -> Submission:
    return Submission(accesses=Measured(tracer="log", files=tuple(FileAccess(path=path) for path in paths)))


def _with_answer(submission: Submission, gold: Gold) -> Submission:
    """The submission with its answer read from the answer's file, where it was handed in as one."""
    names = [check.output for check in gold.checks if check.scorer == "answer" and check.output in submission.files]
    if submission.answer is not None or not names:
        return submission
    return submission.model_copy(update={"answer": _text_of(submission.files[names[0]])})


def _text_of(path: Path) -> str | None:
    try:
        with path.open("rb") as stream:
            return stream.read(_ANSWER_BYTES).decode("utf-8-sig", errors="replace")
    except OSError:
        return None
