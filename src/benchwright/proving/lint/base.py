"""What a lint rule is: a name, a severity, a hint, and a pure function that yields evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from benchwright.gold import Gold
from benchwright.labels import Labels
from benchwright.proving.findings import Finding, Mode, Severity
from benchwright.suite import Suite
from benchwright.task import Task


@dataclass(frozen=True, slots=True)
class Case:
    """One task with its gold and its labels; a missing gold is an empty one (the rules of `missing` name it)."""

    task: Task
    gold: Gold
    labels: Labels

    @property
    def answer(self) -> str:
        """The gold answer, stripped; empty where the task has none."""
        return (self.gold.answer or "").strip()

    @property
    def prompt(self) -> str:
        """All the text that the agent is given, one part a line."""
        return "\n".join(
            part
            for part in (
                self.task.question,
                self.task.guidelines,
                *self.task.variants.values(),
                *(output.description for output in self.task.outputs),
            )
            if part
        )


class Hit(NamedTuple):
    """One thing that a suite rule found."""

    task_id: str
    evidence: str
    related: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskRule:
    """A rule that looks at one task at a time; `find` yields one evidence a finding."""

    name: str
    severity: Severity
    hint: str
    find: Callable[[Case], Iterable[str]]
    modes: tuple[Mode, ...] = ()

    def apply(self, suite: Suite) -> Iterator[Finding]:
        """Every finding of this rule in a suite."""
        for case in cases(suite):
            for evidence in self.find(case):
                yield Finding(
                    task_id=case.task.id,
                    rule=self.name,
                    severity=self.severity,
                    evidence=evidence,
                    hint=self.hint,
                    modes=self.modes,
                )


@dataclass(frozen=True, slots=True)
class SuiteRule:
    """A rule that needs to see the whole suite."""

    name: str
    severity: Severity
    hint: str
    find: Callable[[Suite], Iterable[Hit]]
    modes: tuple[Mode, ...] = ()

    def apply(self, suite: Suite) -> Iterator[Finding]:
        """Every finding of this rule in a suite."""
        for hit in self.find(suite):
            yield Finding(
                task_id=hit.task_id,
                rule=self.name,
                severity=self.severity,
                evidence=hit.evidence,
                hint=self.hint,
                related=hit.related,
                modes=self.modes,
            )


Rule = TaskRule | SuiteRule


def cases(suite: Suite) -> Iterator[Case]:
    """Every task of a suite with its gold and labels, in the suite's order."""
    golds = suite.golds if suite.has_gold else {}
    for task in suite.tasks.values():
        yield Case(task, golds.get(task.id) or Gold(task_id=task.id), suite.label(task.id))


def quoted(text: str, limit: int = 160) -> str:
    """A piece of text for evidence: on one line, in quotes, shortened in the middle."""
    line = " ".join(text.split())
    if len(line) > limit:
        line = f"{line[: limit // 2]} [...] {line[-limit // 2 :]}"
    return f'"{line}"'
