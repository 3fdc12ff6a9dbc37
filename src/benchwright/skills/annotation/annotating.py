"""Annotating a suite: every candidate skill is asked about for every task, then the order of those that are used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from benchwright.chat.asking import Asked, Ledger, Limits, Progress, Question, Spending, ask_all
from benchwright.chat.base import ChatModel
from benchwright.errors import BenchwrightError, InputError
from benchwright.files import Record, canonical_json, sha256, sha256_file, write_atomic, write_jsonl
from benchwright.labels import Labels
from benchwright.skills.annotation.agreeing import ANNOTATED_BY
from benchwright.skills.annotation.asking import Case, PresentForm, TraceForm, present_question, trace_question
from benchwright.skills.annotation.shortlisting import Offer, Shortlist, offer
from benchwright.skills.nodes import SkillNode
from benchwright.suite import Suite

LABELS_FILE, ANNOTATIONS_FILE = "labels.jsonl", "annotations.jsonl"
_PRESENT, _TRACE, _WRITTEN = "present", "trace", "written"
_USUAL = Limits()


class Annotation(Record):
    """What a model said of one task: the skills that its solution uses, in the order of use.

    `evidence` are lines of the solution, by skill; `needs` pairs of which the second skill works on what the first
    made; `judged` counts the skills that were asked about. `reason` tells why there is no annotation. Where `audited`,
    all skills were asked about to see what the shortlist leaves out: of those used, `left_out`.
    """

    task_id: str
    status: Literal["done", "failed", "missing"]
    reason: str = ""
    skills: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    evidence: dict[str, str] = Field(default_factory=dict)
    needs: tuple[tuple[str, str], ...] = ()
    judged: int = 0
    audited: bool = False
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """Which tasks are annotated by which skills, and how many skills are asked about in one call.

    The paper asks about one at a time; more cost less. `replace` lets annotations take the place of labels that tasks
    have already, which are then kept beside them. Without a `shortlist` every skill is asked about for every task.
    """

    suite: Suite
    skills: Sequence[SkillNode]
    tasks: Sequence[str]
    batch: int = 20
    replace: bool = False
    shortlist: Shortlist | None = None


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
        counts = {"tasks": len(used), **statuses, "uses": sum(used), "kept_labels": self.kept_labels}
        audited = [each for each in self.annotations if each.audited]
        if audited:
            counts["audited"] = len(audited)
            counts["audited_uses"] = sum(len(each.skills) for each in audited)
            counts["audited_left_out"] = sum(len(each.left_out) for each in audited)
        return counts


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
        offered = await offer(request.skills, cases, request.shortlist, out)
        asking = _Asking(cases, offered, max(request.batch, 1), ledger, model.name)
        stopped = None
        try:
            await ask_all(model, _PRESENT, _present_questions(asking), ledger, limits, told)
            await ask_all(model, _TRACE, _trace_questions(asking), ledger, limits, told)
        except BenchwrightError as error:
            stopped = error
        made = tuple(_annotation(task, asking) for task in request.tasks)
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


@dataclass(frozen=True, slots=True)
class _Asking:
    """What is asked about each task, and where its answers are."""

    cases: Mapping[str, Case]
    offered: Offer
    batch: int
    ledger: Ledger
    model: str

    def batches(self, case: Case) -> list[tuple[SkillNode, ...]]:
        skills = self.offered.to(case.task_id)
        return [skills[start : start + self.batch] for start in range(0, len(skills), self.batch)]

    def used(self, case: Case) -> list[tuple[SkillNode, str]] | Asked | None:
        """The skills that a solution uses with the lines that show it; the first answer that is wanting, if any."""
        found: list[tuple[SkillNode, str]] = []
        for number, part in enumerate(self.batches(case)):
            question = present_question(case, number, part)
            asked = self.ledger.answer(_PRESENT, question.key, question.digest(self.model))
            if asked is None or asked.status == "failed":
                return asked
            present = (verdict for verdict in asked.read(PresentForm).skills if verdict.present)
            found += [(part[each.number - 1], f"{each.first_line}-{each.last_line}") for each in present]
        return found


def _present_questions(asking: _Asking) -> Iterator[Question[PresentForm]]:
    for case in asking.cases.values():
        for number, part in enumerate(asking.batches(case)):
            yield present_question(case, number, part)


def _trace_questions(asking: _Asking) -> Iterator[Question[TraceForm]]:
    for case in asking.cases.values():
        used = asking.used(case)
        if isinstance(used, list) and len(used) > 1:
            yield trace_question(case, [(node.name, lines) for node, lines in used])


def _annotation(task: str, asking: _Asking) -> Annotation:
    case = asking.cases.get(task)
    if case is None:
        return Annotation(task_id=task, status="failed", reason="no reference solution")
    used = asking.used(case)
    if not isinstance(used, list):
        return _wanting(task, used)
    order = list(range(len(used)))
    needs: tuple[tuple[str, str], ...] = ()
    if len(used) > 1:
        question = trace_question(case, [(node.name, lines) for node, lines in used])
        asked = asking.ledger.answer(_TRACE, task, question.digest(asking.model))
        if asked is None or asked.status == "failed":
            return _wanting(task, asked)
        trace = asked.read(TraceForm)
        order = [number - 1 for number in trace.order]
        needs = tuple((used[need.first - 1][0].name, used[need.second - 1][0].name) for need in trace.needs)
    ordered = [used[place] for place in order]
    names = tuple(node.name for node, _ in ordered)
    return Annotation(
        task_id=task,
        status="done",
        skills=names,
        categories=tuple(dict.fromkeys(node.category for node, _ in ordered if node.category)),
        evidence={node.name: lines for node, lines in ordered},
        needs=needs,
        judged=len(asking.offered.to(task)),
        audited=task in asking.offered.audited,
        left_out=asking.offered.left_out(task, names),
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
    extra: dict[str, Any] = {**before.extra, ANNOTATED_BY: model}
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
