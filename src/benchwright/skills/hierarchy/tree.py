"""Skills as a tree for the terminal: category, top skills, and what is below them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from benchwright.skills.nodes import Hierarchy, SkillNode

if TYPE_CHECKING:
    from rich.tree import Tree

UNTOLD = "(no category)"


def tree(hierarchy: Hierarchy, depth: int = 2, most: int | None = None) -> Tree:
    """Skills by category, those with most steps first, `depth` levels deep; at most so many under one thing."""
    from rich.tree import Tree as RichTree

    tops = hierarchy.tops
    root = RichTree(f"{len(tops)} skills on top, {len(hierarchy.nodes)} in all", guide_style="dim")
    for category, skills in by_category(tops).items():
        branch = root.add(f"[bold]{_safe(category)}[/bold] ({len(skills)})")
        _grow(branch, hierarchy, skills, depth, most)
    return root


def by_category(skills: Iterable[SkillNode]) -> dict[str, list[SkillNode]]:
    """Skills by category, both in a fixed order: names of categories, then most steps first."""
    found: dict[str, list[SkillNode]] = {}
    for skill in skills:
        found.setdefault(skill.category or UNTOLD, []).append(skill)
    return {category: by_size(found[category]) for category in sorted(found)}


def by_size(skills: Iterable[SkillNode]) -> list[SkillNode]:
    """Those with most steps first, then by name."""
    return sorted(skills, key=lambda skill: (-len(skill.steps), skill.name, skill.id))


def _grow(branch: Tree, hierarchy: Hierarchy, skills: list[SkillNode], depth: int, most: int | None) -> None:
    if not depth:
        return
    for skill in skills[:most]:
        twig = branch.add(f"{_safe(skill.name)} [dim]{len(skill.steps)} steps[/dim]")
        _grow(twig, hierarchy, by_size(hierarchy.nodes[child] for child in skill.children), depth - 1, most)
    if most is not None and len(skills) > most:
        branch.add(f"[dim]... {len(skills) - most} more[/dim]")


def _safe(text: str) -> str:
    """A name as one line without control characters or markup of the terminal."""
    from rich.markup import escape

    return escape("".join(each if each.isprintable() else " " for each in text))
