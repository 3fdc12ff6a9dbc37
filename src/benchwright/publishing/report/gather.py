"""From runs to a report: every part in its order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from benchwright.analysis.overview import overview
from benchwright.publishing.report import (
    cells,
    costs,
    discovery,
    drawings,
    dsbc,
    failures,
    groups,
    making,
    pairs,
    skills,
    tasks,
)
from benchwright.publishing.report.contents import Report, Section
from benchwright.publishing.report.source import OTHER, Source
from benchwright.publishing.report.verdict import Verdict
from benchwright.publishing.tables import Table
from benchwright.publishing.titles import shared
from benchwright.run import RunFolder
from benchwright.scoring.verdicts import Mode
from benchwright.suite import Suite

_OF_AGENTS = ("agent", "against")
"""Heads of columns that hold titles of agents."""
_BARE = "Plots are left out: what draws them is not installed (pip install 'benchwright[plots]')."


def source(
    suite: Suite, runs: Sequence[RunFolder], mode: Mode, faulty: Mapping[str, str] | None, names: Sequence[str]
) -> Source:
    """What the report is made from; `names` are the runs' names in their order, `faulty` tasks with the reasons.

    Errors: InputError for runs over other questions, or without scores.
    """
    other, known = OTHER[mode], None if faulty is None else frozenset(faulty)
    beside = overview(suite, runs, other) if all(run.has_scores(other) for run in runs) else None
    named = {str(run.path): name for run, name in zip(runs, names, strict=True)}
    return Source(overview(suite, runs, mode, known), beside, named, faulty)


def gather(made: Source) -> Report:
    """The report of these runs."""
    sections = tuple(_worded(section, made.labels) for section in _sections(made) if not section.empty)
    tables = {table.name: table for section in sections for table in section.tables}
    verdict, info = Verdict(made, tables), made.overview.suite.info
    return Report(
        title=info.title or info.name,
        about=_about(made),
        verdict=tuple(verdict.sentences()),
        cards=tuple(verdict.cards()),
        sections=sections,
    )


def _worded(section: Section, names: Mapping[str, str]) -> Section:
    """The section with its agents called by what tells them apart; files keep the whole titles."""
    tables = tuple(
        replace(
            table,
            columns=tuple(
                replace(column, words=names) if column.title in _OF_AGENTS else column for column in table.columns
            ),
        )
        for table in section.tables
    )
    return replace(section, tables=tables)


def _about(made: Source) -> str:
    info, total = made.overview.suite.info, len(made.overview.suite.tasks)
    asked = f"{len(made.overview.tasks)} of {total} tasks"
    same = f" · all agents: {words}" if (words := shared(made.titles)) else ""
    return f"{info.name} {info.release} · {made.mode} verdicts · {asked} · {', '.join(made.names.values())}{same}"


def _sections(made: Source) -> Iterator[Section]:
    accuracy, cost = cells.accuracy(made), costs.costs(made)
    several = len(made.titles) > 1
    yield Section(
        "accuracy",
        "Accuracy",
        notes=() if drawings.possible() else (_BARE,),
        figures=drawings.accuracy(made, accuracy),
        tables=(accuracy, cells.places(made), cells.endings(made), cells.whole(accuracy, cost)),
    )
    if several:
        yield Section("pairs", "Comparisons", tables=_filled(pairs.pairs(made)))
    failed = tuple(failures.failures(made))
    yield Section(
        "failures", "Failures", figures=drawings.failures(made, failed), tables=(*failed, *_filled(costs.raised(made)))
    )
    searched = tuple(discovery.discovery(made))
    yield Section("discovery", "Discovery", figures=drawings.discovery(made, searched), tables=searched)
    yield Section("cost", "Cost", figures=drawings.cost(made, cost), tables=(cost, *_filled(costs.routers(made))))
    by_label = tuple(groups.groups(made))
    yield Section("groups", "By kind of task", figures=drawings.groups(made, by_label), tables=by_label)
    if dsbc.is_dsbc(made):
        yield Section("dsbc", "DSBC", tables=tuple(dsbc.dsbc(made)))
    by_skill = tuple(skills.skills(made))
    yield Section("skills", "Skills", figures=drawings.skills(made, by_skill), tables=by_skill)
    yield Section("tasks", "Tasks", tables=_filled(tasks.tasks(made)))
    yield making.faulty(made)
    yield making.making(made)


def _filled(table: Table) -> tuple[Table, ...]:
    return (table,) if table.rows else ()
