"""The clients of hosted providers, each against a local server that speaks its protocol."""

import asyncio
import json
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from inspect_ai.model import GenerateConfig

from benchwright.errors import InputError
from benchwright.live.agents.react import submit
from benchwright.live.models import model_named

ANTHROPIC = {
    "id": "m1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-6", "stop_reason": "tool_use", "stop_sequence": None,
    "content": [{"type": "tool_use", "id": "t1", "name": "submit", "input": {"answer": "42"}}], "usage": {"input_tokens": 5, "output_tokens": 2},
}  # fmt: skip
OPENAI = {
    "id": "c1", "object": "chat.completion", "created": 1, "model": "m", "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
    "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": None, "tool_calls": [
        {"id": "t1", "type": "function", "function": {"name": "submit", "arguments": '{"answer": "42"}'}}]}}],
}  # fmt: skip
GOOGLE = {
    "candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [{"functionCall": {"name": "submit", "args": {"answer": "42"}}}]}}],
    "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 2, "totalTokenCount": 7}, "modelVersion": "gemini-2.5-flash",
}  # fmt: skip


@contextmanager
def serving(reply):
    """A server that gives one reply to everything; its address."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            data = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession")  # Google's client at its import
@pytest.mark.parametrize(
    ("model", "package", "reply", "end"),
    [
        ("anthropic/claude-sonnet-4-6", "anthropic", ANTHROPIC, ""),
        ("openai-api/local/m", "openai", OPENAI, "/v1"),
        ("google/gemini-2.5-flash", "google.genai", GOOGLE, ""),
    ],
)
def test_a_providers_client_gives_our_tools_and_takes_its_calls(monkeypatch, model, package, reply, end):
    pytest.importorskip(package)
    with serving(reply) as address:
        for name in ("ANTHROPIC", "LOCAL", "GOOGLE"):
            monkeypatch.setenv(f"{name}_BASE_URL", address + end)
            monkeypatch.setenv(f"{name}_API_KEY", "not-a-real-key-0123456789")
        whole = {"streaming": False} if package == "anthropic" else {}
        opened = model_named(model, GenerateConfig(max_tokens=500), **whole)
        said = asyncio.run(opened.generate("How many?", tools=[submit()]))
    assert [(call.function, call.arguments) for call in said.message.tool_calls] == [("submit", {"answer": "42"})]
    assert (said.usage.input_tokens, said.usage.output_tokens) == (5, 2)


@pytest.mark.parametrize(
    ("model", "module", "command"),
    [
        ("google/gemini-2.5-flash", "google.genai", r"pip install 'benchwright\[google\]'"),
        ("groq/llama", "groq", "pip install 'groq'"),
    ],
)
def test_a_provider_without_its_package_is_refused_with_the_command_that_installs_it(
    monkeypatch, model, module, command
):
    monkeypatch.setitem(sys.modules, module, None)  # as if it was not installed
    with pytest.raises(
        InputError, match=rf"model {model} needs the package (.|\n)*it is not installed(.|\n)*{command}"
    ):
        model_named(model, GenerateConfig())
