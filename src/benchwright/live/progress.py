"""How a run goes, on stderr: a live table on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from benchwright.errors import visible
from benchwright.live.session import Session
from benchwright.run import Attempt, Spend

_LINE_SECONDS = 10.0
_QUIET_SECONDS = 60.0


def say(text: str) -> None:
    """One line on stderr."""
    sys.stderr.write(visible(text) + "\n")
    sys.stderr.flush()


@dataclass(slots=True)
class Progress:
    """Counts of what is done, by cell."""

    session: Session
    done: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    before: Counter[str] = field(default_factory=Counter)
    began: float = field(default_factory=time.monotonic)
    said: float = 0.0
    on_terminal: bool = False

    @property
    def total(self) -> int:
        """Attempts that this sitting is to make."""
        return sum(map(len, self.session.pending.values()))

    def finished(self, attempt: Attempt) -> None:
        """Count an attempt that ended."""
        self.done[attempt.cell] += 1
        self.broken[attempt.cell] += attempt.ending.kind == "broke"
        if not self.on_terminal and time.monotonic() - self.said > _LINE_SECONDS:
            self.say()

    def show(self, done: Counter[str], broken: Counter[str]) -> None:
        """Take counts over that others have made, by cell."""
        self.done, self.broken = done, broken
        if not self.on_terminal and time.monotonic() - self.said > _LINE_SECONDS:
            self.say()

    def say(self) -> None:
        """One plain line."""
        self.said = time.monotonic()
        say(self.line())

    def line(self) -> str:
        """All cells in one line."""
        total, count = self.total, sum(self.done.values())
        broken = f", {sum(self.broken.values())} broke" if sum(self.broken.values()) else ""
        return f"{count} of {total} attempts{broken}, {self.spend()}, {self.left(count, total)}{self.retries()}"

    def retries(self) -> str:
        """That a model does not answer: a wrong address or a limit of rates would else look like slow work."""
        again = self.session.calls_again
        return f"; {again} calls tried again, last {self.session.retried}" if again else ""

    def spend(self) -> str:
        """Money where it is known, and that it is not where it is not."""
        spent = self.session.budget.spent
        return spending(spent)

    def left(self, count: int, total: int) -> str:
        """The time that the rest will take at the pace so far; the first to end, begun side by side, show none."""
        passed = time.monotonic() - self.began
        if count < max(1, min(total // 10, 10)) or count == total:
            return f"{_clock(passed)} passed"
        return f"{_clock(passed)} passed, about {_clock(passed / count * (total - count))} left"

    def table(self) -> Table:
        """One row a cell."""
        table = Table(box=None, pad_edge=False)
        for name in ("agent", "done", "of", "broke"):
            table.add_column(name, justify="left" if name == "agent" else "right")
        for cell in self.session.folder.spec.cells:
            total = len(self.session.pending[cell.id])
            table.add_row(cell.title, str(self.done[cell.id]), str(total), str(self.broken[cell.id] or ""))
        return table

    def __rich__(self) -> Group:
        """What rich's live display shows at each refresh; the line is not squeezed to the table's width."""
        return Group(self.table(), Text(self.line(), style="dim"))


def spending(spent: Spend) -> str:
    """Money where it is known, and that it is not where it is not: what nobody counted is not free."""
    if not spent.tokens and not spent.uncounted:
        return "no tokens"
    unpriced = f"{spent.unpriced:,} tokens of unknown price" if spent.unpriced else ""
    uncounted = f"{spent.uncounted:,} replies without usage, cost unknown" if spent.uncounted else ""
    known = f"${spent.usd:.2f}" if spent.usd or not (unpriced or uncounted) else ""
    return " + ".join(filter(None, (known, unpriced, uncounted)))


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextmanager
def progress_on(session: Session, quiet_seconds: float = _QUIET_SECONDS) -> Iterator[Progress]:
    """Show a sitting's progress until it ends; off a terminal something is said after so many quiet seconds at most."""
    progress = Progress(session, on_terminal=sys.stderr.isatty())
    say(f"{progress.total} attempts to make; the run folder is {session.folder.path}")
    if not progress.on_terminal:
        ended = threading.Event()
        pulse = threading.Thread(target=_speak_up, args=(progress, ended, quiet_seconds), daemon=True)
        pulse.start()
        try:
            yield progress
        finally:
            ended.set()
            pulse.join()
            progress.say()
        return
    with Live(progress, console=Console(stderr=True), refresh_per_second=4, redirect_stdout=False):
        yield progress


def _speak_up(progress: Progress, ended: threading.Event, quiet_seconds: float) -> None:
    """Break the silence while attempts that take long end none of theirs."""
    while not ended.wait(max(0.0, _heard(progress) + quiet_seconds - time.monotonic())):
        if time.monotonic() - _heard(progress) >= quiet_seconds:
            progress.say()


def _heard(progress: Progress) -> float:
    """When something was said last, or would have been expected first."""
    return max(progress.said, progress.began)
