"""From runs to a report: every part in its order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright.analysis.overview import overview
from benchwright.publishing.plots.intervals import intervals
from benchwright.publishing.report import cells, verdict
from benchwright.publishing.report.contents import Report, Section
from benchwright.publishing.report.source import Source
from benchwright.run import RunFolder
from benchwright.scoring.attempt import Mode
from benchwright.suite import Suite

OTHER: Mapping[Mode, Mode] = {"sound": "reference", "reference": "sound"}


def source(
    suite: Suite, runs: Sequence[RunFolder], mode: Mode, faulty: frozenset[str] | None, names: Sequence[str]
) -> Source:
    """What the report is made from; `names` are the runs' names in their order.

    Errors: InputError for runs over other questions, or without scores.
    """
    other = OTHER[mode]
    beside = overview(suite, runs, other) if all(run.has_scores(other) for run in runs) else None
    named = {str(run.path): name for run, name in zip(runs, names, strict=True)}
    return Source(overview(suite, runs, mode, faulty), beside, named)


def gather(made: Source) -> Report:
    """The report of these runs."""
    accuracy, places = cells.accuracy(made), cells.places(made)
    info = made.overview.suite.info
    measure = f"{made.mode} mean"
    drawn = (intervals(accuracy.rows, measure),) if accuracy.rows else ()
    sections = (Section("accuracy", "Accuracy", figures=drawn, tables=(accuracy, places, cells.endings(made))),)
    return Report(
        title=info.title or info.name,
        about=f"{info.name} {info.release}, {made.mode} verdicts",
        verdict=tuple(verdict.sentences(made, accuracy, places)),
        cards=tuple(verdict.cards(accuracy)),
        sections=tuple(section for section in sections if not section.empty),
    )
