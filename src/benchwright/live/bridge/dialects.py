"""The three protocols in which programs speak to models, translated by Inspect's agent bridge, and their errors.

Inspect's own proxy for sandboxes is left out: it needs a binary that lives on between commands, where ours ends
whatever a command started, and it asks for news by polling files. What turns requests into calls of a model and back is
Inspect's; these functions are not public, so this is the one place that names them.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from inspect_ai.agent import AgentBridge, AgentState
from inspect_ai.model import get_model

from benchwright.live.bridge import streams

Document = dict[str, Any]
Errors = Callable[[int, str], Document]

MODEL: Final = "benchwright"
"""The name by which programs call the model; any other name reaches the same one."""

_BYTES_A_TOKEN: Final = 4


@dataclass(frozen=True, slots=True)
class Dialect:
    """One protocol: how a request is answered, how a reply is streamed, how errors are said."""

    reply: Callable[[Document, AgentBridge], Awaitable[Any]]
    stream: streams.Events
    error: Errors
    failed: Callable[[Document], str]


def closed_bridge(state: AgentState) -> AgentBridge:
    """Inspect's bridge with nothing granted: whatever model a program names, it gets the one of its attempt.

    Tools that providers run (search, code) and servers that a program names would lead out of the sandbox; pictures by
    address would make this process fetch them.
    """
    return AgentBridge(
        state,
        model_resolver=lambda _name: get_model(),
        allow_remote_mcp=False,
        allow_remote_media=False,
        allow_client_model_names=False,
    )


async def _messages(request: Document, bridge: AgentBridge) -> Any:
    """Inspect puts words of its own where a model said none; a program would take them for the answer."""
    from inspect_ai._util.constants import NO_CONTENT
    from inspect_ai.agent._bridge.anthropic_api import inspect_anthropic_api_request

    reply = await inspect_anthropic_api_request(request, None, None, None, bridge)
    said = [block for block in reply.content if block.type != "text" or block.text not in ("", NO_CONTENT)]
    return reply.model_copy(update={"content": said})


async def _completions(request: Document, bridge: AgentBridge) -> Any:
    from inspect_ai.agent._bridge.completions import inspect_completions_api_request

    return await inspect_completions_api_request(request, None, bridge)


async def _responses(request: Document, bridge: AgentBridge) -> Any:
    from inspect_ai.agent._bridge.responses import inspect_responses_api_request

    return await inspect_responses_api_request(request, None, None, None, bridge)


def _openai_error(status: int, text: str) -> Document:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": text, "type": kind, "param": None, "code": None}}


def _anthropic_error(status: int, text: str) -> Document:
    kinds = {404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error"}
    kind = kinds.get(status, "invalid_request_error" if status < 500 else "api_error")
    return {"type": "error", "error": {"type": kind, "message": text}}


_MESSAGES: Final = Dialect(_messages, streams.messages, _anthropic_error, streams.failed_message)
_COMPLETIONS: Final = Dialect(_completions, streams.completions, _openai_error, streams.failed_completion)
_RESPONSES: Final = Dialect(_responses, streams.responses, _openai_error, streams.failed_response)
_DIALECTS: Final = {"/messages": _MESSAGES, "/chat/completions": _COMPLETIONS, "/responses": _RESPONSES}


def dialect_of(path: str) -> Dialect | None:
    """The protocol spoken at a path, with `/v1` before it or not."""
    return _DIALECTS.get(path.removeprefix("/v1"))


def plain_answer(path: str, body: bytes) -> Document | None:
    """What needs no model: which models there are, and about how many tokens a request has."""
    match path.removeprefix("/v1"):
        case "/models":
            return {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": MODEL}]}
        case "/messages/count_tokens":
            return {"input_tokens": max(1, len(body) // _BYTES_A_TOKEN)}
        case _:
            return None


def error_at(path: str, status: int, text: str) -> Document:
    """An error as the protocol spoken at a path says it."""
    return (_anthropic_error if "/messages" in path else _openai_error)(status, text)


def document_of(reply: Any) -> Document:
    """A reply of Inspect's as JSON."""
    document: Document = json.loads(reply.model_dump_json(exclude_none=True, warnings=False))
    return document
