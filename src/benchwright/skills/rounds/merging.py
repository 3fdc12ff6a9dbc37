"""Skills of one round whose names mean the same become one; parents that only rename a skill go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright.skills.rounds.doubting import Settled
from benchwright.skills.rounds.lineage import Lineage
from benchwright.skills.rounds.synonyms import CLOSENESS, same_meaning, shortest
from benchwright.skills.rounds.words import sound_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAME_WORDS = "the same words as"


def merge(
    lineage: Lineage, fresh: frozenset[str], vectors: NDArray[np.float32], round_: int, settled: Settled | None = None
) -> None:
    """Merge every set of synonyms that holds a fresh skill into its top skill of the shortest name.

    `vectors` are those of all names, in the lineage's order; sets are those at cosine 0.95, unless others are settled.
    What was there before is merged with fresh skills only: among itself it was compared when it was fresh. The name
    that stays is the shortest of all.
    """
    skills = list(lineage.names)
    found = settled or Settled(tuple(same_meaning([lineage.names[skill] for skill in skills], vectors, CLOSENESS)))
    for places in found.sets:
        members = [skills[place] for place in places]
        if len(members) < 2 or not fresh.intersection(members):
            continue
        tops = [skill for skill in members if not lineage.parents[skill]]
        into = tops[shortest([lineage.names[skill] for skill in tops])]
        name = lineage.names[members[shortest([lineage.names[skill] for skill in members])]]
        rows = dict(zip(members, vectors[list(places)], strict=True))
        said = {skills[place]: found.reasons[place] for place in places if place in found.reasons}
        for skill in members:
            if skill != into:
                cosine = float(rows[skill] @ rows[into])
                reason = _reason(lineage, skill, into, cosine)
                if cosine < found.closeness and not reason.startswith(SAME_WORDS):
                    reason = said.get(skill, reason)
                lineage.merge(skill, into, reason, round_)
        lineage.names[into] = name


def _reason(lineage: Lineage, skill: str, into: str, cosine: float) -> str:
    """Why two are one; the cosine shows how far a chain of close names reached."""
    own, other = lineage.names[skill], lineage.names[into]
    return f"{SAME_WORDS} {other!r}" if sound_words(own) == sound_words(other) else f"cosine {cosine:.3f} to {other!r}"


def collapse(lineage: Lineage, fresh: frozenset[str], round_: int) -> None:
    """Take out fresh skills over a single one: a round that only renames a skill leaves it as it was."""
    for skill in [each for each in lineage.names if each in fresh]:
        if len(lineage.children[skill]) == 1 and not lineage.own[skill]:
            (only,) = lineage.children[skill]
            lineage.remove(skill, f"only another name of {lineage.names[only]!r}", round_)
