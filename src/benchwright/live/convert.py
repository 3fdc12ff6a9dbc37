"""Inspect's samples and logs to our attempts and run folders."""

from __future__ import annotations

from inspect_ai.log import EvalSample

from benchwright.errors import Fault
from benchwright.live.usage import total
from benchwright.run import Attempt
from benchwright.trajectory import Broke

_STORE_KEY = "AttemptRecord:attempt"
_CANCELLED = ("CancelledError", "Cancelled")


def attempt_of(sample: EvalSample, cell: str) -> Attempt | None:
    """The attempt that a sample is; None where it was cut off (by the budget, by the user) and is to be made."""
    if sample.error is not None and sample.error.message.startswith(_CANCELLED):
        return None
    kept = sample.store.get(_STORE_KEY)
    if not kept and sample.error is None:
        return None
    ids = {"cell": cell, "uuid": sample.uuid or "", "usage": total(sample.model_usage).model_dump()}
    if kept:
        attempt = Attempt.from_json({**kept, **ids}, f"the log of {sample.id}")
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
