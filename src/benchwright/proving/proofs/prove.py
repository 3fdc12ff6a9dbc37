"""Prove the tasks of a suite, several at a time; what was proved before and has not changed is not done again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from benchwright.errors import Broken, SuiteError
from benchwright.gold import Solution
from benchwright.proving.findings import Finding, Severity
from benchwright.proving.lint.base import Case, cases
from benchwright.proving.proofs.fixed_files import fixed_files
from benchwright.proving.proofs.records import Ledger, Proof, Step, stamp
from benchwright.proving.proofs.self_scores import fixed_file_score, self_scores
from benchwright.proving.proofs.solution_runs import Run, cannot_run, run_solution, spec_of
from benchwright.proving.proofs.solution_steps import solution_steps
from benchwright.sandbox.base import Sandbox, SandboxSpec, Tracing
from benchwright.scoring.attempt import scorer_digest
from benchwright.scoring.jobs import Job
from benchwright.scoring.verdicts import TaskScores
from benchwright.scoring.workers import Worker
from benchwright.scratch import scratch_folder
from benchwright.suite import Suite
from benchwright.trajectory import Measured, Submission

Opener = Callable[[SandboxSpec], Sandbox]
"""Starts a sandbox; raises EnvironmentFault where this machine cannot."""
Progress = Callable[[str], None]
_TELL_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class ProofOptions:
    """How to prove. `open` starts sandboxes (None: solutions are not run); `twice` runs each solution two times."""

    open: Opener | None = None
    toolbox: Path | None = None
    tracing: Tracing = "auto"
    parallel: int = 0
    """Tasks at a time; 0: one a core."""
    twice: bool = False
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proofs:
    """The proofs of the asked tasks, how many were made now, and what went wrong with the machine."""

    proofs: tuple[Proof, ...]
    made: int
    broken: tuple[Finding, ...] = ()


def prove(suite: Suite, options: ProofOptions, progress: Progress = lambda _: None) -> Proofs:
    """Prove every task, or those of `options.ids`; one whose sandbox broke is reported, and tried again next time."""
    wanted = [case for case in cases(suite) if not options.ids or case.task.id in options.ids]
    ledger, scorers = Ledger(suite), scorer_digest(suite)
    stamps = {case.task.id: stamp(suite, case, scorers, _conditions(suite, case, options)) for case in wanted}
    known = {name: proof for name, mark in stamps.items() if (proof := ledger.get(name, mark))}
    stale = [case for case in wanted if case.task.id not in known]
    broken: list[Finding] = []
    tell = _teller(len(wanted), progress)
    try:
        for case, made in zip(stale, _prove_all(suite, stale, stamps, options), strict=True):
            if isinstance(made, Finding):
                broken.append(made)
            else:
                ledger.put(made)
                known[case.task.id] = made
            tell(len(known) + len(broken))
    finally:
        if stale:
            ledger.save()
    return Proofs(
        proofs=tuple(known[case.task.id] for case in wanted if case.task.id in known),
        made=len(stale) - len(broken),
        broken=tuple(broken),
    )


def _teller(total: int, progress: Progress) -> Callable[[int], None]:
    """Progress at most every few seconds, and at the end."""
    said = time.monotonic()

    def tell(done: int) -> None:
        nonlocal said
        if done == total or time.monotonic() - said > _TELL_SECONDS:
            said = time.monotonic()
            progress(f"checked {done} of {total} tasks")

    return tell


def _conditions(suite: Suite, case: Case, options: ProofOptions) -> str:
    """What of the options and the machine a proof depends on: a proof without data is made again with them."""
    return f"{options.open is not None} {options.twice} {cannot_run(suite, case)}"


def _prove_all(
    suite: Suite, stale: Sequence[Case], stamps: dict[str, str], options: ProofOptions
) -> Iterator[Proof | Finding]:
    """A proof for each case in order, or the finding that its machine broke; each thread keeps a scoring process."""
    count = min(options.parallel or os.cpu_count() or 1, max(1, len(stale)))
    free: SimpleQueue[Worker] = SimpleQueue()

    def one(case: Case) -> Proof | Finding:
        worker = free.get()
        try:
            return _prove(suite, case, worker, options, stamps[case.task.id])
        except Broken as error:
            return _machine_broke(case, error)
        except SuiteError as error:
            return _room_changed(case, error)
        finally:
            free.put(worker)

    with ExitStack() as stack:
        for _ in range(count if stale else 0):
            free.put(stack.enter_context(Worker(suite.folder)))
        threads = ThreadPoolExecutor(count, thread_name_prefix="proving")
        stack.callback(threads.shutdown, wait=True, cancel_futures=True)
        yield from threads.map(one, stale)


def _machine_broke(case: Case, error: Broken) -> Finding:
    return Finding(
        task_id=case.task.id,
        rule="prove-machine-broke",
        severity=Severity.WARNING,
        evidence=f"the {error.fault} broke: {error.what} {error.found}".strip(),
        hint="nothing was proved of this task: check again, and see benchwright doctor",
    )


def _room_changed(case: Case, error: SuiteError) -> Finding:
    """The sandbox refused a room that does not hold what the suite says."""
    return Finding(
        task_id=case.task.id,
        rule="prove-room-changed",
        severity=Severity.ERROR,
        evidence=f"{error.what}: {error.found}",
        hint=error.hint,
    )


def _prove(suite: Suite, case: Case, worker: Worker, options: ProofOptions, mark: str) -> Proof:
    started = time.monotonic()

    def judge(submission: Submission) -> TaskScores:
        return worker.score(Job(case.task.id, submission))

    steps = [*self_scores(suite, case, judge)]
    with scratch_folder("proof") as folder:
        if fixed := fixed_files(case, folder):
            steps.append(fixed_file_score(fixed, judge))
    reason, tracer, solution = cannot_run(suite, case), "", case.gold.solution
    if reason or options.open is None or solution is None:
        evidence = reason or "no sandbox was asked for"
        steps.append(Step(name="solution-runs", outcome="not_applicable", evidence=evidence))
    else:
        with scratch_folder("proof") as folder:
            runs = [_run(suite, case, solution, options, folder) for _ in range(1 + options.twice)]
            steps.extend(solution_steps(suite, case, runs, judge))
        tracer = runs[0].accesses.tracer if isinstance(runs[0].accesses, Measured) else ""
    seconds = round(time.monotonic() - started, 3)
    return Proof(task_id=case.task.id, stamp=mark, steps=tuple(steps), seconds=seconds, tracer=tracer)


def _run(suite: Suite, case: Case, solution: Solution, options: ProofOptions, folder: Path) -> Run:
    assert options.open is not None
    with options.open(spec_of(suite, case, options.tracing, options.toolbox)) as sandbox:
        return run_solution(sandbox, case, solution, folder)
