"""One attempt's verdicts: each check by the published rule and by the sound scorer, and what was discovered."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright.errors import BenchwrightError, SuiteError
from benchwright.files import canonical_json, sha256
from benchwright.gold import Check, Gold
from benchwright.score import Score, Unscored
from benchwright.scorers.base import Expected, Scorer
from benchwright.scorers.combine import combine
from benchwright.scorers.registry import discovery_scorer, reference_scorer, reference_task_rule, sound_scorer
from benchwright.scoring.jobs import Job
from benchwright.scoring.verdicts import BOTH, CheckScores, Discovery, Mode, Step, TaskScores
from benchwright.suite import Suite
from benchwright.trajectory import Estimated, FileAccess, Measured, Submission

_ANSWER_BYTES = 1 << 20
_FRAMES, _TRACE = 12, 4000
"""How many calls, and characters, are kept of a traceback."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One submission before the golds of its suite, verdict by verdict."""

    suite: Suite
    job: Job

    @property
    def gold(self) -> Gold:
        """The task's gold; one without checks, under which the task is unscored, where there is none."""
        return self.suite.golds.get(self.job.task_id) or Gold(task_id=self.job.task_id, checks=())

    def steps(self) -> tuple[Step, ...]:
        """Every verdict to be found, in the order of the checks."""
        return tuple(
            (number, mode) for number in range(len(self.gold.checks)) for mode in BOTH if mode in self.job.modes
        )

    def verdict(self, step: Step) -> Score:
        """The verdict of one check in one mode. Opens the agent's files; a scorer that fails leaves `Unscored`."""
        number, mode = step
        check = self.gold.checks[number]
        scorer = _find(self.suite, mode, check.scorer)
        if isinstance(scorer, Unscored):
            return scorer
        expected = Expected(
            self.suite.tasks[self.job.task_id], self.gold, check, self.suite.gold_files(self.job.task_id)
        )
        return _guarded(scorer, lambda: scorer.score(_with_answer(self.job.submission, self.gold), expected))

    def scores(self, verdicts: Mapping[Step, Score]) -> TaskScores:
        """All verdicts together, and what was discovered."""
        gold, suite, job = self.gold, self.suite, self.job
        handed_in = _with_answer(job.submission, gold)
        checks = tuple(
            CheckScores(
                scorer=check.scorer,
                output=check.output,
                reference=verdicts.get((number, "reference")),
                sound=verdicts.get((number, "sound")),
            )
            for number, check in enumerate(gold.checks)
        )
        return TaskScores(
            task_id=job.task_id,
            answered=bool((handed_in.answer or "").strip() or set(handed_in.files) - {"answer.txt"}),
            reference=_published(suite, gold, checks, job.finished) if "reference" in job.modes else None,
            sound=_whole(suite, gold, [check.sound for check in checks]) if "sound" in job.modes else None,
            discovery=_discovery(suite, handed_in, gold),
            claimed=None if job.claimed is None else _discovery(suite, _as_claimed(job.claimed), gold),
            checks=checks,
        )


def score_attempt(suite: Suite, job: Job) -> TaskScores:
    """Judge one submission. Opens the agent's files: call it in a worker process (`scoring.workers`).

    Never raises on what an agent handed in: a scorer that fails leaves `Unscored` with its reason.
    """
    evaluation = Evaluation(suite, job)
    return evaluation.scores({step: evaluation.verdict(step) for step in evaluation.steps()})


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


def _find(suite: Suite, mode: Mode, name: str) -> Scorer | Unscored:
    try:
        return sound_scorer(name) if mode == "sound" else reference_scorer(suite.info.reference, name)
    except BenchwrightError as error:
        return Unscored(reason=f"suite: {error.what}", details={"found": error.found})


def _guarded(scorer: Scorer, judge: Callable[[], Score]) -> Score:
    try:
        return judge()
    except SuiteError as error:  # a check whose options make no sense, whoever is judged
        return Unscored(reason=f"suite: {error.what}", details={"gold": "unfit check", "found": error.found})
    except MemoryError:
        return Unscored(reason=f"scorer: {scorer.name} ran out of memory")
    except Exception as error:  # noqa: BLE001 - whatever a scorer raises is the scorer's fault, and must be shown as that
        reason = f"scorer: {scorer.name} failed: {type(error).__name__}: {error}"[:500]
        return Unscored(reason=reason, details={"trace": _trace(error)})


def _trace(error: Exception) -> str:
    """The end of a traceback, which names the place."""
    return "".join(traceback.format_exception(error, limit=-_FRAMES))[-_TRACE:]


def _published(suite: Suite, gold: Gold, checks: Sequence[CheckScores], finished: bool) -> Score:
    scores = [check.reference for check in checks if check.reference is not None]
    rule = reference_task_rule(suite.info.reference)
    if rule is None or not has_gold(suite, gold.task_id):
        return _whole(suite, gold, scores)
    return rule.score(scores, finished)


def _whole(suite: Suite, gold: Gold, scores: Sequence[Score | None]) -> Score:
    if not has_gold(suite, gold.task_id):
        return Unscored(reason="suite: no gold for this task")
    return combine([score for score in scores if score is not None], gold.combine)


def _discovery(suite: Suite, submission: Submission, gold: Gold) -> Discovery:
    scorer = discovery_scorer()
    check = Check(scorer=scorer.name)
    expected = Expected(task=suite.tasks[gold.task_id], gold=gold, check=check, files=suite.gold_files(gold.task_id))
    seen = submission.accesses
    measured, estimated = isinstance(seen, Measured), isinstance(seen, Estimated)
    return Discovery(
        known=gold.discovery_known,
        measured=measured,
        estimated=estimated,
        opened=len(seen.files) if isinstance(seen, Measured | Estimated) else None,
        swept=seen.swept if isinstance(seen, Measured) else None,
        score=_guarded(scorer, lambda: scorer.score(submission, expected)),
    )


def _as_claimed(paths: Sequence[str]) -> Submission:
    return Submission(accesses=Measured(tracer="log", files=tuple(FileAccess(path=path) for path in paths)))


def _with_answer(submission: Submission, gold: Gold) -> Submission:
    """The submission with its answer read from the answer's file, where it was handed in as one."""
    answers = [check for check in gold.checks if check.scorer in ("answer", "response")]
    names = [check.output for check in answers if check.output in submission.files]
    if submission.answer is not None or not names:
        return submission
    return submission.model_copy(update={"answer": _text_of(submission.files[names[0]])})


def _text_of(path: Path) -> str | None:
    try:
        with path.open("rb") as stream:
            return stream.read(_ANSWER_BYTES).decode("utf-8-sig", errors="replace")
    except OSError:
        return None
