"""Inspect tells what happens; we write it into the run's journal and hold it against the budget."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from inspect_ai.hooks import Hooks, ModelRetry, ModelUsageData, SampleEnd, TaskStart, hooks

from benchwright.live.convert import attempt_of
from benchwright.live.session import Session, current
from benchwright.live.usage import usage_of


@hooks(name="benchwright_journal", description="Writes finished attempts and spending into the run folder.")
class Journal(Hooks):
    """Inspect swallows what a hook raises, so trouble in here stops the run by way of the session."""

    def enabled(self) -> bool:
        """Only while `benchwright run` is at work."""
        return current() is not None

    async def on_task_start(self, data: TaskStart) -> None:
        """Remember which cell an evaluation plays."""
        session = current()
        if session is not None and data.spec.metadata:
            session.cells[data.eval_id] = data.spec.metadata["cell"]

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Write the attempt down, unless it was cut off."""
        session = current()
        if session is not None:
            attempt = attempt_of(data.sample, session.cells[data.eval_id])
            if attempt is not None:
                with _trouble_stops(session):
                    session.keep(attempt)

    async def on_model_usage(self, data: ModelUsageData) -> None:
        """Count what a call has cost."""
        session = current()
        if session is not None:
            usage = usage_of(data.usage, data.model_name)
            tokens = data.usage.total_tokens
            with _trouble_stops(session):
                session.folder.append("usage", model=data.model_name, tokens=tokens, usd=usage.cost_usd)
            session.budget.pay(tokens, usage.cost_usd)

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Let the progress say that a model does not answer."""
        session = current()
        if session is not None:
            status = f" {data.status_code}" if data.status_code else ""
            session.calls_again += 1
            session.retried = f"{data.model_name}: {data.exception_type or 'no answer'}{status}"


@contextmanager
def _trouble_stops(session: Session) -> Iterator[None]:
    """A full disk must not pass for a finished run: what cannot be written stops it."""
    try:
        yield
    except OSError as error:
        session.trouble = session.trouble or error
        session.budget.stop(f"the run folder cannot be written: {error}")
