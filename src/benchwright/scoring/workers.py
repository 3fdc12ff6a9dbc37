"""Judging in processes of their own, so that a hostile file costs one verdict and never the run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from pydantic import TypeAdapter

from benchwright.closing import Closing
from benchwright.files import canonical_json, parse_json
from benchwright.pipes import exit_text
from benchwright.process import DEFAULT_LIMITS, Process, WorkLimits
from benchwright.score import Score, Unscored
from benchwright.scoring.jobs import Job
from benchwright.scoring.verdicts import Discovery, Step, TaskScores
from benchwright.spreading import Item, Spread, Work, spread_over

_TRACE_LINES = 40
_JOBS_WORTH_A_PROCESS = 50
_SCORE: TypeAdapter[Score] = TypeAdapter(Score)


class _Lost(Exception):
    """A process that died or took too long while it looked for the verdict of `step`; None: for none."""

    def __init__(self, step: Step | None, verdict: Unscored) -> None:
        super().__init__(verdict.reason)
        self.step, self.verdict = step, verdict


class Worker(Closing):
    """One judging process, started when first needed and again after it died. For one thread at a time.

    Without a suite of its own every job names one.
    """

    def __init__(self, suite: Path | None, limits: WorkLimits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self._process = Process("benchwright.scoring.worker", ("" if suite is None else str(suite.absolute()),), limits)

    def score(self, job: Job) -> TaskScores:
        """The verdicts on one job. A worker that dies or takes too long leaves the one verdict that it was at unscored,
        with the reason; another one finds the rest.
        """
        known: dict[Step, Score] = {}
        while True:
            try:
                return self._ask(job, known)
            except _Lost as lost:
                if lost.step is None or lost.step in known:
                    return self._without(job, lost.verdict)
                known[lost.step] = lost.verdict

    def _ask(self, job: Job, known: dict[Step, Score]) -> TaskScores:
        """Let the process judge what is not `known` yet, and learn each verdict when it is found."""
        step: Step | None = None
        try:
            self._process.hand_in(job.line(known))
            while line := self._process.next():
                told = parse_json(line.decode("utf-8", "replace"), "scoring worker")
                if "scores" in told:
                    return TaskScores.from_json(told["scores"], "scoring worker")
                place = told.get("judging") or told["judged"]
                step = (place["check"], place["mode"])
                if "judged" in told:
                    known[step] = _SCORE.validate_python(place["score"])
                    step = None
        except TimeoutError:
            self._process.end()
            verdict = Unscored(reason=f"scorer: time limit of {self.limits.seconds:g} seconds")
            raise _Lost(step, verdict) from None
        how = exit_text(self._process.end(died=True))
        details = {"trace": self._process.last_complaint(_TRACE_LINES)}
        raise _Lost(step, Unscored(reason=f"scorer: the scoring process died ({how})", details=details))

    def _without(self, job: Job, verdict: Unscored) -> TaskScores:
        """The job without verdicts on its outputs: what was discovered is told all the same, in a new process."""
        if job.modes:
            rest = self.score(replace(job, modes=()))
            return rest.model_copy(update=dict.fromkeys(job.modes, verdict))
        lost = Discovery(known=False, measured=False, score=verdict)
        return TaskScores(task_id=job.task_id, answered=True, discovery=lost)

    def close(self) -> None:
        """End the process. Idempotent."""
        self._process.close()


class Judge(Closing):
    """Judges jobs that come as text, on whichever machine, in a worker of its own there."""

    together = False

    def __init__(self, suite: str, limits: Mapping[str, Any]) -> None:
        self._worker = Worker(Path(suite), WorkLimits(**limits))

    def do(self, text: str) -> str:
        """The verdicts on one job."""
        return canonical_json(
            self._worker.score(Job.read(parse_json(text, "a job"))).model_dump(mode="json", exclude_none=True)
        )

    def close(self) -> None:
        """End the worker. Idempotent."""
        self._worker.close()


def score_jobs(
    suite: Path, jobs: Sequence[Job], limits: WorkLimits = DEFAULT_LIMITS, spread: Spread | None = None
) -> Iterator[TaskScores]:
    """The verdicts on all jobs in their order, whatever the order of their ends: on every core, or by a `spread`."""
    jobs = [_absolute(job) for job in jobs]
    if spread is not None and jobs:
        yield from _spread(suite.absolute(), jobs, limits, spread)
        return
    count = max(1, min(os.cpu_count() or 1, len(jobs) // _JOBS_WORTH_A_PROCESS))
    free: SimpleQueue[Worker] = SimpleQueue()

    def one(job: Job) -> TaskScores:
        worker = free.get()
        try:
            return worker.score(job)
        finally:
            free.put(worker)

    with ExitStack() as stack:
        for _ in range(count):
            free.put(stack.enter_context(Worker(suite, limits)))
        threads = stack.enter_context(ThreadPoolExecutor(count, thread_name_prefix="scoring"))
        yield from threads.map(one, jobs)


def _absolute(job: Job) -> Job:
    """The job as any process reads it, wherever it was started."""
    files = {name: path.absolute() for name, path in job.submission.files.items()}
    return replace(job, submission=job.submission.model_copy(update={"files": files}))


def _below(folder: Path) -> tuple[Path, ...]:
    return tuple(sorted(path for path in folder.rglob("*") if path.is_file()))


def _spread(suite: Path, jobs: Sequence[Job], limits: WorkLimits, spread: Spread) -> Iterator[TaskScores]:
    own = tuple(suite / name for name in ("suite.toml", "tasks.jsonl", "gold/gold.jsonl"))
    settings = {"suite": str(suite), "limits": asdict(limits)}
    work = Work(Judge, settings, own, noun="outputs", gold=True)
    golds = {name: _below(suite / "gold" / "files" / name) for name in {job.task_id for job in jobs}}
    items = (Item(job.line().decode(), (*job.submission.files.values(), *golds[job.task_id])) for job in jobs)
    for text in spread_over(spread, work, items):
        yield TaskScores.from_json(parse_json(text, "a node"), "a node")
