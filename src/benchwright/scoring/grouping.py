"""Which tasks must not be taken for independent of each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from benchwright.labels import Labels

ClusterBy = Literal["auto", "task", "dataset", "domain", "source"]
_FEWEST_CLUSTERS = 8
"""With fewer a test over clusters can hardly ever find anything (two-sided p of 7 equal signs: 0.016)."""


def clusters(
    tasks: Sequence[str], labels: Mapping[str, Labels], wanted: ClusterBy = "auto"
) -> tuple[ClusterBy, list[str] | None]:
    """What the tasks are grouped by, and each one's group; None where every task is one of its own.

    `auto` takes datasets, then domains, where there are 8 or more, and fewer than tasks.
    """
    kinds: tuple[ClusterBy, ...] = ("dataset", "domain") if wanted == "auto" else (wanted,)
    for kind in kinds:
        found = [_group(labels, task, kind) for task in tasks]
        if kind != "task" and (wanted != "auto" or _FEWEST_CLUSTERS <= len(set(found)) < len(tasks)):
            return kind, found
    return "task", None


def _group(labels: Mapping[str, Labels], task: str, kind: str) -> str:
    """The task's group; a task without that label is a group of its own."""
    return getattr(labels.get(task), kind, "") or f"\0{task}"
