"""The verifier of an exported task: judges what lies in a workspace, and writes the rewards that Harbor reads."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

from benchwright.errors import BenchwrightError, Broken, Fault
from benchwright.files import write_atomic
from benchwright.score import Score, Scored
from benchwright.scoring.jobs import Job
from benchwright.scoring.verdicts import TaskScores
from benchwright.scoring.workers import Worker
from benchwright.suite import Suite
from benchwright.task import Task
from benchwright.trajectory import NotMeasured, Submission

_ANSWER_BYTES = 1 << 20
_NOT_SEEN = NotMeasured(reason="Harbor does not see which files are read")


def reward(suite: Suite, task_id: str, workspace: Path) -> dict[str, float]:
    """The rewards by name: `reward`, 1 where the sound verdict is 1 and else 0; `sound` and `reference` as they are.

    Discovery is absent, because nobody saw what was read. Raises Broken where there is no sound verdict: that is a
    fault of the scorer or the suite, and no zero of the agent.
    """
    with Worker(suite.folder) as worker:
        scores = worker.score(Job(task_id, handed_in(suite.tasks[task_id], workspace)))
    if not isinstance(scores.sound, Scored):
        reason = scores.sound.reason if scores.sound else "not asked for"
        raise Broken(Fault.SCORER, f"task {task_id} cannot be judged", found=reason)
    return {"reward": float(scores.sound.value == 1), **_values(scores)}


def _values(scores: TaskScores) -> dict[str, float]:
    named: dict[str, Score | None] = {"sound": scores.sound, "reference": scores.reference}
    return {name: float(score.value) for name, score in named.items() if isinstance(score, Scored)}


def handed_in(task: Task, workspace: Path) -> Submission:
    """The outputs of a task that lie in a workspace; links and special files count as not handed in."""
    files = {output.name: workspace / output.name for output in task.outputs if output.kind != "answer"}
    return Submission(
        answer=next((_text(workspace / name) for name in _answer_names(task)), None),
        files={name: path for name, path in files.items() if _is_regular(path)},
        accesses=_NOT_SEEN,
    )


def answer_file(task: Task) -> str:
    """The name of the file that a task's answer is written to; empty for tasks that ask for files alone."""
    return next(iter(_answer_names(task)), "")


def _answer_names(task: Task) -> tuple[str, ...]:
    return tuple(output.file or output.name for output in task.outputs if output.kind == "answer")


def _text(path: Path) -> str | None:
    if not _is_regular(path):
        return None
    with path.open("rb") as stream:
        return stream.read(_ANSWER_BYTES).decode("utf-8-sig", errors="replace").strip() or None


def _is_regular(path: Path) -> bool:
    return os.path.lexists(path) and stat.S_ISREG(path.lstat().st_mode)


def main(suite: str, task_id: str, workspace: str, logs: str) -> None:
    """Judge, and write `reward.txt` and `reward.json`; without a verdict neither is written, and the exit code is 1."""
    try:
        rewards = reward(Suite.open(Path(suite)), task_id, Path(workspace))
    except BenchwrightError as error:
        raise SystemExit(f"error: {error}") from None
    write_atomic(Path(logs) / "reward.txt", f"{rewards['reward']:g}\n")
    write_atomic(Path(logs) / "reward.json", json.dumps(rewards, allow_nan=False) + "\n")
    sys.stdout.write(f"{task_id}: reward {rewards['reward']:g}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
