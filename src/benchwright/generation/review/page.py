"""One task as a page for a reviewer: a decision to fill in, and all that it is to be decided by."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchwright.generation.review.fences import fenced, listed
from benchwright.generation.review.novelty import Near
from benchwright.generation.review.privacy import Private
from benchwright.generation.writing import Kept
from benchwright.profiles.entries import FileProfile
from benchwright.profiles.prompt import as_prompt
from benchwright.proving.lint.base import Case

DECISION = "## Decision"
FENCE = "~~~~"
_PREVIEW = 6000
_SHOWN_FILE = 4000

_EMPTY = """task = "{task}"
verdict = ""      # accept, edit or reject
reason = ""       # needed for reject
question = ''''''    # for edit: the new question, empty: it stays; of several lines between three quotes
guidelines = ''''''    # for edit: the new guidelines, empty: they stay"""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A task with all that its page shows: `kept` where it was generated, `files` the profiles of required ones."""

    case: Case
    kept: Kept | None = None
    files: Sequence[FileProfile] = ()
    room_files: int | None = None
    gold_texts: Sequence[tuple[str, str]] = ()
    found: Sequence[Private] = ()
    near: Sequence[Near] = ()
    earlier: str = ""


def page(sheet: Sheet, *, sample: bool = True) -> str:
    """The whole page as Markdown. Whatever is not ours stands in fenced blocks; without `sample` no row is shown."""
    parts = [f"# {sheet.case.task.id}\n", decision_block(sheet.case.task.id)]
    parts += [f"## {title}\n\n{text}" for title, text in _sections(sheet, sample=sample)]
    return "\n".join(parts)


def decision_block(task_id: str) -> str:
    """The part that a reviewer fills in; it comes first, so that nothing before it can pass for it."""
    return f"{DECISION}\n\n{FENCE}toml\n{_EMPTY.format(task=task_id)}\n{FENCE}\n"


def _sections(sheet: Sheet, *, sample: bool) -> Iterator[tuple[str, str]]:
    case, kept = sheet.case, sheet.kept
    if sheet.earlier:
        yield "What the reviewers decided", fenced(sheet.earlier)
    if sheet.found or sheet.near:
        yield "To look at first", listed([*map(_private, sheet.found), *map(_near, sheet.near)])
    yield "Question", fenced(case.task.question)
    yield "Guidelines", fenced(case.task.guidelines or "(none)")
    outputs = (f"{each.kind}: {each.name} {each.description}".strip() for each in case.task.outputs)
    yield "To hand in", listed(outputs)
    yield "Gold", "\n".join(_gold(sheet))
    yield "Checks", listed(_check(case))
    if kept is not None:
        yield "Workflow", "\n".join(_steps(kept))
        yield "Proofs", listed([*kept.proved.proofs, f"{kept.proved.lines} lines of solution"])
    elif case.gold.solution is not None:
        yield "Solution", fenced(case.gold.solution.code, case.gold.solution.language)
    yield "Skills", listed(case.labels.skills)
    yield "Required files", _required(sheet)
    if sheet.files:
        yield "Data", fenced(_contents(sheet.files, sample=sample))


def _private(found: Private) -> str:
    return f"privacy: {found.kind} in {found.place}, {found.count} found, first {found.first}"


def _near(near: Near) -> str:
    of = f" of {near.suite}" if near.suite else ""
    return f"nearly the question of {near.other}{of}: cosine {near.cosine:.2f}, letters {near.ratio:.2f}"


def _gold(sheet: Sheet) -> Iterator[str]:
    gold = sheet.case.gold
    if gold.answer is not None:
        yield fenced(gold.answer)
    if gold.alternatives:
        yield f"Taken for right as well:\n\n{listed(gold.alternatives)}"
    for name, text in sheet.gold_texts:
        yield f"{listed([name])}\n{fenced(text[:_SHOWN_FILE])}"
    if gold.answer is None and not sheet.gold_texts:
        yield listed(gold.files)


def _check(case: Case) -> Iterator[str]:
    for check in case.gold.checks:
        options = f" {json.dumps(check.options, ensure_ascii=False, sort_keys=True)}" if check.options else ""
        yield f"{check.scorer} on {check.output}{options}"


def _steps(kept: Kept) -> Iterator[str]:
    """Each step with its code, and what a program that lacks its skill answered."""
    outcomes = {each.step: each for each in kept.proved.ablations}
    for step in kept.draft.workflow.steps:
        head = [step.id, f"skill: {step.skill}", step.description]
        if step.depends_on:
            head.append(f"after {', '.join(step.depends_on)}")
        yield listed(head)
        yield fenced(step.code, "python")
        ablation = outcomes.get(step.id)
        if step.without is not None:
            came = f"{ablation.outcome}: {ablation.answer}" if ablation else "not run"
            yield f"Without the skill:\n\n{fenced(step.without, 'python')}\n{listed([came])}"


def _required(sheet: Sheet) -> str:
    gold = sheet.case.gold
    files = [f"{file.path}{f' ({len(file.copies)} copies)' if file.copies else ''}" for file in gold.required_files]
    told = [f"known: {gold.required_files_status}", *files]
    if sheet.room_files is not None:
        told.append(f"the room holds {sheet.room_files:,} files")
    return listed(told)


def _contents(files: Sequence[FileProfile], *, sample: bool) -> str:
    parts = [as_prompt(files, _PREVIEW, sample=sample)]
    for entry in files if sample else ():
        for table in entry.all_tables[:2]:
            rows = [json.dumps(row, ensure_ascii=False, default=str)[:500] for row in table.sample]
            parts.append("\n".join([f"first rows of {entry.path} {table.name}".strip(), *rows]))
    return "\n\n".join(parts)
