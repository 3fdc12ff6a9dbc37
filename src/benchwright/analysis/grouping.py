"""Which tasks belong together by what they are about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from benchwright.scoring.grouping import ClusterBy, clusters

if TYPE_CHECKING:
    from benchwright.labels import Labels

__all__ = ["GROUPS", "ClusterBy", "clusters"]

GROUPS: Mapping[str, Callable[[Labels], Sequence[str]]] = {
    "domain": lambda labels: (labels.domain,),
    "category": lambda labels: labels.categories,
    "number of categories": lambda labels: (str(len(set(labels.categories))),) if labels.categories else (),
    "subset": lambda labels: [name for name in labels.subsets if name != "full"],
    "answer type": lambda labels: (labels.answer_type,),
    "difficulty": lambda labels: (labels.difficulty,),
    "dataset": lambda labels: (labels.dataset,),
}
"""How tasks are grouped; a task may be in several groups of a kind, and one without the label is in none."""
