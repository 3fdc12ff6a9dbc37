"""From a suite to a smaller one: what is chosen, what that covers, and the new suite folder."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from benchwright.errors import InputError, SuiteError
from benchwright.selection.cover import Bounds, Cover, curve, greedy, items_of
from benchwright.selection.exact import exact
from benchwright.suite import Suite

By = Literal["skills", "categories"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of a choice.

    `universe` names every skill that counts (others in the suite are then an error); empty: those of the suite.
    `frequent` weighs a skill by the number of tasks that have it; `weights` say it outright.
    """

    by: By = "skills"
    demand: int = 1
    bounds: Bounds = field(default_factory=Bounds)
    universe: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    frequent: bool = False
    best: bool = False
    seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen tasks in the order of the choice, and what is known of it; `proven`: no better choice exists."""

    tasks: tuple[str, ...]
    method: str
    proven: bool
    bound: float | None
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    curve: tuple[int, ...]

    def document(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "method": self.method,
            "proven": self.proven,
            "bound": self.bound,
            "before": dict(self.before),
            "after": dict(self.after),
            "curve": list(self.curve),
            "tasks": list(self.tasks),
        }


def choose(suite: Suite, wish: Wish) -> Choice:
    """Choose tasks of a suite by their labels."""
    cover = cover_of(suite, wish)
    best = exact(cover, wish.seconds) if wish.best else None
    places = greedy(cover) if best is None else _ordered(cover, best.chosen)
    names = [cover.items[place].name for place in places]
    skills = set(wish.universe or cover.needs)
    return Choice(
        tasks=tuple(names),
        method="greedy" if best is None else "exact",
        proven=best is not None and best.proven,
        bound=None if best is None else best.bound,
        before=_coverage(cover, range(len(cover.items)), skills),
        after=_coverage(cover, places, skills),
        curve=tuple(curve(cover, places)),
    )


def cover_of(suite: Suite, wish: Wish) -> Cover:
    """The problem that a suite's labels pose; a skill outside the universe is an error, not dropped."""
    covered = {task_id: tuple(getattr(suite.label(task_id), wish.by)) for task_id in suite.tasks}
    known = {skill for skills in covered.values() for skill in skills}
    if not known:
        raise InputError(
            f"suite {suite.name} has no {wish.by} in its labels",
            expected=f"labels.jsonl with {wish.by}",
            hint="annotate it first, or choose by the other kind of label (--by)",
        )
    _check_names(known, wish)
    weights = dict(wish.weights)
    if wish.frequent:
        weights = {skill: float(count) for skill, count in _counts(covered.values()).items()}
    groups = {task_id: suite.label(task_id).domain for task_id in suite.tasks}
    return Cover(items_of(covered, groups), wish.demand, weights, wish.bounds)


def _check_names(known: set[str], wish: Wish) -> None:
    strange = sorted(known - set(wish.universe)) if wish.universe else []
    if strange:
        raise InputError(
            f"{len(strange)} {wish.by} of the suite are not in the list",
            found=", ".join(map(repr, strange[:5])),
            expected="names as the list has them",
            hint="correct the labels, or leave the list out",
        )
    idle = sorted(set(wish.weights) - known - set(wish.universe))
    if idle:
        raise InputError(f"weights for unknown {wish.by}", found=", ".join(map(repr, idle[:5])))


def _counts(covered: Any) -> Counter[str]:
    return Counter(skill for skills in covered for skill in set(skills))


def _ordered(cover: Cover, chosen: Sequence[int]) -> tuple[int, ...]:
    """A choice in the order in which the greedy rule would take its items; those that add nothing come last."""
    among = Cover(tuple(cover.items[place] for place in chosen), cover.demand, cover.weights)
    first = [chosen[place] for place in greedy(among)]
    return (*first, *(place for place in chosen if place not in set(first)))


def _coverage(cover: Cover, places: Sequence[int], skills: set[str]) -> dict[str, Any]:
    counts = _counts(cover.items[place].covers for place in places)
    return {
        "tasks": len(places),
        "applications": counts.total(),
        "wanted": len(skills),
        "covered": len(counts),
        "share": len(counts) / len(skills),
        "covered_enough": sum(counts[skill] >= need for skill, need in cover.needs.items()),
        "value": cover.value(places),
        "in_3_or_more": sum(count >= 3 for count in counts.values()),
        "groups": dict(sorted(Counter(cover.items[place].group for place in places).items())),
        "missing": sorted(skills - set(counts)),
    }


def write_selected(suite: Suite, choice: Choice, out: Path, name: str = "") -> Suite:
    """Write the chosen tasks as a suite of its own, in the suite's order; never into a folder that holds something.

    Rooms stay where they are and are shared. What was proved of the old suite is not carried over: check the new one.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out} is not empty", expected="a new folder", hint="give another --out")
    if out.resolve().is_relative_to(suite.folder.resolve()):
        raise InputError(f"{out} is inside the suite", expected="a folder beside it: the suite stays as it is")
    chosen = set(choice.tasks)
    tasks = [task for task_id, task in suite.tasks.items() if task_id in chosen]
    if not tasks:
        raise SuiteError("nothing was chosen", hint="raise the number of tasks")
    rooms = {mount.room for task in tasks for mount in task.data}
    info = suite.info.model_copy(
        update={
            "name": name or f"{suite.name[:54]}_selected",
            "source": f"{len(tasks)} of {len(suite.tasks)} tasks of {suite.name} {suite.info.release} "
            f"({suite.digest[:8]}), chosen by {choice.method} cover",
            "rooms": {
                room: entry.model_copy(update={"path": os.path.abspath(suite.room_path(room))})
                for room, entry in suite.info.rooms.items()
                if room in rooms
            },
        }
    )
    _copy(suite, out, [*(f"index/{room}.jsonl" for room in rooms), *filter(None, [info.prompt])])
    golds = [suite.golds[task.id] for task in tasks if task.id in suite.golds] if suite.has_gold else []
    for gold in golds:
        _copy(suite, out, [f"gold/files/{gold.task_id}"])
    labels = [suite.labels[task.id] for task in tasks if task.id in suite.labels]
    return Suite.write(out, type(info).from_json(info.to_json(), "the new suite"), tasks, labels, golds)


def _copy(suite: Suite, out: Path, parts: Sequence[str]) -> None:
    for part in parts:
        source, target = suite.folder / part, out / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        elif source.is_file():
            shutil.copyfile(source, target)
