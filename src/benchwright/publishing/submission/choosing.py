"""Which attempts a submission is of: one cell's, of runs that go together, each task once; and what they handed in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchwright.errors import InputError
from benchwright.run import Attempt, Cell, Key, RunFolder, RunSpec
from benchwright.scoring.runs import require_same_questions
from benchwright.suite import Selection, Suite

_LARGEST = 100 << 20
"""Bytes of a file that goes into a submission."""
_MAY_DIFFER = ("subset", "ids", "limit", "seed")
"""What runs that are put together may differ in, beside their budgets: which tasks they are about."""


def one_cell(runs: Sequence[RunFolder], wanted: str) -> Cell:
    """The cell of the runs that is called so, by id or title; empty: the only one."""
    every = {cell.id: cell for run in runs for cell in run.spec.cells}
    named = [cell for cell in every.values() if not wanted or wanted in (cell.id, cell.title)]
    if len(named) == 1:
        return named[0]
    raise InputError(
        f"no single cell {wanted!r} in the runs" if wanted else f"the runs have {len(every)} cells",
        found="; ".join(f"{cell.id} {cell.title}" for cell in every.values()),
        expected="one: a submission is of one agent",
        hint="name it with --cell, or make one submission each with --each",
    )


def require_same(suite: Suite, runs: Sequence[RunFolder], cell: Cell) -> None:
    """That these runs of the cell differ in their tasks alone. Errors: InputError says in what else."""
    first = bare(runs[0].spec, cell)
    for run in runs:
        require_same_questions(suite, run)
        if run.spec.only:
            raise InputError(
                f"the run in {run.path} repeats chosen attempts of another", hint="hand in the run that it repeats"
            )
        if cell.id not in {each.id for each in run.spec.cells}:
            raise InputError(f"the run in {run.path} has no cell {cell.title}")
        same = dict.fromkeys(_MAY_DIFFER)
        told = bare(run.spec, cell).differences(first)
        if told := tuple(line for line in told if line.partition(":")[0] not in same):
            raise InputError(
                f"the run in {run.path} has other settings than {runs[0].path}",
                found="; ".join(told)[:500],
                expected="runs that differ in their tasks alone",
            )


def bare(spec: RunSpec, cell: Cell) -> RunSpec:
    """A specification of that cell alone, without where things lie on this machine, and what it might have cost."""
    limits = {name: limit for name, limit in spec.cell_limits.items() if name == cell.id}
    kept = {"cells": (cell,), "cell_limits": limits, "suite_folder": "", "secret_args": {}}
    return spec.model_copy(update={**kept, "budget_usd": None, "budget_minutes": None})


def attempts_of(suite: Suite, runs: Sequence[RunFolder], cell: Cell, epoch: int) -> dict[str, Attempt]:
    """The attempt at each planned task, each task once; none is missing."""
    found: dict[str, Attempt] = {}
    for run in runs:
        if not 1 <= epoch <= run.spec.epochs:
            raise InputError(f"no epoch {epoch} in {run.path}", expected=f"1 to {run.spec.epochs}")
        made = run.attempts()
        for task in suite.select(Selection(run.spec.subset, run.spec.ids, run.spec.limit)):
            attempt = made.get(Key(cell.id, task.id, epoch))
            if attempt is None or attempt.runs_again:
                raise InputError(
                    f"the attempt at {task.id} is still to be made in {run.path}",
                    found="nothing" if attempt is None else f"it broke: {attempt.error[:200]}",
                    hint="give the run's command again: it makes what is missing",
                )
            if task.id in found:
                raise InputError(f"more than one run holds task {task.id}", hint="hand in one run for each task")
            found[task.id] = attempt
    return found


def files_of(runs: Sequence[RunFolder], attempts: Mapping[str, Attempt]) -> dict[str, Path]:
    """By SHA-256 where the files lie that were handed in, those that are too large left out."""
    wanted = {item.sha256 for attempt in attempts.values() for item in attempt.files.values() if item.bytes <= _LARGEST}
    here = {digest: place for digest in wanted for run in runs if (place := run.artifacts.locate(digest)).is_file()}
    if gone := sorted(wanted - here.keys()):
        raise InputError(f"the runs no longer hold {len(gone)} files that were handed in", found=gone[0])
    return here
