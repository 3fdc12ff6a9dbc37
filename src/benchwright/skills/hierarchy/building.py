"""From what rounds came to, to the skills as they lie on disk."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.skills.nodes import Hierarchy, SkillNode, Unassigned
from benchwright.skills.rounds.working import Worked
from benchwright.skills.steps import SkillStep

_MOST_TEXT = 500


def hierarchy_of(worked: Worked, steps: Sequence[SkillStep]) -> Hierarchy:
    """The skills in the order they were made, what went, and each step that no top skill has, with the reason."""
    lineage, texts = worked.lineage, {step.id: step.text[:_MOST_TEXT] for step in steps}
    own, tops, places = lineage.steps(), set(lineage.tops()), {step.id: place for place, step in enumerate(steps)}
    nodes = {
        skill: SkillNode(
            id=skill,
            name=name,
            description=lineage.descriptions[skill],
            parents=tuple(sorted(lineage.parents[skill], key=order)),
            children=tuple(sorted(lineage.children[skill], key=order)),
            steps=tuple(sorted(own[skill], key=places.__getitem__)),
            examples=tuple(texts[step] for step in worked.examples[skill]),
            top=skill in tops,
            round=lineage.rounds[skill],
        )
        for skill, name in lineage.names.items()
    }
    used = frozenset().union(*(own[skill] for skill in tops))
    left = tuple(Unassigned(step=step, reason=lineage.loose[step]) for step in texts if step not in used)
    return Hierarchy(nodes, tuple(lineage.gone), left).checked()


def order(skill: str) -> tuple[int, ...]:
    """Sorts ids of ours by round and number."""
    return tuple(int(part) for part in skill.split("-"))
