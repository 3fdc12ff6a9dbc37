"""Benchwright runs, scores, explains and builds benchmarks for data agents."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchwright.errors import BenchwrightError, Broken, EnvironmentFault, Fault, InputError, SuiteError
    from benchwright.gold import Check, Gold, RequiredFile, Solution
    from benchwright.labels import Labels
    from benchwright.run import Attempt, Cell, RunFolder, RunSpec
    from benchwright.score import Evidence, Scored, Unscored
    from benchwright.suite import Selection, Suite
    from benchwright.task import DataMount, Limits, OutputSpec, Task
    from benchwright.trajectory import FileAccess, Measured, NotMeasured, Submission, Trajectory

__version__ = "0.1.0"

_ROOMS = {
    "errors": ("BenchwrightError", "Broken", "EnvironmentFault", "Fault", "InputError", "SuiteError"),
    "gold": ("Check", "Gold", "RequiredFile", "Solution"),
    "labels": ("Labels",),
    "run": ("Attempt", "Cell", "RunFolder", "RunSpec"),
    "score": ("Evidence", "Scored", "Unscored"),
    "suite": ("Selection", "Suite"),
    "task": ("DataMount", "Limits", "OutputSpec", "Task"),
    "trajectory": ("FileAccess", "Measured", "NotMeasured", "Submission", "Trajectory"),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [  # noqa: RUF022 - in the order of the floors
    "BenchwrightError",
    "Broken",
    "EnvironmentFault",
    "Fault",
    "InputError",
    "SuiteError",
    "Task",
    "DataMount",
    "OutputSpec",
    "Limits",
    "Gold",
    "Check",
    "RequiredFile",
    "Solution",
    "Labels",
    "Trajectory",
    "FileAccess",
    "Measured",
    "NotMeasured",
    "Submission",
    "Scored",
    "Unscored",
    "Evidence",
    "Suite",
    "Selection",
    "RunSpec",
    "Cell",
    "Attempt",
    "RunFolder",
]


def __getattr__(name: str) -> object:
    """A public name, imported when it is first asked for, so that the command line starts fast."""
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_ROOM_OF[name]}"), name)
