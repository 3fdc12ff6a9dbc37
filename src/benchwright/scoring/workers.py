"""Judging in processes of their own, so that a hostile file costs one verdict and never the run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from types import MappingProxyType, TracebackType
from typing import IO, Self

from pydantic import TypeAdapter

from benchwright.errors import EnvironmentFault
from benchwright.files import canonical_json, parse_json
from benchwright.score import Score, Unscored
from benchwright.scoring.attempt import BOTH, Discovery, Mode, Step, TaskScores
from benchwright.scoring.pipes import Lines, exit_text, hand_in
from benchwright.trajectory import Submission

_START_SECONDS = 120.0
_COMPLAINT_BYTES, _TRACE_LINES = 1 << 16, 40
_JOBS_WORTH_A_PROCESS = 50
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "PYTHONPATH", "VIRTUAL_ENV", "BENCHWRIGHT_HOME")
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1")
_NOTHING: Mapping[Step, Score] = MappingProxyType({})
_SCORE: TypeAdapter[Score] = TypeAdapter(Score)


@dataclass(frozen=True, slots=True)
class Job:
    """One submission to judge; `claimed` is what its agent says it has read, `finished` whether it ended by itself."""

    task_id: str
    submission: Submission
    claimed: tuple[str, ...] | None = None
    modes: tuple[Mode, ...] = BOTH
    finished: bool = True

    def line(self, known: Mapping[Step, Score] = _NOTHING) -> bytes:
        """The job as the worker reads it, with the verdicts that are known already."""
        values = {
            "task_id": self.task_id,
            "submission": self.submission.model_dump(mode="json"),
            "claimed": self.claimed,
            "modes": self.modes,
            "finished": self.finished,
            "known": [
                {"check": check, "mode": mode, "score": score.model_dump(mode="json")}
                for (check, mode), score in known.items()
            ],
        }
        return canonical_json(values).encode("utf-8", "replace") + b"\n"


@dataclass(frozen=True, slots=True)
class WorkLimits:
    """What judging may take: `seconds` a verdict, `memory_mb` of data a process."""

    seconds: float = 120.0
    memory_mb: int = 4096


DEFAULT_LIMITS = WorkLimits()


class _Lost(Exception):
    """A process that died or took too long while it looked for the verdict of `step`; None: for none."""

    def __init__(self, step: Step | None, verdict: Unscored) -> None:
        super().__init__(verdict.reason)
        self.step, self.verdict = step, verdict


class Worker:
    """One judging process, started when first needed and again after it died. For one thread at a time."""

    def __init__(self, suite: Path, limits: WorkLimits = DEFAULT_LIMITS) -> None:
        self.suite, self.limits = suite.absolute(), limits
        self._process: subprocess.Popen[bytes] | None = None
        self._lines = Lines(-1)
        self._complaints: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the worker

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
        process = self._process or self._start()
        step: Step | None = None
        try:
            deadline = time.monotonic() + self.limits.seconds
            hand_in(process, job.line(known), deadline)
            while line := self._lines.next(deadline):
                deadline = time.monotonic() + self.limits.seconds
                told = parse_json(line.decode("utf-8", "replace"), "scoring worker")
                if "scores" in told:
                    return TaskScores.from_json(told["scores"], "scoring worker")
                place = told.get("judging") or told["judged"]
                step = (place["check"], place["mode"])
                if "judged" in told:
                    known[step] = _SCORE.validate_python(place["score"])
                    step = None
        except TimeoutError:
            self.end()
            verdict = Unscored(reason=f"scorer: time limit of {self.limits.seconds:g} seconds")
            raise _Lost(step, verdict) from None
        how = exit_text(self.end(died=True))
        details = {"trace": self._last_complaint(_TRACE_LINES)}
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
        self.end()
        self._complaints.close()

    def _start(self) -> subprocess.Popen[bytes]:
        limits = (str(self.limits.memory_mb), str(self.limits.seconds))
        self._process = process = subprocess.Popen(
            # -P: a file of the working folder must not pass for a module
            [sys.executable, "-P", "-m", "benchwright.scoring.worker", str(self.suite), *limits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            # No keys: what judges hostile files does not need them.
            env={name: os.environ[name] for name in _KEPT if name in os.environ}
            | _ONE_THREAD
            | {"PYTHONHASHSEED": "0"},
            bufsize=0,
            start_new_session=True,
        )
        assert process.stdout is not None
        self._lines = Lines(process.stdout.fileno())
        with suppress(TimeoutError):
            if self._lines.next(time.monotonic() + _START_SECONDS):
                return process
        code = self.end(died=True)
        raise EnvironmentFault(
            "the scoring process did not start",
            found=f"{exit_text(code)}: {self._last_complaint(4)}",
            expected="python -m benchwright.scoring.worker to read the suite",
        )

    def end(self, *, died: bool = False) -> int:
        """Kill the process and all it started; returns how it ended, `died`: by itself."""
        process, self._process = self._process, None
        if process is None:
            return 0
        if died:
            with suppress(subprocess.TimeoutExpired):
                process.wait(1.0)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        return process.wait()

    def _last_complaint(self, count: int) -> str:
        """The last lines that the process wrote to stderr, which is emptied."""
        size = self._complaints.seek(0, os.SEEK_END)
        self._complaints.seek(max(0, size - _COMPLAINT_BYTES))
        lines = self._complaints.read().decode(errors="replace").strip().splitlines()
        self._complaints.truncate(0)
        self._complaints.seek(0)  # the process shares the place where it writes
        return "; ".join(line.strip() for line in lines[-count:]) or "no message"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def score_jobs(suite: Path, jobs: Sequence[Job], limits: WorkLimits = DEFAULT_LIMITS) -> Iterator[TaskScores]:
    """The verdicts on all jobs, in the jobs' order whatever the order of their ends, on every core."""
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
