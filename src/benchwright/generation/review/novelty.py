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

SAME_RATIO = 0.95
"""Questions whose letters agree that far are the same but for a number or a name, whatever their words weigh."""

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


def near_duplicates(
    questions: Mapping[str, str], known: Mapping[str, str], least: float = NEAR, others: Sequence[str] = ()
) -> tuple[Near, ...]:
    """Pairs of questions that are nearly one. Where both mappings are one object, each pair is told once.

    `others` are questions that say, too, which words are rare, and are in no pair.
    """
    from rapidfuzz.fuzz import ratio

    mine, theirs = list(questions), list(known)
    weights = _Weights([*questions.values(), *known.values(), *others])
    found = []
    for place, other, cosine in weights.alike([*questions.values()], [*known.values()], least):
        if questions is known and other <= place:
            continue
        needed = LEAST_RATIO if cosine >= least else SAME_RATIO
        texts = questions[mine[place]].casefold(), known[theirs[other]].casefold()
        letters = ratio(*texts, score_cutoff=100 * needed) / 100
        if letters >= needed:
            near = Near(task=mine[place], other=theirs[other], cosine=round(cosine, 4), ratio=round(letters, 4))
            found.append(near)
    return tuple(found)


class _Weights:
    """How much each word says, by how few questions have it."""

    def __init__(self, corpus: Sequence[str]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._weighing = TfidfVectorizer(analyzer=_words)
        self._empty = not any(map(_words, corpus))
        if not self._empty:
            self._weighing.fit(corpus)

    def alike(self, questions: Sequence[str], known: Sequence[str], least: float) -> list[tuple[int, int, float]]:
        """Places of questions with a cosine of `least`, or of half that: letters may agree all the same.

        Some rows at a time, so that memory stays bounded.
        """
        if self._empty or not questions or not known:
            return []
        ours, theirs = self._weighing.transform(questions), self._weighing.transform(known)
        found: list[tuple[int, int, float]] = []
        for start in range(0, len(questions), _BLOCK):
            cosines: csr_matrix[Any] = (ours[start : start + _BLOCK] @ theirs.T).tocoo()
            pairs = zip(cosines.row.tolist(), cosines.col.tolist(), cosines.data.tolist(), strict=True)
            found += [(start + row, column, min(1.0, value)) for row, column, value in pairs if value >= least / 2]
        return sorted(found)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
