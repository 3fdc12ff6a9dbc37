"""From logs to a run folder like those of live runs: attempts with usage, answers, estimated reads, and transcripts."""

from __future__ import annotations

import posixpath
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from benchwright import __version__
from benchwright.errors import InputError
from benchwright.files import sha256
from benchwright.importers.attribution import task_of
from benchwright.importers.base import FolderImporter, Importer, keeps_folder, log_files
from benchwright.importers.reads import Evidence, evidence
from benchwright.prices import prices
from benchwright.reading.places import Places
from benchwright.run import Artifact, Artifacts, Attempt, Cell, Key, RunFolder, RunSpec
from benchwright.suite import Suite
from benchwright.task import OutputSpec, Task
from benchwright.trajectory import Answered, FinalAnswer, GaveUp, Trajectory, Usage

PRESET = "imported"
_ANSWER_FILES = ("result.txt", "answer.txt")
_LONGEST_ANSWER = 1 << 20


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user says of the logs: the task, the model where they do not tell it, and where the data lay."""

    task: str = ""
    model: str = ""
    data_roots: tuple[str, ...] = ()


@dataclass(slots=True)
class Imported:
    """What became of the logs: the run, the attempts, and why others are none."""

    folder: RunFolder
    attempts: list[Attempt]
    left_out: list[tuple[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Found:
    path: Path
    task_id: str
    trajectory: Trajectory


def import_logs(importer: Importer, logs: Sequence[Path], suite: Suite, out: Path, settings: Settings) -> Imported:
    """Make a run folder of logs; what cannot be used is left out with its reason, and loses nothing else.

    The attempts at one task become its epochs, in the order of the logs. Errors: InputError where a log is missing,
    where no attempt is left, and where the folder holds another run.
    """
    if settings.task and settings.task not in suite.tasks:
        raise InputError(
            f"suite {suite.name} has no task {settings.task!r}", hint=f"benchwright suites show {suite.name}"
        )
    left_out: list[tuple[str, str]] = []
    found = list(_found(importer, _files(importer, logs), suite, settings, left_out))
    if not found:
        raise InputError(
            f"no attempt was found in {len(logs)} {importer.name} logs",
            found="; ".join(f"{path}: {why}" for path, why in left_out[:3]) or "no files",
            expected=f"logs of {importer.name} at tasks of {suite.name}",
            hint="say with --task which task a log is an attempt at",
        )
    cells = {_cell(item, suite, settings).id: _cell(item, suite, settings) for item in found}
    keys = _keys(found, suite, settings)
    folder = RunFolder.create(out, _spec(suite, tuple(cells.values()), keys, importer))
    with folder.lock():
        attempts = [
            _record(folder, key, item, suite, importer, settings) for key, item in zip(keys, found, strict=True)
        ]
        folder.write_attempts()
    notes = [(str(item.path), note) for item in found for note in item.trajectory.notes]
    return Imported(folder, attempts, left_out, notes)


def _files(importer: Importer, logs: Sequence[Path]) -> Iterator[Path]:
    """The logs; of folders every file below that may be one."""
    for log in logs:
        if log.is_dir() and isinstance(importer, FolderImporter):
            yield from importer.find(log)
        elif log.is_dir():
            yield from log_files(log)
        else:
            yield log


def _found(
    importer: Importer, paths: Iterable[Path], suite: Suite, settings: Settings, left_out: list[tuple[str, str]]
) -> Iterator[_Found]:
    for path in paths:
        trajectories = importer.parse(path)
        if not trajectories:
            left_out.append((str(path), f"it holds nothing of {importer.name}"))
        for trajectory in trajectories:
            task_id = settings.task or task_of(trajectory, path, suite)
            if task_id is None:
                left_out.append((str(path), "which task it is an attempt at is not told"))
            else:
                yield _Found(path, task_id, trajectory)


def _cell(item: _Found, suite: Suite, settings: Settings) -> Cell:
    model = item.trajectory.model or settings.model
    return Cell(agent=item.trajectory.harness, preset=PRESET, model=model, suite_digest=suite.digest)


def _keys(found: Sequence[_Found], suite: Suite, settings: Settings) -> list[Key]:
    counted: dict[tuple[str, str], int] = defaultdict(int)
    keys = []
    for item in found:
        cell = _cell(item, suite, settings).id
        counted[cell, item.task_id] += 1
        keys.append(Key(cell, item.task_id, counted[cell, item.task_id]))
    return keys


def _spec(suite: Suite, cells: tuple[Cell, ...], keys: Sequence[Key], importer: Importer) -> RunSpec:
    attempted = {key.task_id for key in keys}
    return RunSpec(
        suite=suite.name,
        suite_folder=str(suite.folder.absolute()),
        suite_digest=suite.digest,
        cells=cells,
        ids=tuple(task_id for task_id in suite.tasks if task_id in attempted),
        epochs=max(key.epoch for key in keys),
        only=tuple(sorted(map(str, keys))),
        tracing="off",
        versions={"benchwright": __version__, "imported_from": importer.name, "prices": prices().date},
    )


def _record(folder: RunFolder, key: Key, item: _Found, suite: Suite, importer: Importer, settings: Settings) -> Attempt:
    task = suite.tasks[key.task_id]
    trajectory = _priced(item.trajectory, settings.model)
    names = {*_ANSWER_FILES, *(output.name for output in task.outputs if output.kind == "answer")}
    places = _places(trajectory, task, suite, settings)
    shown = evidence(trajectory, places, names, keeps_folder=keeps_folder(importer, trajectory.harness))
    given = importer.handed_in(item.path) if isinstance(importer, FolderImporter) else {}
    answer = _written_answer(task, given) or shown.answer
    trajectory = trajectory.model_copy(update={"accesses": shown.accesses, "answer": answer})
    uuid = sha256(f"{key}\n{trajectory.model_dump_json()}")[:32]
    folder.transcripts.write(uuid, trajectory)
    attempt = _attempt(key, uuid, trajectory, _files_of(task, shown, given, folder.artifacts))
    folder.record(attempt)
    return attempt


def _priced(trajectory: Trajectory, model: str) -> Trajectory:
    """With our own dollars: by model where the log tells them apart, unknown where a price or a count is."""
    known = trajectory.model or model
    models = trajectory.models or ({known: trajectory.usage} if known else {})
    table = prices()
    cost = table.cost(models) if not trajectory.usage.uncounted_calls else None
    steps = tuple(
        step.model_copy(update={"usage": _with_cost(step.usage, table.cost({step.model or known: step.usage}))})
        if step.usage and (step.model or known)
        else step
        for step in trajectory.steps
    )
    update = {"usage": _with_cost(trajectory.usage, cost), "steps": steps, "model": known}
    return trajectory.model_copy(update=update)


def _with_cost(usage: Usage, cost: float | None) -> Usage:
    return usage.model_copy(update={"cost_usd": cost})


def _attempt(key: Key, uuid: str, trajectory: Trajectory, files: dict[str, Artifact]) -> Attempt:
    answer = trajectory.answer.text if trajectory.answer else None
    ending = trajectory.ending or GaveUp(detail="the log does not tell how the agent ended")
    if isinstance(ending, Answered) and answer is None and not files:
        ending = GaveUp(detail="no answer in the log")
    told = trajectory.ended - trajectory.started if trajectory.started and trajectory.ended else 0.0
    seconds = round(max(0.0, told if trajectory.seconds is None else trajectory.seconds), 3)
    return Attempt(
        cell=key.cell,
        task_id=key.task_id,
        epoch=key.epoch,
        uuid=uuid,
        ending=ending,
        answer=answer,
        files=files,
        accesses=trajectory.accesses,
        usage=trajectory.usage,
        steps=len(trajectory.steps),
        successful_steps=trajectory.successful_steps,
        started=_written(trajectory.started),
        wall_seconds=seconds,
        working_seconds=seconds,
        isolation={"imported": True},
        model=trajectory.model,
    )


def _written(moment: float | None) -> str:
    try:
        return "" if moment is None else datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return ""


def _places(trajectory: Trajectory, task: Task, suite: Suite, settings: Settings) -> Places:
    """Where the task's rooms lay on the machine that the log comes from: where the suite mounts them, and around."""
    rooms = {mount.room: _indexed(suite, mount.room) for mount in task.data}
    roots = {mount.target: mount.room for mount in task.data}
    first = task.data[0].room if task.data else ""
    under = [*settings.data_roots, posixpath.join(trajectory.cwd, "data"), "/workspace/data", "/kaggle/input"]
    roots |= {root: first for root in under if root not in roots}
    weak = {root: first for root in (trajectory.cwd, "/workspace") if root and root not in roots}
    return Places(rooms or {"": None}, roots, weak)


