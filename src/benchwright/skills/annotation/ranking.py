"""Which skills are near to a text: rankings by words and by what goes along with what, put together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchwright.skills.nodes import SkillNode
from benchwright.skills.rounds.words import EMPTY_WORDS, stem
from benchwright.skills.steps import solution_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WORD = re.compile(r"[^\W_]+")
_DAMPING = 60
"""Of reciprocal rank fusion: how little the first places count more than those after them."""
_FIRST = 20
"""So many skills that are near bring along those that solutions use together with them."""


class Words:
    """Skills by the words of their names, descriptions and examples, stemmed; rare words count more (TF-IDF)."""

    def __init__(self, skills: Sequence[SkillNode]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        texts = [" ".join((node.name, node.description, *node.examples)) for node in skills]
        known = sorted({word for text in texts for word in stems(text)})
        self._vectorizer = TfidfVectorizer(analyzer=stems, sublinear_tf=True, vocabulary=known or [""])
        self._rows = self._vectorizer.fit_transform(texts)

    def closeness(self, text: str) -> NDArray[np.float64]:
        """The cosine of each skill to a text, 0 where they share no word."""
        import numpy as np

        return np.asarray((self._vectorizer.transform([text]) @ self._rows.T).todense()).ravel()


def stems(text: str) -> list[str]:
    """The stems of all words that say something."""
    return [stem(word) for word in _WORD.findall(text.casefold()) if word not in EMPTY_WORDS]


class Companions:
    """Which skills solutions use together: for each skill, the share of its solutions that use each other one."""

    def __init__(self, skills: Sequence[SkillNode]) -> None:
        import numpy as np
        from scipy.sparse import csr_array

        solutions = [sorted({solution_of(step) for step in node.steps}) for node in skills]
        numbers: dict[str, int] = {}
        columns = [numbers.setdefault(name, len(numbers)) for names in solutions for name in names]
        rows = np.repeat(np.arange(len(skills)), [len(names) for names in solutions])
        shape = (len(skills), max(len(numbers), 1))
        used = csr_array((np.ones(len(columns), dtype=np.float32), (rows, np.array(columns, dtype=int))), shape=shape)
        together = (used @ used.T).toarray()
        own = np.maximum(together.diagonal(), 1)[:, None]
        np.fill_diagonal(together, 0)
        self._shares = together / own

    def closeness(self, near: NDArray[np.float64]) -> NDArray[np.float64]:
        """How often each skill is used beside those that are nearest, of which nearer ones count more."""
        import numpy as np

        first = np.argsort(ranks(near), kind="stable")[:_FIRST]
        return np.asarray((1 / (_FIRST + np.arange(len(first)))) @ self._shares[first], dtype=np.float64)


def fused(rankings: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """One closeness from several of different scales, by places alone: reciprocal rank fusion (Cormack et al., 2009).

    One that tells no skill from another has no say.
    """
    import numpy as np

    telling = [each for each in rankings if np.ptp(each) > 0]
    if not telling:
        return np.zeros(len(rankings[0]))
    return np.asarray(sum(1 / (_DAMPING + ranks(each)) for each in telling), dtype=np.float64)


def ranks(closeness: NDArray[np.float64]) -> NDArray[np.int64]:
    """The place of each skill, the nearest first; of equals the first."""
    import numpy as np

    order = np.argsort(-np.round(closeness, 6), kind="stable")
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.arange(len(order))
    return found
