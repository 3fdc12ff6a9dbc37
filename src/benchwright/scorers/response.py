"""The response scorer: facts decide where they can, and a judge only where words are free."""

from __future__ import annotations

from benchwright.score import Score
from benchwright.scorers.base import Expected
from benchwright.scorers.compare.responses import score_response, stated_digits
from benchwright.trajectory import Submission


class ResponseScorer:
    """1 or 0 by the facts of the gold, in every digit that it states; Unscored where a judge has to decide.

    The answer is a value (JSON or text) or a sentence. Options: `answer_type` and `tolerance` ("round2", "round3",
    "exact") of a typed gold; without them the gold is free text.
    """

    name = "response"
    version = 1

    def score(self, submission: Submission, expected: Expected) -> Score:
        """A value where rules decide; `details.judge` is "needed" where they do not."""
        return score_response(submission, expected, stated_digits)
