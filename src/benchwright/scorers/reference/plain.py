"""Plain equality of files: the reference verdict of suites without a published rule of their own.

Two CSV files are equal if they have the same cells in the same places, as text without outer spaces; other
text files line for line; everything else byte for byte. Byte order marks and line ends do not count.
"""

from __future__ import annotations

import csv
from pathlib import Path

from benchwright.score import Score, Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.trajectory import Submission

_LARGEST = 200 << 20


class PlainScorer:
    """1 for equal files, else 0. A missing output scores 0; a missing gold leaves no score."""

    name = "plain"
    version = 1

    def score(self, submission: Submission, expected: Expected) -> Score:
        """Compare one output with every gold of its check: one that is equal suffices."""
        golds = [expected.files / name for name in expected.check.golds]
        if not golds or not all(gold.is_file() for gold in golds):
            return Unscored(reason=f"suite: no gold file for {expected.check.output}")
        output = submission.files.get(expected.check.output)
        if output is None or not output.is_file():
            return Scored(value=0.0, reason=f"no output {expected.check.output}")
        if output.stat().st_size > _LARGEST:
            return Scored(value=0.0, reason=f"{expected.check.output} is larger than {_LARGEST >> 20} MB")
        equal = any(_content(output) == _content(gold) for gold in golds)
        return Scored(value=float(equal), reason="equal" if equal else "not equal, cell for cell")


def _content(path: Path) -> list[list[str]] | bytes:
    data = path.read_bytes()
    try:
        lines = data.decode("utf-8-sig").rstrip("\r\n").splitlines()
    except UnicodeDecodeError:
        return data
    try:
        return [[cell.strip() for cell in row] for row in csv.reader(lines)]
    except csv.Error:
        return [[line] for line in lines]
