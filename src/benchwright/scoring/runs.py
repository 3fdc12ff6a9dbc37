"""Score a run folder: every planned attempt gets a verdict, and the verdicts are kept beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchwright.errors import Fault, InputError
from benchwright.files import canonical_json
from benchwright.run import Attempt, Key, RunFolder, ScoreRow
from benchwright.score import Score, Unscored, without_gold
from benchwright.scoring.aggregate import Judged
from benchwright.scoring.attempt import scorer_digest
from benchwright.scoring.document import Scoring
from benchwright.scoring.jobs import Job
from benchwright.scoring.judging import USUAL, Ways, with_judge
from benchwright.scoring.predicted import require_gold
from benchwright.scoring.verdicts import BOTH, Discovery, Mode, TaskScores
from benchwright.scoring.workers import Worker, score_jobs
from benchwright.spreading import Spread
from benchwright.suite import Selection, Suite
from benchwright.trajectory import Answered, Broke, Submission

KINDS = ("reference", "sound", "discovery")


def score_run(
    suite: Suite,
    run: RunFolder,
    modes: tuple[Mode, ...] = BOTH,
    subset: str = "full",
    ways: Ways = USUAL,
) -> Scoring:
    """Verdicts over every attempt that the run's specification asks for; none is left out.

    An attempt that broke by the model's or the sandbox's fault, or that is still to be made, is unscored and
    stays in the denominator. Attempts that gave up or hit a limit are judged by what they left.
    """
    require_same_questions(suite, run)
    selection = Selection(subset=run.spec.subset, ids=run.spec.ids, limit=run.spec.limit)
    inside = set(suite.subset(subset))
    ids = [task.id for task in suite.select(selection) if task.id in inside]
    if not ids:
        raise InputError(
            f"the run in {run.path} has no task of the subset {subset!r}", hint="score it without --subset"
        )
    require_gold(suite, ids)
    planned = list(run.spec.keys(ids))
    rows = list(_judge(suite, run, planned, modes, ways.spread))
    if ways.judge is not None:
        rows = with_judge(suite, rows, _submissions(run, rows), modes, ways.judge)
    shown = Selection(subset=run.spec.subset if subset == "full" else subset, ids=tuple(ids))
    cells = tuple((cell.id, run.spec.titled(cell)) for cell in run.spec.cells)
    return Scoring(suite, shown, modes, tuple(rows), cells=cells)


def score_one(
    suite: Suite, run: RunFolder, attempt: Attempt, worker: Worker, modes: tuple[Mode, ...] = BOTH
) -> TaskScores:
    """The verdicts on one attempt with all their evidence, which may quote the gold; they are not kept."""
    unjudged = _without_judging(suite, run, attempt.key, attempt, modes)
    return worker.score(_job(run, attempt, modes)) if unjudged is None else unjudged.scores


def keep_scores(scoring: Scoring, run: RunFolder) -> None:
    """Write `scores/<mode>.parquet`, stamped with the digests of scorers, suite and gold."""
    stamp = {
        "suite": scoring.suite.digest,
        "gold": scoring.suite.gold_digest,
        "scorers": scorer_digest(scoring.suite, scoring.modes),
    }
    for kind in KINDS:
        rows = [row for row in score_rows(scoring) if row.name.split(".")[0] == kind]
        if rows:
            run.write_scores(kind, rows, stamp)


def score_rows(scoring: Scoring) -> Iterator[ScoreRow]:
    """Each verdict as a row: `reference`, `sound` and `discovery`, and `sound.2` for a task's second check.

    An estimate of what was discovered is called `discovery.estimated`: nobody takes it for a measurement.

    A run folder is passed on: no row holds text that may quote the gold.
    """
    for row in scoring.rows:
        for name, score in _verdicts(row.scores):
            kept = without_gold(score)
            yield ScoreRow(cell=row.cell, task_id=row.scores.task_id, epoch=row.epoch, name=name, score=kept)


def scores_text(run: RunFolder) -> str:
    """The kept scores as canonical JSON Lines: equal verdicts, equal bytes."""
    kept = [kind for kind in KINDS if (run.path / "scores" / f"{kind}.parquet").exists()]
    rows = (row for kind in kept for row in run.read_scores(kind)[0])
    return "".join(canonical_json(row.to_json()) + "\n" for row in rows)


def _verdicts(scores: TaskScores) -> Iterator[tuple[str, Score]]:
    for name in ("reference", "sound"):
        if (whole := getattr(scores, name)) is not None:
            yield name, whole
        for number, check in enumerate(scores.checks if len(scores.checks) > 1 else (), start=1):
            if (part := getattr(check, name)) is not None:
                yield f"{name}.{number}", part
    yield ("discovery.estimated" if scores.discovery.estimated else "discovery"), scores.discovery.score


def _judge(
    suite: Suite, run: RunFolder, planned: list[Key], modes: tuple[Mode, ...], spread: Spread | None
) -> Iterator[Judged]:
    attempts = run.attempts()
    unjudged = {key: _without_judging(suite, run, key, attempts.get(key), modes) for key in planned}
    todo = [key for key in planned if unjudged[key] is None]
    jobs = [_job(run, attempts[key], modes) for key in todo]
    judged = dict(zip(todo, score_jobs(suite.folder, jobs, spread=spread), strict=True))
    for key in planned:
        yield unjudged[key] or Judged(judged[key], key.cell, key.epoch)


def _without_judging(
    suite: Suite, run: RunFolder, key: Key, attempt: Attempt | None, modes: tuple[Mode, ...]
) -> Judged | None:
    """What to say of an attempt that cannot be judged; None where it can."""
    if attempt is None:
        return Judged(_unscored(suite, key, modes, "not run yet"), key.cell, key.epoch, present=False)
    if isinstance(attempt.ending, Broke) and attempt.ending.fault is not Fault.AGENT:
        fault = attempt.ending.fault
        scores = _unscored(suite, key, modes, f"broke: {fault} ({attempt.ending.detail})"[:300])
        return Judged(scores, key.cell, key.epoch, broke=fault)
    gone = [name for name, artifact in attempt.files.items() if not run.artifacts.locate(artifact.sha256).is_file()]
    if gone:
        reason = f"scorer: the run folder no longer holds {', '.join(sorted(gone))}"
        return Judged(_unscored(suite, key, modes, reason), key.cell, key.epoch)
    return None


def _unscored(suite: Suite, key: Key, modes: tuple[Mode, ...], reason: str) -> TaskScores:
    verdict = Unscored(reason=reason)
    gold = suite.golds.get(key.task_id)
    unseen = Discovery(
        known=gold is not None and gold.discovery_known,
        measured=False,
        score=Unscored(reason=f"not measured: {reason}"),
    )
    return TaskScores(task_id=key.task_id, answered=False, discovery=unseen, **dict.fromkeys(modes, verdict))


def _job(run: RunFolder, attempt: Attempt, modes: tuple[Mode, ...]) -> Job:
    finished = isinstance(attempt.ending, Answered)
    return Job(attempt.task_id, _submission(run, attempt), None, modes, finished)


def _submissions(run: RunFolder, rows: Sequence[Judged]) -> dict[Key, Submission]:
    """What was handed in for each row, by its key."""
    attempts = run.attempts()
    return {row.key: _submission(run, attempts[row.key]) for row in rows if row.key in attempts}


def _submission(run: RunFolder, attempt: Attempt) -> Submission:
    files = {name: run.artifacts.locate(artifact.sha256) for name, artifact in attempt.files.items()}
    return Submission(answer=attempt.answer, files=files, accesses=attempt.accesses)


def require_same_questions(suite: Suite, run: RunFolder) -> None:
    """Errors: InputError where a run was made with other questions or data than a suite's."""
    if run.spec.suite_digest != suite.digest:
        raise InputError(
            f"the run in {run.path} was made with other questions or data",
            found=f"{run.spec.suite} {run.spec.suite_digest[:12]}",
            expected=f"{suite.name} {suite.digest[:12]}",
            hint="take the suite that it was run on",
        )
