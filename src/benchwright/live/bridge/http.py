"""HTTP as a program in a sandbox may speak it to us: bounded in size and time, and never trusted."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import anyio
import h11

MOST_BODY: Final = 32 << 20
"""Bytes of one request. The longest conversations with pictures take less."""

_MOST_HEAD: Final = 64 * 1024
_READ: Final = 1 << 16
REQUEST_SECONDS: Final = 60.0
"""How long a request may take to arrive once it has begun."""
IDLE_SECONDS: Final = 900.0
"""How long a connection may stay open without a request."""
LINGER_SECONDS: Final = 5.0
SEND_SECONDS: Final = 60.0
"""How long a program may leave a piece of an answer unread."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request: its method, its path without the query, and its body."""

    method: str
    path: str
    body: bytes


class Refused(Exception):
    """A request that is answered with an error; `status` is HTTP's."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


class GoneError(Exception):
    """The program hung up, is too slow, or does not speak HTTP any longer."""


class Connection:
    """One connection of a program: requests come in, answers go out, one after the other."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self._socket = connection
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_MOST_HEAD)

    async def request(self) -> Request:
        """The next request. Errors: Refused for one that is not taken, GoneError at the end."""
        try:
            if self._http.our_state is h11.DONE:
                self._http.start_next_cycle()
            with anyio.fail_after(IDLE_SECONDS):
                head = await self._event()
            if not isinstance(head, h11.Request):
                raise GoneError
            with anyio.fail_after(REQUEST_SECONDS):
                body = await self._body()
        except h11.RemoteProtocolError as error:
            raise Refused(error.error_status_hint, f"this is not HTTP as we know it: {error}") from error
        except (TimeoutError, OSError, h11.LocalProtocolError) as error:
            raise GoneError from error
        return Request(head.method.decode("ascii"), head.target.decode("ascii").partition("?")[0], body)

    async def _body(self) -> bytes:
        if self._http.they_are_waiting_for_100_continue:
            await self._send(h11.InformationalResponse(status_code=100, headers=[]))
        body = bytearray()
        while isinstance(event := await self._event(), h11.Data):
            body += event.data
            if len(body) > MOST_BODY:
                raise Refused(413, f"a request may have {MOST_BODY:,} bytes")
        return bytes(body)

    async def _event(self) -> Any:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(await self._receive())
        return event

    async def _receive(self) -> bytes:
        while True:
            try:
                return self._socket.recv(_READ)
            except BlockingIOError:
                await anyio.wait_readable(self._socket)

    async def answer(self, status: int, document: object) -> None:
        """A whole answer: one JSON document."""
        body = json.dumps(document).encode()
        await self._begin(status, [("content-type", "application/json"), ("content-length", str(len(body)))])
        await self._send(h11.Data(data=body))
        await self._send(h11.EndOfMessage())

    async def begin_stream(self) -> None:
        """Begin an answer of server-sent events."""
        await self._begin(200, [("content-type", "text/event-stream"), ("cache-control", "no-cache")])

    async def send(self, text: str) -> None:
        """Some more of a stream."""
        await self._send(h11.Data(data=text.encode()))

    async def end_stream(self) -> None:
        """The end of a stream."""
        await self._send(h11.EndOfMessage())

    async def _begin(self, status: int, headers: list[tuple[str, str]]) -> None:
        if self._http.their_state is not h11.DONE:  # what is left of the request is not read
            headers = [*headers, ("connection", "close")]
        await self._send(h11.Response(status_code=status, headers=headers))

    async def _send(self, event: h11.Event) -> None:
        try:
            data = memoryview(self._http.send(event) or b"")
            with anyio.fail_after(SEND_SECONDS):
                while data:
                    data = data[await self._sent(data) :]
        except (TimeoutError, OSError, h11.LocalProtocolError) as error:
            raise GoneError from error

    async def _sent(self, data: memoryview) -> int:
        while True:
            try:
                return self._socket.send(data)
            except BlockingIOError:
                await anyio.wait_writable(self._socket)

    async def hang_up(self) -> None:
        """Close so that the last answer arrives: what still comes in is taken, for a while, and thrown away."""
        with suppress(OSError, TimeoutError), anyio.fail_after(LINGER_SECONDS):
            self._socket.shutdown(socket.SHUT_WR)
            while await self._receive():
                pass

    @property
    def goes_on(self) -> bool:
        """Whether another request may follow."""
        return self._http.our_state is h11.DONE and self._http.their_state is h11.DONE


def parsed(body: bytes) -> dict[str, Any]:
    """A request's JSON object, without halves of characters, which no log can hold. Errors: Refused."""
    try:
        value = json.loads(body)
        if b"\\ud" in body.lower():
            value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise Refused(400, f"the request is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise Refused(400, "the request is not a JSON object")
    return value
