"""smolagents' CodeAgent with its model and its executor replaced: the one module that imports it, imported late."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, ModelOutput
from smolagents import CodeAgent, LogLevel, Model
from smolagents.local_python_executor import CodeOutput, PythonExecutor
from smolagents.models import ChatMessage as LibraryMessage
from smolagents.models import (
    MessageRole,
    get_clean_message_list,
    remove_content_after_stop_sequences,
    tool_role_conversions,
)
from smolagents.monitoring import TokenUsage
from smolagents.utils import BASE_BUILTIN_MODULES

from benchwright.sandbox.base import Outcome

_READ_CHARACTERS = 64_000
_READ_BLOCKS = 50
"""What the library is given of a reply: its patterns take quadratic time on blocks that begin and never end."""

_LOG_CHARACTERS = 50_000
"""What the model is shown of a step's output, as much as the library's own executor shows."""

Reply = Callable[[list[ChatMessage], int, Sequence[str]], ModelOutput]
"""A conversation, the number of the step and the texts to stop at, to the model's reply."""

Run = Callable[[str], tuple[Outcome, str | None]]
"""Code to what it did, and the final answer where it gave one."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How the library's agent is made; `planning` and `imports` as in its settings, `model` names the model."""

    max_steps: int
    planning: int | None
    imports: tuple[str, ...]
    instructions: str
    model: str


def solve(task: str, setup: Setup, reply: Reply, run: Run) -> tuple[str, bool]:
    """Run the library's loop: the final answer, and whether the agent itself gave it.

    The library's executor for this process is never made: it would run the model's code here. At its last step the
    library asks the model for an answer without any more work; that counts as unfinished.
    """
    model = _InspectModel(setup.model, reply)
    made = CodeAgent(
        tools=[],
        model=model,
        executor=_SandboxPython(setup.imports, run),
        planning_interval=setup.planning,
        additional_authorized_imports=list(setup.imports),
        max_steps=setup.max_steps,
        instructions=setup.instructions or None,
        verbosity_level=LogLevel.OFF,
    )
    model.step = lambda: made.step_number
    result = made.run(task, return_full_result=True)
    return "" if result.output is None else str(result.output), result.state == "success"


class _InspectModel(Model):  # type: ignore[misc]
    """The library's model, calling ours."""

    def __init__(self, name: str, reply: Reply) -> None:
        super().__init__(model_id=name)
        self.reply = reply
        self.step: Callable[[], int] = lambda: 1

    def generate(self, messages: list[Any], stop_sequences: list[str] | None = None, **_rest: Any) -> LibraryMessage:
        stops = stop_sequences or []
        plain = get_clean_message_list(messages, tool_role_conversions, flatten_messages_as_text=True)
        shown = [_inspect(message["role"].value, message["content"]) for message in plain]
        output = self.reply(shown, self.step(), stops if self.supports_stop_parameter else ())
        text = remove_content_after_stop_sequences(readable(output.completion), stops)
        used = output.usage
        tokens = TokenUsage(used.input_tokens, used.output_tokens) if used else None
        return LibraryMessage(role=MessageRole.ASSISTANT, content=text, token_usage=tokens)


def readable(reply: str) -> str:
    """What is read of a reply: up to 64,000 characters, and up to 50 beginnings of a block of each kind."""
    text = reply[:_READ_CHARACTERS]
    for opening in ("```py", "<code>"):
        text = opening.join(text.split(opening, _READ_BLOCKS + 1)[: _READ_BLOCKS + 1])
    return text


def _inspect(role: str, text: str) -> ChatMessage:
    match role:
        case "system":
            return ChatMessageSystem(content=text)
        case "assistant":
            return ChatMessageAssistant(content=text)
        case _:
            return ChatMessageUser(content=text)


class _SandboxPython(PythonExecutor):  # type: ignore[misc]
    """The library's executor, running code in the attempt's sandbox."""

    def __init__(self, imports: Sequence[str], run: Run) -> None:
        self.imports, self.run = imports, run
        self.state: dict[str, Any] = {}
        """The library looks for `_print_outputs` in it, where code has failed."""

    def send_tools(self, tools: dict[str, Any]) -> None:
        """The one tool is `final_answer`, and it is in the sandbox before every step."""

    def send_variables(self, variables: dict[str, Any]) -> None:
        """None are given."""

    def __call__(self, code_action: str) -> CodeOutput:
        self.state["_print_outputs"] = ""
        refuse_imports(code_action, self.imports)
        outcome, answer = self.run(code_action)
        self.state["_print_outputs"] = logs = _shown(outcome.stdout)
        if answer is not None:
            return CodeOutput(output=answer, logs=logs, is_final_answer=True)
        if outcome.limit:
            raise RuntimeError(f"the code was ended by the {outcome.limit} limit after {outcome.seconds:.0f} s")
        if outcome.exit_code:
            raise RuntimeError(_shown(outcome.stderr) or "the code failed without a word")
        return CodeOutput(output="", logs=logs + _shown(outcome.stderr), is_final_answer=False)


def refuse_imports(code: str, allowed: Sequence[str]) -> None:
    """Errors: ImportError names an import that is not allowed, in the library's words.

    Not a protection: that is the sandbox. Code that cannot be parsed is left to Python to refuse.
    """
    known = {*allowed, *BASE_BUILTIN_MODULES}
    if "*" in known:
        return
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return
    for name in (name for node in ast.walk(tree) for name in _imported(node)):
        if name.partition(".")[0] not in known:
            raise ImportError(f"Import of {name} is not allowed. Authorized imports are: {sorted(known)}")


def _imported(node: ast.AST) -> tuple[str, ...]:
    if isinstance(node, ast.Import):
        return tuple(alias.name for alias in node.names)
    return (node.module,) if isinstance(node, ast.ImportFrom) and node.module else ()


def _shown(output: bytes) -> str:
    text = output.decode(errors="replace")
    if len(text) <= _LOG_CHARACTERS:
        return text
    half = _LOG_CHARACTERS // 2
    return f"{text[:half]}\n[... {len(text) - _LOG_CHARACTERS} characters left out ...]\n{text[-half:]}"
