"""What the rows of a review mean, and which of them cannot be done, each with one message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from benchwright.skills.naming import in_one_line, says_something
from benchwright.skills.nodes import Hierarchy, SkillNode
from benchwright.skills.review.sheets import ACTIONS, Row, shown

_REST = "*"
_GROUP = re.compile(r"[;\n]+")
_SPLIT_FORM = 'empty for its children, or "Name = child | child; Other name = *" (* is the rest)'


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a row."""

    row: int
    id: str
    message: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of one top skill.

    `name` is the new one of `rename`, `target` the id of `merge`. `parts` of `split` are names with ids of children and
    steps, empty where each child becomes a skill. `category` is the new one, None where it stays.
    """

    row: int
    id: str
    action: str
    name: str = ""
    target: str = ""
    parts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    category: str | None = None
    note: str = ""

    @property
    def changes(self) -> bool:
        """Whether anything changes."""
        return self.action != "keep" or self.category is not None


@dataclass(frozen=True, slots=True)
class Plan:
    """Decisions by id of the skill, the rows that cannot be done, and the skills that no row is about."""

    decisions: Mapping[str, Decision]
    problems: tuple[Problem, ...]
    unmentioned: tuple[str, ...]


def plan(hierarchy: Hierarchy, rows: Iterable[Row]) -> Plan:
    """Check all rows, first each by itself, then against each other.

    A row that cannot be done counts as keep; since that may spoil another row (which took the name that now stays), the
    rest is checked until nothing more is wrong.
    """
    rows = tuple(rows)
    renamed = {in_one_line(row.into).casefold(): row.id for row in rows if _action(row) == "rename"}
    reading = _Reading(hierarchy, renamed)
    for row in rows:
        reading.take(row)
    good = reading.decisions
    while wrong := list(_conflicts(hierarchy, good)):
        reading.problems += wrong
        good = {key: each for key, each in good.items() if key not in {problem.id for problem in wrong}}
    unmentioned = tuple(node.id for node in hierarchy.tops if node.id not in reading.seen)
    return Plan(good, tuple(sorted(reading.problems, key=lambda problem: problem.row)), unmentioned)


@dataclass(slots=True)
class _Reading:
    """Rows as they are read, one after the other."""

    hierarchy: Hierarchy
    renamed: Mapping[str, str] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)
    _tops: dict[str, SkillNode] = field(init=False)
    _named: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self._tops = {node.id: node for node in self.hierarchy.tops}
        self._named = {node.name.casefold(): node.id for node in self.hierarchy.tops}

    def take(self, row: Row) -> None:
        message = self._message(row)
        if message:
            self.problems.append(Problem(row.number, row.id, message))
        self.seen.setdefault(row.id, row.number)

    def _message(self, row: Row) -> str:
        """Keep the decision, or say what is wrong."""
        node = self._tops.get(row.id)
        if node is None:
            return f"no top skill has the id {row.id!r}"
        if row.id in self.seen:
            self.decisions.pop(row.id, None)  # which of the two is meant, nobody knows
            return f"{row.id} stands in row {self.seen[row.id]} already; neither is applied"
        if row.skill is not None and not _same(row.skill, node.name):
            return f"the name was changed to {row.skill!r}: write rename as the action, and the new name into `into`"
        found = self._decision(row, node)
        if isinstance(found, str):
            return found
        self.decisions[row.id] = found
        return ""

    def _decision(self, row: Row, node: SkillNode) -> Decision | str:
        action = _action(row)
        if action not in ACTIONS:
            return f"no action {row.action!r}; there are {', '.join(ACTIONS)}"
        changed = bool(row.category) and not _same(row.category or "", node.category)
        category = row.category if changed else None
        base = Decision(row.number, row.id, action, category=category, note=row.note)
        if action == "rename":
            return _renamed(base, row, node)
        if action == "merge":
            return self._merged(base, row)
        if action == "split":
            return self._parted(base, row, node)
        if row.into:
            return f"{action} with {row.into!r} in `into`: was another action meant?"
        return base

    def _merged(self, base: Decision, row: Row) -> Decision | str:
        named = in_one_line(row.into).casefold()
        target = row.into if row.into in self._tops else self._named.get(named, self.renamed.get(named, ""))
        if not row.into:
            return "merge needs the other skill's name or id in `into`"
        if target not in self._tops:
            return f"no top skill is called {row.into!r}"
        if target == row.id:
            return "a skill cannot be merged into itself"
        return replace(base, target=target)

    def _parted(self, base: Decision, row: Row, node: SkillNode) -> Decision | str:
        if not row.into:
            return base if len(node.children) > 1 else f"it has {len(node.children)} children; expected {_SPLIT_FORM}"
        names = {self.hierarchy.nodes[child].name.casefold(): child for child in node.children}
        known = {*node.children, *node.steps}
        parts: list[tuple[str, tuple[str, ...]]] = []
        for group in filter(str.strip, _GROUP.split(row.into)):
            name, sign, members = (in_one_line(part) for part in group.partition("="))
            listed = [member.strip() for member in members.split("|") if member.strip()]
            if not (sign and says_something(name) and listed):
                return f"{group.strip()!r} is no part; expected {_SPLIT_FORM}"
            strange = [m for m in listed if m != _REST and m not in known and m.casefold() not in names]
            if strange:
                return f"{strange[0]!r} is neither a child nor a step of it"
            parts.append((name, tuple(names.get(member.casefold(), member) for member in listed)))
        below = {step for child in node.children for step in self.hierarchy.nodes[child].steps}
        return _checked_parts(base, parts, (*node.children, *(step for step in node.steps if step not in below)))


def _action(row: Row) -> str:
    return row.action.casefold().removesuffix(" into").strip() or "keep"


def _same(cell: str, text: str) -> bool:
    """Whether a cell still says what was written into it, however a spreadsheet breaks its lines."""
    return cell.split() == shown(text).split()


def _checked_parts(
    base: Decision, parts: Sequence[tuple[str, tuple[str, ...]]], members_of_whole: Sequence[str]
) -> Decision | str:
    named = [member for _, members in parts for member in members]
    if len(parts) < 2:
        return f"split into {len(parts)} part; expected {_SPLIT_FORM}"
    twice = next((member for member in named if named.count(member) > 1), None)
    if twice is not None:
        return f"{twice!r} is in two parts"
    rest = tuple(member for member in members_of_whole if member not in set(named))
    filled = tuple((name, _filled(members, rest)) for name, members in parts)
    if empty := [name for name, members in filled if not members]:
        return f"nothing is left for {empty[0]!r}: the other parts name every child and step"
    return replace(base, parts=filled)


def _filled(members: Sequence[str], rest: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(each for member in members for each in (rest if member == _REST else (member,)))


def _renamed(base: Decision, row: Row, node: SkillNode) -> Decision | str:
    name = in_one_line(row.into)
    if not name:
        return "rename needs the new name in `into`"
    if not says_something(name):
        return f"{name!r} is no name: it holds neither a letter nor a digit"
    return "the new name is the old one" if name == node.name else replace(base, name=name)


def _conflicts(hierarchy: Hierarchy, decisions: Mapping[str, Decision]) -> Iterator[Problem]:
    """Rows that cannot be done together with the others: merges in a circle or into what goes, names taken twice."""
    found: dict[str, Problem] = {}
    for each in decisions.values():
        if each.action != "merge":
            continue
        end, circle = _end_of(each.id, decisions)
        if circle:
            found[each.id] = Problem(each.row, each.id, "merged in a circle")
        elif each.id in _above(hierarchy, end):
            message = f"it is above {hierarchy.nodes[end].name!r}: merge that into it"
            found[each.id] = Problem(each.row, each.id, message)
        elif end in decisions and decisions[end].action in ("drop", "split"):
            message = f"merged into {hierarchy.nodes[end].name!r}, which goes itself: {decisions[end].action}"
            found[each.id] = Problem(each.row, each.id, message)
    for problem in _taken_names(hierarchy, decisions):
        found.setdefault(problem.id, problem)
    yield from found.values()


def _above(hierarchy: Hierarchy, start: str) -> set[str]:
    """The ids of all skills above one."""
    found: set[str] = set()
    waiting = list(hierarchy.nodes[start].parents)
    while waiting:
        if (place := waiting.pop()) not in found:
            found.add(place)
            waiting += hierarchy.nodes[place].parents
    return found


def _end_of(start: str, decisions: Mapping[str, Decision]) -> tuple[str, bool]:
    """Where a chain of merges ends, and whether it never does."""
    seen, place = {start}, decisions[start].target
    while place in decisions and decisions[place].action == "merge":
        if place in seen:
            return place, True
        seen.add(place)
        place = decisions[place].target
    return place, False


def _taken_names(hierarchy: Hierarchy, decisions: Mapping[str, Decision]) -> Iterator[Problem]:
    """New names that another skill has in the end."""
    owners: dict[str, list[tuple[str, bool]]] = {}
    for node in hierarchy.tops:
        each = decisions.get(node.id)
        for name, new in _names_after(hierarchy, node, each):
            owners.setdefault(name.casefold(), []).append((node.id, new))
    for name, having in owners.items():
        if len(having) > 1:
            for owner in dict.fromkeys(owner for owner, new in having if new):
                yield Problem(decisions[owner].row, owner, f"two skills would be called {name!r}")


def _names_after(hierarchy: Hierarchy, node: SkillNode, each: Decision | None) -> list[tuple[str, bool]]:
    """The names that come of one skill, each with whether it is new."""
    if each is None or each.action == "keep":
        return [(node.name, False)]
    if each.action == "rename":
        return [(each.name, True)]
    if each.action == "split" and each.parts:
        return [(name, True) for name, _ in each.parts]
    if each.action == "split":
        return [(hierarchy.nodes[child].name, True) for child in node.children]
    return []
