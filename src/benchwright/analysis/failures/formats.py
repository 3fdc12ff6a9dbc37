"""Right answers in the wrong format: said in another form, in another place, or under another name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from benchwright.analysis.failures.record import Finding
from benchwright.analysis.failures.trail import Trail, cut
from benchwright.analysis.failures.written import same_in_other_form
from benchwright.gold import Gold
from benchwright.run import Attempt, RunFolder
from benchwright.score import Scored
from benchwright.scoring.jobs import Job
from benchwright.scoring.verdicts import Mode
from benchwright.scoring.workers import Worker
from benchwright.suite import Suite
from benchwright.trajectory import Answered, Submission

_MOST_TRIES = 6
"""Other places of an answer, and other names of a file, that are looked at in one attempt."""


@dataclass
class Formats:
    """Looks whether what an attempt left would be right in another place.

    A context: whatever agents wrote is opened in a process of its own.
    """

    suite: Suite
    run: RunFolder
    mode: Mode
    _worker: Worker | None = field(default=None, init=False)

    def find(self, attempt: Attempt | None, trail: Trail) -> Finding | None:
        """The right answer that stands elsewhere; None where there is none."""
        gold = self.suite.golds.get(attempt.task_id) if attempt is not None and self.suite.has_gold else None
        if attempt is None or gold is None:
            return None
        if found := self._other_form(attempt, gold):
            return found
        elsewhere = [*self._said(attempt, gold, trail), *self._misnamed(attempt, gold)]
        return next((finding for finding, handed_in in elsewhere if self._right(attempt, handed_in)), None)

    def _other_form(self, attempt: Attempt, gold: Gold) -> Finding | None:
        golds = [text for text in (gold.answer, *gold.alternatives) if text]
        if attempt.answer is None or not golds or not same_in_other_form(attempt.answer, golds):
            return None
        return Finding(failure="format", rule="other form", evidence=cut(attempt.answer))

    def _said(self, attempt: Attempt, gold: Gold, trail: Trail) -> Iterator[tuple[Finding, Submission]]:
        """An answer that was said last, and not handed in."""
        said = trail.steps[-1].text.strip() if trail.steps else ""
        asked = any(check.scorer in ("answer", "response") for check in gold.checks)
        if asked and said and not (attempt.answer or "").strip():
            finding = Finding(
                failure="format", rule="said, not handed in", step=trail.steps[-1].index, evidence=cut(said)
            )
            yield finding, self._submission(attempt).model_copy(update={"answer": said})

    def _misnamed(self, attempt: Attempt, gold: Gold) -> Iterator[tuple[Finding, Submission]]:
        """A file under another name than that which was asked for."""
        wanted = {check.output for check in gold.checks}
        missing = [name for name in sorted(wanted) if name not in attempt.files and "." in name]
        handed_in = self._submission(attempt)
        tries = [
            (name, other)
            for name in missing
            for other in sorted(set(attempt.files) - wanted)
            if other.rpartition(".")[2].lower() == name.rpartition(".")[2].lower()
        ]
        for name, other in tries[:_MOST_TRIES]:
            finding = Finding(failure="format", rule="other name", evidence=cut(f"{other} instead of {name}"))
            files = {**handed_in.files, name: handed_in.files[other]}
            yield finding, handed_in.model_copy(update={"files": files})

    def _submission(self, attempt: Attempt) -> Submission:
        files = {name: self.run.artifacts.locate(kept.sha256) for name, kept in attempt.files.items()}
        return Submission(answer=attempt.answer, files={name: path for name, path in files.items() if path.is_file()})

    def _right(self, attempt: Attempt, handed_in: Submission) -> bool:
        if self._worker is None:
            self._worker = Worker(self.suite.folder)
        finished = isinstance(attempt.ending, Answered)
        scores = self._worker.score(Job(attempt.task_id, handed_in, None, (self.mode,), finished))
        score = getattr(scores, self.mode)
        return isinstance(score, Scored) and score.value == 1.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._worker is not None:
            self._worker.close()
