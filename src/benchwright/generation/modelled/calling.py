"""An event loop in a thread of its own, in which every call of a writer's models is made."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from typing import Any, TypeVar

from benchwright.closing import Closing

T = TypeVar("T")


class Calling(Closing):
    """Takes what is to be awaited from any thread; models' clients belong to one loop for as long as they are used."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._serving: asyncio.Task[Any] | None = None
        self._stopped = False

    @contextmanager
    def going(self) -> Iterator[None]:
        """Calls are made in this block; where it is left early, those in flight end, and no more can be made."""
        self._stopped = False
        try:
            yield
        except BaseException:
            self._stopped = True
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._cancel)
            raise

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What it comes to. Errors: its own, and CancelledError where calls were stopped."""
        loop = self._started()
        if self._stopped:
            work.close()
            raise CancelledError
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    def _cancel(self) -> None:
        for task in asyncio.all_tasks(self._loop) - {self._serving}:
            task.cancel()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                ready: Future[asyncio.AbstractEventLoop] = Future()
                self._thread = threading.Thread(target=self._serve, args=(ready,), name="calls of models", daemon=True)
                self._thread.start()
                self._loop = ready.result()
            return self._loop

    def _serve(self, ready: Future[asyncio.AbstractEventLoop]) -> None:
        async def until_stopped() -> None:
            self._stop, self._serving = asyncio.Event(), asyncio.current_task()
            ready.set_result(asyncio.get_running_loop())
            await self._stop.wait()

        asyncio.run(until_stopped())

    def close(self) -> None:
        """End the loop, and with it what is still awaited. Idempotent."""
        with self._lock:
            loop, stop, thread = self._loop, self._stop, self._thread
            self._loop = self._stop = self._thread = None
        if loop is not None and stop is not None and thread is not None:
            loop.call_soon_threadsafe(stop.set)
            thread.join()
