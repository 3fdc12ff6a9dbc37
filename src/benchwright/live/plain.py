"""Suites for any solver of Inspect: the task that `benchwright export inspect` writes."""

from __future__ import annotations

from pathlib import Path

from inspect_ai import Task as InspectTask
from inspect_ai.agent import Agent, as_solver, is_agent
from inspect_ai.dataset import MemoryDataset
from inspect_ai.solver import Solver

from benchwright.errors import InputError
from benchwright.live.prompts import Prompts
from benchwright.live.scorers import discovery, reference, sound
from benchwright.live.suites import suite_at
from benchwright.live.tasks import Play
from benchwright.run import Cell, RunSpec

AGENT = "inspect"
"""The agent's name in the record: which solver it was stands in Inspect's own log."""


def plain_task(
    folder: Path, solver: Solver | Agent, *, subset: str = "full", variant: str = "", sandbox: str = "auto"
) -> InspectTask:
    """A suite in a folder as a task for any solver; ids are the tasks' ids, and samples hold nothing of the gold."""
    suite = suite_at(str(folder.absolute()))
    if not suite.has_gold:
        raise InputError(
            f"the suite in {folder} holds no gold", expected="gold/gold.jsonl, by which attempts are judged"
        )
    cell = Cell(agent=AGENT, variant=variant, suite_digest=suite.digest)
    spec = RunSpec.from_json(
        {
            "suite": suite.name,
            "suite_folder": str(suite.folder),
            "suite_digest": suite.digest,
            "cells": [cell.to_json()],
            "sandbox": sandbox,
        },
        "the task's parameters",
    )
    play = Play(suite, cell, spec, Prompts().of(suite), any_solver=True)
    samples = [play.sample(task_id, None) for task_id in suite.subset(subset)]
    return InspectTask(
        dataset=MemoryDataset(samples, name=suite.name),
        solver=as_solver(solver) if is_agent(solver) else solver,
        scorer=[reference(), sound(), discovery()],
        metadata={"cell": cell.id, **cell.model_dump(mode="json")},
        fail_on_error=False,
        continue_on_fail=True,
        name=suite.name,
    )
