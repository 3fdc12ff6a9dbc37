"""Tasks over several tables of one kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from benchwright.generation.templates.base import Template, load, one
from benchwright.generation.templates.drafting import Move, Sketch, answer, rounded
from benchwright.generation.templates.tables import Field, Source
from benchwright.generation.workflow import Material


@dataclass(frozen=True, slots=True)
class Stack:
    """Tables with the same columns, in one workbook or in files whose names differ by a number or word."""

    sources: tuple[Source, ...]
    value: Field

    def __str__(self) -> str:
        return "|".join(map(str, self.sources))

    @property
    def about(self) -> str:
        """What all names have in common."""
        words = [source.about.split() for source in self.sources]
        common = [word for word in words[0] if all(word in other for other in words[1:])]
        return " ".join(common)

    @property
    def rows(self) -> int:
        """All rows together."""
        return sum(source.rows for source in self.sources)


def stacks(_: Material, sources: Sequence[Source]) -> list[Stack]:
    """Groups of tables of one schema that no other table of the room shares."""
    schemas: dict[tuple[str, ...], list[Source]] = defaultdict(list)
    for source in sources:
        schemas[tuple(sorted(column.name for column in source.table.columns))].append(source)
    found = []
    for group in schemas.values():
        values = [f for f in group[0].measures if all(f.name in {m.name for m in s.measures} for s in group)]
        if 2 <= len(group) <= 12 and values:
            stack = Stack(tuple(sorted(group, key=lambda s: (s.path, s.table.name))), values[0])
            if stack.about and len(stack.about) >= 4 and _folder(group):
                found.append(stack)
    return found


def _folder(group: Sequence[Source]) -> bool:
    return len({source.path.rpartition("/")[0] for source in group}) == 1


def stacked(stack: Stack, rng: Random) -> Sketch | None:
    """The mean over all parts, and the part that is furthest from it."""
    shared = set.intersection(*({field.name for field in source.measures} for source in stack.sources))
    value = one(rng, [field for field in stack.sources[0].measures if field.name in shared])
    frames = [f"part_{number}" for number in range(1, len(stack.sources) + 1)]
    loads = tuple(load(source, frame) for source, frame in zip(stack.sources, frames, strict=True))
    moves = (
        *loads,
        Move(
            ("Vertical Stacking and Binding", "File Iteration and Traversal"),
            "Put the rows of all parts below each other.",
            f"whole = pd.concat([{', '.join(frames)}], keys=range({len(frames)}))",
            f"whole = pd.concat([{frames[0]}], keys=range(1))",
        ),
        Move(
            ("MultiIndex and Hierarchical Indexing", "Data Exploration and Comparison"),
            "Take the mean of each part.",
            f"means = whole.groupby(level=0)[{value.q}].mean()",
        ),
        Move(
            ("Weighted Aggregation and Summation", "Statistical Calculations and Descriptive Statistics"),
            "Take the mean of all rows, and the span of the parts' means.",
            (
                f"print(f'{{whole[{value.q}].mean():.{value.decimals}f}}; {{means.max() - "
                f"means.min():.{value.decimals}f}}')"
            )
            .replace(f"whole[{value.q}].mean()", "total")
            .replace("print(", f"total = whole[{value.q}].mean()\nprint(", 1),
            f"total = means.mean()\nprint(f'{{total:.{value.decimals}f}}; {{means.max() - "
            f"means.min():.{value.decimals}f}}')",
        ),
    )
    question = (
        f"The data on {stack.about} come in {len(stack.sources)} tables with the same columns ({stack.rows:,} "
        f"rows in all). What is the mean of {value.shown} over all rows together, and how far apart are the "
        "largest and the smallest mean of a single table?"
    )
    form = f"Answer as: mean; distance. Both{rounded(value.decimals)}."
    return Sketch(stack.sources, question, moves, answer(form, value.decimals))


TEMPLATES = (Template("stacked_tables", stacked, stacks),)
