"""An OpenAI-compatible server on loopback that misbehaves in one way: as the question says, else the model's name."""

import json
import re
import socket
import struct
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "sk-canary-5b1e77aa90c4d2f3"
ANSWER = "```submit\n42\n```"


def message(content=ANSWER, **parts):
    return {"role": "assistant", "content": content, **parts}


def completion(content=ANSWER, usage=(5, 3), finish="stop", **parts):
    """A whole and proper reply; `usage` of None leaves it out."""
    reply = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "odd",
        "choices": [{"index": 0, "message": message(content, **parts), "finish_reason": finish}],
    }
    if usage is not None:
        counts = dict(zip(("prompt_tokens", "completion_tokens"), usage, strict=True))
        reply["usage"] = {**counts, "total_tokens": sum(usage)}
    return reply


def changed(**values):
    return {**completion(), **values}


def error(text, **parts):
    return {"error": {"message": text, "type": "server_error", **parts}}


def tool_call(arguments, name="submit"):
    call = {"id": "t1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return completion(None, finish="tool_calls", tool_calls=[call])


JSON = {
    # name: status, body
    "fine": (200, completion()),
    "fine_tool": (200, tool_call('{"answer": "42"}')),
    "no_usage": (200, completion(usage=None)),
    "zero_usage": (200, completion(usage=(0, 0))),
    "negative_usage": (200, completion(usage=(-5, 3))),
    "status_400": (400, error("messages: something is odd")),
    "status_409": (409, error("conflict")),
    "status_418": (418, error("a teapot")),
    "status_422": (422, error("unprocessable")),
    "status_429": (429, error("rate limit", code="rate_limit_exceeded")),
    "status_500": (500, error("oops")),
    "status_502": (502, error("bad gateway")),
    "status_503": (503, error("overloaded")),
    "status_504": (504, error("gateway timeout")),
    "error_in_200": (200, error("the backend died")),
    "echoes_the_key": (500, error(f"cannot serve Authorization: Bearer {KEY}")),
    "no_choices": (200, changed(choices=[])),
    "null_choices": (200, changed(choices=None)),
    "choices_are_text": (200, changed(choices="42")),
    "choice_without_message": (200, changed(choices=[{"index": 0, "finish_reason": "stop"}])),
    "null_message": (200, changed(choices=[{"index": 0, "message": None, "finish_reason": "stop"}])),
    "empty_object": (200, {}),
    "a_list": (200, []),
    "a_string": (200, "hello"),
    "a_number": (200, 7),
    "json_null": (200, None),
    "deep": (200, None),
    "key_in_the_reply": (200, completion(f"I know {KEY}\n{ANSWER}")),
}
RAW = {
    # name: the bytes of the body, and its content type
    "half_json": (json.dumps(completion()).encode()[:90], "application/json"),
    "not_json": (b"<<<>>>", "application/json"),
    "empty_body": (b"", "application/json"),
    "html": (b"<html><body>Sign in</body></html>", "text/html"),
    "plain_text": (b"42", "text/plain"),
    "wrong_bytes": (b"\xff\xfe\x00\x01" * 20, "application/json"),
    "gzip_that_is_none": (b"not gzip", "application/json; gzip"),
    "lone_surrogate": (json.dumps(completion("\ud83d\n" + ANSWER)).encode(), "application/json"),
    "nul_in_the_reply": (json.dumps(completion("\x00\n" + ANSWER)).encode(), "application/json"),
    "huge_reply": (json.dumps(completion("x" * 10_000_000)).encode(), "application/json"),
}
REFUSALS = {
    "bad_key": (401, error(f"Incorrect API key provided: {KEY}", code="invalid_api_key")),
    "forbidden": (403, error("this key may not use this model")),
    "no_money": (402, error("payment required")),
    "no_quota": (429, error("You exceeded your current quota", code="insufficient_quota", type="insufficient_quota")),
    "no_such_model": (404, error("The model `no_such_model` does not exist", code="model_not_found")),
    "bad_model_name": (400, error("bad_model_name is not a valid model ID")),
    "wrong_address": (404, error("404 page not found")),
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_POST(self):
        size = int(self.headers["Content-Length"])
        body = self.rfile.read(size).decode()
        asked = re.search(r"behave like (\w+)", body)
        name = "fine" if self.server.well else asked[1] if asked else json.loads(body)["model"]
        self.server.calls.append(name)
        self.close_connection = True
        with suppress(OSError):  # the client had enough
            getattr(self, f"do_{name}", self.by_table)(name)

    def by_table(self, name):
        if name in RAW:
            body, kind = RAW[name]
            kind, _, coding = kind.partition("; ")
            self.reply(200, body, kind, **({"Content-Encoding": coding} if coding else {}))
            return
        status, value = {**JSON, **REFUSALS}[name]
        body = b"[" * 100_000 if name == "deep" else json.dumps(value).encode()
        self.reply(status, body)

    def reply(self, status, body, kind="application/json", length=None, **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.send_header("Connection", "close")
        for header, value in headers.items():
            self.send_header(header, value)
        self.end_headers()
        self.wfile.write(body)

    def do_hang(self, name):
        self.server.over.wait(20)

    def do_hang_in_the_body(self, name):
        self.reply(200, b'{"id": ', length=1000)
        self.wfile.flush()
        self.server.over.wait(20)

    def do_closed_at_once(self, name):
        self.connection.shutdown(socket.SHUT_RDWR)

    def do_reset(self, name):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def do_shorter_than_said(self, name):
        self.reply(200, json.dumps(completion()).encode(), length=100_000)

    def do_not_http(self, name):
        self.wfile.write(b"220 smtp.example ready\r\n")

    def do_redirects_for_ever(self, name):
        self.reply(307, b"", Location=self.path)

    def do_endless(self, name):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        while not self.server.over.is_set():
            self.wfile.write(b" " * 1_000_000)

    def do_drips(self, name):
        """A byte now and then, for ever: no read ever times out."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        while not self.server.over.is_set():
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.1)


BY_HAND = sorted(name.removeprefix("do_") for name in vars(Handler) if name.startswith("do_") and name != "do_POST")


@contextmanager
def odd_server():
    """The server's address while it runs."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads, server.block_on_close = True, False
        server.calls, server.over, server.well = [], threading.Event(), False
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()
