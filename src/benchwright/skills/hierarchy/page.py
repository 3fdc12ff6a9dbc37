"""Skills as one HTML file: a tree to search and open, with counts and examples, and a map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.files import write_atomic
from benchwright.skills.hierarchy.tree import UNTOLD, by_category, by_size
from benchwright.skills.nodes import Hierarchy, SkillNode
from benchwright.skills.steps import solution_of

_TEMPLATE = "skills.html.jinja"
_COLOURS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#a463f2", "#97bbf5", "#9c6b4e")
_OTHER = "#9498a0"
_DEPTH = 3
_MOST_BELOW = 40
"""Skills shown below one: a page of five hundred skills with all of theirs would be too large to open."""
_LARGEST, _SMALLEST = 16.0, 3.0


@dataclass(frozen=True, slots=True)
class _Point:
    """A skill on the map, in units of its viewBox."""

    id: str
    name: str
    category: str
    x: float
    y: float
    radius: float
    steps: int


def page(hierarchy: Hierarchy, path: Path, places: Sequence[tuple[float, float]], title: str = "Skills") -> None:
    """Write the page; `places` are the points of the top skills between 0 and 1, in their order.

    Every text of a skill is data: it is escaped wherever it stands. The file loads nothing from elsewhere.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    write_atomic(path, environment.get_template(_TEMPLATE).render(_values(hierarchy, places, title)))


def _values(hierarchy: Hierarchy, places: Sequence[tuple[float, float]], title: str) -> dict[str, Any]:
    groups = by_category(hierarchy.tops)
    colours = {name: _COLOURS[place % len(_COLOURS)] if name != UNTOLD else _OTHER for place, name in enumerate(groups)}
    steps = frozenset(step for node in hierarchy.tops for step in node.steps)
    return {
        "title": title,
        "counts": {
            "skills on top": len(hierarchy.tops),
            "skills in all": len(hierarchy.nodes),
            "steps": len(steps),
            "solutions": len({solution_of(step) for step in steps}),
            "steps without a skill": len(hierarchy.unassigned),
        },
        "groups": [
            {"name": name, "colour": colours[name], "skills": [_top(node, hierarchy) for node in skills]}
            for name, skills in groups.items()
        ],
        "points": _points(hierarchy.tops, places),
        "colours": colours,
        "untold": UNTOLD,
    }


def _top(node: SkillNode, hierarchy: Hierarchy) -> dict[str, Any]:
    """A top skill with all that is known of it."""
    more = {"description": node.description, "type": node.type, "examples": node.examples}
    return {**_outlined(node, hierarchy, _DEPTH), **more}


def _outlined(node: SkillNode, hierarchy: Hierarchy, depth: int) -> dict[str, Any]:
    """A skill's name and counts, and those of the skills below it."""
    below = by_size(hierarchy.nodes[child] for child in node.children) if depth else []
    return {
        "id": node.id,
        "name": node.name,
        "steps": len(node.steps),
        "solutions": len({solution_of(step) for step in node.steps}),
        "below": [_outlined(child, hierarchy, depth - 1) for child in below[:_MOST_BELOW]],
        "not_shown": max(0, len(below) - _MOST_BELOW),
    }


def _points(tops: Sequence[SkillNode], places: Sequence[tuple[float, float]]) -> list[_Point]:
    """Larger ones first, so that smaller ones are drawn over them."""
    most = max((len(node.steps) for node in tops), default=1) or 1
    found = [
        _Point(
            id=node.id,
            name=node.name,
            category=node.category or UNTOLD,
            x=round(20 + 960 * x, 1),
            y=round(20 + 560 * y, 1),
            radius=round(max(_SMALLEST, _LARGEST * (len(node.steps) / most) ** 0.5), 1),
            steps=len(node.steps),
        )
        for node, (x, y) in zip(tops, places, strict=True)
    ]
    return sorted(found, key=lambda point: (-point.radius, point.id))
