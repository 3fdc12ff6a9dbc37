"""Which skills each draft is to need: drawn by what is wanted, or by paths through a graph of skills with examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from benchwright.errors import InputError
from benchwright.generation.examples import Example, ExampleSampler
from benchwright.generation.modelled.briefing import Skill
from benchwright.generation.paths import PAPER, PathRule, PathSampler
from benchwright.generation.workflow import Wanted
from benchwright.skills.graph import SkillGraph, early, graph_of
from benchwright.skills.nodes import SkillNode
from benchwright.skills.published import Skill as Skilled
from benchwright.skills.published import traces

Composition = tuple[Skill, ...]
Compose = Callable[[Wanted], Iterator[Composition]]
"""From what is wanted to compositions without end; the same wants give the same."""


def by_weight(length: int = 5) -> Compose:
    """So many different skills a draft, in proportion to how much each is wanted."""

    def compose(wanted: Wanted) -> Iterator[Composition]:
        import numpy as np

        names = sorted(wanted.skills)
        weights = np.array([max(wanted.weights.get(name, 1.0), 0.0) for name in names])
        able = np.flatnonzero(weights > 0)
        if not len(able):
            raise InputError("no skill is wanted", expected="a weight above 0 for at least one")
        for number in _counting():
            # The least of exponential waits at these rates are a draw without replacement in proportion to them.
            waits = np.random.default_rng([wanted.seed, number]).exponential(size=len(able)) / weights[able]
            yield tuple(_skill(wanted, names[int(able[k])]) for k in np.argsort(waits)[:length])

    return compose


def by_hierarchy(tops: Sequence[SkillNode], length: int = 5) -> Compose:
    """Paths through the skills of a hierarchy as its steps follow each other; by weight where it knows no steps.

    The steps that stand for a skill are shown with it.
    """
    order = traces(Skilled(id=node.id, name=node.name, steps=node.steps) for node in tops)
    examples = {node.name: node.examples for node in tops}
    if order:
        graph = graph_of([list(steps.values()) for steps in order.values()])
        compose = by_paths(graph, frozenset(early(order.values())), replace(PAPER, length=length))
    else:
        compose = by_weight(length)

    def composed(wanted: Wanted) -> Iterator[Composition]:
        for path in compose(wanted):
            yield tuple(replace(skill, examples=skill.examples or examples.get(skill.name, ())) for skill in path)

    return composed


@dataclass(frozen=True, slots=True)
class Evidence:
    """Solutions that show skills: by solution and place the skills that its step uses, and the step's text."""

    traces: Mapping[str, Mapping[int, frozenset[str]]]
    texts: Mapping[tuple[str, int], str]
    each: int = 10

    def shown(self, found: tuple[Example, ...]) -> dict[str, tuple[str, ...]]:
        """By skill, the texts of its steps in the solutions that were drawn."""
        texts: dict[str, list[str]] = {}
        for example in found:
            for place in example.steps:
                text = self.texts.get((example.solution, place))
                for name in self.traces[example.solution][place] if text else ():
                    texts.setdefault(name, []).append(text or "")
        return {name: tuple(each) for name, each in texts.items()}


def by_paths(
    graph: SkillGraph, roots: frozenset[str], rule: PathRule = PAPER, evidence: Evidence | None = None
) -> Compose:
    """Random paths through the skills of a graph that are wanted, each with examples where there is evidence.

    Where no skill to begin with is wanted, any may begin. Errors: InputError where no skill of the graph is wanted.
    """

    def compose(wanted: Wanted) -> Iterator[Composition]:
        sampler = PathSampler(*_wanted_part(graph, roots, wanted), rule, wanted.seed)
        examples = ExampleSampler(evidence.traces, seed=wanted.seed) if evidence else None
        for number in _counting():
            path = sampler.draw(number)
            sampler.accept(path)
            shown: dict[str, tuple[str, ...]] = {}
            if examples is not None and evidence is not None:
                found = examples.draw(path.skills, evidence.each, number)
                examples.accept(found)
                shown = evidence.shown(found)
            yield tuple(replace(_skill(wanted, name), examples=shown.get(name, ())) for name in path.skills)

    return compose


def _wanted_part(graph: SkillGraph, roots: frozenset[str], wanted: Wanted) -> tuple[SkillGraph, frozenset[str]]:
    """The part of a graph whose skills are wanted, each as often as it was used times how much it is wanted."""
    worth = {name: wanted.weights.get(name, 1.0) for name in wanted.skills}
    nodes = {name: uses * worth[name] for name, uses in graph.nodes.items() if worth.get(name, 0.0) > 0}
    edges = {pair: count for pair, count in graph.edges.items() if pair[0] in nodes and pair[1] in nodes}
    return SkillGraph(nodes, edges), roots & nodes.keys() or frozenset(nodes)


def _skill(wanted: Wanted, name: str) -> Skill:
    return Skill(name, wanted.skills[name])


def _counting() -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1
