"""Scorers by name: which one a check calls, under the sound rules and under a published one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from benchwright.errors import InputError
from benchwright.scorers.base import Scorer, TaskRule

GROUP = "benchwright.scorers"
"""The entry point group in which other packages offer scorers of their own: name = "package.module:Class"."""

_SOUND: Mapping[str, str] = {
    "answer": "benchwright.scorers.answer:AnswerScorer",
    "chart": "benchwright.scorers.chart:ChartScorer",
    "database": "benchwright.scorers.database:DatabaseScorer",
    "document": "benchwright.scorers.document:DocumentScorer",
    "model_metric": "benchwright.scorers.model_metric:ModelMetricScorer",
    "response": "benchwright.scorers.response:ResponseScorer",
    "table": "benchwright.scorers.table:TableScorer",
    "text": "benchwright.scorers.text:TextScorer",
}
_REFERENCE: Mapping[str, Mapping[str, str]] = {
    "coda_bench": {"answer": "benchwright.scorers.reference.coda_bench:CodaBenchScorer"},
    "dsbc": {"response": "benchwright.scorers.reference.dsbc:DsbcScorer"},
    "agentic_data_bench": {"*": "benchwright.scorers.reference.agentic_data_bench:AgenticDataBenchScorer"},
    "agentic_data_bench_april": {"*": "benchwright.scorers.reference.agentic_data_bench:AgenticDataBenchAprilScorer"},
    "": {
        "answer": "benchwright.scorers.reference.coda_bench:CodaBenchScorer",
        "*": "benchwright.scorers.reference.plain:PlainScorer",
    },
}
"""By published rule, then by the check's scorer; "*" is any other. Suites without a published rule of their own use
CoDA-Bench's for answers, and cell-for-cell equality for files."""
_TASK_RULES: Mapping[str, str] = {
    "agentic_data_bench": "benchwright.scorers.reference.agentic_data_bench:JULY",
    "agentic_data_bench_april": "benchwright.scorers.reference.agentic_data_bench:APRIL",
}
"""By published rule, where checks compose in a way of its own."""
_DISCOVERY = "benchwright.scorers.discovery:DiscoveryScorer"


def sound_scorer(name: str) -> Scorer:
    """The sound scorer of that name, built-in or of another package; an InputError lists those there are."""
    target = _SOUND.get(name) or _offered().get(name)
    if target is None:
        raise InputError(f"no scorer {name!r}", expected=f"one of {', '.join(sorted({*_SOUND, *_offered()}))}")
    return _loaded(target)


def reference_scorer(rule: str, name: str) -> Scorer:
    """The scorer that reproduces a published rule for a kind of check."""
    if rule not in _REFERENCE:
        raise InputError(
            f"no published rule {rule!r}", expected=f"one of {', '.join(sorted(filter(None, _REFERENCE)))}"
        )
    members = _REFERENCE[rule]
    if name not in members and "*" not in members:
        raise InputError(f"the published rule {rule} has nothing for checks of kind {name!r}")
    return _loaded(members.get(name) or members["*"])


def reference_task_rule(rule: str) -> TaskRule | None:
    """How a published rule makes a task's score of its checks; None where the gold's own rule says it."""
    if rule not in _TASK_RULES:
        return None
    found: TaskRule = EntryPoint(name="", value=_TASK_RULES[rule], group=GROUP).load()
    return found


def discovery_scorer() -> Scorer:
    """The scorer of what was discovered."""
    return _loaded(_DISCOVERY)


@cache
def _offered() -> Mapping[str, str]:
    """What other packages offer; to look takes as long as ten verdicts."""
    return {point.name: point.value for point in entry_points(group=GROUP)}


@cache
def _loaded(target: str) -> Scorer:
    """A scorer from "module:Class": members are imported when first asked for, as those of other packages are."""
    try:
        made: Scorer = EntryPoint(name="", value=target, group=GROUP).load()()
    except Exception as error:
        raise InputError(f"the scorer {target} cannot be loaded", found=f"{type(error).__name__}: {error}") from error
    return made
