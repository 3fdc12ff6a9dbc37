"""Which failures a second run has in the place of a first's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from benchwright.analysis.failures.classes import CLASSES, title_of
from benchwright.analysis.failures.record import Failure

RIGHT = "right"


def moves(first: Sequence[Failure], second: Sequence[Failure]) -> dict[str, Any]:
    """Attempts of two cells at the same tasks, paired by task and epoch; attempts that do not count are left out.

    `classes` has how often each class occurs among the pairs, `moved` how many went from one to another (`right` stands
    for no failure), the most frequent first.
    """
    before = {(row.task_id, row.epoch): row.failure or RIGHT for row in first if row.counted}
    after = {(row.task_id, row.epoch): row.failure or RIGHT for row in second if row.counted}
    pairs = [(name, after[place]) for place, name in before.items() if place in after]
    was, now = Counter(name for name, _ in pairs), Counter(name for _, name in pairs)
    changed = Counter(pair for pair in pairs if pair[0] != pair[1])
    return {
        "pairs": len(pairs),
        "classes": [
            {"failure": name, "title": title_of(name), "first": was[name], "second": now[name]}
            for name in CLASSES
            if was[name] or now[name]
        ],
        "moved": [{"from": old, "to": new, "n": n} for (old, new), n in changed.most_common()],
    }
