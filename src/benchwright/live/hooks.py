"""Inspect tells what happens; we write it into the run's journal and hold it against the budget."""

from __future__ import annotations

from inspect_ai.hooks import BeforeModelGenerate, Hooks, ModelRetry, ModelUsageData, SampleEnd, TaskStart, hooks

from benchwright.live.attempt import current_attempt
from benchwright.live.convert import attempt_of
from benchwright.live.paying import pay, trouble_stops
from benchwright.live.session import current
from benchwright.live.usage import tell_prices


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
                with trouble_stops(session):
                    session.keep(attempt)

    async def on_model_usage(self, data: ModelUsageData) -> None:
        """Count what a call has cost."""
        session, attempt = current(), current_attempt()
        if attempt is not None and attempt.unpaid:
            attempt.unpaid.pop(0)
        if session is not None:
            pay(session, data.model_name, data.usage, attempt.uuid if attempt else "")

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Let the progress say that a model does not answer."""
        session = current()
        if session is not None:
            status = f" {data.status_code}" if data.status_code else ""
            session.calls_again += 1
            session.retried = f"{data.model_name}: {data.exception_type or 'no answer'}{status}"


@hooks(name="benchwright_prices", description="Tells Inspect what models cost, for its logs and limits.")
class Pricing(Hooks):
    """In attempts of ours only, whoever started them: other evaluations of this process are left alone."""

    def enabled(self) -> bool:
        """Only within an attempt."""
        return current_attempt() is not None

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """Any model that an attempt calls, by whatever name."""
        tell_prices((data.model_name,))
