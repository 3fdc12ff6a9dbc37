"""How the runs were made: what a reader must know to trust the numbers, or to make them again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from benchwright.prices import prices
from benchwright.publishing.report.contents import Fact, Section
from benchwright.publishing.report.source import Source
from benchwright.publishing.tables import Column, Table
from benchwright.run import Attempt, RunFolder

_SHORT = 12
"""Digits of a hash that are shown."""


def making(source: Source) -> Section:
    """Suite, versions, isolation, limits, prompts and prices of the runs."""
    suite = source.overview.suite
    facts = [
        Fact("suite", f"{suite.name} {suite.info.release}, questions {suite.digest[:_SHORT]}"),
        *(fact for run in source.runs for fact in _run(source.names[str(run.path)], run, source)),
        Fact("prices", f"as of {prices().date}, in dollars a million tokens; an unknown price is unknown, never 0"),
    ]
    return Section("made", "How it was made", facts=tuple(facts))


def _run(name: str, run: RunFolder, source: Source) -> Iterator[Fact]:
    spec = run.spec
    attempts = [a for each in source.overview.sides.values() if each.run.path == run.path for a in each.attempts]
    yield Fact("run", f"{name}: {len(spec.cells)} agents, epochs {spec.epochs}, subset {spec.subset}, seed {spec.seed}")
    yield Fact("began and ended", _when(attempts))
    yield Fact("versions", _listed(spec.versions) or "not told")
    yield Fact("isolation", _counted(_isolation(attempt) for attempt in attempts))
    yield Fact("files read", _counted(_seen(attempt) for attempt in attempts))
    yield Fact("packages agents might install", spec.packages)
    if spec.limits or spec.raised != 1:
        yield Fact("limits", "; ".join((_listed(spec.limits), f"raised {spec.raised:g}x" if spec.raised != 1 else "")))
    if spec.model_roles:
        yield Fact("model roles", _listed(spec.model_roles))
    if spec.model_args:
        yield Fact("model settings", _listed(spec.model_args))
    yield Fact("prompts", _listed({prompt: _wording(spec.wording(prompt)) for prompt in spec.prompts}) or "none")
    stamp = next((each.stamp for each in source.overview.sides.values() if each.run.path == run.path), {})
    yield Fact("scored with", _listed({key: str(value)[:_SHORT] for key, value in sorted(stamp.items())}) or "not told")


def _wording(text: str) -> str:
    return text if text == "reworded" else f"given, {text[:_SHORT]}"


def _listed(values: Any) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _when(attempts: Sequence[Attempt]) -> str:
    began = sorted(attempt.started for attempt in attempts if attempt.started)
    return (
        f"{began[0][:19]} to {began[-1][:19]} (starts of the first and the last attempt, UTC)" if began else "not told"
    )


def _counted(values: Iterator[str]) -> str:
    """Each value with the number of attempts it is told of."""
    found = Counter(values)
    return "; ".join(f"{value} ({count} attempts)" for value, count in found.most_common()) or "no attempts"


def _isolation(attempt: Attempt) -> str:
    told = {name: value for name, value in attempt.isolation.items() if isinstance(value, str | int | float | bool)}
    return _listed(told) or "none recorded"


def _seen(attempt: Attempt) -> str:
    seen = attempt.accesses
    return f"measured by {seen.tracer}" if seen.kind == "measured" else seen.kind.replace("_", " ")


def faulty(source: Source) -> Section:
    """Tasks whose verdicts say nothing, by what a check of the suite found."""
    known = source.faulty
    if known is None:
        return Section("faulty", "Faulty tasks", facts=(Fact("checked", "no; benchwright suites check does"),))
    inside = [task for task in source.overview.tasks if task in known]
    if not inside:
        told = f"none of {len(source.overview.tasks)} tasks is faulty under the {source.mode} verdict"
        return Section("faulty", "Faulty tasks", facts=(Fact("checked", told),))
    rows = tuple({"task_id": task, "why": known[task]} for task in inside)
    columns = (Column("task_id", "task"), Column("why", "what the check found"))
    note = "Their verdicts say nothing; accuracy is given with and without them."
    return Section("faulty", "Faulty tasks", tables=(Table("faulty", "Faulty tasks", columns, rows, note=note),))
