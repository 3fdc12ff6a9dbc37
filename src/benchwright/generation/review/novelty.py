"""Questions that were asked before: near-duplicates within a suite and against others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchwright.files import Record
from benchwright.suite import Suite

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

NEAR = 0.85
"""The cosine from which on two questions are the same but for words that say little."""

LEAST_RATIO = 0.6
"""Questions whose letters differ more than that have words in common, and are others."""

_WORD = re.compile(r"[^\W_]+(?:[._'-][^\W_]+)*")
_BLOCK = 500


class Near(Record):
    """Two questions that are nearly one: the task's, and another's of `suite` (empty: of the same suite).

    `cosine`: of their words weighted by TF-IDF over all questions, so that what tells questions apart counts most;
    `ratio`: of their letters (1 less the share of insertions and deletions), whatever their case.
    """

    task: str
    other: str
    suite: str = ""
    cosine: float
    ratio: float


def novelty(suite: Suite, against: Sequence[Suite], least: float = NEAR) -> tuple[Near, ...]:
    """Near-duplicates among the suite's own tasks and with those of others, the nearest first."""
    mine = {task_id: task.question for task_id, task in suite.tasks.items()}
    found = list(near_duplicates(mine, mine, least))
    for other in against:
        theirs = {task_id: task.question for task_id, task in other.tasks.items()}
        found += [near.model_copy(update={"suite": other.name}) for near in near_duplicates(mine, theirs, least)]
    return tuple(sorted(found, key=lambda near: (-near.cosine, -near.ratio, near.task, near.suite, near.other)))


def near_duplicates(questions: Mapping[str, str], known: Mapping[str, str], least: float = NEAR) -> tuple[Near, ...]:
    """Pairs of questions that are nearly one. Where both mappings are one object, each pair is told once."""
    from rapidfuzz.fuzz import ratio

    if not questions or not known:
        return ()
    same = questions is known
    names, others = list(questions), list(known)
    found = []
    for place, other, cosine in _alike([*questions.values()], [*known.values()], least):
        if same and other <= place:
            continue
        letters = ratio(questions[names[place]].casefold(), known[others[other]].casefold()) / 100
        if letters >= LEAST_RATIO:
            near = Near(task=names[place], other=others[other], cosine=round(cosine, 4), ratio=round(letters, 4))
            found.append(near)
    return tuple(found)


def _alike(questions: Sequence[str], known: Sequence[str], least: float) -> list[tuple[int, int, float]]:
    """Places of questions whose cosine is `least` or more; some rows at a time, so that memory stays bounded."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    weighing = TfidfVectorizer(analyzer=_words)
    if not any(map(_words, (*questions, *known))):
        return []
    weighing.fit([*questions, *known])
    ours, theirs = weighing.transform(questions), weighing.transform(known)
    found: list[tuple[int, int, float]] = []
    for start in range(0, len(questions), _BLOCK):
        cosines: csr_matrix[Any] = (ours[start : start + _BLOCK] @ theirs.T).tocoo()
        pairs = zip(cosines.row.tolist(), cosines.col.tolist(), cosines.data.tolist(), strict=True)
        found += [(start + row, column, min(1.0, value)) for row, column, value in pairs if value >= least]
    return sorted(found)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
