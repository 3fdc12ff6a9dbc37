"""Answering a sandboxed program's requests for its model, one attempt at a time."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import anyio
import anyio.abc
from inspect_ai.agent import AgentState
from inspect_ai.util import LimitExceededError

from benchwright.live.attempt import Live
from benchwright.live.blame import status_of, told_by
from benchwright.live.bridge import http, streams
from benchwright.live.bridge.dialects import (
    Dialect,
    Document,
    closed_bridge,
    dialect_of,
    document_of,
    error_at,
    plain_answer,
)
from benchwright.live.machine import in_thread
from benchwright.run.secrecy import cleared

T = TypeVar("T")

MOST_CONNECTIONS: Final = 64
MOST_REQUESTS: Final = 8
"""How many requests are read and answered at once; each may hold a body of the largest size."""

MOST_TAKEN: Final = 2 << 30
"""Bytes of all requests of one attempt: each is kept in the log, and would else fill the disk."""

HEARTBEAT_SECONDS: Final = 10.0
_SAID: Final = 2000

_REFUSALS: Final = (400, 413, 422)
"""What a model's server answers to a request that it does not take: the program's affair, and it is told."""

_UNFIT: Final = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What translating raises at a request of another shape than the protocol's."""

_OF_A_CALL: Final = "inspect_ai.model._model"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a request came to: HTTP's status, and the document."""

    status: int
    document: Document


class ModelBridge:
    """One attempt's way to its model. `state` follows the conversation that the program holds.

    `refused` is the last request's error, where the model's server did not take it; None after one that it took.
    """

    def __init__(self, live: Live, state: AgentState) -> None:
        self.state = state
        self.refused: Exception | None = None
        self.replies = 0
        self._live = live
        self._bridge = closed_bridge(state)
        self._slots = anyio.CapacityLimiter(MOST_REQUESTS)
        self._open = 0
        self._taken = 0
        self._failure: Exception | None = None

    async def serve(self, work: Callable[[str], Awaitable[T]]) -> T:
        """Do some work that is given the bridge's address, and answer requests until it is done.

        Errors: those of the work; and those that end an attempt, such as a limit or a model that does not answer, which
        stop the work at once.
        """
        sandbox = await self._live.sandbox()
        with await in_thread(sandbox.listen) as listener:
            listener.setblocking(False)
            address = f"http://127.0.0.1:{listener.getsockname()[1]}"
            done: list[T] = []
            async with anyio.create_task_group() as group:
                group.start_soon(self._accept, listener, group)
                try:
                    done.append(await work(address))
                except Exception as error:  # noqa: BLE001 - raised below: a task group would wrap it into another
                    self._failure = self._failure or error
                group.cancel_scope.cancel()
        self.state = self._bridge.state
        if self._failure is not None:
            raise self._failure
        return done[0]

    async def _accept(self, listener: socket.socket, group: anyio.abc.TaskGroup) -> None:
        while True:
            await anyio.wait_readable(listener)
            with suppress(OSError):  # a caller that has gone, or no descriptor left for it
                connection, _ = listener.accept()
                if self._open >= MOST_CONNECTIONS:
                    connection.close()
                    continue
                self._open += 1
                group.start_soon(self._converse, connection, group)

    async def _converse(self, accepted: socket.socket, group: anyio.abc.TaskGroup) -> None:
        """One connection from its first request to its last."""
        connection = http.Connection(accepted)
        try:
            with accepted:
                while await self._exchange(connection, group):
                    pass
                await connection.hang_up()
        except http.GoneError:
            return
        finally:
            self._open -= 1

    async def _exchange(self, connection: http.Connection, group: anyio.abc.TaskGroup) -> bool:
        """One request and its answer; whether another may follow."""
        path = ""
        try:
            request = await connection.request()
            path = request.path
            async with self._slots:
                await self._answer(connection, request, group)
        except http.Refused as refusal:
            await connection.answer(refusal.status, error_at(path, refusal.status, refusal.text))
        return connection.goes_on

    async def _answer(self, connection: http.Connection, request: http.Request, group: anyio.abc.TaskGroup) -> None:
        if (plain := plain_answer(request.path, request.body)) is not None:
            await connection.answer(200, plain)
            return
        dialect = dialect_of(request.path)
        if dialect is None:
            raise http.Refused(404, f"there is nothing at {request.path[:200]}: this is the way to a model")
        if request.method != "POST":
            raise http.Refused(405, f"{request.path} takes POST")
        self._taken += len(request.body)
        if self._taken > MOST_TAKEN:
            raise http.Refused(413, f"an attempt may send {MOST_TAKEN:,} bytes to its model in all")
        asked = http.parsed(request.body)
        if asked.get("stream") is True:
            await self._stream(connection, dialect, asked, group)
            return
        reply = await self._reply(dialect, asked, group)
        await connection.answer(reply.status, reply.document)

    async def _stream(
        self, connection: http.Connection, dialect: Dialect, asked: Document, group: anyio.abc.TaskGroup
    ) -> None:
        """Answer by events: all at once when the model has replied, and signs of life until then."""
        waiting = _Waiting(connection)
        reply = await waiting.during(lambda: self._reply(dialect, asked, group))
        if reply.status != 200 and not waiting.begun:
            await connection.answer(reply.status, reply.document)
            return
        await waiting.begin()
        if reply.status != 200:
            await connection.send(dialect.failed(reply.document))
        else:
            for text in dialect.stream(reply.document, asked):
                await connection.send(text)
        await connection.end_stream()

    async def _reply(self, dialect: Dialect, asked: Document, group: anyio.abc.TaskGroup) -> Reply:
        """Call the model. What it reads from now on belongs to the program's next step."""
        self._live.step()
        try:
            reply = Reply(200, document_of(await dialect.reply(asked, self._bridge)))
        except LimitExceededError as error:
            return self._end(dialect, error, group)
        except Exception as error:  # noqa: BLE001 - whatever it is, the program is told, and the attempt may end
            return self._failed(dialect, error, group)
        self.replies += 1
        self.refused = None
        return reply

    def _failed(self, dialect: Dialect, error: Exception, group: anyio.abc.TaskGroup) -> Reply:
        """Tell a program that its request is not taken; end the attempt where the model is what fails."""
        if not _came_out_of_a_call(error):
            return Reply(400, dialect.error(400, _said(error)))
        told, status = told_by(error), status_of(error)
        if status not in _REFUSALS and not isinstance(told, _UNFIT):
            return self._end(dialect, error, group)
        self.refused = error
        return Reply(status or 400, dialect.error(status or 400, _said(told)))

    def _end(self, dialect: Dialect, error: Exception, group: anyio.abc.TaskGroup) -> Reply:
        self._failure = self._failure or error
        group.cancel_scope.cancel()
        return Reply(500, dialect.error(500, "the attempt is over"))


