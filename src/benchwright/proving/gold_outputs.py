"""Which gold file stands for which output of a task."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from benchwright.gold import Check, Gold
from benchwright.suite import Suite
from benchwright.task import Task


def golds_of(task: Task, gold: Gold) -> dict[str, str]:
    """The gold file of each output: the first that a check compares it with, else the one at the output's place."""
    files = [output.name for output in task.outputs if output.kind != "answer"]
    by_place = dict(zip(files, gold.files, strict=False))
    by_check = {check.output: check.golds[0] for check in reversed(gold.checks) if check.golds}
    return by_place | by_check


def as_handed_in(suite: Suite, task: Task, gold: Gold) -> dict[str, Path]:
    """The gold files by the names under which an agent would hand them in, with what belongs to a chart beside it.

    Files that are missing are among them: they are as missing when they are handed in.
    """
    folder = suite.gold_files(task.id)
    named = golds_of(task, gold)
    beside = dict(_beside_charts(task, gold, named))
    return {output: folder / name for output, name in {**beside, **named}.items()}


def _beside_charts(task: Task, gold: Gold, named: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The gold's other files of a chart's name, under the output's name."""
    for output in (output.name for output in task.outputs if output.kind == "chart" and output.name in named):
        for name in gold.files:
            path = PurePosixPath(name)
            if path.stem == PurePosixPath(named[output]).stem:
                yield str(PurePosixPath(output).with_suffix(path.suffix)), name


def checks_with_golds(task: Task, gold: Gold) -> Iterator[tuple[Check, str]]:
    """Each check with each gold file that it compares with, or that stands at its output's place."""
    named = golds_of(task, gold)
    for check in gold.checks:
        for name in check.golds or ((named[check.output],) if check.output in named else ()):
            yield check, name
