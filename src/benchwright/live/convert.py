"""Inspect's samples and logs to our attempts and run folders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from inspect_ai.log import EvalLog, EvalSample, read_eval_log

from benchwright.errors import Fault, InputError
from benchwright.live.agents import needs_model
from benchwright.live.attempt import AttemptRecord
from benchwright.live.carrying import LIMITS
from benchwright.live.plain import AGENT
from benchwright.live.suites import suite_at
from benchwright.live.usage import total
from benchwright.run import Artifacts, Attempt, Cell, RunFolder, RunSpec
from benchwright.suite import Suite
from benchwright.trajectory import Broke, LimitHit

_CANCELLED = ("CancelledError", "Cancelled")


def attempt_of(sample: EvalSample, cell: str) -> Attempt | None:
    """The attempt that a sample is; None where it was cut off (by the budget, by the user) and is to be made."""
    if sample.error is not None and sample.error.message.startswith(_CANCELLED):
        return None
    kept = AttemptRecord.of(sample.store).attempt
    if not kept and sample.error is None:
        return None
    uncounted = kept.get("usage", {}).get("uncounted_calls", 0)
    ids = {"cell": cell, "uuid": sample.uuid or "", "usage": total(sample.model_usage, uncounted).model_dump()}
    if kept:
        attempt = Attempt.from_json({**kept, **ids}, f"the log of {sample.id}")
        if sample.metadata.get("any_solver"):
            attempt = _as_inspect_saw_it(attempt, sample)
        waited = max(0.0, (sample.total_time or 0.0) - (sample.working_time or 0.0))
        return attempt.model_copy(update={"working_seconds": max(0.0, round(attempt.wall_seconds - waited, 3))})
    return Attempt.from_json(
        {
            **ids,
            "task_id": sample.metadata["task_id"],
            "epoch": sample.metadata["epoch"] or sample.epoch,
            "ending": Broke(fault=Fault.SANDBOX, detail=sample.error.message if sample.error else "").to_json(),
            "started": sample.started_at or "",
            "error": sample.error.traceback[-8000:] if sample.error else "",
        },
        f"the log of {sample.id}",
    )


def _as_inspect_saw_it(attempt: Attempt, sample: EvalSample) -> Attempt:
    """An attempt by a solver that is not ours: Inspect alone knows how long it took, and which limit ended it."""
    update: dict[str, object] = {"wall_seconds": round(sample.total_time or 0.0, 3), "started": sample.started_at or ""}
    if sample.limit is not None:
        update["ending"] = LimitHit(which=LIMITS.get(sample.limit.type, sample.limit.type))
    return attempt.model_copy(update=update)


def run_of_logs(logs: Sequence[Path], out: Path, of: Suite | None = None) -> RunFolder:
    """A run folder from logs of `inspect eval benchwright/...`: the attempts are those of the logs, scored anew by us.

    `of` is the suite, where it lies elsewhere than the logs say. Raises InputError for logs of other tasks, or of more
    than one suite.
    """
    read = [read_eval_log(str(log)) for log in logs]
    cells = {cell.id: cell for cell in map(cell_of, read)}
    folders = {sample.metadata["suite"] for log in read for sample in log.samples or ()}
    if len(folders) != 1:
        raise InputError("these logs are not of one suite", found=", ".join(sorted(folders)) or "no attempts")
    suite = of or suite_at(folders.pop())
    _same_suite(suite, cells.values())
    ids = {sample.metadata["task_id"] for log in read for sample in log.samples or ()}
    epochs = max(log.eval.config.epochs or 1 for log in read)
    spec = RunSpec(
        suite=suite.name,
        suite_folder=str(suite.folder),
        suite_digest=suite.digest,
        cells=tuple(cells.values()),
        ids=tuple(task_id for task_id in suite.tasks if task_id in ids),
        epochs=epochs,
        versions={"inspect_ai": str(read[0].eval.packages.get("inspect_ai", ""))},
    )
    folder = RunFolder.create(out, spec)
    known = set(folder.attempts())
    for log in read:
        cell = cell_of(log).id
        for sample in log.samples or ():
            attempt = attempt_of(sample, cell)
            if attempt is not None and attempt.key not in known:
                known.add(attempt.key)
                _take_over(folder, attempt, Path(AttemptRecord.of(sample.store).artifacts))
    folder.write_attempts()
    return folder


def _same_suite(suite: Suite, cells: Iterable[Cell]) -> None:
    for cell in cells:
        if cell.suite_digest != suite.digest:
            raise InputError(
                "these logs are of a suite with other questions or data",
                found=cell.suite_digest[:12],
                expected=f"{suite.name} {suite.digest[:12]}",
            )


def cell_of(log: EvalLog) -> Cell:
    """The cell that a log plays; the model is Inspect's, unless the agent talks to none."""
    parts = log.eval.metadata or {}
    if "suite_digest" not in parts:
        raise InputError(f"not a log of ours: {log.location}", expected="a log of inspect eval benchwright/...")
    model = str(log.eval.model) if needs_model(parts["agent"]) else ""
    settings = log.eval.model_generate_config.model_dump(exclude_none=True, include={"temperature", "seed", "top_p"})
    given = {name: parts[name] for name in ("agent", "preset", "variant", "suite_digest")}
    if given["agent"] == AGENT and log.eval.solver:
        given["preset"] = str(log.eval.solver)
    return Cell(**given, model=parts["model"] or model, generation={**parts["generation"], **settings})


def _take_over(folder: RunFolder, attempt: Attempt, kept: Path) -> None:
    if kept != folder.artifacts.path:
        for artifact in (*attempt.files.values(), *attempt.logs.values()):
            folder.artifacts.keep(Artifacts(kept).locate(artifact.sha256))
    folder.record(attempt)
