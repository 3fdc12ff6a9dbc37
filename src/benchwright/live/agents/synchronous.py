"""An agent of synchronous code in a thread: it asks, the attempt's coroutine does, and both end together."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")

_NAME = "benchwright-agent"


class AttemptOver(BaseException):
    """The attempt has ended: whatever its agent is doing ends here."""


@dataclass(slots=True)
class _Request:
    """Something to be awaited for the thread, and the place for what comes of it."""

    work: Callable[[], Awaitable[Any]]
    answer: Future[Any] = field(default_factory=Future)


@dataclass(frozen=True, slots=True)
class _Over:
    """What the thread came to: a value, or an error."""

    value: Any = None
    error: BaseException | None = None


class Asking:
    """The thread's side. All that the agent does outside its own memory goes through `ask`."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.told: asyncio.Queue[_Request | _Over] = asyncio.Queue()
        self._loop = loop
        self._lock = threading.Lock()
        self._open: _Request | None = None
        self._ended = False

    def ask(self, work: Callable[[], Awaitable[T]]) -> T:
        """Have something awaited in the attempt's own coroutine, within its limits; wait for what it gives.

        Raises `AttemptOver` where the attempt ends before that, for whatever reason.
        """
        request = _Request(work)
        self._tell(request)
        answer: T = request.answer.result()
        return answer

    def _tell(self, what: _Request | _Over) -> None:
        with self._lock:
            if self._ended:
                raise AttemptOver
            self._open = what if isinstance(what, _Request) else None
            self._loop.call_soon_threadsafe(self.told.put_nowait, what)

    def end(self) -> None:
        """Let the thread go no further than to its next question, or to the end of the one it waits for."""
        with self._lock:
            self._ended = True
            if self._open is not None and not self._open.answer.done():
                self._open.answer.set_exception(AttemptOver())

    def body(self, work: Callable[[Asking], Any]) -> None:
        """What the thread does."""
        try:
            try:
                over = _Over(work(self))
            except AttemptOver:
                return
            except BaseException as error:  # noqa: BLE001 - it is raised again where the attempt is carried
                over = _Over(error=error)
            self._tell(over)
        except AttemptOver:
            return


async def in_a_thread(work: Callable[[Asking], T]) -> T:
    """What `work` returns. It runs in a thread of its own, and what it asks for is awaited here, one after the other.

    So limits, budgets and cancelling hold for it as for any agent, and an error of what it asks for ends it and is
    raised here as it was. However this ends, the thread is told to end; a daemon, it never keeps the process alive.
    """
    asking = Asking(asyncio.get_running_loop())
    threading.Thread(target=asking.body, args=(work,), daemon=True, name=_NAME).start()
    try:
        while True:
            told = await asking.told.get()
            if isinstance(told, _Request):
                told.answer.set_result(await told.work())
            elif told.error is not None:
                raise told.error
            else:
                result: T = told.value
                return result
    finally:
        asking.end()
