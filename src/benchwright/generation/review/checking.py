"""Edited tasks are checked again before they take the place of what was proved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from benchwright.generation.review.novelty import near_duplicates
from benchwright.generation.review.privacy import private
from benchwright.proving.findings import Severity
from benchwright.proving.guideline import split_parts
from benchwright.proving.lint import RULES
from benchwright.proving.lint.base import Case, TaskRule, quoted
from benchwright.proving.lint.text import plain
from benchwright.proving.proofs.self_scores import self_scores
from benchwright.scoring.jobs import Job
from benchwright.scoring.verdicts import TaskScores
from benchwright.scoring.workers import Worker
from benchwright.suite import Suite
from benchwright.trajectory import Submission


def faults(suite: Suite, before: Mapping[str, Case], edited: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """What is wrong with tasks of a suite that were edited, by task; nothing where an edit holds.

    A rule that the task broke before, in the same words, is no fault of the edit. Golds are scored again: by a new
    guideline another form may be right.
    """
    listed = list(edited)
    found: dict[str, tuple[str, ...]] = {}
    with Worker(suite.folder) as worker:
        for task_id in listed:
            case = Case(suite.tasks[task_id], suite.golds[task_id], suite.label(task_id))
            old = before[task_id]
            told = (*_lint(case, old), *_told(case, old), *_near(suite, task_id), *_private(case, old))
            scored = self_scores(suite, case, partial(_judged, worker, task_id))
            failed = (f"{step.name}: {step.evidence}" for step in scored if step.outcome == "failed")
            if every := (*told, *failed):
                found[task_id] = every
    return found


def _judged(worker: Worker, task_id: str, submission: Submission) -> TaskScores:
    return worker.score(Job(task_id, submission))


def _lint(case: Case, before: Case) -> Iterator[str]:
    for rule in RULES:
        if isinstance(rule, TaskRule) and rule.severity is not Severity.NOTE:
            known = set(rule.find(before))
            yield from (f"{rule.name}: {evidence}" for evidence in rule.find(case) if evidence not in known)


def _told(case: Case, before: Case) -> Iterator[str]:
    """Whether all parts of the answer stand in the new question, however short they are."""
    if _holds_answer(case) and not _holds_answer(before):
        yield f"gold-in-question: the question holds {quoted(case.answer, 60)}"


def _holds_answer(case: Case) -> bool:
    words = f" {plain(case.task.question)} "
    parts = [part for part in map(plain, split_parts(case.answer)) if part]
    return bool(parts) and all(f" {part} " in words for part in parts)


def _near(suite: Suite, task_id: str) -> Iterator[str]:
    others = {other: task.question for other, task in suite.tasks.items() if other != task_id}
    for near in near_duplicates({task_id: suite.tasks[task_id].question}, others):
        yield f"duplicate-question: nearly the question of {near.other} (cosine {near.cosine:.2f})"


def _private(case: Case, before: Case) -> Iterator[str]:
    known = {(each.place, each.kind, each.count) for each in private(before)}
    for each in private(case):
        if (each.place, each.kind, each.count) not in known:
            yield f"privacy-{each.kind}: {each.first} in {each.place}"
