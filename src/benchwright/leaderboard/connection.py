"""Connections whose requests have to come in time: one that only dribbles is cut, and takes no place from others."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from benchwright.leaderboard.limits import network


class PunctualProtocol(H11Protocol):
    """HTTP over h11, with a time limit on headers, which uvicorn itself leaves to a proxy."""

    header_seconds: ClassVar[float] = 10.0
    """From the beginning of a connection, or of a further request on it, to the end of that request's headers."""
    most_of_one: ClassVar[int] = 250
    """Connections of one address at a time, so that it cannot take all there are; proxies that are trusted have no
    limit."""
    proxies: ClassVar[frozenset[str]] = frozenset()
    _now: ClassVar[Counter[str]] = Counter()
    _late: asyncio.TimerHandle | None = None
    _from = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, unless this address has too many connections already."""
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        if address not in self.proxies:
            self._from = network(address)
            self._now[self._from] += 1
        if self._now[self._from] > self.most_of_one:
            transport.abort()
        else:
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
        if self._from:
            self._now[self._from] -= 1
            if not self._now[self._from]:
                del self._now[self._from]
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


def trusting(proxies: str) -> type[PunctualProtocol]:
    """The protocol where requests of many come by way of these proxies, named with commas."""
    named = frozenset(name.strip() for name in proxies.split(",") if name.strip())
    return type("TrustingProtocol", (PunctualProtocol,), {"proxies": named})
