"""The manifest of a submission: which suite, cell and settings, under which limits and isolation, and what it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from benchwright import __version__
from benchwright.files import canonical_json
from benchwright.publishing.submission.choosing import bare
from benchwright.publishing.submission.moments import ends
from benchwright.publishing.submission.package import handed_in
from benchwright.publishing.submission.predictions import told_of
from benchwright.publishing.submission.records import Manifest, Measure, SuiteMade
from benchwright.publishing.submission.results import rule_of
from benchwright.run import Attempt, Cell, RunFolder
from benchwright.run.effort import effort
from benchwright.run.limits import counted
from benchwright.run.secrecy import cleared_values
from benchwright.scoring.attempt import scorer_digest
from benchwright.suite import Selection, Suite


def manifest_of(
    suite: Suite, runs: Sequence[RunFolder], cell: Cell, epoch: int, attempts: Sequence[Attempt]
) -> Manifest:
    """How these attempts came about; what is handed in, and what it is worth, is still to be put in."""
    started, ended = ends((attempt.started, attempt.wall_seconds) for attempt in attempts)
    return Manifest(
        benchwright=__version__,
        suite=made_of(suite),
        measure=Measure(rule=rule_of(suite)),
        cell=cell,
        epoch=epoch,
        runs=tuple(bare(run.spec, cell) for run in runs),
        models_served=tuple(sorted({attempt.model for attempt in attempts if attempt.model})),
        started=started,
        ended=ended,
        limits=_limits(suite, runs, cell, attempts),
        isolation=_counted(canonical_json(cleared_values(_settings(attempt))) for attempt in attempts),
        tracers=_counted(told_of(attempt, several=False).told_by for attempt in attempts),
        endings=_counted(told_of(attempt, several=False).ending for attempt in attempts),
        effort=effort(attempts),
        predictions=handed_in(""),
    )


def _limits(
    suite: Suite, runs: Sequence[RunFolder], cell: Cell, attempts: Sequence[Attempt]
) -> dict[str, dict[str, int]]:
    """By limit, how many of these attempts were under which value; limits of machines only where there was one."""
    found: dict[str, Counter[str]] = {}
    mine = {attempt.task_id for attempt in attempts}
    for run in runs:
        spec = run.spec
        tasks = [task for task in suite.select(Selection(spec.subset, spec.ids, spec.limit)) if task.id in mine]
        for name, values in counted(tasks, spec, cell).items():
            found.setdefault(name, Counter()).update(values)
    return {name: dict(sorted(values.items())) for name, values in found.items()}


def made_of(suite: Suite) -> SuiteMade:
    """A suite by its digests."""
    return SuiteMade(
        name=suite.name,
        release=suite.info.release,
        digest=suite.digest,
        reference=suite.info.reference,
        rooms={name: info.sha256 for name, info in suite.info.rooms.items()},
        subsets={name: len(suite.subset(name)) for name in suite.subsets},
        gold_digest=suite.gold_digest,
        scorer_digest=scorer_digest(suite) if suite.has_gold else "",
    )


def _settings(attempt: Attempt) -> dict[str, object]:
    """What kept the attempt in, without what is true of one machine alone (paths)."""
    plain = {name: value for name, value in attempt.isolation.items() if isinstance(value, str | int | float | bool)}
    told: dict[str, object] = {name: value for name, value in plain.items() if not str(value).startswith("/")}
    limits = attempt.isolation.get("limits")
    return {**told, "limits": limits} if isinstance(limits, dict) and limits else told


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
