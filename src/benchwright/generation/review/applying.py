"""Applying a review: a new suite of what was accepted, edits checked again, and a log of every decision."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchwright.errors import InputError
from benchwright.files import write_jsonl
from benchwright.generation.review.checking import faults
from benchwright.generation.review.decisions import Ruling, Settled, rule
from benchwright.generation.review.folder import KEPT, read_kept, read_review
from benchwright.proving.lint.base import Case, cases
from benchwright.selection.suites import Choice, write_selected
from benchwright.suite import Suite
from benchwright.suites.staging import staged
from benchwright.task import Task

NOT_REVIEWED = "no page is about it"
"""Why a task is left out that nobody decided about."""

LOG = Path("gold", "review", "review.jsonl")
"""Every decision, in the new suite: with the gold, for reasons may speak of it."""


@dataclass(frozen=True, slots=True)
class Applied:
    """What came of a review: the ruling, tasks that were kept, edited, and left out with the reason."""

    ruling: Ruling
    kept: tuple[str, ...]
    edited: tuple[str, ...]
    left_out: Mapping[str, str]
    problems: Mapping[str, str] = field(default_factory=dict)
    suite: Suite | None = None

    def document(self) -> dict[str, Any]:
        """All of it as plain values."""
        agreement = self.ruling.agreement
        return {
            "kept": list(self.kept),
            "edited": list(self.edited),
            "left_out": dict(self.left_out),
            "differing": list(self.ruling.differing),
            "undecided": list(self.ruling.undecided),
            "problems": dict(self.problems),
            "agreement": agreement and agreement.model_dump(mode="json"),
            "suite": str(self.suite.folder) if self.suite else None,
        }


def ruled(suite: Suite, folders: Sequence[Path], adjudicated: Path | None) -> tuple[Ruling, dict[str, str]]:
    """What one or two review folders, and the one that adjudicates, come to; and pages that cannot be read."""
    if len(folders) not in (1, 2):
        raise InputError("reviews", found=f"{len(folders)} folders", expected="one reviewer's folder, or two")
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise InputError("reviews", found=f"{folders[0]} twice", expected="the folders of two reviewers")
    returned = [read_review(folder, suite) for folder in folders]
    final = read_review(adjudicated, suite) if adjudicated is not None else None
    problems: dict[str, str] = {}
    named = [*folders, *([adjudicated] if adjudicated is not None else [])]
    for folder, each in zip(named, [*returned, *([final] if final else [])], strict=True):
        problems |= {f"{folder.name}/{task}": problem for task, problem in each.problems.items()}
    decided = final.decisions if final is not None else {}
    return rule([each.decisions for each in returned], decided), problems


def apply_review(suite: Suite, ruling: Ruling, problems: Mapping[str, str], out: Path) -> Applied:
    """Write the reviewed suite. Nothing is written while a page cannot be read, is undecided, or reviewers differ.

    Tasks that no page is about are left out: nobody accepted them. An edit that does not hold leaves its task out.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out} is not empty", expected="a new folder: a review overwrites nothing")
    if problems or ruling.differing or ruling.undecided:
        return Applied(ruling, (), (), {}, problems)
    settled = {each.task: each for each in ruling.settled}
    left_out = _not_accepted(suite, settled)
    kept = [task for task in suite.tasks if task not in left_out]
    edits = {task: settled[task] for task in kept if settled[task].verdict == "edit"}
    if not kept:
        rejected = sum(reason != NOT_REVIEWED for reason in left_out.values())
        raise InputError("no task was accepted", found=f"{rejected} rejected", hint="nothing was written")
    with staged(out) as folder:
        refused = _refused(suite, kept, edits, folder / "trial")
        left_out |= {task: f"the edit does not hold: {'; '.join(told)}" for task, told in refused.items()}
        kept = [task for task in kept if task not in refused]
        if not kept:
            raise InputError("no edit holds", found="; ".join(left_out.values())[:2000], hint="nothing was written")
        made = folder / "made"
        _write(suite, kept, edits, made)
        _log(suite, made, ruling, left_out)
        _only(folder, made)
    in_order = {task: left_out[task] for task in suite.tasks if task in left_out}
    edited_tasks = tuple(task for task in kept if task in edits)
    return Applied(ruling, tuple(kept), edited_tasks, in_order, {}, Suite.open(out))


def _not_accepted(suite: Suite, settled: Mapping[str, Settled]) -> dict[str, str]:
    """The tasks that nobody accepted, with the reason."""
    unseen = dict.fromkeys((task for task in suite.tasks if task not in settled), NOT_REVIEWED)
    rejected = {task: f"rejected: {each.reason}" for task, each in settled.items() if each.verdict == "reject"}
    return {**unseen, **rejected}


def _refused(
    suite: Suite, kept: Sequence[str], edits: Mapping[str, Settled], place: Path
) -> dict[str, tuple[str, ...]]:
    """The edits that do not hold, with what speaks against them."""
    if not edits:
        return {}
    before: dict[str, Case] = {case.task.id: case for case in cases(suite)}
    return faults(_write(suite, kept, edits, place), before, edits)


def _write(suite: Suite, kept: Sequence[str], edits: Mapping[str, Settled], out: Path) -> Suite:
    choice = Choice(tuple(kept), "review", proven=False, bound=None, before={}, after={}, curve=())
    chosen = write_selected(suite, choice, out, suite.name)
    info = chosen.info.model_copy(
        update={"source": chosen.info.source.replace("chosen by review cover", "as reviewed")}
    )
    tasks = [edited(task, edits.get(task_id)) for task_id, task in chosen.tasks.items()]
    return Suite.write(out, info, tasks, chosen.labels.values(), chosen.golds.values())


def edited(task: Task, settled: Settled | None) -> Task:
    """The task with the texts that a reviewer gave it."""
    texts = {name: text for name in ("question", "guidelines") if settled and (text := getattr(settled, name))}
    return task.model_copy(update=texts)


def _log(suite: Suite, made: Path, ruling: Ruling, left_out: Mapping[str, str]) -> None:
    rows = [{**each.model_dump(mode="json"), "left_out": left_out.get(each.task, "")} for each in ruling.settled]
    agreement = ruling.agreement and ruling.agreement.model_dump(mode="json")
    first = {"suite": suite.name, "digest": suite.digest, "gold_digest": suite.gold_digest, "agreement": agreement}
    write_jsonl(made / LOG, [first, *rows])
    kept, reviewed = read_kept(suite), Suite.open(made).tasks
    if kept:
        texts = {task_id: {"question": t.question, "guidelines": t.guidelines} for task_id, t in reviewed.items()}
        rows_kept = (
            one.model_copy(update={"draft": one.draft.model_copy(update=texts[task_id])})
            for task_id, one in kept.items()
            if task_id in texts
        )
        write_jsonl(made / KEPT, rows_kept)


def _only(folder: Path, made: Path) -> None:
    """Leave nothing in the new folder but what was made."""
    shutil.rmtree(folder / "trial", ignore_errors=True)
    for part in sorted(made.iterdir()):
        part.rename(folder / part.name)
    made.rmdir()
