"""Agents that are programs of others: started in the sandbox, they reach their model over the bridge, and no more."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

import anyio
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import get_model

from benchwright.errors import Broken, Fault
from benchwright.importers import importer
from benchwright.live.agents.harness import HOME, PROMPT, RESULT, STDERR, STDOUT, WORKSPACE, Harness, Places, model_name
from benchwright.live.attempt import LimitReached, Live, live
from benchwright.live.bridge import ModelBridge
from benchwright.live.machine import in_thread
from benchwright.live.prompts import Prompts
from benchwright.sandbox.base import Exec, Outcome, Spent
from benchwright.trajectory import Broke, FinalAnswer, Trajectory

SECONDS: Final = 3600.0
"""How long a program may work on a task, as AgenticDataBench's paper has it."""

_START: Final = 'mkdir -p "$HOME" && log=$1 && input=$2 && shift 2 && exec "$@" <"$input" >"$log" 2>"$log.err"'
"""The only shell text, and no place in it is filled: whatever comes from data comes as an argument."""

_MOST_ANSWER: Final = 1 << 20
_MOST_LOG: Final = 16 << 20
_SHOWN_ERROR: Final = 2000
_CLOSING_SECONDS: Final = 20.0


@agent
def command(harness: Harness, prompts: Prompts | None = None) -> Agent:
    """A program that works on the task until it ends, or until its time is over."""
    words = prompts or Prompts()

    async def execute(state: AgentState) -> AgentState:
        attempt = _Attempt(harness, words, live(), state)
        try:
            await attempt.carry_out()
        finally:
            with anyio.CancelScope(shield=True):
                await attempt.keep_logs()
        return attempt.bridge.state

    return execute


class _Attempt:
    """One program at one task."""

    def __init__(self, harness: Harness, prompts: Prompts, here: Live, state: AgentState) -> None:
        self.harness, self.here = harness, here
        here.unseen = True
        self.bridge = ModelBridge(here, state)
        self._written = ""
        self._answers = any(output.kind == "answer" for output in here.task.outputs)
        named = (output.file for output in here.task.outputs if output.kind == "answer" and output.file)
        self._file = next(named, RESULT)
        task = "\n\n".join(message.text for message in state.messages if message.role == "user")
        if self._answers:
            self._prompt = prompts.render("program_answer", task=task, file=self._file)
        else:
            self._prompt = prompts.render("program_files", task=task)

    async def carry_out(self) -> None:
        """Start the program, wait for its end, and hand in what it left."""
        outcome = await self.bridge.serve(self._run)
        await self._conclude(outcome)

    async def _run(self, address: str) -> Outcome:
        places = Places(self._prompt, address, model_name(str(get_model())))
        sandbox = await self.here.sandbox()
        await in_thread(sandbox.write, PROMPT, self._prompt.encode())
        for path, text in self.harness.files.items():
            await in_thread(sandbox.write, path, places.fill(text).encode())
        environment = {name: places.fill(text) for name, text in self.harness.environment.items()}
        given = PROMPT if self.harness.task_on_stdin else "/dev/null"
        argv = ("/bin/sh", "-c", _START, "sh", STDOUT, given, *map(places.fill, self.harness.argv))
        return await self.here.machine.run(
            Exec(
                argv=argv, cwd=WORKSPACE, environment={"HOME": HOME, **environment}, seconds=SECONDS * self.here.raised
            )
        )

    async def _conclude(self, outcome: Outcome) -> None:
        """What a program's end means. Raises what the attempt's ending is, unless an answer is handed in.

        What it left in files counts however it ended; what it said last counts only where it ended well.
        """
        if outcome.limit in ("step", "wall"):
            raise LimitReached("wall", f"{self.harness.name} was ended after {outcome.seconds:.0f} seconds")
        answer = (await self._read(f"{WORKSPACE}/{self._file}", _MOST_ANSWER)).strip() if self._answers else ""
        self._written = answer
        if answer or (not self._answers and await self._left_outputs()):
            self.here.submit(answer or None)
            return
        if outcome.limit:
            raise LimitReached(outcome.limit, f"{self.harness.name} ended with exit code {outcome.exit_code}")
        if outcome.exit_code:
            await self._crashed(outcome)
        if self._answers and (said := (await self._last_words()).strip()):
            self.here.submit(said[:_MOST_ANSWER])
        elif self.bridge.refused is not None:
            raise self.bridge.refused

    async def _last_words(self) -> str:
        """What the program said last, unless its log says that it failed."""
        if self.harness.prints_answer:
            return await self._read(self.harness.log, _MOST_LOG)
        told = await self._trajectory()
        if told is None or isinstance(told.ending, Broke):
            return ""
        if told.answer is not None and told.answer.source != "result_file":
            return told.answer.text
        return told.steps[-1].text if told.steps else ""

    async def _trajectory(self) -> Trajectory | None:
        """What the program's log tells of the attempt so far; None where no importer reads it."""
        log = await self._read(self.harness.log, _MOST_LOG) if self.harness.log_format else ""
        return await in_thread(_parsed, self.harness.log_format, log) if log else None

    async def _crashed(self, outcome: Outcome) -> None:
        """The model's fault where its server refused the last request; else the program's own."""
        if self.bridge.refused is not None:
            raise self.bridge.refused
        said = await self._read(STDERR, _MOST_LOG) or await self._read(STDOUT, _MOST_LOG)
        raise Broken(
            Fault.AGENT,
            f"{self.harness.name} ended with exit code {outcome.exit_code} after {self.bridge.replies} replies",
            found=said.strip()[-_SHOWN_ERROR:] or outcome.stderr.decode(errors="replace")[-_SHOWN_ERROR:],
        )

    async def _left_outputs(self) -> bool:
        """Whether any of the files that the task asks for is there."""
        names = [f"{WORKSPACE}/{output.name}" for output in self.here.task.outputs]
        return (await self.here.machine.run(Exec(("/bin/ls", "-d", "--", *names)))).stdout != b""

    async def _read(self, path: str, most: int) -> str:
        """The end of a file of the sandbox; empty where there is none."""
        sandbox = await self.here.sandbox()
        with suppress(OSError):
            data = await in_thread(sandbox.read, path)
            return data[-most:].decode(errors="replace")
        return ""

    async def keep_logs(self) -> None:
        """Keep what the program wrote of itself, and what it tells; also where it was ended.

        Of a sandbox that is gone nothing is kept.
        """
        if not self.here.machine.started:
            return
        kept = {STDOUT: "stdout", STDERR: "stderr", self.harness.log: "log"}
        with suppress(Broken, Spent, RuntimeError), anyio.move_on_after(_CLOSING_SECONDS):
            for path, kind in kept.items():
                if text := await self._read(path, _MOST_LOG):
                    self.here.keep_log(f"{self.harness.name}.{kind}", text)
            self.here.told = self._with_answer(await self._trajectory())

    def _with_answer(self, told: Trajectory | None) -> Trajectory | None:
        """What is told, with the answer that was handed in where that stood in the file for it."""
        if told is None or not self._written:
            return told
        return told.model_copy(update={"answer": FinalAnswer(text=self._written, source="result_file")})


def _parsed(log_format: str, log: str) -> Trajectory | None:
    """The last attempt that a log holds."""
    with tempfile.TemporaryDirectory(prefix="benchwright-") as folder:
        path = Path(folder) / "log"
        path.write_text(log, encoding="utf-8", errors="replace")
        found = importer(log_format).parse(path)
    return found[-1] if found else None
