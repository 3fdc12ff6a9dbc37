"""One way for all scorers of files to come by a gold and an output, and to say what is wrong with either."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from benchwright.score import Score, Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.scorers.compare.opening import UnreadableOutput
from benchwright.trajectory import Submission

T = TypeVar("T")


def judge_output(
    submission: Submission,
    expected: Expected,
    read: Callable[[Path, str], T],
    compare: Callable[[T, T], Score],
    read_found: Callable[[Path, str, Sequence[T]], T] | None = None,
) -> Score:
    """The verdict of `compare(gold, found)` on the output of a check; with several golds the best one counts.

    `read(path, name)` opens a file that was handed in under a name; `read_found(path, name, golds)` opens the output in
    its place where the golds help to read it. A gold that cannot be read, or that `compare` has no verdict for, leaves
    no score, whoever is judged; an output that is not there or cannot be read scores 0.
    """
    golds: list[T] = []
    for name in expected.check.golds or expected.gold.files:
        try:
            golds.append(read(expected.files / Path(name).name, name))
        except UnreadableOutput as error:
            return Unscored(reason=f"suite: the gold {name} cannot be used: {error}", details={"gold": "unreadable"})
    if not golds:
        return Unscored(reason="suite: the check has no gold file", details={"gold": "missing"})
    opened = read if read_found is None else lambda path, name: read_found(path, name, golds)
    found = _found(submission.files.get(expected.check.output), expected.check.output, opened)
    if isinstance(found, Scored):
        return next((score for gold in golds if isinstance(score := compare(gold, gold), Unscored)), found)
    return _best([compare(gold, found) for gold in golds])


def _found(path: Path | None, name: str, read: Callable[[Path, str], T]) -> T | Scored:
    if path is None:
        return Scored(value=0.0, reason=f"no file {name}")
    try:
        return read(path, name)
    except UnreadableOutput as error:
        return Scored(value=0.0, reason=f"unreadable {name}: {error}")


def _best(scores: list[Score]) -> Score:
    """The highest value, and of equal ones that of the gold with more cells right.

    A gold that cannot be compared with leaves no score, or another would decide alone.
    """
    missing = [score for score in scores if isinstance(score, Unscored)]
    if missing:
        return missing[0]
    return max(
        (score for score in scores if isinstance(score, Scored)),
        key=lambda score: (score.value, score.details.get("cell_share", 0.0)),
    )
