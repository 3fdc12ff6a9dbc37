"""The plain agent: a model, a shell, a Python, and a way to submit, in a loop."""

from __future__ import annotations

import re

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    ModelOutput,
    execute_tools,
    get_model,
)
from inspect_ai.tool import Tool, tool

from benchwright.errors import InputError
from benchwright.live.agents.blocks import calls_in, up_to_first_call
from benchwright.live.attempt import LimitReached, live
from benchwright.live.prompts import Prompts
from benchwright.sandbox.base import Command, Outcome, Python, Shell

PRESETS = ("native", "text")
"""How a model is given its tools: by its provider's tool calls, or as fenced blocks in plain text."""

MAX_TURNS = 60
MAX_SILENT_TURNS = 3
MAX_REPEATED_TURNS = 10
SHOWN_CHARACTERS = 12_000
_NO_TOOLS = ("tool", "function")
_NUMBER = re.compile(r"\d+")
"""Times, and counters of cells, tell no two outputs of one call apart."""


@tool
def bash() -> Tool:
    """The attempt's shell."""

    async def execute(command: str) -> str:
        """Run a command in a shell that stays open between calls.

        Args:
            command: The command, one or more lines.
        """
        return await _run(Shell(command))

    return execute


@tool
def python() -> Tool:
    """The attempt's Python."""

    async def execute(code: str) -> str:
        """Run Python code in an interpreter that stays open between calls.

        Args:
            code: The code; print what you want to see.
        """
        return await _run(Python(code))

    return execute


@tool
def submit() -> Tool:
    """Handing in."""

    async def execute(answer: str) -> str:
        """Hand in the final answer and end the task.

        Args:
            answer: The answer in the form that the task asks for, and nothing else.
        """
        live().submit(answer)
        return "submitted"

    return execute


async def _run(command: Command) -> str:
    return shown(await live().run(command))


def shown(outcome: Outcome) -> str:
    """What the agent sees of a command: its output, cut in the middle where it is long, and how it ended."""
    text = (outcome.stdout + outcome.stderr).decode(errors="replace")
    if len(text) > SHOWN_CHARACTERS:
        half, left_out = SHOWN_CHARACTERS // 2, len(text) - SHOWN_CHARACTERS
        text = f"{text[:half]}\n[... {left_out} characters left out ...]\n{text[-half:]}"
    if outcome.limit:
        return f"{text}\n[ended by the {outcome.limit} limit]"
    if outcome.exit_code:
        return f"{text}\n[exit code {outcome.exit_code}]"
    return text or "[no output]"


@agent
def react(prompts: Prompts | None = None, preset: str = "") -> Agent:
    """A model that works in the sandbox until it submits.

    With preset `text`, and by itself with a model that refuses tools, the tools are described in words and
    called by fenced blocks; a block is understood from any model that calls no tool.
    """
    if preset not in ("", *PRESETS):
        raise InputError(f"agent react has no preset {preset!r}", expected=" or ".join(PRESETS))
    words, tools = prompts or Prompts(), [bash(), python(), submit()]

    async def execute(state: AgentState) -> AgentState:
        conversation = _Conversation(state, words, tools, text=preset == "text")
        while not live().handed_in:
            await conversation.turn()
        return state

    return execute


class _Conversation:
    """One attempt's talk with the model."""

    def __init__(self, state: AgentState, prompts: Prompts, tools: list[Tool], *, text: bool) -> None:
        self.state, self.prompts, self.tools, self.text = state, prompts, tools, text
        self.model = get_model()
        self.silent = self.repeated = 0
        self.last: list[str] = []
        self.state.messages.insert(0, self._system())

    def _system(self) -> ChatMessage:
        return ChatMessageSystem(content=self.prompts.text("react_text" if self.text else "react"))

    async def turn(self) -> None:
        """One reply of the model, and what it asks for."""
        most = round(MAX_TURNS * live().raised)
        if live().step() > most:
            raise LimitReached("messages", f"{most} turns without a submission")
        output = await self._reply()
        self.state.output = output
        self.state.messages.append(self._said(output))
        if output.stop_reason == "model_length":
            raise LimitReached("tokens", "the conversation no longer fits the model's context")
        answers = await self._act(output)
        self.silent = 0 if answers else self.silent + 1
        if self.silent >= MAX_SILENT_TURNS:
            raise LimitReached("messages", f"{MAX_SILENT_TURNS} turns in a row without a tool call")
        self.state.messages.extend(answers or [self._go_on()])
        if answers:
            self._notice_repetition([_asked(output), *(_NUMBER.sub("0", answer.text) for answer in answers)])

    def _notice_repetition(self, turn: list[str]) -> None:
        """Tell a model that asked again for what it has just seen; end an attempt that does nothing else."""
        self.repeated = self.repeated + 1 if turn == self.last else 0
        self.last = turn
        if self.repeated >= MAX_REPEATED_TURNS:
            raise LimitReached(
                "messages", f"the same call with the same output {MAX_REPEATED_TURNS + 1} times in a row"
            )
        if self.repeated:
            self.state.messages.append(ChatMessageUser(content=self.prompts.text("react_repeated")))

    async def _reply(self) -> ModelOutput:
        if self.text:
            return await self.model.generate(self.state.messages)
        try:
            return await self.model.generate(self.state.messages, tools=self.tools)
        except Exception as error:
            if len(self.state.messages) > 2 or not _refuses_tools(error):
                raise
        self.text = True
        self.state.messages[0] = self._system()
        return await self.model.generate(self.state.messages)

    def _said(self, output: ModelOutput) -> ChatMessage:
        """The reply as it stays in the conversation.

        What follows a first block was written without having seen what it does, is not acted on, and would only be
        imitated; the log's model event holds the whole reply.
        """
        if output.message.tool_calls or not calls_in(output.completion):
            return output.message
        return output.message.model_copy(update={"content": up_to_first_call(output.completion)})

    async def _act(self, output: ModelOutput) -> list[ChatMessage]:
        """The observations after a reply; none where the model called nothing."""
        if output.message.tool_calls:
            result = await execute_tools(self.state.messages, self.tools)
            return list(result.messages)
        return [await self._block(output)] if calls_in(output.completion) else []

    async def _block(self, output: ModelOutput) -> ChatMessage:
        """Act on the first block."""
        call = calls_in(output.completion)[0]
        if call.tool == "submit":
            live().submit(call.text)
            return ChatMessageUser(content="submitted")
        command = Shell(call.text) if call.tool == "bash" else Python(call.text)
        return ChatMessageUser(content=f"Output:\n{await _run(command)}")

    def _go_on(self) -> ChatMessage:
        return ChatMessageUser(content=self.prompts.text("react_text_go_on" if self.text else "react_go_on"))


def _asked(output: ModelOutput) -> str:
    """What a reply asks for, without the numbers that providers give to calls."""
    if calls := output.message.tool_calls:
        return str([(call.function, call.arguments) for call in calls])
    return str(calls_in(output.completion)[:1])


def _refuses_tools(error: Exception) -> bool:
    """Whether a provider says that this model cannot be given tools (a bad request that names them)."""
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    return status in (400, 404, 422, 501) and any(word in str(error).lower() for word in _NO_TOOLS)
