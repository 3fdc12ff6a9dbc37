"""Skills in a hierarchy, as they lie on disk: nodes, what became of those that went, and steps without a skill."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field

from benchwright.errors import InputError
from benchwright.files import Record, canonical_json, read_jsonl, write_jsonl
from benchwright.skills.published import Skill, read_skills, traces

SKILLS_FILE, LINEAGE_FILE, UNASSIGNED_FILE = "skills.jsonl", "lineage.jsonl", "unassigned.jsonl"
R = TypeVar("R", bound=Record)


class SkillNode(Record):
    """A skill: what it is called and means, which skills are above and below it, and the ids of the steps that use it.

    `steps` of a skill hold those of all skills below. `examples` are texts of steps that stand for it. `type` is one of
    the published types, `category` one of the seven; empty: not told. `top` skills are what tasks are labelled with.
    """

    id: str = Field(min_length=1)
    name: str = Field(min_length=1)
    description: str = ""
    category: str = ""
    type: str = ""
    parents: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    top: bool = True
    round: int = 0


class Removed(Record):
    """A skill that is no more: how it went, the ids of the skills that took its steps, and why."""

    id: str
    name: str
    how: Literal["merged", "removed", "split", "dropped"]
    into: tuple[str, ...] = ()
    reason: str = ""
    round: int = 0


class Unassigned(Record):
    """A step that no top skill has, and why."""

    step: str
    reason: str
    round: int = 0


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Skills by id in a fixed order, with what went and what was left over."""

    nodes: Mapping[str, SkillNode]
    lineage: tuple[Removed, ...] = ()
    unassigned: tuple[Unassigned, ...] = ()

    @property
    def tops(self) -> tuple[SkillNode, ...]:
        """The skills that tasks are labelled with."""
        return tuple(node for node in self.nodes.values() if node.top)

    def checked(self) -> Hierarchy:
        """The same; InputError where a top's name stands twice, or a link leads nowhere, one way, or in a circle."""
        names: dict[str, str] = {}
        for node in self.tops:
            if node.name.casefold() in names:
                raise InputError("two top skills of one name", found=node.name, expected="each name once")
            names[node.name.casefold()] = node.id
        for node in self.nodes.values():
            for other in node.children:
                if other not in self.nodes or node.id not in self.nodes[other].parents:
                    raise InputError("a child that does not know its parent", found=f"{other} of {node.id}")
            for other in node.parents:
                if other not in self.nodes or node.id not in self.nodes[other].children:
                    raise InputError("a parent that does not know its child", found=f"{other} of {node.id}")
        if circle := _in_circle(self.nodes):
            raise InputError("skills that are above themselves", found=circle, expected="a hierarchy")
        return self


def _in_circle(nodes: Mapping[str, SkillNode]) -> str:
    """A skill that is above itself; empty where there is none. Skills without parents are taken off until none is."""
    waiting = {node.id: len(set(node.parents)) for node in nodes.values()}
    free = [name for name, count in waiting.items() if not count]
    while free:
        for child in dict.fromkeys(nodes[free.pop()].children):
            waiting[child] -= 1
            if not waiting[child]:
                free.append(child)
    return next((name for name, count in waiting.items() if count > 0), "")


def by_id(nodes: Iterable[SkillNode]) -> dict[str, SkillNode]:
    """Skills by id; InputError where an id stands twice."""
    found: dict[str, SkillNode] = {}
    for node in nodes:
        if node.id in found:
            raise InputError("a skill twice", found=node.id, expected="each id once")
        found[node.id] = node
    return found


def read_hierarchy(path: Path) -> Hierarchy:
    """The skills of a folder of ours, of a `skills.jsonl`, or of a published `step-clusters.jsonl`; checked."""
    file = path / SKILLS_FILE if path.is_dir() else path
    if not file.is_file():
        hint = "make them with: benchwright skills cluster"
        raise InputError(
            "no skills", found=str(file), expected=f"{SKILLS_FILE}, or the folder that holds it", hint=hint
        )
    first = next(read_jsonl(file), None)
    if first is not None and isinstance(first[1], dict) and "graph_id" in first[1]:
        published = read_skills(file)
        return Hierarchy(
            by_id(SkillNode(id=each.id, name=each.name, type=each.type, steps=each.steps) for each in published)
        )
    nodes = by_id(SkillNode.from_json(value, f"{file}, line {number}") for number, value in read_jsonl(file))
    lineage, left = (
        _records(Removed, file.with_name(LINEAGE_FILE)),
        _records(Unassigned, file.with_name(UNASSIGNED_FILE)),
    )
    return Hierarchy(nodes, lineage, left).checked()


def traces_of(hierarchy: Hierarchy) -> dict[str, dict[int, tuple[str, ...]]]:
    """By solution, its steps that use top skills, in order: the place of each and the names of its skills."""
    return traces(Skill(id=node.id, name=node.name, steps=node.steps) for node in hierarchy.tops)


def require_no_other(folder: Path, hierarchy: Hierarchy) -> None:
    """InputError where a folder holds other skills than these: they may be what people decided."""
    there = folder / SKILLS_FILE
    rows = (canonical_json(node.to_json()) + "\n" for node in hierarchy.nodes.values())
    if there.exists() and there.read_bytes() != "".join(rows).encode():
        raise InputError(f"{folder} holds other skills", found=str(there), expected="a new folder")


def write_hierarchy(folder: Path, hierarchy: Hierarchy) -> None:
    """Write the three files of a hierarchy into a folder."""
    write_jsonl(folder / LINEAGE_FILE, hierarchy.lineage)
    write_jsonl(folder / UNASSIGNED_FILE, hierarchy.unassigned)
    write_jsonl(folder / SKILLS_FILE, hierarchy.nodes.values())


def _records(kind: type[R], path: Path) -> tuple[R, ...]:
    if not path.is_file():
        return ()
    return tuple(kind.from_json(value, f"{path}, line {number}") for number, value in read_jsonl(path))
