"""DSBC's rule for numbers, as the paper states it: equal when both are printed with two decimals.

The paper leaves every verdict to a model that is told this rule; here facts decide where they can.
"""

from __future__ import annotations

from benchwright.score import Score
from benchwright.scorers.base import Expected
from benchwright.scorers.compare.responses import score_response, two_decimals
from benchwright.trajectory import Submission


class DsbcScorer:
    """1 or 0 by the facts of the gold, numbers to two decimals; Unscored where a judge has to decide."""

    name = "dsbc"
    version = 1

    def score(self, submission: Submission, expected: Expected) -> Score:
        """A value where rules decide; `details.judge` is "needed" where they do not."""
        return score_response(submission, expected, two_decimals)
