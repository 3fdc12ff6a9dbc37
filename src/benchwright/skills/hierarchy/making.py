"""From steps to a folder of skills: rounds, descriptions, and every file that tells of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright.chat.asking import Ledger, Spending, require_own
from benchwright.errors import InputError
from benchwright.files import canonical_json, write_atomic, write_jsonl
from benchwright.skills.hierarchy.building import hierarchy_of
from benchwright.skills.hierarchy.describing import describe
from benchwright.skills.nodes import SKILLS_FILE, Hierarchy, write_hierarchy
from benchwright.skills.rounds.counting import Count
from benchwright.skills.rounds.words import contained
from benchwright.skills.rounds.working import LEDGER_FILE, Means, Settings, work
from benchwright.skills.steps import STEPS_FILE, SkillStep

COUNTS_FILE, OVERLAPS_FILE = "counts.json", "overlaps.jsonl"


@dataclass(frozen=True, slots=True)
class Made:
    """Skills, the counts of each stage, the pairs that share nearly all steps of one, and what all of it used."""

    hierarchy: Hierarchy
    counts: tuple[Count, ...]
    overlaps: int
    spent: Spending


async def make_skills(
    steps: Sequence[SkillStep], folder: Path, means: Means, settings: Settings, categories: Sequence[str]
) -> Made:
    """Work, describe, and write `skills.jsonl`, `lineage.jsonl`, `unassigned.jsonl`, `overlaps.jsonl`, `counts.json`.

    The files hold what steps, answers and settings say and nothing of how they came about: a work that was killed and
    begun again writes the same bytes. Raises what asking raises; what was answered is kept.

    Errors: InputError where the folder holds skills that were not made in it, such as reviewed ones.
    """
    require_own(folder, SKILLS_FILE, LEDGER_FILE)
    if (folder / STEPS_FILE).exists():
        found = f"the {STEPS_FILE} of another work, whose {COUNTS_FILE} would be written over"
        raise InputError(f"{folder} is no place for skills", found=found, expected="a folder of their own")
    worked = await work(steps, folder, means, settings)
    with Ledger.open(folder / LEDGER_FILE) as ledger:
        hierarchy = await describe(hierarchy_of(worked, steps), means, categories, ledger)
        spent = ledger.spending()
    overlaps = contained({node.id: frozenset(node.steps) for node in hierarchy.tops})
    names = {node.id: node.name for node in hierarchy.tops}
    rows = (
        {"narrow": narrow, "narrow_name": names[narrow], "wide": wide, "wide_name": names[wide], "share": share}
        for narrow, wide, share in overlaps
    )
    write_jsonl(folder / OVERLAPS_FILE, rows)
    stages = [count.model_dump(mode="json") for count in worked.counts]
    write_atomic(folder / COUNTS_FILE, canonical_json({"stages": stages}) + "\n")
    write_hierarchy(folder, hierarchy)
    return Made(hierarchy, worked.counts, len(overlaps), spent)
