"""The writer without a model: for each template the table that it was drawn, and of these what is wanted most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from benchwright.files import sha256
from benchwright.generation.templates.base import Template
from benchwright.generation.templates.drafting import Sketch, drafted, key_of
from benchwright.generation.templates.registry import TEMPLATES
from benchwright.generation.templates.tables import Source, lookalike, sources_of
from benchwright.generation.workflow import Draft, Material, Rejection, Wanted

_TRIES = 60
_LEAST_SKILLS = 2
"""Steps that can be done without, of a task worth running."""


@dataclass(frozen=True, slots=True)
class TemplateWriter:
    """Writes drafts from templates. A template makes one task of a table whatever the seed: seeds only choose."""

    templates: Mapping[str, Template] = field(default_factory=lambda: TEMPLATES)

    @property
    def name(self) -> str:
        """With a digest of the templates' names: another set is another writer."""
        return f"template:{sha256(' '.join(sorted(self.templates)))[:8]}"

    def drafts(self, material: Material, wanted: Wanted) -> Iterator[Draft | Rejection]:
        """The drafts whose skills are wanted most, one of each template at most."""
        rng = Random(f"{wanted.seed} {material.room}")  # noqa: S311 - tasks are drawn, not secrets
        sources = sources_of(material)
        sketches = [
            (name, sketch)
            for name, template in self.templates.items()
            if (sketch := _sketch(template, material, sources, rng, wanted)) is not None
        ]
        if not sketches:
            detail = "no table that is readable, unmistakable and of the right size"
            yield Rejection(draft=f"{material.room}-templates", reason="no_material", detail=detail)
        yield from self._chosen(sketches, material, wanted, rng)

    def _chosen(
        self, sketches: Sequence[tuple[str, Sketch]], material: Material, wanted: Wanted, rng: Random
    ) -> Iterator[Draft]:
        """One after the other, what adds most to what was chosen before; chance decides between what is about equal."""
        taken: Counter[str] = Counter()
        left = [(name, sketch, rng.uniform(0.3, 1.0)) for name, sketch in sketches]
        for _ in range(min(wanted.number, len(left))):
            best = max(left, key=lambda item: item[2] * _worth(item[1], wanted, taken))
            left.remove(best)
            template, sketch, _luck = best
            key = f"{key_of(material.room)[:20]}-{sha256(sketch.question)[:10]}"
            choose = _Choice(wanted, taken)
            yield drafted(sketch, template, material.room, key, choose, material.domain)


class _Choice:
    """Takes one of the names that fit a step: wanted, not of another step of the task, taken least."""

    def __init__(self, wanted: Wanted, taken: Counter[str]) -> None:
        self._wanted, self._taken, self._own = wanted, taken, set[str]()

    def __call__(self, skills: tuple[str, ...]) -> str:
        known = [skill for skill in skills if skill in self._wanted.skills] or list(skills)
        own = [skill for skill in known if skill not in self._own] or known
        best = max(own, key=lambda skill: _weight(skill, self._wanted, self._taken))
        self._own.add(best)
        self._taken[best] += 1
        return best


def _weight(skill: str, wanted: Wanted, taken: Counter[str]) -> float:
    return wanted.weights.get(skill, 1.0) / (1 + taken[skill])


def _worth(sketch: Sketch, wanted: Wanted, taken: Counter[str]) -> float:
    """How much is wanted of what the sketch's steps can show, on average: long tasks are no better than short ones."""
    shown = [move.skills for move in sketch.moves if move.without is not None]
    return sum(max(_weight(skill, wanted, taken) for skill in skills) for skills in shown) / len(shown)


def _sketch(
    template: Template, material: Material, sources: Sequence[Source], rng: Random, wanted: Wanted
) -> Sketch | None:
    """The first of the drawn tables that the template can make a task of, with skills that may be named."""
    items = template.over(material, sources)
    for place in rng.sample(range(len(items)), min(len(items), _TRIES)):
        own = Random(f"{template.name} {material.room} {items[place]}")  # noqa: S311 - as above
        sketch = template.make(items[place], own)
        if sketch is not None and _fits(sketch, sources, wanted):
            return sketch
    return None


def _fits(sketch: Sketch, sources: Sequence[Source], wanted: Wanted) -> bool:
    """Its steps can be named, some can be done without, and no other table of the room can be taken for its own."""
    named = all(any(skill in wanted.skills for skill in move.skills) for move in sketch.moves)
    enough = sum(move.without is not None for move in sketch.moves) >= _LEAST_SKILLS
    return named and enough and not any(_mistaken(source, sketch, sources) for source in sketch.sources)


def _mistaken(source: Source, sketch: Sketch, sources: Sequence[Source]) -> bool:
    code = "\n".join(move.code for move in sketch.moves)
    used = [each.name for each in source.fields if each.name in code]
    return lookalike(source, sources, used)