class _Waiting:
    """Signs of life on a stream while its content is not there yet."""

    def __init__(self, connection: http.Connection) -> None:
        self.begun = False
        self._connection = connection
        self._over = anyio.Event()

    async def begin(self) -> None:
        """Begin the answer, unless it has begun."""
        if not self.begun:
            self.begun = True
            await self._connection.begin_stream()

    async def during(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do some work while a program that waits is told that it goes on; ended when the program hangs up."""
        done: list[T] = []
        gone: list[http.GoneError] = []
        async with anyio.create_task_group() as group:
            group.start_soon(self._beat, group.cancel_scope, gone)
            done.append(await work())
            self._over.set()
        if gone:
            raise gone[0]
        return done[0]

    async def _beat(self, scope: anyio.CancelScope, gone: list[http.GoneError]) -> None:
        while not self._over.is_set():
            with anyio.move_on_after(HEARTBEAT_SECONDS):
                await self._over.wait()
            try:
                if not self._over.is_set():
                    await self.begin()
                    await self._connection.send(streams.HEARTBEAT)
            except http.GoneError as error:
                gone.append(error)
                scope.cancel()
                return


def _came_out_of_a_call(error: Exception) -> bool:
    """Whether an error was raised while a model was called; else the request could not be translated."""
    trace: Any = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__") == _OF_A_CALL:
            return True
        trace = trace.tb_next
    return False


def _said(error: BaseException) -> str:
    return cleared(f"{type(error).__name__}: {error}")[:_SAID]
