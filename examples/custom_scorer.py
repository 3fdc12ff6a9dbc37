"""A scorer of your own: a number that is close to the gold counts in part.

A package offers it in its pyproject.toml, and a gold names it (`"scorer": "close_number"`):

    [project.entry-points."benchwright.scorers"]
    close_number = "custom_scorer:CloseNumber"
"""

import math

from benchwright.score import Evidence, Score, Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.trajectory import Submission


class CloseNumber:
    """1 for the gold itself, and less the further away, down to 0 at `tolerance` (a fraction of the gold)."""

    name = "close_number"
    version = 1

    def score(self, submission: Submission, expected: Expected) -> Score:
        """The answer is hostile text: whatever is no number scores 0. A gold that is no number is the suite's fault."""
        gold = _number(expected.gold.answer)
        tolerance = _number(str(expected.check.options.get("tolerance", 0.1)))
        if gold is None or not tolerance:
            return Unscored(reason="suite: close_number needs a gold that is a number, and a tolerance above 0")
        given = _number(submission.answer)
        if given is None:
            return Scored(value=0.0, reason="no number")
        off = abs(given - gold) / max(abs(gold), 1e-9)
        value = max(0.0, 1.0 - off / tolerance)
        evidence = Evidence(verdict="right" if value == 1 else "note", expected=f"{gold:g}", found=f"{given:g}")
        return Scored(value=value, reason=f"{off:.1%} off", evidence=(evidence,))


def _number(text: str | None) -> float | None:
    try:
        number = float((text or "").strip())
    except ValueError:
        return None
    return number if math.isfinite(number) else None
