"""What tasks of a submission were worth, by the verdicts that lie beside its runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from benchwright.errors import InputError
from benchwright.publishing.submission.records import TaskLine
from benchwright.publishing.submission.results import line_of, rule_of
from benchwright.run import Attempt, Cell, RunFolder
from benchwright.score import Score
from benchwright.scoring.attempt import scorer_digest
from benchwright.suite import Suite


def lines_of(
    suite: Suite, runs: Sequence[RunFolder], cell: Cell, epoch: int, attempts: Mapping[str, Attempt]
) -> tuple[TaskLine, ...]:
    """What every task was worth. Errors: InputError where verdicts are missing, or of another gold or scorer."""
    verdicts: dict[str, dict[str, Score]] = {task: {} for task in attempts}
    for run in runs:
        for name, task, score in _kept(suite, run, cell, epoch):
            if task in verdicts:
                verdicts[task][name] = score
    if bare := [task for task, found in verdicts.items() if rule_of(suite) not in found]:
        raise InputError(f"{len(bare)} tasks have no verdict beside the runs", hint=_again(suite, runs[0]))
    return tuple(line_of(suite, task, found) for task, found in verdicts.items())


def _kept(suite: Suite, run: RunFolder, cell: Cell, epoch: int) -> Iterator[tuple[str, str, Score]]:
    now = {"suite": suite.digest, "gold": suite.gold_digest, "scorers": scorer_digest(suite)}
    for kind in ("reference", "sound", "discovery"):
        if not run.has_scores(kind):
            raise InputError(f"no {kind} scores in {run.path}", hint=_again(suite, run))
        rows, stamp = run.read_scores(kind)
        if stale := [name for name, digest in now.items() if stamp.get(name) != digest]:
            raise InputError(f"the scores in {run.path} are of another {', '.join(stale)}", hint=_again(suite, run))
        yield from ((row.name, row.task_id, row.score) for row in rows if (row.cell, row.epoch) == (cell.id, epoch))


def _again(suite: Suite, run: RunFolder) -> str:
    return f"benchwright score {suite.folder} {run.path}"
