"""Connections whose requests have to come in time: one that only dribbles is cut, and takes no place from others."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol


class PunctualProtocol(H11Protocol):
    """HTTP over h11, with a time limit on headers, which uvicorn itself leaves to a proxy."""

    header_seconds: ClassVar[float] = 10.0
    """From the beginning of a connection, or of a further request on it, to the end of that request's headers."""
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take what came; a request that is still not whole has no more time for that."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._late is None:
            self._wait()

    def on_response_complete(self) -> None:
        """The next request has its own time; until it begins, the keep-alive limit holds."""
        self._stop()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the limit."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._late = self.loop.call_later(self.header_seconds, self._cut)

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _cut(self) -> None:
        transport: Any = self.transport
        if not transport.is_closing():
            transport.abort()
