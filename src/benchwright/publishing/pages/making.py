"""Pages of attempts, made from a run folder, its suite and its transcripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime

from benchwright.closing import Closing
from benchwright.errors import EnvironmentFault, InputError
from benchwright.gold import Gold
from benchwright.publishing.pages.attempt import AnswerShown, Asked, AttemptPage, FailureNote, Taken, VerdictShown
from benchwright.publishing.pages.exhibits import Exhibit, Showing
from benchwright.publishing.pages.opening import Opener
from benchwright.publishing.pages.steps import MOST_STEPS, files_shown, steps_shown
from benchwright.publishing.pages.verdicts import disagreements, found_verdicts, kept_verdicts
from benchwright.publishing.pages.words import Excerpt, excerpt, line
from benchwright.run import Attempt, Key, RunFolder
from benchwright.score import Score
from benchwright.scoring import Worker, score_one
from benchwright.suite import Suite
from benchwright.task import Task
from benchwright.trajectory import NotMeasured, Trajectory

_QUESTION, _ANSWER, _ERROR = 20_000, 20_000, 6_000
_EXHIBITS = 24
"""Files of one attempt that are shown."""
_NO_TRANSCRIPT = Trajectory()


class AttemptPages(Closing):
    """Makes pages of one run's attempts; what agents handed in is opened and judged in processes of its own.

    Gold is shown where `with_gold` says so, and then only that of a suite with the run's questions. Without a suite
    the page shows what the run folder alone tells. For one thread at a time.
    """

    def __init__(self, run: RunFolder, suite: Suite | None, *, with_gold: bool = False) -> None:
        same = suite is not None and suite.digest == run.spec.suite_digest
        self.run = run
        self.suite = suite if same else None
        self.with_gold = bool(with_gold and self.suite is not None and self.suite.has_gold)
        self.notes = () if same else ("the suite that the run was made on is not here: its tasks cannot be shown",)
        self._stack = ExitStack()
        self._opener = self._stack.enter_context(Opener())
        self._worker: Worker | None = None
        self._cells = {cell.id: cell for cell in run.spec.cells}

    def page(self, key: Key, attempt: Attempt | None = None, failure: FailureNote | None = None) -> AttemptPage:
        """The page of an attempt; where that is not given, it is looked for in the journal.

        Errors: InputError where the run has no such finished attempt.
        """
        done = attempt or self.run.attempts().get(key)
        if done is None:
            raise InputError(f"no finished attempt {key} in {self.run.path}")
        cell, gold = self._cells.get(key.cell), self._gold(key.task_id)
        withheld = cell is not None and cell.is_reference and not self.with_gold
        done = _without_gold(done) if withheld else done
        transcript, noted = (_NO_TRANSCRIPT, ()) if withheld else self._transcript(done)
        verdicts, discovery, doubts = self._verdicts(done)
        began = _seconds(done.started) if transcript.started is None else transcript.started
        return AttemptPage(
            key=key,
            run=line(self.run.path.absolute().name),
            cell=line(cell.title if cell else key.cell),
            agent=line(cell.agent if cell else ""),
            ending=line(_ending(done)),
            ending_detail=excerpt(str(getattr(done.ending, "detail", "")), _ERROR),
            error=excerpt(done.error, _ERROR),
            asked=self._asked(key, cell.variant if cell else "", transcript),
            answer=_answer(done, gold),
            exhibits=tuple(self._exhibits(done, gold)),
            verdicts=verdicts,
            steps=steps_shown(transcript.steps, done.accesses, began),
            steps_left_out=max(0, len(transcript.steps) - MOST_STEPS),
            files=files_shown(done.accesses, gold, discovery),
            taken=_taken(done),
            failure=replace(failure, why="") if failure and withheld else failure,
            with_gold=self.with_gold,
            notes=(*self.notes, *noted, *doubts, *(line(note, 400) for note in transcript.notes)),
            withheld=withheld,
        )

    def _task(self, task_id: str) -> Task | None:
        return None if self.suite is None else self.suite.tasks.get(task_id)

    def _gold(self, task_id: str) -> Gold | None:
        """The gold, only where it may be shown."""
        return self.suite.golds.get(task_id) if self.with_gold and self.suite is not None else None

    def _transcript(self, attempt: Attempt) -> tuple[Trajectory, tuple[str, ...]]:
        try:
            kept = self.run.transcripts.read(attempt.uuid) if attempt.uuid else None
        except InputError as error:
            return _NO_TRANSCRIPT, (line(error.what, 400),)
        return kept or _NO_TRANSCRIPT, () if kept else ("no transcript is kept of this attempt",)

    def _verdicts(self, attempt: Attempt) -> tuple[tuple[VerdictShown, ...], Score | None, tuple[str, ...]]:
        """The verdicts, that on discovery where it may say which files, and what is odd about them."""
        try:
            kept = self.run.verdicts(attempt.key)
        except InputError as error:
            return (), None, (line(error.what, 400),)
        if self._gold(attempt.task_id) is None or self.suite is None:
            return kept_verdicts(kept), None, ()
        self._worker = self._worker or self._stack.enter_context(Worker(self.suite.folder))
        try:
            scores = score_one(self.suite, self.run, attempt, self._worker)
        except EnvironmentFault as error:
            return kept_verdicts(kept), None, (line(error.what, 400),)
        return found_verdicts(scores, kept), scores.discovery.score, disagreements(scores, kept)

    def _asked(self, key: Key, variant: str, transcript: Trajectory) -> Asked:
        task = self._task(key.task_id)
        if task is None or self.suite is None:
            return Asked(excerpt(transcript.prompt, _QUESTION), Excerpt(""))
        return Asked(
            question=excerpt(task.variants.get(variant, task.question), _QUESTION),
            guidelines=excerpt(task.guidelines, _QUESTION),
            outputs=task.outputs,
            rooms=tuple(f"{mount.room} at {mount.target}" for mount in task.data),
            labels=self.suite.label(key.task_id),
        )

    def _exhibits(self, attempt: Attempt, gold: Gold | None) -> Iterator[Exhibit]:
        for showing in self._showings(attempt, gold):
            yield self._opener.exhibit(showing)

    def _showings(self, attempt: Attempt, gold: Gold | None) -> list[Showing]:
        """The files to open: those that were asked for, then what was handed in besides."""
        task = self._task(attempt.task_id)
        asked = {output.name: output.kind for output in task.outputs if output.kind != "answer"} if task else {}
        checks = {check.output: check for check in gold.checks} if gold else {}
        showings = []
        for name in [*asked, *(name for name in sorted(attempt.files) if name not in asked)][:_EXHIBITS]:
            kept = attempt.files.get(name)
            check = checks.get(name)
            golds = (check.golds or (gold.files if len(checks) == 1 and gold else ())) if check else ()
            showings.append(
                Showing(
                    name=name,
                    output=asked.get(name, ""),
                    path=str(self.run.artifacts.locate(kept.sha256)) if kept else None,
                    golds=tuple(self._gold_path(attempt.task_id, each) for each in golds),
                    scorer=check.scorer if check else "",
                    options=check.options if check else {},
                )
            )
        return showings

    def _gold_path(self, task_id: str, name: str) -> str:
        assert self.suite is not None
        return str((self.suite.gold_files(task_id) / name.rpartition("/")[2]).absolute())

    def close(self) -> None:
        """End the processes. Idempotent."""
        self._stack.close()


def _without_gold(attempt: Attempt) -> Attempt:
    """What may be told of an attempt by the reference solution: how it ended and what it took."""
    unseen = NotMeasured(reason="not shown without the gold")
    return attempt.model_copy(update={"answer": None, "files": {}, "accesses": unseen, "error": ""})


def _ending(attempt: Attempt) -> str:
    ending = attempt.ending
    which = getattr(ending, "which", "") or getattr(ending, "fault", "")
    return f"{ending.kind}: {which}" if which else ending.kind


def _answer(attempt: Attempt, gold: Gold | None) -> AnswerShown:
    texts: Mapping[str, None] = (
        dict.fromkeys(text for text in (gold.answer, *gold.alternatives) if text) if gold else {}
    )
    found = None if attempt.answer is None else excerpt(attempt.answer, _ANSWER)
    return AnswerShown(found, tuple(excerpt(text, _ANSWER) for text in texts))


def _taken(attempt: Attempt) -> Taken:
    return Taken(
        steps=attempt.steps,
        successful_steps=attempt.successful_steps,
        wall_seconds=attempt.wall_seconds,
        working_seconds=attempt.working_seconds,
        usage=attempt.usage,
        started=line(attempt.started, 40),
        model=line(attempt.model),
    )


def _seconds(moment: str) -> float | None:
    """Seconds since the epoch of a time in ISO 8601."""
    try:
        return datetime.fromisoformat(moment).timestamp()
    except ValueError:
        return None
