"""The published skill files of AgenticDataBench: skills with their steps, and frequencies from business traces."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import Field

from benchwright.errors import InputError
from benchwright.files import Record, read_jsonl, read_text

LABELS_FILE = "labels.jsonl"
_STEP = re.compile(r"(?P<answer>.+)-(?P<place>\d+)")


class Skill(Record):
    """A skill and the steps that use it, each as `<answer>-<place>`; the place counts from 0 within its answer."""

    id: str
    name: str = Field(min_length=1)
    type: str = ""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How often skills, and pairs of a skill and the one right after it, were used."""

    skills: dict[str, int]
    pairs: dict[tuple[str, str], int]


def read_skills(path: Path) -> tuple[Skill, ...]:
    """The skills of a `step-clusters.jsonl`, in its order; every id and name once."""
    found: dict[str, Skill] = {}
    for number, row in read_jsonl(path):
        where = f"{path}, line {number}"
        if not isinstance(row, dict):
            raise InputError(f"{where}: not a skill", expected="graph_id, name, cluster, type")
        skill = Skill.from_json(
            {
                "id": row.get("graph_id"),
                "name": row.get("name"),
                "type": row.get("type", ""),
                "steps": row.get("cluster"),
            },
            where,
        )
        if skill.id in found or any(skill.name == other.name for other in found.values()):
            raise InputError(f"{where}: a skill twice", found=f"{skill.id} {skill.name}", expected="ids and names once")
        wrong = [step for step in skill.steps if not _STEP.fullmatch(step)]
        if wrong:
            raise InputError(f"{where}: not a step", found=wrong[0], expected="<answer>-<place>")
        found[skill.id] = skill
    return tuple(found.values())


def read_descriptions(path: Path) -> dict[str, str]:
    """The descriptions of a `skill-descriptions.jsonl` by skill, in its order."""
    found: dict[str, str] = {}
    for number, row in read_jsonl(path):
        match row:
            case {"skill": str(skill), "description": str(text)} if skill not in found:
                found[skill] = text
            case _:
                where = f"{path}, line {number}"
                raise InputError(
                    f"{where}: no description of a skill", expected="skill and description, each skill once"
                )
    return found


def read_frequencies(path: Path) -> Frequencies:
    """Counts of other traces: a `skills_pairs_frequency.json`, whose pairs are written `A -> B`, or tasks' labels.

    Labels (a `labels.jsonl`, the folder that holds one, or any JSON Lines with `skills`) name a task's skills in the
    order of use.
    """
    if path.is_dir() or path.suffix == ".jsonl":
        return frequencies_of(_skills_in_order(path / LABELS_FILE if path.is_dir() else path))
    expected = '{"skills_frequency": {skill: count}, "skill_pairs_frequency": {"A -> B": count}}'
    try:
        document: Any = json.loads(read_text(path))
        skills, pairs = document["skills_frequency"], document["skill_pairs_frequency"]
        counts = [*skills.values(), *pairs.values()]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(
            f"{path}: no frequencies", found=f"{type(error).__name__}: {error}", expected=expected
        ) from error
    wrong = [count for count in counts if type(count) is not int or count < 0]
    if wrong:
        raise InputError(f"{path}: not a count", found=repr(wrong[0]), expected="whole numbers from 0 on")
    return Frequencies(skills, {_pair(text, path): count for text, count in pairs.items()})


def frequencies_of(orders: Iterable[Sequence[str]]) -> Frequencies:
    """How often each skill stands in these orders of use, and each pair one right after the other."""
    skills: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for order in orders:
        skills.update(order)
        pairs.update(pairwise(order))
    return Frequencies(dict(skills), dict(pairs))


def _skills_in_order(path: Path) -> Iterator[tuple[str, ...]]:
    for number, row in read_jsonl(path):
        skills = row.get("skills", []) if isinstance(row, dict) else None
        if not isinstance(skills, list) or not all(isinstance(skill, str) for skill in skills):
            raise InputError(f"{path}, line {number}: no labels of a task", expected="skills: a list of names")
        yield tuple(skills)


def _pair(text: str, path: Path) -> tuple[str, str]:
    first, arrow, second = text.partition(" -> ")
    if not arrow:
        raise InputError(f"{path}: not a pair of skills", found=text, expected="A -> B")
    return first, second


def traces(skills: Iterable[Skill]) -> dict[str, dict[int, tuple[str, ...]]]:
    """By answer, its annotated steps in order: the place of each step and the names of its skills."""
    found: dict[str, dict[int, list[str]]] = {}
    for skill in skills:
        for step in dict.fromkeys(skill.steps):
            known = _STEP.fullmatch(step)
            if known is None:
                raise InputError(f"skill {skill.name!r}: not a step", found=step, expected="<answer>-<place>")
            found.setdefault(known["answer"], {}).setdefault(int(known["place"]), []).append(skill.name)
    return {answer: {place: tuple(steps[place]) for place in sorted(steps)} for answer, steps in found.items()}
