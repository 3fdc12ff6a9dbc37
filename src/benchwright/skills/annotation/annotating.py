"""Annotating a suite: every candidate skill is asked about for every task, then the order of those that are used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from benchwright.chat.base import ChatModel
from benchwright.errors import BenchwrightError, InputError
from benchwright.files import Record, canonical_json, sha256, sha256_file, write_atomic, write_jsonl
from benchwright.labels import Labels
from benchwright.skills.annotation.asking import Case, PresentForm, TraceForm, present_question, trace_question
from benchwright.skills.asking import Asked, Ledger, Limits, Progress, Question, Spending, ask_all
from benchwright.skills.nodes import SkillNode
from benchwright.suite import Suite

LABELS_FILE, ANNOTATIONS_FILE = "labels.jsonl", "annotations.jsonl"
_PRESENT, _TRACE, _WRITTEN = "present", "trace", "written"
_USUAL = Limits()


class Annotation(Record):
    """What a model said of one task: the skills that its solution uses, in the order of use.

    `evidence` are lines of the solution, by skill; `needs` pairs of which the second skill works on what the first
    made; `judged` counts the skills that were asked about. `reason` tells why there is no annotation.
    """

    task_id: str
    status: Literal["done", "failed", "missing"]
    reason: str = ""
    skills: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    evidence: dict[str, str] = Field(default_factory=dict)
    needs: tuple[tuple[str, str], ...] = ()
    judged: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """Which tasks are annotated by which skills, and how many skills are asked about in one call.

    The paper asks about one at a time; more cost less. `replace` lets annotations take the place of labels that tasks
    have already, which are then kept beside them.
    """

    suite: Suite
    skills: Sequence[SkillNode]
    tasks: Sequence[str]
    batch: int = 20
    replace: bool = False


@dataclass(frozen=True, slots=True)
class Annotated:
    """The outcome; `stopped` says why it ended before everything was asked."""

    annotations: tuple[Annotation, ...]
    spent: Spending
    kept_labels: int
    stopped: BenchwrightError | None = None

    @property
    def counts(self) -> dict[str, int]:
        """Tasks by status, which add up, and what was found in them."""
        by_status = Counter(each.status for each in self.annotations)
        statuses = {status: by_status[status] for status in ("done", "failed", "missing")}
        used = [len(each.skills) for each in self.annotations]
        return {"tasks": len(used), **statuses, "uses": sum(used), "kept_labels": self.kept_labels}


async def annotate(
    model: ChatModel,
    request: Request,
    out: Path,
    limits: Limits = _USUAL,
    told: Callable[[Progress], None] = lambda _: None,
) -> Annotated:
    """Annotate, and write `annotations.jsonl`, `labels.jsonl` and `counts.json`.

    `labels.jsonl` is the suite's with skills and categories where a task had none; the suite itself stays as it is.
    Errors: InputError where the folder holds labels that were not written here, or were changed since.
    """
    cases = _cases(request)
    with Ledger.open(out / "state.sqlite") as ledger:
        _refuse_others_labels(out / LABELS_FILE, ledger)
        stopped = None
        try:
            await ask_all(model, _PRESENT, _present_questions(cases, request), ledger, limits, told)
            await ask_all(model, _TRACE, _trace_questions(cases, request, ledger, model.name), ledger, limits, told)
        except BenchwrightError as error:
            stopped = error
        made = tuple(_annotation(task, cases.get(task), request, ledger, model.name) for task in request.tasks)
        labels, kept = _labels(request, made, model.name)
        write_jsonl(out / ANNOTATIONS_FILE, made)
        _write_labels(out / LABELS_FILE, labels, ledger)
        annotated = Annotated(made, ledger.spending(), kept, stopped)
    write_atomic(out / "counts.json", canonical_json(annotated.counts) + "\n")
    return annotated


def _cases(request: Request) -> dict[str, Case]:
    """The tasks that have a reference solution."""
    found = {}
    for task in request.tasks:
        gold = request.suite.golds.get(task)
        if gold is not None and gold.solution is not None and gold.solution.code.strip():
            found[task] = Case(task, request.suite.tasks[task].question, gold.solution.code)
    return found


def _present_questions(cases: Mapping[str, Case], request: Request) -> Iterator[Question[PresentForm]]:
    for case in cases.values():
        for number, part in enumerate(_batches(request)):
            yield present_question(case, number, part)


def _batches(request: Request) -> list[tuple[SkillNode, ...]]:
    size = max(request.batch, 1)
    return [tuple(request.skills[start : start + size]) for start in range(0, len(request.skills), size)]


def _trace_questions(
    cases: Mapping[str, Case], request: Request, ledger: Ledger, model: str
) -> Iterator[Question[TraceForm]]:
    for case in cases.values():
        used = _used(case, request, ledger, model)
        if isinstance(used, list) and len(used) > 1:
            yield trace_question(case, [(node.name, lines) for node, lines in used])


def _used(case: Case, request: Request, ledger: Ledger, model: str) -> list[tuple[SkillNode, str]] | Asked | None:
    """The skills that a solution uses with the lines that show it; the first answer that is wanting, where one is."""
    found: list[tuple[SkillNode, str]] = []
    for number, part in enumerate(_batches(request)):
        question = present_question(case, number, part)
        asked = ledger.answer(_PRESENT, question.key, question.digest(model))
        if asked is None or asked.status == "failed":
            return asked
        present = (verdict for verdict in asked.read(PresentForm).skills if verdict.present)
        found += [(part[each.number - 1], f"{each.first_line}-{each.last_line}") for each in present]
    return found


def _annotation(task: str, case: Case | None, request: Request, ledger: Ledger, model: str) -> Annotation:
    if case is None:
        return Annotation(task_id=task, status="failed", reason="no reference solution")
    used = _used(case, request, ledger, model)
    if not isinstance(used, list):
        return _wanting(task, used)
    order = list(range(len(used)))
    needs: tuple[tuple[str, str], ...] = ()
    if len(used) > 1:
        question = trace_question(case, [(node.name, lines) for node, lines in used])
        asked = ledger.answer(_TRACE, task, question.digest(model))
        if asked is None or asked.status == "failed":
            return _wanting(task, asked)
        trace = asked.read(TraceForm)
        order = [number - 1 for number in trace.order]
        needs = tuple((used[need.first - 1][0].name, used[need.second - 1][0].name) for need in trace.needs)
    ordered = [used[place] for place in order]
    return Annotation(
        task_id=task,
        status="done",
        skills=tuple(node.name for node, _ in ordered),
        categories=tuple(dict.fromkeys(node.category for node, _ in ordered if node.category)),
        evidence={node.name: lines for node, lines in ordered},
        needs=needs,
        judged=len(request.skills),
    )


def _wanting(task: str, asked: Asked | None) -> Annotation:
    if asked is None:
        return Annotation(task_id=task, status="missing")
    return Annotation(task_id=task, status="failed", reason=asked.reason)


def _labels(request: Request, made: Sequence[Annotation], model: str) -> tuple[list[Labels], int]:
    """The labels of all tasks of the suite, and how many of them keep the skills that they had."""
    done = {each.task_id: each for each in made if each.status == "done"}
    found, kept = [], 0
    for task in request.suite.tasks:
        before = request.suite.label(task)
        each = done.get(task)
        if each is None:
            if task in request.suite.labels:
                found.append(before)
            continue
        keeps = bool(before.skills) and not request.replace
        kept += keeps
        found.append(_labelled(before, each, model, keeps=keeps))
    return found, kept


def _labelled(before: Labels, made: Annotation, model: str, *, keeps: bool) -> Labels:
    extra: dict[str, Any] = {**before.extra, "annotated_by": model}
    if keeps:
        return before.model_copy(update={"extra": {**extra, "annotated_skills": list(made.skills)}})
    if before.skills:
        extra["skills_before"] = list(before.skills)
    changes = {"skills": made.skills, "categories": made.categories or before.categories, "extra": extra}
    return before.model_copy(update=changes)


def _refuse_others_labels(path: Path, ledger: Ledger) -> None:
    if path.is_file() and ledger.answer(_WRITTEN, sha256_file(path)) is None:
        hint = "move it away: it may be the work of people, and is never overwritten"
        raise InputError(f"{path} was not written by this annotation, or was changed since", hint=hint)


def _write_labels(path: Path, labels: Sequence[Labels], ledger: Ledger) -> None:
    """Write labels whose hash is known before they are there, so that a kill in between leaves nothing unknown."""
    text = "".join(canonical_json(each.to_json()) + "\n" for each in labels)
    ledger.keep_answer(_WRITTEN, sha256(text), "", {})
    write_atomic(path, text)
