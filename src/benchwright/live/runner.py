"""Running a specification to its end: what is pending is attempted, in parallel, and nothing done is lost."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import threading
import uuid
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio
from inspect_ai import eval_set

from benchwright.errors import Fault, InputError
from benchwright.files import home
from benchwright.live import tasks
from benchwright.live.agents import needs_sandbox
from benchwright.live.judging import ROLE, judging
from benchwright.live.loading import leave_unused_providers, unattended
from benchwright.live.models import model_of, quiet_stdout, roles_of
from benchwright.live.opening import close_sandboxes, open_sandbox
from benchwright.live.progress import progress_on, say
from benchwright.live.prompts import Prompts
from benchwright.live.recovery import restore
from benchwright.live.scorers import close_workers
from benchwright.live.session import Budget, Pace, Session, sitting
from benchwright.live.suites import suite_at
from benchwright.proving import with_known_faults
from benchwright.run import Key, RunFolder, RunSpec
from benchwright.sandbox.base import SandboxSpec
from benchwright.sandbox.store import require_rooms
from benchwright.scoring import Scoring, Ways, keep_scores, score_run
from benchwright.suite import Selection
from benchwright.trajectory import Broke

RETRIES = 1
"""How often an attempt whose model or sandbox broke is tried again at once; a resumed run tries again too."""

_GIVEN = (Fault.SUITE, Fault.SCORER)
"""Faults of what an agent was given."""

_LOG_WRITES = 20
"""Inspect reads and rewrites a whole log's directory at each flush, so a cell's log is flushed at most this often;
until then finished samples lie in Inspect's crash buffer, which is in the run folder too."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a sitting ended: attempts done and planned, and why it stopped early where it did."""

    folder: RunFolder
    done: int
    planned: int
    stopped: str = ""
    scoring: Scoring | None = None
    """The verdicts; None where the suite's gold is withheld."""
    notes: tuple[str, ...] = ()
    """What was found damaged in the run folder, and what became of it."""
    faulty: int = 0
    """Attempts that a fault of the suite or of a scorer ended: they are done, and say nothing of any agent."""

    @property
    def in_order(self) -> bool:
        """Whether every attempt is done, and none by a fault of what the agents were given."""
        return self.done == self.planned and not self.faulty


@dataclass(frozen=True, slots=True)
class Way:
    """How a sitting makes its attempts: by whom, and whether everything is judged at its end.

    `sit` makes the pending attempts and writes them down; None: this process makes them, `at_once` of them in each of
    Inspect's evaluations. A part of a run is not judged.
    """

    sit: Callable[[Session], None] | None = None
    judged: bool = True
    at_once: int = 2_000
    """Inspect keeps what it knows of each attempt, some 30 KB, until an evaluation ends."""


def run(spec: RunSpec, out: Path, prompts: Prompts | None = None, way: Way = Way()) -> Outcome:
    """Make every attempt of the specification that the run folder does not hold yet.

    Raises InputError where the folder holds another run, or another process is at work on it; KeyboardInterrupt
    passes through after everything finished is written down.
    """
    words = _words(spec, prompts)
    _try_out(spec, here=way.sit is None)
    folder = RunFolder.create(out, spec)
    with folder.lock(), _inspect_at_home(folder):
        notes = restore(folder, planned(spec))
        session = _session(folder, words)
        try:
            if any(session.pending.values()) and not session.budget.exhausted:
                _require_data(session)
                (way.sit or partial(_sit, at_once=way.at_once))(session)
        finally:
            folder.write_attempts()
            folder.drop_unnamed_artifacts()
            close_workers()
            close_sandboxes()
        if session.trouble is not None:
            raise session.trouble
        return _outcome(session, notes, judged=way.judged)


def mended(folder: RunFolder, keys: Collection[Key]) -> tuple[str, ...]:
    """Make a run folder whole whose run was cut off: its logs, and what its journal lost; a line for each damage."""
    with _inspect_at_home(folder):
        return restore(folder, keys)


