"""Steps that stand for a skill: those with the largest mean cosine to its other steps (section 4 of the paper)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EXAMPLES = 5


def representatives(
    steps: Mapping[str, frozenset[str]],
    texts: Mapping[str, str],
    places: Mapping[str, int],
    vectors: NDArray[np.float32],
    most: int = EXAMPLES,
) -> dict[str, tuple[str, ...]]:
    """Of each skill at most so many step ids, the most typical first, none of the same text as another.

    `places` are the rows of steps in `vectors`. The mean cosine to all others follows from the sum of the vectors, so
    that no matrix of pairs is made.
    """
    found = {}
    for skill, own in steps.items():
        several: dict[str, str] = {}
        for step in _typical(sorted(own), places, vectors):
            several.setdefault(texts[step], step)
            if len(several) == most:
                break
        found[skill] = tuple(several.values())
    return found


def _typical(steps: list[str], places: Mapping[str, int], vectors: NDArray[np.float32]) -> Iterator[str]:
    import numpy as np

    rows = vectors[[places[step] for step in steps]].astype(np.float64)
    closeness = np.round(rows @ rows.sum(axis=0), 9)
    for place in np.lexsort((np.arange(len(steps)), -closeness)).tolist():
        yield steps[place]
