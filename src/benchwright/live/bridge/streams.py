"""A whole reply of a model as the server-sent events in which each protocol streams it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any, Final

Document = dict[str, Any]
Events = Callable[[Document, Document], Iterator[str]]
"""The reply and the request to the events' texts."""

HEARTBEAT: Final = ": the model is at work\n\n"
"""A comment, which every reader of server-sent events passes over."""


def event(name: str, document: Document) -> str:
    """One named event."""
    return f"event: {name}\ndata: {json.dumps(document)}\n\n"


def _data(document: Document) -> str:
    return f"data: {json.dumps(document)}\n\n"


def messages(reply: Document, _request: Document) -> Iterator[str]:
    """Anthropic's messages: message_start, each block with its deltas, message_delta, message_stop."""
    usage = reply.get("usage") or {}
    opening = {**reply, "content": [], "stop_reason": None, "stop_sequence": None}
    opening["usage"] = {**usage, "output_tokens": 0}
    yield event("message_start", {"type": "message_start", "message": opening})
    for index, block in enumerate(reply.get("content") or ()):
        opened, deltas = _opened(block)
        yield event(
            "content_block_start", {"type": "content_block_start", "index": index, "content_block": block | opened}
        )
        for delta in deltas:
            yield event("content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta})
        yield event("content_block_stop", {"type": "content_block_stop", "index": index})
    delta = {"stop_reason": reply.get("stop_reason"), "stop_sequence": reply.get("stop_sequence")}
    yield event("message_delta", {"type": "message_delta", "delta": delta, "usage": usage})
    yield event("message_stop", {"type": "message_stop"})


def _opened(block: Document) -> tuple[Document, list[Document]]:
    """What a block is without what its deltas bring, and the deltas; other blocks come whole."""
    match block.get("type"):
        case "text":
            return {"text": ""}, [{"type": "text_delta", "text": block.get("text", "")}]
        case "tool_use":
            arguments = json.dumps(block.get("input") or {})
            return {"input": {}}, [{"type": "input_json_delta", "partial_json": arguments}]
        case "thinking":
            return {"thinking": "", "signature": ""}, [
                {"type": "thinking_delta", "thinking": block.get("thinking", "")},
                {"type": "signature_delta", "signature": block.get("signature", "")},
            ]
        case _:
            return {}, []


def completions(reply: Document, request: Document) -> Iterator[str]:
    """OpenAI's chat completions: one chunk with all of each choice, one with its end, the usage if asked for."""
    frame = {name: reply.get(name) for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    for choice in reply.get("choices") or ():
        index, delta = choice.get("index", 0), _delta(choice.get("message") or {})
        yield _data(frame | {"choices": [{"index": index, "delta": delta, "finish_reason": None}]})
        yield _data(
            frame | {"choices": [{"index": index, "delta": {}, "finish_reason": choice.get("finish_reason") or "stop"}]}
        )
    options = request.get("stream_options")
    if isinstance(options, dict) and options.get("include_usage"):
        yield _data(frame | {"choices": [], "usage": reply.get("usage")})
    yield "data: [DONE]\n\n"


def _delta(message: Document) -> Document:
    calls = [{"index": index, **call} for index, call in enumerate(message.get("tool_calls") or ())]
    kept = {name: message[name] for name in ("content", "refusal", "reasoning_content") if message.get(name)}
    return {"role": "assistant", "content": None} | kept | ({"tool_calls": calls} if calls else {})


def responses(reply: Document, _request: Document) -> Iterator[str]:
    """OpenAI's responses: the response begun, each item of its output with its parts, the response completed."""
    numbers = itertools.count()

    def say(kind: str, **values: Any) -> str:
        return event(kind, {"type": kind, "sequence_number": next(numbers), **values})

    begun = {**reply, "status": "in_progress", "output": [], "usage": None}
    yield say("response.created", response=begun)
    yield say("response.in_progress", response=begun)
    for index, item in enumerate(reply.get("output") or ()):
        place = {"output_index": index, "item_id": item.get("id")}
        yield say("response.output_item.added", output_index=index, item=_begun(item))
        for kind, values in _parts(item):
            yield say(kind, **place, **values)
        yield say("response.output_item.done", output_index=index, item=item)
    yield say("response.completed", response=reply)


def _begun(item: Document) -> Document:
    """An item before its parts have come."""
    empty: Document = {"status": "in_progress"} if "status" in item else {}
    for name, nothing in (("content", []), ("arguments", ""), ("input", ""), ("summary", [])):
        if item.get(name) is not None:
            empty[name] = nothing
    return item | empty


def _parts(item: Document) -> Iterator[tuple[str, Document]]:
    if item.get("type") == "function_call":
        arguments = item.get("arguments") or ""
        yield "response.function_call_arguments.delta", {"delta": arguments}
        yield "response.function_call_arguments.done", {"arguments": arguments}
    if item.get("type") != "message":
        return
    for index, part in enumerate(item.get("content") or ()):
        place = {"content_index": index}
        yield "response.content_part.added", place | {"part": part | ({"text": ""} if "text" in part else {})}
        if part.get("type") == "output_text":
            yield "response.output_text.delta", place | {"delta": part.get("text", ""), "logprobs": []}
            yield "response.output_text.done", place | {"text": part.get("text", ""), "logprobs": []}
        yield "response.content_part.done", place | {"part": part}


def failed_message(document: Document) -> str:
    """An error after an Anthropic stream has begun."""
    return event("error", document)


def failed_completion(document: Document) -> str:
    """An error after a stream of chat completions has begun."""
    return _data(document)


def failed_response(document: Document) -> str:
    """An error after a stream of a response has begun."""
    error = {"code": "server_error", "message": document["error"]["message"]}
    return event(
        "response.failed",
        {
            "type": "response.failed",
            "sequence_number": 0,
            "response": {"id": "resp_failed", "object": "response", "status": "failed", "error": error, "output": []},
        },
    )
