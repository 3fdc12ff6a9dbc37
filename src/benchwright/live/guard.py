"""A guard between an agent and its model: replies are whole, of bearable size, counted, and hold no key of ours."""

from __future__ import annotations

import functools
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import Model, ModelCall, ModelOutput, ModelUsage

from benchwright.errors import Broken, Fault
from benchwright.live.attempt import current_attempt
from benchwright.live.blame import causes
from benchwright.live.session import current
from benchwright.run.secrecy import cleared, cleared_values

REPLY_CHARACTERS = 2_000_000
"""The longest reply that is taken: several times what any model may write."""

REPLY_BYTES = 32_000_000
"""The most that is read of one response, unpacked; a server that never ends would fill the memory."""

_GUARDED = "_benchwright_guarded"
_MESSAGES = ("message", "body", "text", "provider_message")
"""Where exceptions of providers keep what the server said, besides their arguments."""

Generate = Callable[..., Awaitable[Any]]


def guarded(model: Model) -> Model:
    """The same model, its calls guarded; once is enough."""
    api = model.api
    if not hasattr(api, _GUARDED):
        setattr(api, _GUARDED, True)
        api.generate = _guard(model, api.generate)  # type: ignore[method-assign,assignment]
        _bound_responses(api)
    return model


def _guard(model: Model, generate: Generate) -> Generate:
    name = str(model)

    @functools.wraps(generate)
    async def call(*arguments: Any, **named: Any) -> Any:
        session = current()
        if session is not None:
            await session.pace.turn()
        try:
            answer = await generate(*arguments, **named)
        except Exception as error:
            _clear_last_call()
            if (shown := _plain(error)) is error:
                raise
            raise shown from None
        output, record = answer if isinstance(answer, tuple) else (answer, None)
        if record is not None:
            _clear_record(record)
        if isinstance(output, Exception):
            return _plain(output), record
        output = _whole(name, output)
        _count(name, output)
        return output if record is None else (output, record)

    return call


def _plain(error: Exception) -> Exception:
    """The error to show: our own where one lies beneath (a client wraps it, and would try again), without any key."""
    for part in causes(error):
        part.args = tuple(cleared_values(list(part.args)))
        for name in _MESSAGES:
            said = getattr(part, name, None)
            if isinstance(said, str | dict) and (clear := cleared_values(said)) != said:
                _set(part, name, clear)
    return next((part for part in causes(error) if isinstance(part, Broken)), error)


def _set(error: BaseException, name: str, value: object) -> None:
    try:
        setattr(error, name, value)
    except AttributeError:  # it is made from the arguments, which are clear by now
        return


def _clear_last_call() -> None:
    """A call that failed stands in the transcript already, with what the server answered."""
    for event in reversed(transcript().events):
        if isinstance(event, ModelEvent):
            if event.call is not None:
                _clear_record(event.call)
            return


def _clear_record(record: ModelCall) -> None:
    record.request = _text_only(cleared_values(record.request))
    record.response = _text_only(cleared_values(record.response))


def _text_only(value: Any) -> Any:
    """JSON values without half characters, which no log can hold."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", errors="replace").decode()
    if isinstance(value, dict):
        return {_text_only(name): _text_only(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_text_only(item) for item in value]
    return value


def _whole(name: str, output: ModelOutput) -> ModelOutput:
    """A reply that can be worked with. Errors: Broken(model) where there is none, or no end of it."""
    if output.error:
        raise Broken(Fault.MODEL, f"{name} replied with an error", found=cleared(output.error)[:500])
    if not output.choices:
        raise Broken(Fault.MODEL, f"{name} gave a reply without any choice")
    plain = output.model_dump()
    if (size := _characters(plain["choices"])) > REPLY_CHARACTERS:
        raise Broken(
            Fault.MODEL,
            f"{name} gave a reply that is too long",
            found=f"{size:,} characters",
            expected=f"at most {REPLY_CHARACTERS:,}",
        )
    clear = _text_only(cleared_values(plain))
    return output if clear == plain else ModelOutput.model_validate(clear)


def _characters(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_characters, value.values()))
    return sum(map(_characters, value)) if isinstance(value, list | tuple) else 0


def _count(name: str, output: ModelOutput) -> None:
    """Note that the model answers, and whether it said what the reply took; a reply that did not is not free."""
    session, attempt = current(), current_attempt()
    if session is not None:
        session.answered.add(name)
    counted = _counted(output.usage)
    output.usage = output.usage if counted else None
    if attempt is not None:
        attempt.made.heard(output, name)
    if attempt is not None and output.usage is not None:
        attempt.unpaid.append((name, output.usage))
    if counted:
        return
    if attempt is not None:
        attempt.uncounted += 1
    if session is not None:
        session.uncounted(name, attempt.uuid if attempt else "")
    limit = attempt.machine.spec.limits.cost_usd if attempt else None
    if limit is not None:
        raise Broken(
            Fault.MODEL,
            f"{name} gave a reply without its usage",
            found="cost unknown",
            expected=f"tokens in every reply, as the attempt's limit of ${limit:g} cannot be held otherwise",
        )


def _counted(usage: ModelUsage | None) -> bool:
    """Whether a reply says its tokens: some, and none of them negative."""
    if usage is None:
        return False
    parts = (usage.input_tokens, usage.output_tokens, usage.input_tokens_cache_read, usage.input_tokens_cache_write)
    return all(part is None or part >= 0 for part in parts) and any(parts)


def _bound_responses(api: Any) -> None:
    """Bound what is read of a response, where the provider's client can be told so; else only replies are bounded."""
    client = getattr(getattr(api, "client", None), "_client", None)
    hooks = getattr(client, "event_hooks", None)
    if isinstance(hooks, dict) and sys.modules.get(type(client).__module__.partition(".")[0]) is not None:
        hooks.setdefault("response", []).append(_bound)
        client.event_hooks = hooks  # type: ignore[union-attr]


async def _bound(response: Any) -> None:
    read = response.aiter_bytes

    async def bounded(*arguments: Any, **named: Any) -> AsyncIterator[bytes]:
        total = 0
        async for part in read(*arguments, **named):
            total += len(part)
            if total > REPLY_BYTES:
                raise Broken(Fault.MODEL, "a server's response has no end", found=f"more than {REPLY_BYTES:,} bytes")
            yield part

    response.aiter_bytes = bounded
