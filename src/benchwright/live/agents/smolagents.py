"""smolagents' CodeAgent: the library's own loop, prompts and parsing, with our model calls and our sandbox under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, get_model

from benchwright.errors import EnvironmentFault, InputError
from benchwright.files import read_text
from benchwright.live.agents.snippets import data_file
from benchwright.live.agents.synchronous import Asking, in_a_thread
from benchwright.live.attempt import LimitReached, Live, live
from benchwright.live.prompts import Prompts
from benchwright.live.suites import suite_at
from benchwright.sandbox.base import Outcome, Python

_INSIDE = Path(__file__).with_name("smolagents_inside.py")
_PLACE = "/tmp/.final_answer"  # noqa: S108 - inside the sandbox; what is forged there is the agent's own answer


@dataclass(frozen=True, slots=True)
class Settings:
    """How CodeAgent is run; the defaults are AgenticDataBench's.

    `planning` is how many steps lie between two plans, None for no plans; of `imports` "*" allows all. `context`: the
    model is given the task as every agent is, else only the question and the path of the data file.
    """

    max_steps: int = 40
    planning: int | None = 3
    step_seconds: float = 300.0
    imports: tuple[str, ...] = ("*",)
    context: bool = True


_DSBC_IMPORTS = ("pandas", "numpy", "scipy", "sklearn", "matplotlib", "seaborn", "re", "math", "datetime")
_DSBC_8 = Settings(max_steps=8, planning=None, step_seconds=90.0, imports=_DSBC_IMPORTS, context=False)
_DSBC_5 = Settings(max_steps=5, planning=None, step_seconds=90.0, imports=_DSBC_IMPORTS, context=False)

PRESETS = {"": Settings(), "dsbc-8": _DSBC_8, "dsbc-5": _DSBC_5}
"""DSBC's paper says 8 steps in one place (section 7.3) and 5 in another (appendix B)."""


def library_version() -> str:
    """The version of smolagents that is installed. Errors: EnvironmentFault where it is not."""
    try:
        return version("smolagents")
    except PackageNotFoundError as error:
        raise EnvironmentFault("smolagents is not installed", hint="pip install 'benchwright[smolagents]'") from error


@agent
def smolagents(prompts: Prompts | None = None, preset: str = "") -> Agent:
    """CodeAgent, working in the attempt's sandbox; the library is looked for at once, and imported in the attempt."""
    if preset not in PRESETS:
        raise InputError(f"agent smolagents has no preset {preset!r}", expected=" or ".join(filter(None, PRESETS)))
    library_version()
    words, settings = prompts or Prompts(), PRESETS[preset]

    async def execute(state: AgentState) -> AgentState:
        here = live()
        task = "\n\n".join(message.text for message in state.messages) if settings.context else _bare(here, words)
        talk = _Talk(state, here, words, settings)
        answer, finished = await in_a_thread(lambda asking: talk.work(asking, task))
        here.submit(answer)
        if not finished:
            raise LimitReached("messages", f"{talk.most} steps without a final answer")
        return state

    return execute


def _bare(here: Live, prompts: Prompts) -> str:
    """The question and the path of the data file, and nothing else."""
    path = data_file(here.task, suite_at(str(here.suite))).inside
    return prompts.render("smolagents_dsbc", question=here.question, path=path)


class _Talk:
    """One attempt: what the library's agent asks of the model and of the sandbox."""

    def __init__(self, state: AgentState, here: Live, prompts: Prompts, settings: Settings) -> None:
        self.state, self.here, self.prompts, self.settings = state, here, prompts, settings
        self.model = get_model()
        self.most = round(settings.max_steps * here.raised)
        self.seconds = min(settings.step_seconds * here.raised, here.machine.spec.limits.step_seconds)

    def work(self, asking: Asking, task: str) -> tuple[str, bool]:
        """The library's loop, in a thread: the final answer, and whether the agent itself gave it."""
        from benchwright.live.agents.smolagents_library import Setup, solve

        def reply(messages: list[ChatMessage], step: int, stops: Sequence[str]) -> ModelOutput:
            return asking.ask(lambda: self.reply(messages, step, stops))

        def run(code: str) -> tuple[Outcome, str | None]:
            return asking.ask(lambda: self.run(code))

        settings = self.settings
        setup = Setup(self.most, settings.planning, settings.imports, self._instructions(), str(self.model))
        return solve(task, setup, reply, run)

    def _instructions(self) -> str:
        """What is added to the library's own prompt."""
        return self.prompts.render("smolagents", step_seconds=f"{self.seconds:g}") if self.settings.context else ""

    async def reply(self, messages: list[ChatMessage], step: int, stops: Sequence[str]) -> ModelOutput:
        """One reply of the model; plans belong to the step that follows them."""
        while self.here.steps < min(step, self.most):
            self.here.step()
        config = GenerateConfig(stop_seqs=list(stops)) if stops else GenerateConfig()
        output = await self.model.generate(messages, config=config)
        self.state.output = output
        self.state.messages = [*messages, output.message]
        if output.stop_reason == "model_length":
            raise LimitReached("tokens", "the conversation no longer fits the model's context")
        return output

    async def run(self, code: str) -> tuple[Outcome, str | None]:
        """Run a step's code; with it the final answer, where the code gave one."""
        await self.here.look(Python(_prepared(), self.seconds))
        outcome = await self.here.look(Python(code, self.seconds))
        answer = await self._answer() if outcome.exit_code and not outcome.limit else None
        failed = answer is None and bool(outcome.exit_code or outcome.limit)
        shown = (outcome.stdout + outcome.stderr).decode(errors="replace")
        self.here.made.ran("python", code, shown, failed=failed, limit=outcome.limit)
        return outcome, answer

    async def _answer(self) -> str | None:
        try:
            return (await self.here.read(_PLACE)).decode(errors="replace")
        except OSError:
            return None


def _prepared() -> str:
    """Code that puts `final_answer` into the agent's namespace, and nothing else, whatever was there."""
    text = read_text(_INSIDE)
    return f"_ = {{}}\nexec({text!r}, _)\nfinal_answer = _['final_answer_at']({_PLACE!r})\ndel _"
