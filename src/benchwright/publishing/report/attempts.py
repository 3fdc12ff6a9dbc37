"""Every task's attempts in detail, as far as a page can hold them; what is left out is counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchwright.analysis.failures import title_of
from benchwright.publishing.pages import AttemptPages, FailureNote, render_attempt
from benchwright.publishing.report.source import Source
from benchwright.run import Attempt, Key

if TYPE_CHECKING:
    from markupsafe import Markup

MOST = 150
"""Attempts that are shown, where it is not said otherwise."""
_BYTES = 24 << 20
"""Of all attempts together: a page that a browser opens without delay."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One attempt: whose and which it is, what it was worth, and the piece of HTML that shows it."""

    title: str
    epoch: int
    value: float | None
    failure: str
    body: Markup


@dataclass(frozen=True, slots=True)
class TaskPart:
    """One task: its id, its id on the page, its question, the attempts shown, and how many are not."""

    task_id: str
    anchor: str
    question: str
    attempts: tuple[Shown, ...]
    left_out: int


def parts(source: Source, *, most: int = MOST, with_gold: bool = False) -> tuple[TaskPart, ...]:
    """The tasks in their order; of attempts the first of each agent at each task before others, failed ones first.

    Gold is shown only with `with_gold`.
    """
    wanted = _ordered(source)
    shown: dict[tuple[str, Key], Shown] = {}
    size = 0
    with ExitStack() as stack:
        pages = {
            str(run.path): stack.enter_context(AttemptPages(run, source.overview.suite, with_gold=with_gold))
            for run in source.runs
        }
        for title, attempt in wanted[:most]:
            found = _shown(source, pages[str(source.overview.sides[title].run.path)], title, attempt)
            size += len(found.body)
            if size > _BYTES and shown:
                break
            shown[title, attempt.key] = found
    return tuple(_parts(source, wanted, shown))


def _ordered(source: Source) -> list[tuple[str, Attempt]]:
    """Every attempt of the runs with its agent's title, in the order in which room on the page is given."""
    every = [(title, attempt) for title in source.titles for attempt in source.overview.sides[title].attempts]
    places = {task: place for place, task in enumerate(source.overview.tasks)}

    def order(item: tuple[str, Attempt]) -> tuple[bool, bool, int]:
        title, attempt = item
        row = source.failure(title, attempt.key)
        return attempt.epoch > 1, row is None or not row.failure, places[attempt.task_id]

    return sorted((item for item in every if item[1].task_id in places), key=order)


def _shown(source: Source, pages: AttemptPages, title: str, attempt: Attempt) -> Shown:
    row = source.failure(title, attempt.key)
    why = row.failure if row else ""
    note = FailureNote(title_of(why), row.evidence, row.step, row.basis) if row and why else None
    return Shown(
        title=source.labels[title],
        epoch=attempt.epoch,
        value=row.value if row else None,
        failure=title_of(why) if why else "",
        body=render_attempt(pages.page(attempt.key, attempt, note)),
    )


def _parts(
    source: Source, wanted: Sequence[tuple[str, Attempt]], shown: Mapping[tuple[str, Key], Shown]
) -> Iterator[TaskPart]:
    by_task: dict[str, list[tuple[str, Key]]] = {}
    for title, attempt in wanted:
        by_task.setdefault(attempt.task_id, []).append((title, attempt.key))
    places = {title: place for place, title in enumerate(source.titles)}
    for task_id in source.overview.tasks:
        keys = sorted(by_task.get(task_id, ()), key=lambda key: (places[key[0]], key[1].epoch))
        found = tuple(shown[key] for key in keys if key in shown)
        question = source.overview.suite.tasks[task_id].question
        yield TaskPart(task_id, source.anchor(task_id), question, found, len(keys) - len(found))
