"""The data-science agent of AgenticDataBench: a ReAct loop with text actions, a short memory and hard stops."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, ModelOutput, get_model

from benchwright.errors import InputError
from benchwright.files import read_text
from benchwright.live.agents.da_agent_actions import Action, Bash, Parser, PythonFile, Sql, Terminate, action_in
from benchwright.live.attempt import LimitReached, Live, live
from benchwright.live.prompts import Prompts
from benchwright.sandbox.base import Command, Exec, Outcome, Shell

WORKSPACE = "/workspace"
NOTHING_SHOWN = "executed successfully. No output."
_MOVES = re.compile(r"\b(?:cd|pushd|popd|exit|exec|logout|kill)\b")
"""What may change the shell's folder, or end the shell."""

_SQL_PROGRAM = Path(__file__).with_name("da_agent_sql.py")


@dataclass(frozen=True, slots=True)
class Settings:
    """How the agent is run; the defaults are the paper's, but for the parser.

    `window` is how many steps the model sees, `step_seconds` the most that an action may take, `shown` the characters
    of an observation, `unread` how many replies without an action are borne.
    """

    parser: Parser = "fixed"
    max_steps: int = 80
    window: int = 15
    step_seconds: float = 60.0
    shown: int = 3000
    unread: int = 3


PRESETS = {"": Settings(), "published": Settings(parser="published")}


@agent
def da_agent(prompts: Prompts | None = None, preset: str = "") -> Agent:
    """The agent as published; with preset `published` the faults of its parser, too."""
    if preset not in PRESETS:
        raise InputError(f"agent da_agent has no preset {preset!r}", expected=" or ".join(filter(None, PRESETS)))
    words, settings = prompts or Prompts(), PRESETS[preset]

    async def execute(state: AgentState) -> AgentState:
        conversation = _Conversation(state, words, settings)
        while not live().handed_in:
            await conversation.turn()
        return state

    return execute


class _Conversation:
    """One attempt's talk with the model: the log keeps all of it, the model sees the last steps."""

    def __init__(self, state: AgentState, prompts: Prompts, settings: Settings) -> None:
        self.state, self.prompts, self.settings = state, prompts, settings
        self.model = get_model()
        self.hands = Hands(live(), settings)
        self.pairs: list[tuple[ChatMessage, ChatMessage]] = []
        self.last: Action | None = None
        self.unread = self.repeated = 0
        self.opening = self._opening()
        self.state.messages = list(self.opening)

    def _opening(self) -> tuple[ChatMessage, ChatMessage]:
        settings = self.settings
        system = self.prompts.render(
            "da_agent",
            max_steps=str(self._most()),
            step_seconds=f"{self.hands.seconds:g}",
            window=str(settings.window),
            shown=str(settings.shown),
        )
        task = "\n\n".join(message.text for message in self.state.messages)
        first = self.prompts.render("da_agent_begin", task=task)
        return ChatMessageSystem(content=system), ChatMessageUser(content=first)

    def _most(self) -> int:
        return round(self.settings.max_steps * live().raised)

    async def turn(self) -> None:
        """One reply of the model, and what its action comes to."""
        if live().step() > self._most():
            raise LimitReached("messages", f"{self._most()} steps without Terminate")
        output = self.state.output = await self._reply()
        self.state.messages.append(output.message)
        action = action_in(output.completion, self.settings.parser)
        observed = self._unread() if action is None else await self._act(action)
        observation = ChatMessageUser(content=f"Observation: {observed}")
        self.state.messages.append(observation)
        self.pairs.append((output.message, observation))

    async def _reply(self) -> ModelOutput:
        """The model's next reply; where the steps that it is shown do not fit, the oldest is left out."""
        while True:
            self.pairs = self.pairs[-self.settings.window :]
            output = await self.model.generate([*self.opening, *_flat(self.pairs)])
            if output.stop_reason != "model_length":
                return output
            if not self.pairs:
                raise LimitReached("tokens", "the task alone does not fit the model's context")
            del self.pairs[0]

    def _unread(self) -> str:
        self.unread += 1
        if self.unread > self.settings.unread:
            raise LimitReached("messages", f"{self.unread} replies without an action that could be read")
        return self.prompts.text("da_agent_unread")

    async def _act(self, action: Action) -> str:
        self.repeated = self.repeated + 1 if action == self.last else 0
        self.last = action
        if self.repeated >= 2:
            raise LimitReached("messages", "the same action three times in a row")
        if self.repeated:
            return self.prompts.text("da_agent_repeated")
        if isinstance(action, Terminate):
            live().submit(action.output)
            return "the task is ended"
        return await self.hands.carry_out(action)


def _flat(pairs: Sequence[tuple[ChatMessage, ChatMessage]]) -> list[ChatMessage]:
    return [message for pair in pairs for message in pair]


class Hands:
    """Carries actions out in the attempt's sandbox; `seconds` is how long one may take."""

    def __init__(self, here: Live, settings: Settings) -> None:
        self.here, self.settings = here, settings
        self.seconds = min(settings.step_seconds * here.raised, here.machine.spec.limits.step_seconds)
        self.folder = WORKSPACE

    async def carry_out(self, action: Bash | PythonFile | Sql) -> str:
        """What the agent is shown of an action."""
        match action:
            case Bash():
                return self._cut(await self._bash(action.code))
            case PythonFile():
                return self._cut(await self._python(action))
            case Sql():
                return self._cut(await self._sql(action))

    def _cut(self, text: str) -> str:
        if len(text) <= self.settings.shown:
            return text
        left_out = len(text) - self.settings.shown
        return f"{text[: self.settings.shown]}\n[{left_out} more characters are not shown]"

    async def _bash(self, code: str) -> str:
        if "venv" in code and self.settings.parser == "published":
            return "Creating a Python environment is not allowed."
        outcome = await self.here.run(Shell(code, self.seconds))
        shown = _shown("Command", outcome)
        if not (outcome.limit or outcome.exit_code or _MOVES.search(code)):
            return shown
        folder = (await self.here.look(Shell("pwd"))).stdout.decode(errors="replace").strip()
        self.folder = folder if folder.startswith("/") else WORKSPACE
        return f"The folder is now {self.folder}" if self._loses_output(code) else shown

    def _loses_output(self, code: str) -> bool:
        return self.settings.parser == "published" and code.startswith("cd ")

    async def _python(self, action: PythonFile) -> str:
        path = posixpath.join(self.folder, action.path)
        try:
            await self.here.write(path, action.code.encode("utf-8", "replace"))
        except (OSError, ValueError) as error:
            return f"ERROR: {action.path} cannot be written: {error}"
        return await self._run(action.path, Exec(("python3", path), cwd=self.folder, seconds=self.seconds))

    async def _sql(self, action: Sql) -> str:
        request = json.dumps({"path": action.path, "command": action.command, "output": action.output})
        program = ("python3", "-c", read_text(_SQL_PROGRAM))
        command = Exec(program, request.encode(), cwd=self.folder, seconds=self.seconds)
        return await self._run("SQL command", command)

    async def _run(self, what: str, command: Command) -> str:
        return _shown(what, await self.here.run(command))


def _shown(what: str, outcome: Outcome) -> str:
    text = (outcome.stdout + outcome.stderr).decode(errors="replace").strip("\n")
    if outcome.limit:
        return f"ERROR: ended by the {outcome.limit} limit after {outcome.seconds:.0f} s\n{text}"
    if outcome.exit_code:
        return f"{text}\n[exit code {outcome.exit_code}]" if text else f"ERROR: exit code {outcome.exit_code}"
    return text or f"{what} {NOTHING_SHOWN}"
