"""Entanglement: skills so general that others say the same and more give way to them (section 4 of the paper)."""

from __future__ import annotations

from typing import Literal

from benchwright.skills.rounds.lineage import Lineage
from benchwright.skills.rounds.words import published_words, sound_words, supersets
from benchwright.skills.steps import solution_of

Rule = Literal["published", "sound"]
WORDS = {"published": published_words, "sound": sound_words}


def disentangle(lineage: Lineage, round_: int, rule: Rule = "published", min_solutions: int = 2) -> None:
    """Take out, until nothing changes: tops of too few solutions, tops that are too general, then others that are.

    What is removed in one pass does not depend on an order: a name that is in another one is also in each that holds
    that one, so that the most specific names stay whatever goes first.
    """
    while (
        _rare(lineage, min_solutions, round_) or _general_tops(lineage, rule, round_) or _general(lineage, rule, round_)
    ):
        pass


def _rare(lineage: Lineage, min_solutions: int, round_: int) -> bool:
    """Remove the tops whose steps come from fewer solutions; their children are judged in the next pass."""
    steps = lineage.steps()
    solutions = {skill: len({solution_of(step) for step in steps[skill]}) for skill in lineage.tops()}
    rare = [skill for skill, count in solutions.items() if count < min_solutions]
    for skill in rare:
        reason = f"{lineage.names[skill]!r} is used by {solutions[skill]} solution(s), fewer than {min_solutions}"
        lineage.remove(skill, reason, round_)
    return bool(rare)


def _general_tops(lineage: Lineage, rule: Rule, round_: int) -> bool:
    tops = lineage.tops()
    found = supersets([WORDS[rule](lineage.names[skill]) for skill in tops])
    _remove(lineage, {tops[place]: [tops[other] for other in others] for place, others in found.items()}, round_)
    return bool(found)


def _general(lineage: Lineage, rule: Rule, round_: int) -> bool:
    """Remove skills of any depth where a name that says more stands as high or higher."""
    depths = lineage.depths()
    skills = list(lineage.names)
    found = supersets([WORDS[rule](lineage.names[skill]) for skill in skills])
    general = {
        skills[place]: higher
        for place, others in found.items()
        if (higher := [skills[other] for other in others if depths[skills[other]] <= depths[skills[place]]])
    }
    _remove(lineage, general, round_)
    return bool(general)


def _remove(lineage: Lineage, general: dict[str, list[str]], round_: int) -> None:
    reasons = {
        skill: f"{lineage.names[skill]!r} says less than {min(lineage.names[other] for other in others)!r}"
        for skill, others in general.items()
    }
    for skill, reason in reasons.items():
        lineage.remove(skill, reason, round_)
