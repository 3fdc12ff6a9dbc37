"""Models behind Inspect's model interface: our scripted model as one of them, and any of them as our ChatModel."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    ResponseSchema,
    modelapi,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo
from inspect_ai.util import JSONSchema

from benchwright.chat.base import Message, Reply
from benchwright.chat.scripted import ScriptedReply, perform, script_named
from benchwright.errors import Broken, Fault
from benchwright.live.usage import usage_of

_DEFAULT = GenerateConfig()


@modelapi(name="scripted")
class ScriptedAPI(ModelAPI):
    """`scripted/<name>`: plays a registered script, or a script file by its path."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = _DEFAULT,
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        script_named(model_name)  # a script that is not there is said now, not at the first turn

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """The script's next line, always with its usage: without it Inspect would fetch a tokenizer to count."""
        reply = await perform(script_named(self.model_name), [_plain(message) for message in input])
        turn = sum(message.role == "assistant" for message in input)
        return _output(reply, f"scripted/{self.model_name}", turn)

    def max_connections(self) -> int:
        """A script serves any number at once."""
        return 1000


def _plain(message: ChatMessage) -> Message:
    """A message as a script sees it: what a tool answered is the user's part of the conversation."""
    role = message.role if message.role in ("system", "assistant") else "user"
    return Message(role=role, text=message.text)


def _output(reply: ScriptedReply, model: str, turn: int) -> ModelOutput:
    calls = [
        ToolCall(id=f"call_{turn}_{index}", function=call.tool, arguments=call.arguments)
        for index, call in enumerate(reply.calls)
    ]
    message = ChatMessageAssistant(content=reply.text, tool_calls=calls or None, model=model, source="generate")
    return ModelOutput(
        model=model,
        choices=[ChatCompletionChoice(message=message, stop_reason="tool_calls" if calls else "stop")],
        usage=_usage(reply),
    )


def _usage(reply: ScriptedReply) -> ModelUsage:
    used = reply.usage
    return ModelUsage(
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        total_tokens=used.input_tokens + used.output_tokens + used.cache_read_tokens + used.cache_write_tokens,
        input_tokens_cache_read=used.cache_read_tokens or None,
        input_tokens_cache_write=used.cache_write_tokens or None,
        reasoning_tokens=used.reasoning_tokens or None,
    )


class InspectChat:
    """Any model that Inspect can reach, as a `ChatModel`."""

    def __init__(self, model: Model, config: GenerateConfig = _DEFAULT) -> None:
        self.name = str(model)
        self._model, self._config = model, config

    async def reply(self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None) -> Reply:
        """One reply; a provider that knows no structured output is left to follow the prompt."""
        config = self._config
        if schema is not None:
            form = ResponseSchema(name="reply", json_schema=JSONSchema.model_validate(schema))
            config = config.merge(GenerateConfig(response_schema=form))
        try:
            output = await self._model.generate([_inspect(message) for message in messages], config=config)
        except Exception as error:
            raise Broken(Fault.MODEL, f"{self.name} did not reply", found=f"{type(error).__name__}: {error}") from error
        return Reply(text=output.completion, model=output.model, usage=usage_of(output.usage))


def _inspect(message: Message) -> ChatMessage:
    if message.role == "system":
        return ChatMessageSystem(content=message.text)
    if message.role == "user" and message.pictures:
        shown = [ContentImage(image=f"data:{_kind(path)};base64,{_base64(path)}") for path in message.pictures]
        return ChatMessageUser(content=[ContentText(text=message.text), *shown])
    if message.role == "user":
        return ChatMessageUser(content=message.text)
    return ChatMessageAssistant(content=message.text)


def _kind(path: Path) -> str:
    return "image/jpeg" if path.suffix.lower() in {".jpg", ".jpeg"} else "image/png"


def _base64(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode("ascii")
