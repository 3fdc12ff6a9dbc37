"""A model behind a server of this machine that nodes of a cluster call, each with the key of its environment."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import psutil
from tests.live.odd_server import tool_call

from .commands import LONGEST

SUBMITS = tool_call('{"answer": "42"}')
"""The reply of a model that submits at once."""


@dataclass
class Call:
    """A question, and who asks it."""

    key: str
    text: str
    process: psutil.Process | None


@dataclass
class Model:
    """What was asked so far, and the reply to all of it; None where whoever asked is gone."""

    reply: Callable[[Call], Any] = lambda _: SUBMITS
    calls: list[Call] = field(default_factory=list)

    def wait(self, wanted: Callable[[list[Call]], bool]) -> None:
        """Until the calls so far are as wanted."""
        deadline = time.monotonic() + LONGEST
        while not wanted(self.calls):
            assert time.monotonic() < deadline, self.calls
            time.sleep(0.02)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_POST(self):
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        call = Call(key, text, asking(self.client_address[1], self.server.server_port))
        model = self.server.model
        model.calls.append(call)
        self.close_connection = True
        reply = model.reply(call)
        if reply is None:
            return
        body = json.dumps(reply).encode()
        with suppress(OSError):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)


def asking(port: int, server: int) -> psutil.Process | None:
    """The process that a connection comes from."""
    for each in psutil.net_connections("tcp"):
        if each.laddr.port == port and each.raddr and each.raddr.port == server and each.pid:
            with suppress(psutil.NoSuchProcess):
                return psutil.Process(each.pid)
    return None


@contextmanager
def serving(port: int, **parts: Any) -> Iterator[Model]:
    """A model at this port while the block lasts; replies that are still waited for get lost."""
    with ThreadingHTTPServer(("127.0.0.1", port), _Handler) as server:
        server.daemon_threads, server.block_on_close = True, False
        server.model = Model(**parts)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.model
        finally:
            server.shutdown()
            thread.join()
