"""Applying a review: a new hierarchy in which every step is below a top skill or listed with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchwright.files import Record, read_jsonl, write_jsonl
from benchwright.skills.nodes import Hierarchy, Removed, SkillNode, Unassigned, require_no_other, write_hierarchy
from benchwright.skills.review.deciding import Decision, Plan

LOG_FILE = "review.jsonl"
_ORDER = ("keep", "rename", "drop", "merge", "split")


class Logged(Record):
    """A decision that was applied: the row of the sheet (by its SHA-256), the skill, what came of it, who said so."""

    row: int
    sheet: str
    id: str
    skill: str
    action: str
    into: tuple[str, ...] = ()
    category: str | None = None
    note: str = ""
    reviewer: str = ""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The hierarchy after a review, and the log of what was done."""

    hierarchy: Hierarchy
    log: tuple[Logged, ...]


def apply(hierarchy: Hierarchy, decided: Plan, sheet: str, reviewer: str = "") -> Reviewed:
    """The hierarchy with all decisions of a plan; `sheet` is the SHA-256 of the file that they were read from.

    Renames come first, then drops, merges and splits, each in the order of the rows, so that the order in which people
    wrote them down does not matter.
    """
    work = _Work(dict(hierarchy.nodes))
    changing = (each for each in decided.decisions.values() if each.changes)
    logged = []
    for each in sorted(changing, key=lambda each: (_ORDER.index(each.action), each.row)):
        name = work.nodes[each.id].name
        into = work.carry_out(each, decided.decisions)
        entry = Logged(
            row=each.row,
            sheet=sheet,
            id=each.id,
            skill=name,
            action=each.action,
            into=into,
            category=each.category,
            note=each.note,
            reviewer=reviewer,
        )
        logged.append(entry)
    left = (*hierarchy.unassigned, *work.left_over(hierarchy))
    made = Hierarchy(work.nodes, (*hierarchy.lineage, *work.removed), left).checked()
    return Reviewed(made, tuple(sorted(logged, key=lambda entry: entry.row)))


@dataclass(slots=True)
class _Work:
    """The nodes while they change."""

    nodes: dict[str, SkillNode]
    removed: list[Removed] = field(default_factory=list)

    def carry_out(self, each: Decision, decisions: Mapping[str, Decision]) -> tuple[str, ...]:
        """Do it; the names or ids that came of it."""
        if each.category is not None:
            self._change(each.id, category=each.category)
        if each.action == "rename":
            self._change(each.id, name=each.name)
            return (each.name,)
        if each.action == "merge":
            return self._merge(each, decisions)
        if each.action == "split":
            return self._split(each)
        if each.action == "drop":
            self._drop(each.id, each.note or "dropped in review")
        return ()

    def _change(self, key: str, **changes: object) -> None:
        self.nodes[key] = self.nodes[key].model_copy(update=changes)

    def _merge(self, each: Decision, decisions: Mapping[str, Decision]) -> tuple[str, ...]:
        target = each.target
        while target not in self.nodes:  # merged further on already
            target = decisions[target].target
        gone, kept = self._taken_out(each.id), self.nodes[target]
        self._change(
            target,
            steps=_joined(kept.steps, gone.steps),
            children=_joined(kept.children, gone.children),
            examples=kept.examples or gone.examples,
        )
        self._hand_over(gone, (target,))
        self._note(gone, "merged", (target,), each.note)
        return (kept.name,)

    def _split(self, each: Decision) -> tuple[str, ...]:
        gone = self.nodes[each.id]
        if not each.parts:
            self._taken_out(each.id)
            self._hand_over(gone, ())
            self._note(gone, "split", gone.children, each.note)
            return tuple(self.nodes[child].name for child in gone.children)
        made = [self._part(gone, number, name, members) for number, (name, members) in enumerate(each.parts, start=1)]
        rest = list(self.nodes.items())
        place = next(n for n, (key, _) in enumerate(rest) if key == gone.id)
        self._taken_out(gone.id, tuple(part.id for part in made))
        rest = [(key, self.nodes.get(key, node)) for key, node in rest]
        self.nodes = dict([*rest[:place], *((part.id, part) for part in made), *rest[place + 1 :]])
        for child in gone.children:
            parents = [part.id for part in made if child in part.children]
            self._hand_over(gone.model_copy(update={"children": (child,)}), parents)
        self._note(gone, "split", tuple(part.id for part in made), each.note)
        return tuple(part.name for part in made)

    def _part(self, whole: SkillNode, number: int, name: str, members: Iterable[str]) -> SkillNode:
        children = tuple(member for member in members if member in whole.children)
        own = tuple(member for member in members if member not in whole.children)
        steps = _joined(*(self.nodes[child].steps for child in children), own)
        examples = _joined(*(self.nodes[child].examples for child in children))
        changes = {"id": f"{whole.id}.{number}", "name": name, "description": "", "children": children, "steps": steps}
        return whole.model_copy(update={**changes, "examples": examples})

    def _drop(self, key: str, reason: str) -> None:
        """Take a skill away, and whatever is below it and below nothing else."""
        gone = self._taken_out(key)
        self._note(gone, "dropped", (), reason)
        for child in gone.children:
            parents = tuple(parent for parent in self.nodes[child].parents if parent != key)
            self._change(child, parents=parents)
            if not (parents or self.nodes[child].top):
                self._drop(child, f"only below {gone.name!r}, which was dropped")

    def _taken_out(self, key: str, heirs: tuple[str, ...] = ()) -> SkillNode:
        """Take a skill from the nodes; what was above it has the heirs below it instead."""
        gone = self.nodes.pop(key)
        for parent in gone.parents:
            if parent in self.nodes:
                kept = tuple(child for child in self.nodes[parent].children if child != key)
                self._change(parent, children=_joined(kept, heirs))
        return gone

    def _hand_over(self, gone: SkillNode, heirs: Iterable[str]) -> None:
        """Give a skill's children other parents; one without any becomes a top skill."""
        for child in gone.children:
            parents = tuple(parent for parent in self.nodes[child].parents if parent != gone.id)
            parents = _joined(parents, tuple(heirs))
            self._change(child, parents=parents, top=self.nodes[child].top or not parents)

    def _note(self, gone: SkillNode, how: str, into: tuple[str, ...], reason: str) -> None:
        self.removed.append(
            Removed.from_json(
                {"id": gone.id, "name": gone.name, "how": how, "into": into, "reason": reason or f"{how} in review"},
                "review",
            )
        )

    def left_over(self, before: Hierarchy) -> list[Unassigned]:
        """The steps that a top skill had and none has any more."""
        held = {step for node in self.nodes.values() if node.top for step in node.steps}
        left: dict[str, str] = {}
        for node in before.tops:
            for step in node.steps:
                if step not in held:
                    left.setdefault(step, f"of {node.name!r}, which the review took away")
        return [Unassigned(step=step, reason=reason) for step, reason in left.items()]


def _joined(*parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for part in parts for item in part))


def write_reviewed(source: Path, out: Path, reviewed: Reviewed) -> None:
    """Write the reviewed hierarchy with the log of this and of earlier reviews into another folder.

    Errors: InputError where the folder holds other skills: a review never overwrites what was there.
    """
    require_no_other(out, reviewed.hierarchy)
    earlier = (source if source.is_dir() else source.parent) / LOG_FILE
    log = [value for _, value in read_jsonl(earlier)] if earlier.is_file() else []
    if out.resolve() != earlier.parent.resolve():
        write_jsonl(out / LOG_FILE, [*log, *reviewed.log])
    write_hierarchy(out, reviewed.hierarchy)