def _indexed(suite: Suite, room: str) -> frozenset[str] | None:
    index = suite.room_index(room)
    return None if index is None else frozenset(entry.path for entry in index)


def _written_answer(task: Task, given: Mapping[str, Path]) -> FinalAnswer | None:
    """The answer in the file that was handed in for it."""
    names = (output.file or output.name for output in task.outputs if output.kind == "answer")
    path = next((given[name] for name in names if name in given), None)
    if path is None:
        return None
    with path.open("rb") as stream:
        words = stream.read(_LONGEST_ANSWER).decode("utf-8-sig", errors="replace").strip()
    return FinalAnswer(text=words, source="result_file") if words else None


def _files_of(task: Task, shown: Evidence, given: Mapping[str, Path], artifacts: Artifacts) -> dict[str, Artifact]:
    """Output files that were handed in, or that the agent wrote with text that the log shows; of others nothing is
    known.
    """
    wanted = [output for output in task.outputs if output.kind != "answer"]
    kept = {}
    for output in wanted:
        if output.name in given:
            kept[output.name] = artifacts.keep(given[output.name])
            continue
        words = _last_written(output, shown)
        if words is not None:
            with tempfile.NamedTemporaryFile("w", encoding="utf-8", errors="replace") as file:
                file.write(words)
                file.flush()
                kept[output.name] = artifacts.keep(Path(file.name))
    return kept


def _last_written(output: OutputSpec, shown: Evidence) -> str | None:
    named = [words for path, words in shown.written.items() if posixpath.basename(path) == output.name]
    return named[-1] if named else None
