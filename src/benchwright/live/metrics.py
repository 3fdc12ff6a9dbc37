"""Metrics inside Inspect over samples with several labels: one mean a label."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum

from inspect_ai.scorer import Metric, SampleScore, Value, metric, value_to_float

from benchwright.analysis.grouping import GROUPS
from benchwright.errors import InputError
from benchwright.labels import Labels
from benchwright.live.suites import suite_at

KINDS: Mapping[str, Callable[[Labels], Sequence[str]]] = {**GROUPS, "skill": lambda labels: labels.skills}
"""Labels by which metrics can be told; a sample may have several of a kind, and counts once for each."""


@metric
def by_label(kind: str = "category") -> Metric:
    """The mean over the samples with each label: domain, category, skill, subset, difficulty ...

    For `Task(metrics=[by_label("skill")])` and the like. As with Inspect's own mean, samples without a verdict are left
    out: `benchwright score` has them in its denominators. Errors: InputError for a kind of label that there is not.
    """
    if kind not in KINDS:
        raise InputError(f"there is no kind of label {kind!r}", expected=f"one of {', '.join(KINDS)}")
    rule, number = KINDS[kind], value_to_float()

    def compute(scores: list[SampleScore]) -> Value:
        found: dict[str, list[float]] = {}
        for each in scores:
            for name in dict.fromkeys(rule(_labels(each))):
                if name:
                    found.setdefault(name, []).append(number(each.score.value))
        return {name: fsum(values) / len(values) for name, values in sorted(found.items())}

    return compute


def _labels(each: SampleScore) -> Labels:
    """The labels of a sample's task, which its metadata names; none for samples that are not ours."""
    about = each.sample_metadata or {}
    task_id = about.get("task_id")
    return suite_at(about["suite"]).label(task_id) if "suite" in about and task_id else Labels(task_id="none")
