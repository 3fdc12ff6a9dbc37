"""The two data releases of CoDA-Bench, and the rooms in which v1.0.1 puts the tasks of v1.0.0."""

from __future__ import annotations

import re

from benchwright.errors import SuiteError
from benchwright.suites.coda_bench.records import CodaTask

V1_0_0 = "v1.0.0"
V1_0_1 = "v1.0.1"
RELEASES = (V1_0_0, V1_0_1)

_MOVED = {
    26: 0, 27: 1, 28: 2, 29: 3, 30: 4, 31: 5, 32: 6, 33: 7, 34: 8,
    36: 9, 37: 10, 38: 11, 39: 12, 40: 13, 42: 14, 43: 16, 45: 20, 49: 23,
}  # fmt: skip
"""Old community to new one, for tasks that came from the other source type: v1.0.0 named communities without it."""

_FIRST_KEPT = 190
_KEPT = frozenset({33, 74, 86, 181})
_COMMUNITY = re.compile(r"community_(\d+)")


def release_of(tasks: list[CodaTask]) -> str:
    """The release that the records are written in: v1.0.1 says where each task's data lie."""
    with_path = sum(bool(task.data_path) for task in tasks)
    if with_path == 0:
        return V1_0_0
    if with_path < len(tasks):
        missing = next(task.instance_id for task in tasks if not task.data_path)
        raise SuiteError(
            "the tasks mix two releases",
            found=f"data_path on {with_path} of {len(tasks)} records, not on instance_id {missing}",
            expected="data_path on every record (v1.0.1) or on none (v1.0.0)",
        )
    return V1_0_1


def wanted_release(asked: str, written: str) -> str:
    """The release to build: the one asked for, or the one that the records are written in."""
    wanted = f"v{asked.removeprefix('v')}" if asked else written
    if wanted not in RELEASES:
        raise SuiteError(f"unknown release {asked!r}", expected=f"one of {', '.join(RELEASES)}")
    if (written, wanted) == (V1_0_1, V1_0_0):
        raise SuiteError(
            "the rooms of v1.0.0 cannot be had from records of v1.0.1",
            found="records with data_path",
            expected="the file of v1.0.0",
        )
    return wanted


def room_of(task: CodaTask, wanted: str) -> str:
    """The community whose data a task gets under a release; `task` is a record of the full file."""
    if task.data_path:
        found = _COMMUNITY.search(task.data_path)
        return found.group() if found else task.release_community
    if wanted == V1_0_0 or task.instance_id >= _FIRST_KEPT or task.instance_id in _KEPT:
        return task.release_community
    old = _COMMUNITY.fullmatch(task.release_community)
    number = int(old.group(1)) if old else -1
    return f"community_{_MOVED[number]}" if number in _MOVED else task.release_community
