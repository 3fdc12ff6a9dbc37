"""What a review may look at first: skills of one solution, and skills whose steps another one has nearly all of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.skills.nodes import SkillNode
from benchwright.skills.rounds.words import contained, published_words, supersets
from benchwright.skills.steps import solution_of

CONTAINED = 0.9
"""The share of a skill's steps that another has, from which on they look like one."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An action with its target and the reason."""

    action: str = "keep"
    into: str = ""
    reason: str = ""


def suggestions(tops: Sequence[SkillNode]) -> dict[str, Suggestion]:
    """A suggestion for each skill, by id: to drop what comes from one solution, to merge what another contains."""
    wider: dict[str, tuple[str, float]] = {}
    for narrow, wide, share in contained({node.id: frozenset(node.steps) for node in tops}, CONTAINED):
        wider.setdefault(narrow, (wide, share))
    names = {node.id: node.name for node in tops}
    found = {}
    for node in tops:
        solutions = len({solution_of(step) for step in node.steps})
        if node.id in wider:
            wide, share = wider[node.id]
            found[node.id] = Suggestion("merge", names[wide], f"{share:.0%} of its steps are there too")
        elif solutions <= 1:
            found[node.id] = Suggestion("drop", "", f"its steps come from {solutions} solution")
        else:
            found[node.id] = Suggestion()
    return found


def general_names(tops: Sequence[SkillNode]) -> list[tuple[str, str]]:
    """Names whose words are all in another's, each with the first of those: clustering leaves none, people may."""
    names = [node.name for node in tops]
    found = supersets([published_words(name) for name in names])
    return [(names[place], min(names[other] for other in others)) for place, others in sorted(found.items())]
