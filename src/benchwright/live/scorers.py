"""Scores inside Inspect: thin scorers that read what an attempt left in the store, and judge in other processes."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from benchwright.live.handing_over import recorded
from benchwright.run import Artifacts, Attempt
from benchwright.score import Score as Verdict
from benchwright.score import Unscored, without_gold
from benchwright.scoring.jobs import Job
from benchwright.scoring.verdicts import TaskScores
from benchwright.scoring.workers import Worker
from benchwright.trajectory import Answered, Submission

_KEPT = 256


@scorer(metrics=[mean(), stderr()])
def sound() -> Scorer:
    """Execution Accuracy by the sound, typed rules."""
    return _verdict(lambda scores: scores.sound)


@scorer(metrics=[mean(), stderr()])
def reference() -> Scorer:
    """Execution Accuracy by the suite's published rule, faults included."""
    return _verdict(lambda scores: scores.reference)


@scorer(metrics=[mean(), stderr()])
def discovery() -> Scorer:
    """Discovery Accuracy: whether every required file was read; unscored where it is not known or not measured."""
    return _verdict(lambda scores: scores.discovery.score)


def _verdict(of: Callable[[TaskScores], Verdict | None]) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        kept = await recorded(state)
        if not kept.attempt:
            return Score.unscored(explanation="the attempt was cut off")
        attempt = Attempt.from_json({**kept.attempt, "cell": ""}, f"the log of {state.sample_id}")
        scores = await _scores(state.metadata["suite"], attempt, Path(kept.artifacts))
        return _inspect(of(scores) or Unscored(reason="not asked for"), attempt)

    return score


def _inspect(verdict: Verdict, attempt: Attempt) -> Score:
    """The bare value: a log is no place for gold, nor for what may quote it."""
    if verdict.kind == "scored":
        return Score(value=verdict.value, answer=attempt.answer)
    explanation = without_gold(verdict).reason
    return Score.unscored(reason="scoring_failed", answer=attempt.answer, explanation=explanation)


def submission_of(attempt: Attempt, artifacts: Artifacts) -> Submission:
    """What an attempt handed in, as scorers take it."""
    files = {name: artifacts.locate(artifact.sha256) for name, artifact in attempt.files.items()}
    return Submission(answer=attempt.answer, files=files, accesses=attempt.accesses)


async def _scores(suite: str, attempt: Attempt, artifacts: Path) -> TaskScores:
    finished = isinstance(attempt.ending, Answered)
    job = Job(attempt.task_id, submission_of(attempt, Artifacts(artifacts)), finished=finished)
    return await asyncio.shield(asyncio.wrap_future(workers(suite).judge(job)))


class Workers:
    """A few judging processes for one suite, shared by all attempts; no more than there are processors."""

    def __init__(self, suite: Path) -> None:
        count = max(1, min(4, len(os.sched_getaffinity(0))))
        self._idle: SimpleQueue[Worker] = SimpleQueue()
        self._workers = [Worker(suite) for _ in range(count)]
        for worker in self._workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="judging")
        self._latest: OrderedDict[bytes, Future[TaskScores]] = OrderedDict()

    def judge(self, job: Job) -> Future[TaskScores]:
        """The verdicts on one job. Three scorers ask for the same verdicts: the latest are kept."""
        key = job.line()
        if key not in self._latest:
            self._latest[key] = self._threads.submit(self._score, job)
            if len(self._latest) > _KEPT:
                self._latest.popitem(last=False)
        return self._latest[key]

    def _score(self, job: Job) -> TaskScores:
        worker = self._idle.get()
        try:
            return worker.score(job)
        finally:
            self._idle.put(worker)

    def close(self) -> None:
        """Let what is being judged end, then end the processes."""
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.close()


_OPEN: dict[str, Workers] = {}


def workers(suite: str) -> Workers:
    """The judging processes of a suite; they end with this process at the latest."""
    if suite not in _OPEN:
        _OPEN[suite] = Workers(Path(suite))
    return _OPEN[suite]


def close_workers() -> None:
    """End all judging processes."""
    while _OPEN:
        _OPEN.popitem()[1].close()
