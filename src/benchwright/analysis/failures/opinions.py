"""What a model said of failures: class, step and quote."""

from __future__ import annotations

from benchwright.analysis.kept import KeptFile, OfAttempt


class Opinion(OfAttempt):
    """A model's class for one attempt; `quote` is text of that step's transcript."""

    failure: str
    step: int | None = None
    quote: str = ""


OPINIONS = KeptFile("failures.jsonl", Opinion)
