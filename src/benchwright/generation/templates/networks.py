"""Tasks of networks of names."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, load, one
from benchwright.generation.templates.drafting import Move, Sketch, answer, explained, rounded
from benchwright.generation.templates.tables import Source


def network(source: Source, rng: Random) -> Sketch | None:
    """Which name is linked to most others, and into how many parts the links fall."""
    labels = [f for f in (*source.labels, *source.groups) if not f.column.nulls]
    wide = [field for field in labels if field.column.distinct >= 6]
    if len({field.name for field in labels}) < 2 or not wide:
        return None
    left = one(rng, wide)
    right = one(rng, [field for field in labels if field.name != left.name])
    moves = (
        load(source),
        Move(
            ("Graph Data Preparation and Cleaning", "Unique Value Extraction"),
            "Take each different link once.",
            f"links = df[[{left.q}, {right.q}]].drop_duplicates()",
            f"links = df[[{left.q}, {right.q}]]",
        ),
        Move(
            ("Graph Creation and Manipulation", "Hierarchical and Network Data Analysis"),
            "Count links of each name.",
            f"degree = links.groupby({left.q}).size()\nother = links.groupby({right.q}).size()\n"
            "assert min(degree.mean(), other.mean()) > 1.2, 'one column follows from the other'",
        ),
        Move(
            ("Graph Analysis and Metrics",),
            "Take mean degrees and the density of the network.",
            "density = degree.sum() / (len(degree) * len(other))\n"
            "assert density < 0.9, 'nearly everything is linked to everything'\nprint(f'{degree.mean():.4f}; "
            "{other.mean():.4f}; {density:.4f}')",
            "nodes = len(degree) + len(other)\ndensity = degree.sum() / (nodes * (nodes - 1) / 2)\n"
            "print(f'{degree.mean():.4f}; {other.mean():.4f}; {density:.4f}')",
        ),
    )
    question = (
        f"Read {source.has_rows} as a two-sided network of {left.shown} and {right.shown}. How many links does "
        "each side "
        "have on average, and how dense is the network?"
    )
    method = (
        "Two values are linked if they occur together in any row, and each link counts once. The density is the "
        "number of "
        "links over that of possible links."
    )
    form = f"Answer as: mean links of {left.name}; mean links of {right.name}; density. All{rounded(4)}."
    return Sketch((source,), question, moves, explained(method, answer(form, 4)))


TEMPLATES = (Template("two_sided_network", network),)
