"""Verdicts as values: those of each check in both modes, and what was discovered, of one attempt."""

from __future__ import annotations

from typing import Literal

from benchwright.files import Record
from benchwright.score import Score

Mode = Literal["reference", "sound"]
BOTH: tuple[Mode, ...] = ("reference", "sound")
Step = tuple[int, Mode]
"""One verdict to be found: the place of a check among those of its task, and the mode."""


class CheckScores(Record):
    """The verdicts of one check; None where that mode was not asked for."""

    scorer: str
    output: str
    reference: Score | None = None
    sound: Score | None = None


class Discovery(Record):
    """What was found of the required files. `known`: whether they are known; `measured`: whether a tracer saw
    what the attempt read, in which case `opened` counts the files and `swept` says if it was (nearly) all;
    `estimated`: whether that is not so, and the verdict rests on the commands of a log.
    """

    known: bool
    measured: bool
    estimated: bool = False
    opened: int | None = None
    swept: bool | None = None
    score: Score


class TaskScores(Record):
    """The verdicts on one attempt; None where that mode was not asked for.

    `discovery` is what was measured, or is marked as estimated; `claimed` what the agent says of itself, judged in the
    same way. `answered` is whether anything was handed in.
    """

    task_id: str
    answered: bool
    reference: Score | None = None
    sound: Score | None = None
    discovery: Discovery
    claimed: Discovery | None = None
    checks: tuple[CheckScores, ...] = ()
