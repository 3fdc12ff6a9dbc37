"""Which task of a suite a log is an attempt at: by what it says of itself, its question, its folder or its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from benchwright.suite import Suite
from benchwright.task import Task
from benchwright.trajectory import Trajectory

_INSTANCE = re.compile(r"(?:instance|task|example)[-_ ]?(?:id)?[-_=]?([A-Za-z0-9][A-Za-z0-9._-]*)", re.IGNORECASE)
_SHORTEST_QUESTION = 12
"""Characters below which a question stands in too many prompts by chance."""
_BLANK = re.compile(r"\s+")


def task_of(trajectory: Trajectory, path: Path, suite: Suite) -> str | None:
    """The id of the task; None where nothing tells it, or where the surest sign fits several."""
    for candidates in _signs(trajectory, path, suite):
        if candidates:
            return candidates[0] if len(candidates) == 1 else None
    return None


def _signs(trajectory: Trajectory, path: Path, suite: Suite) -> Iterator[list[str]]:
    """The tasks that each sign fits, the surest sign first."""
    told = (
        trajectory.session,
        trajectory.session.removeprefix(f"{suite.name}-"),
    )  # the second is a task's name in Harbor
    yield [name for name in told if name in suite.tasks][:1]
    yield _longest(_asked(trajectory.prompt, suite))
    names = [path.name, *(folder.name for folder in list(path.absolute().parents)[:4])]
    for name in names[:1]:
        yield _numbered(name, suite)
    yield _numbered(trajectory.cwd, suite)
    for name in names[1:]:
        yield _numbered(name, suite)
    for name in names:
        yield _named(name, suite)


def _asked(prompt: str, suite: Suite) -> list[Task]:
    """The tasks whose question stands in the prompt."""
    told = _BLANK.sub(" ", prompt)
    return [task for task in suite.tasks.values() if told and any(wording in told for wording in _wordings(task))]


def _wordings(task: Task) -> list[str]:
    bare = (_BLANK.sub(" ", wording).strip() for wording in (task.question, *task.variants.values()))
    return [wording for wording in bare if len(wording) >= _SHORTEST_QUESTION]


def _longest(tasks: list[Task]) -> list[str]:
    """Of questions that are parts of each other the longest."""
    most = max((len(task.question) for task in tasks), default=0)
    return [task.id for task in tasks if len(task.question) == most]


def _numbered(name: str, suite: Suite) -> list[str]:
    """`instance-150` and the like; the longest id that the name goes on with."""
    found = []
    for match in _INSTANCE.finditer(name):
        words = match.group(1)
        fits = [words[:end] for end in range(len(words), 0, -1) if words[:end] in suite.tasks and _ends(words, end)]
        found += fits[:1]
    return list(dict.fromkeys(found))[-1:]


def _named(name: str, suite: Suite) -> list[str]:
    """The id as a whole word of the name, where it is more than a number."""
    stem = re.sub(r"(\.traj|\.trajectory|\.atif)?\.(jsonl?|log|txt|gz|zst)$", "", name)
    if stem in suite.tasks:
        return [stem]
    fits = [
        task_id
        for task_id in suite.tasks
        if not task_id.isdigit() and re.search(rf"(?:^|[^A-Za-z0-9]){re.escape(task_id)}(?:$|[^A-Za-z0-9])", stem)
    ]
    most = max(map(len, fits), default=0)
    return [task_id for task_id in fits if len(task_id) == most]


def _ends(words: str, end: int) -> bool:
    return end == len(words) or not words[end].isalnum() or not words[end - 1].isalnum()