def _words(spec: RunSpec, prompts: Prompts | None) -> Prompts:
    words = (prompts or Prompts()).of(suite_at(spec.suite_folder))
    if words.digests() != spec.prompts:
        raise InputError(
            "the prompts are not those of the specification",
            found=", ".join(
                sorted(name for name, digest in words.digests().items() if spec.prompts.get(name) != digest)
            ),
            hint="give the same --prompts",
        )
    return words


def _outcome(session: Session, notes: tuple[str, ...], *, judged: bool) -> Outcome:
    folder = session.folder
    attempts = folder.attempts().values()
    return Outcome(
        folder,
        done=sum(not attempt.runs_again for attempt in attempts),
        planned=len(planned(folder.spec)),
        stopped=session.budget.stopped,
        scoring=_scored(folder) if judged else None,
        notes=notes,
        faulty=sum(isinstance(attempt.ending, Broke) and attempt.ending.fault in _GIVEN for attempt in attempts),
    )


def _try_out(spec: RunSpec, *, here: bool) -> None:
    """Every model, and a sandbox where an agent needs one on this machine, before anything is written."""
    with quiet_stdout():
        for cell in spec.cells:
            model_of(cell, spec)
        roles_of(spec)
    if here and any(needs_sandbox(cell.agent) for cell in spec.cells):
        open_sandbox(SandboxSpec(tracing=spec.tracing), spec.sandbox).close()


def _require_data(session: Session) -> None:
    """See that the rooms of what is to be attempted are what the suite says, before anything is spent."""
    spec = session.folder.spec
    suite = suite_at(spec.suite_folder)
    working = [keys for cell, keys in session.pending.items() if needs_sandbox(session.cell(cell).agent)]
    tasks_due = dict.fromkeys(key.task_id for keys in working for key in keys)
    rooms = dict.fromkeys(mount.room for task_id in tasks_due for mount in suite.tasks[task_id].data)
    require_rooms(suite, rooms, say)


def _scored(folder: RunFolder) -> Scoring | None:
    """Judge everything anew: the scores beside the run are the truth, those in the logs a snapshot."""
    suite = suite_at(folder.spec.suite_folder)
    if not suite.has_gold:
        return None
    judge = folder.spec.model_roles.get(ROLE)
    scoring = with_known_faults(score_run(suite, folder, ways=Ways(judging(judge) if judge else None)))
    keep_scores(scoring, folder)
    return scoring


def planned(spec: RunSpec) -> tuple[Key, ...]:
    """Every attempt of a specification, cell by cell."""
    suite = suite_at(spec.suite_folder)
    if suite.digest != spec.suite_digest:
        raise InputError(
            f"suite {spec.suite} has changed since this run began",
            found=f"digest {suite.digest[:12]}",
            expected=spec.suite_digest[:12],
        )
    chosen = suite.select(Selection(spec.subset, spec.ids, spec.limit))
    return spec.keys(task.id for task in chosen)


def unmade(folder: RunFolder) -> dict[str, tuple[Key, ...]]:
    """The attempts that are still to be made, by cell."""
    made = {key for key, attempt in folder.attempts().items() if not attempt.runs_again}
    pending: dict[str, list[Key]] = {cell.id: [] for cell in folder.spec.cells}
    for key in planned(folder.spec):
        if key not in made:
            pending[key.cell].append(key)
    return {cell: tuple(keys) for cell, keys in pending.items()}


def _session(folder: RunFolder, prompts: Prompts) -> Session:
    """A sitting over what is still to be made."""
    spec = folder.spec
    minutes = spec.budget_minutes
    return Session(
        folder=folder,
        budget=Budget(spec.budget_usd, None if minutes is None else minutes * 60, folder.spend()),
        slots=anyio.CapacityLimiter(spec.max_parallel or default_parallel()),
        pending=unmade(folder),
        prompts=prompts,
        pace=Pace(spec.calls_per_minute),
    )


def default_parallel() -> int:
    """Attempts at once: sandboxes compute, so no more than a few for each processor."""
    return 3 * len(os.sched_getaffinity(0))


def _sit(session: Session, at_once: int) -> None:
    with seated(session):
        _evaluate(session, at_once)


