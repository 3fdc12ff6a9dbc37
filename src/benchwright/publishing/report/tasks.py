"""Every task beside what each agent made of it."""

from __future__ import annotations

from benchwright.publishing.report.source import Source
from benchwright.publishing.tables import Column, Pivot, Table


def tasks(source: Source) -> Table:
    """One line a task, a column an agent: the mean over its attempts at the task."""
    suite, sides = source.overview.suite, source.overview.sides
    faulty = source.overview.faulty or frozenset()
    rows = [
        {
            **source.key(title),
            "task_id": task,
            "anchor": source.anchor(task),
            "domain": suite.label(task).domain,
            "difficulty": suite.label(task).difficulty,
            "faulty": "faulty" if task in faulty else "",
            "title": title,
            "value": sides[title].values[task],
        }
        for task in source.overview.tasks
        for title in source.titles
        if task in sides[title].values
    ]
    labels = [name for name in ("domain", "difficulty", "faulty") if any(row[name] for row in rows)]
    return Table(
        "tasks",
        "Tasks",
        (
            Column("task_id", "task", link="anchor"),
            *(Column(name, name) for name in labels),
            Column("title", "agent"),
            Column("value", "value", "share"),
        ),
        tuple(rows),
        note="Means over an agent's attempts at the task; 1 is right.",
        pivot=Pivot("task_id", "title", tuple(labels)),
        hidden=("run", "cell"),
        query="tasks",
    )
