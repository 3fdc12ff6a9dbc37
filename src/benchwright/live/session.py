"""One sitting of a run: its folder, its budget, its free slots, and which cell an evaluation plays."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import anyio

from benchwright.errors import BenchwrightError
from benchwright.live.prompts import Prompts
from benchwright.run import Attempt, Cell, Key, RunFolder, Spend


@dataclass(slots=True)
class Budget:
    """What the whole run may use, over all its sittings. A limit of None is not set.

    Attempts that are under way when it is spent are cut off and count as not yet run: being cut off by the
    run's budget says nothing of an agent.
    """

    usd: float | None = None
    seconds: float | None = None
    spent: Spend = field(default_factory=Spend)
    _since: float = field(default_factory=time.monotonic)
    _scopes: set[anyio.CancelScope] = field(default_factory=set)
    stopped: str = ""
    """Why no further attempt starts; empty while there is something left."""

    def pay(self, tokens: int, usd: float | None) -> None:
        """Count one call of a model."""
        self.spent = self.spent.plus(tokens, usd)
        if self.usd is not None and self.spent.usd >= self.usd:
            self.stop(f"the budget of ${self.usd:g} is spent (${self.spent.usd:.4g})")

    def uncounted(self, why: str) -> None:
        """Count a reply that did not say its tokens; a budget in dollars cannot be held any longer."""
        self.spent = self.spent.plus(None, None)
        self.unknown(why)

    def unknown(self, why: str) -> None:
        """Stop where money is limited and what a call has cost is not known: it is never taken for nothing."""
        if self.usd is not None:
            self.stop(f"the budget of ${self.usd:g} cannot be held: {why}")

    def stop(self, why: str) -> None:
        """Cut off what is under way, and let nothing further start."""
        self.stopped = self.stopped or why
        for scope in self._scopes:
            scope.cancel()

    @contextmanager
    def under(self) -> Iterator[anyio.CancelScope]:
        """A scope that the budget may cancel, by money or by the clock."""
        with anyio.CancelScope() as scope:
            if self.seconds is not None:
                scope.deadline = anyio.current_time() + self._seconds_left()
            self._scopes.add(scope)
            try:
                if self.exhausted:
                    scope.cancel()
                yield scope
            finally:
                self._scopes.discard(scope)
        if scope.cancelled_caught and not self.stopped:
            self.stopped = f"the budget of {(self.seconds or 0) / 60:g} minutes is spent"

    @property
    def exhausted(self) -> bool:
        """Whether nothing further may start."""
        if not self.stopped and self.seconds is not None and self._seconds_left() <= 0:
            self.stopped = f"the budget of {self.seconds / 60:g} minutes is spent"
        return bool(self.stopped)

    def _seconds_left(self) -> float:
        return (self.seconds or 0.0) - self.spent.seconds - (time.monotonic() - self._since)


@dataclass(slots=True)
class Pace:
    """At most so many calls of models a minute, evenly spread; None: as fast as they come."""

    per_minute: float | None = None
    _next: float = 0.0

    async def turn(self) -> None:
        """Wait for one's turn."""
        if self.per_minute is not None:
            now = anyio.current_time()
            mine = max(now, self._next)
            self._next = mine + 60.0 / self.per_minute
            await anyio.sleep(mine - now)


@dataclass(slots=True)
class Session:
    """A sitting of a run. `pending` are the attempts to make, by cell, `due` those of the evaluation under way; `slots`
    bounds how many run at once.
    """

    folder: RunFolder
    budget: Budget
    slots: anyio.CapacityLimiter
    pending: dict[str, tuple[Key, ...]]
    prompts: Prompts
    pace: Pace = field(default_factory=Pace)
    due: dict[str, tuple[Key, ...]] = field(default_factory=dict)
    finished: Callable[[Attempt], None] = lambda _: None
    cells: dict[str, str] = field(default_factory=dict)
    """The cell's id by the id of Inspect's evaluation."""
    trouble: BenchwrightError | None = None
    """What no further attempt can succeed with, a full disk or a refused key; the run stops at it."""
    answered: set[str] = field(default_factory=set)
    """The models that have replied in this sitting."""
    calls_again: int = 0
    """How often a model was called once more, because it did not answer."""
    retried: str = ""
    """The last such call: the model, and what came instead of an answer."""

    def cell(self, cell_id: str) -> Cell:
        """A cell of this run."""
        return next(cell for cell in self.folder.spec.cells if cell.id == cell_id)

    def uncounted(self, model: str, sample: str) -> None:
        """Write down a reply that did not say its tokens."""
        self.folder.append("usage", model=model, tokens=None, usd=None, sample=sample)
        self.budget.uncounted(f"{model} gave a reply without its usage; leave out --budget-usd to go on")

    def stop_for(self, trouble: BenchwrightError) -> None:
        """End the run: attempts under way are cut off, and are still to be made."""
        self.trouble = self.trouble or trouble
        self.budget.stop(trouble.what)

    def keep(self, attempt: Attempt) -> None:
        """Write a finished attempt down."""
        self.folder.record(attempt)
        self.finished(attempt)


_CURRENT: list[Session] = []


def current() -> Session | None:
    """The sitting under way in this process, if `benchwright run` started one."""
    return _CURRENT[-1] if _CURRENT else None


@contextmanager
def sitting(session: Session) -> Iterator[Session]:
    """Make a session the current one. One at a time: Inspect's hooks are one object for the whole process."""
    _CURRENT.append(session)
    try:
        yield session
    finally:
        _CURRENT.remove(session)