@contextlib.contextmanager
def seated(session: Session) -> Iterator[None]:
    """Write down that a sitting begins and ends."""
    folder = session.folder
    number = 1 + sum(1 for _ in folder.events("session"))
    pending = sum(map(len, session.pending.values()))
    folder.append("session", durable=True, number=number, pid=os.getpid(), pending=pending, spec=folder.spec.to_json())
    try:
        yield
    finally:
        folder.append("end", stopped=session.budget.stopped)


def _evaluate(session: Session, at_once: int) -> None:
    name, whole = uuid.uuid4().hex, True
    leave_unused_providers(session.folder.spec)
    with sitting(session), progress_on(session) as progress, terminated_as_interrupted(), _quiet_trace(session):
        session.finished = progress.finished
        for number, part in enumerate(_parts(session.pending, at_once)):
            session.due = part
            whole = _evaluated(session, f"{name}-{number}")
            if not whole or session.trouble is not None or session.budget.exhausted:
                break
    if session.trouble is None and not whole:
        raise KeyboardInterrupt  # which Inspect has taken for itself, after it ended the attempts


def _parts(pending: dict[str, tuple[Key, ...]], at_once: int) -> Iterator[dict[str, tuple[Key, ...]]]:
    """What is pending in parts of so many attempts, in each of which every cell goes on."""
    step = max(1, at_once // max(1, len(pending)))
    for first in range(0, max(map(len, pending.values())), step):
        yield {cell: keys[first : first + step] for cell, keys in pending.items()}


def _evaluated(session: Session, name: str) -> bool:
    """Make the attempts that are due; whether Inspect went through all of them."""
    folder, spec = session.folder, session.folder.spec
    with quiet_stdout(), unattended():
        to_run = [tasks.cell(cell, name) for cell, keys in session.due.items() if keys]
        _, logs = eval_set(
            to_run,
            log_dir=str(folder.logs),
            model="none/none",
            model_roles=roles_of(spec) or None,
            max_tasks=len(to_run),
            max_samples=int(session.slots.total_tokens),
            retry_on_error=RETRIES,
            retry_attempts=1,
            retry_cleanup=False,
            fail_on_error=False,
            continue_on_fail=True,
            log_dir_allow_dirty=True,
            log_buffer=_buffer(session),
            display="none",
            ctl_server=False,
            acp_server=False,
            score_display=False,
        )
    return len(logs) >= len(to_run) and not any(log.status == "cancelled" for log in logs)


@contextlib.contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM, as batch systems send it, ends a run as Ctrl-C does: attempts under way are cut off, nothing is lost."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    if ignored := signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # started by a script, behind its `&`
        signal.signal(signal.SIGINT, signal.default_int_handler)
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        if ignored:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextlib.contextmanager
def _quiet_trace(session: Session) -> Iterator[None]:
    """Give up Inspect's own trace where a disk is full.

    Python would print a page for each line of it, and one more when Inspect packs it at exit.
    """
    before, logging.raiseExceptions = logging.raiseExceptions, False
    written = False
    try:
        yield
        written = session.trouble is None
    finally:
        logging.raiseExceptions = before
        if not written:
            _give_up_trace()


def _give_up_trace() -> None:
    for handler in logging.getLogger().handlers:
        trace = getattr(handler, "trace_logger", None)
        if isinstance(trace, logging.FileHandler):
            with contextlib.suppress(OSError):
                trace.close()
            Path(trace.baseFilename).unlink(missing_ok=True)


def _buffer(session: Session) -> int:
    """Samples between two writes of a log."""
    return max(1, max(map(len, session.due.values())) // _LOG_WRITES)


@contextlib.contextmanager
def _inspect_at_home(folder: RunFolder) -> Iterator[None]:
    """Inspect's crash buffer lies in the run folder, so that a run can be taken up on another machine.

    Our own home is pinned first: without $BENCHWRIGHT_HOME it would follow the same variable.
    """
    changed = {"BENCHWRIGHT_HOME": str(home()), "XDG_DATA_HOME": str(folder.path.absolute() / "buffer")}
    before = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
