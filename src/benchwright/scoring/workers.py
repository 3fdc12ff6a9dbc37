"""Judging in processes of their own, so that a hostile file costs one verdict and never the run."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import IO, Self

from benchwright.errors import EnvironmentFault
from benchwright.files import canonical_json, parse_json
from benchwright.score import Unscored
from benchwright.scoring.attempt import BOTH, Discovery, Mode, TaskScores
from benchwright.trajectory import Submission

_START_SECONDS = 120.0
_VERDICT_BYTES = 16 << 20
_JOBS_WORTH_A_PROCESS = 50
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "PYTHONPATH", "VIRTUAL_ENV", "BENCHWRIGHT_HOME")
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1")


@dataclass(frozen=True, slots=True)
class Job:
    """One submission to judge; `claimed` is what its agent says it has read."""

    task_id: str
    submission: Submission
    claimed: tuple[str, ...] | None = None
    modes: tuple[Mode, ...] = BOTH

    def line(self) -> bytes:
        """The job as the worker reads it."""
        submission = self.submission.model_dump(mode="json")
        values = {"task_id": self.task_id, "submission": submission, "claimed": self.claimed, "modes": self.modes}
        return canonical_json(values).encode("utf-8", "replace") + b"\n"


@dataclass(frozen=True, slots=True)
class WorkLimits:
    """What judging one submission may take: `seconds` a job, `memory_mb` of data a process."""

    seconds: float = 120.0
    memory_mb: int = 4096


DEFAULT_LIMITS = WorkLimits()


class Worker:
    """One judging process, started when first needed and again after it died. For one thread at a time."""

    def __init__(self, suite: Path, limits: WorkLimits = DEFAULT_LIMITS) -> None:
        self.suite, self.limits = suite.absolute(), limits
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the worker

    def score(self, job: Job) -> TaskScores:
        """The verdicts on one job; a worker that dies or takes too long leaves them unscored, with the reason."""
        process = self._process or self._start()
        try:
            reply = _exchange(process, job.line(), self.limits.seconds)
        except TimeoutError:
            self.end()
            return self._without(job, f"scorer: time limit of {self.limits.seconds:g} seconds")
        if not reply.endswith(b"\n"):
            return self._without(job, f"scorer: the scoring process died ({_exit_text(self.end(died=True))})")
        return TaskScores.from_json(parse_json(reply.decode("utf-8", "replace"), "scoring worker"), "scoring worker")

    def _without(self, job: Job, reason: str) -> TaskScores:
        """The job without verdicts on its outputs: what was discovered is told all the same, in a new process."""
        verdict = Unscored(reason=reason)
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
        with suppress(TimeoutError):
            if _read_line(process, time.monotonic() + _START_SECONDS):
                return process
        code = self.end(died=True)
        raise EnvironmentFault(
            "the scoring process did not start",
            found=f"{_exit_text(code)}: {self._last_complaint()}",
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

    def _last_complaint(self) -> str:
        self._complaints.seek(0)
        lines = self._complaints.read().decode(errors="replace").strip().splitlines()
        return "; ".join(line.strip() for line in lines[-4:]) or "no message"

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


def _exchange(process: subprocess.Popen[bytes], line: bytes, seconds: float) -> bytes:
    """Hand in a line and read one; an answer without its line end says that the process is gone."""
    assert process.stdin is not None
    deadline = time.monotonic() + seconds
    left = memoryview(line)
    try:
        while left:
            left = left[process.stdin.write(left) :]
    except BrokenPipeError:
        return b""
    return _read_line(process, deadline)


def _read_line(process: subprocess.Popen[bytes], deadline: float) -> bytes:
    assert process.stdout is not None
    watch = select.poll()  # not select(), which fails past 1,024 open files
    watch.register(process.stdout, select.POLLIN)
    found = bytearray()
    while not found.endswith(b"\n") and len(found) < _VERDICT_BYTES:
        left = deadline - time.monotonic()
        if left <= 0 or not watch.poll(left * 1000):
            raise TimeoutError
        piece = os.read(process.stdout.fileno(), 1 << 16)
        if not piece:
            break
        found += piece
    return bytes(found)


def _exit_text(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
