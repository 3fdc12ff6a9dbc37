"""What each item would add to a choice, kept up to date as elements are covered enough."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain

_LARGEST_WHOLE = 2.0**53
_SLACK = 1e-9
"""How far a sum may be off that was added to and taken from, in shares of the largest gain; real ones are far less."""


class Gains:
    """Gains of items by place, over elements with weights; each element is looked at twice in all, not at each turn.

    Sums of whole numbers are exact. Of others those within reach of the largest are added up anew before one is chosen.
    """

    def __init__(self, covers: Sequence[Collection[str]], weights: Mapping[str, float]) -> None:
        import numpy as np

        self._numbers = {element: number for number, element in enumerate(weights)}
        sizes = np.fromiter(map(len, covers), dtype=np.int64, count=len(covers))
        elements = np.fromiter(
            map(self._numbers.__getitem__, chain.from_iterable(covers)), dtype=np.int32, count=int(sizes.sum())
        )
        owners = np.repeat(np.arange(len(covers)), sizes)
        self._places = owners[np.argsort(elements, kind="stable")]
        self._ends = np.cumsum(np.bincount(elements, minlength=len(weights)))
        self._worth = np.fromiter(weights.values(), dtype=np.float64, count=len(weights))
        self._gains = np.bincount(owners, self._worth[elements], minlength=len(covers)).astype(np.float64)
        self._whole = bool((self._worth % 1 == 0).all()) and float(self._worth.sum()) < _LARGEST_WHOLE
        self._slack = _SLACK * float(self._gains.max(initial=0.0))

    def best(self, exactly: Callable[[int], float]) -> int | None:
        """The first place of those with the largest gain above 0; None where none has one."""
        import numpy as np

        largest = float(self._gains.max(initial=-np.inf))
        if self._whole:
            return int(self._gains.argmax()) if largest > 0 else None
        near = np.flatnonzero(self._gains >= largest - self._slack).tolist() if largest >= -self._slack else []
        gains = [exactly(place) for place in near]
        return near[gains.index(max(gains))] if max(gains, default=0.0) > 0 else None

    def met(self, element: str) -> None:
        """An element adds nothing any more."""
        number = self._numbers[element]
        start = int(self._ends[number - 1]) if number else 0
        self._gains[self._places[start : int(self._ends[number])]] -= self._worth[number]

    def leave_out(self, places: Sequence[int]) -> None:
        """Items that may not be chosen any more."""
        import numpy as np

        self._gains[places] = -np.inf
