"""Which solutions show how sampled skills are used: drawn by relevance, each use making a solution rarer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csc_array

    Floats = NDArray[np.float64]

Traces = Mapping[str, Mapping[int, Collection[str]]]
"""By solution, the skills of each of its annotated steps, by the step's place from 0."""
Relevance = Mapping[tuple[str, int, str], float]
"""By solution, place and skill: how well that step stands for the skill."""


@dataclass(frozen=True, slots=True)
class Example:
    """A solution, and those of its steps that use sampled skills, by place; `skills` are the sampled ones it shows."""

    solution: str
    steps: tuple[int, ...]
    skills: tuple[str, ...]


def step_relevance(vectors: Floats) -> Floats:
    """How near each step is to the others of its skill: the mean cosine plus one, between 0 and 2 (paper, 5.2).

    `vectors` is steps x dimensions, of any length each. A step that is alone has nothing to be near to: 1.
    """
    import numpy as np

    count = len(vectors)
    if count < 2:
        return np.ones(count)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.divide(vectors, lengths, out=np.zeros_like(vectors, dtype=float), where=lengths > 0)
    own = (unit * unit).sum(axis=1)
    near: Floats = (unit @ unit.sum(axis=0) - own) / (count - 1) + 1
    return np.maximum(near, 0.0)


class ExampleSampler:
    """Draws solutions for sampled skills by their steps' summed relevance to them, over one more than their uses."""

    def __init__(self, traces: Traces, relevance: Relevance | None = None, seed: int = 0) -> None:
        """Without measured relevance each step counts 1 for each skill that it uses."""
        import numpy as np

        self._traces, self.seed = traces, seed
        self._solutions = {name: row for row, name in enumerate(sorted(traces))}
        self._names = tuple(self._solutions)
        self._skills = {name: k for k, name in enumerate(sorted(_skills_of(traces)))}
        self._relevance = self._matrix(relevance)
        self._uses = np.zeros(len(self._solutions))

    def _matrix(self, relevance: Relevance | None) -> csc_array:
        from scipy.sparse import csc_array

        sums: defaultdict[tuple[int, int], float] = defaultdict(float)
        for solution, row in self._solutions.items():
            for place, names in self._traces[solution].items():
                for name in names:
                    worth = 1.0 if relevance is None else relevance.get((solution, place, name), 0.0)
                    sums[row, self._skills[name]] += worth
        rows, columns = [row for row, _ in sums], [column for _, column in sums]
        shape = (len(self._solutions), len(self._skills))
        return csc_array((list(sums.values()), (rows, columns)), shape=shape)

    def draw(self, skills: Iterable[str], count: int, number: int) -> tuple[Example, ...]:
        """At most so many solutions for these skills, none twice; the draw with this number, from 0."""
        import numpy as np

        wanted = frozenset(skills)
        worth = self._worth(wanted) / (1 + self._uses)
        able = np.flatnonzero(worth > 0)
        # The least of exponential waits at these rates are a draw without replacement in proportion to them.
        waits = np.random.default_rng([self.seed, number]).exponential(size=len(able)) / worth[able]
        return tuple(self._example(int(row), wanted) for row in able[np.argsort(waits)[:count]])

    def _worth(self, skills: frozenset[str]) -> Floats:
        """By solution, the sum of its relevance to these skills."""
        import numpy as np

        table = self._relevance
        parts = [slice(*table.indptr[k : k + 2]) for k in sorted(self._skills[s] for s in skills & self._skills.keys())]
        rows = np.concatenate([table.indices[part] for part in parts] or [np.empty(0, int)])
        values = np.concatenate([table.data[part] for part in parts] or [np.empty(0)])
        return np.bincount(rows, values, minlength=len(self._names)).astype(float)

    def accept(self, examples: Iterable[Example]) -> None:
        """Take these as used: they become rarer in draws from here on."""
        for example in examples:
            self._uses[self._solutions[example.solution]] += 1

    def _example(self, row: int, skills: frozenset[str]) -> Example:
        solution = self._names[row]
        steps = {place: skills.intersection(names) for place, names in self._traces[solution].items()}
        shown = {place: names for place, names in steps.items() if names}
        return Example(solution, tuple(sorted(shown)), tuple(sorted(set().union(*shown.values()))))


def measured(traces: Traces, embed: Callable[[list[tuple[str, int]]], Floats]) -> dict[tuple[str, int, str], float]:
    """The relevance of every step to each of its skills, from vectors of the steps, asked for skill by skill."""
    of_skill: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for solution, steps in sorted(traces.items()):
        for place, names in steps.items():
            for name in names:
                of_skill[name].append((solution, place))
    return {
        (solution, place, name): float(value)
        for name, steps in sorted(of_skill.items())
        for (solution, place), value in zip(steps, step_relevance(embed(steps)), strict=True)
    }


def _skills_of(traces: Traces) -> set[str]:
    return {name for steps in traces.values() for names in steps.values() for name in names}
