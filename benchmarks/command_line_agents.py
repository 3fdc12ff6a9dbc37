"""The real command-line agents on lake tasks, from prompt to scored answer, with a scripted model behind the bridge.

    python benchmarks/command_line_agents.py [--agents claude_code,codex,mini_swe_agent] [--tasks ID,ID,...] [--out DIR]

The model plays each task's reference solution in one call of the program's own shell tool, so that what is tried is the
way there and back: the program starts, calls its model, runs what the model asks for, and its answer is scored. An agent
that is not installed, and cannot be, is passed over with the reason. Exit code 1 where an attempt did not come through.
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchwright.chat.base import Message
from benchwright.chat.scripted import Script, ScriptedCall, ScriptedReply, register
from benchwright.errors import EnvironmentFault
from benchwright.gold import Gold
from benchwright.sandbox import programs
from benchwright.suite import Selection, Suite
from benchwright.suites import find
from benchwright.task import Task
from benchwright.trajectory import Usage

AGENTS = ("claude_code", "codex", "mini_swe_agent")
TASKS = ("biology_05", "education_03", "finance_04")
MODEL = "scripted/reference-solutions"

_TOOLS = (
    ("Claude", "Bash", "command"),
    ("Codex", "exec_command", "cmd"),
    ("OpenHands", "terminal", "command"),
    ("", "bash", "command"),
)
"""The shell tool of a program that is known by this word in its instructions, and the argument that it takes."""

_LAST = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
"""How mini-swe-agent is told that the work is done."""


def solutions(suite: Suite, ids: Iterable[str]) -> Script:
    """A model that answers each task's question with its reference solution; it knows tasks by their questions."""
    wanted = [(suite.tasks[name], suite.golds[name]) for name in ids]
    return play({task.question: (command_of(task, gold),) for task, gold in wanted})


def command_of(task: Task, gold: Gold) -> str:
    """The reference solution as a line for a shell; what it prints is the answer, unless files are."""
    assert gold.solution is not None
    into = "/workspace/result.txt" if any(output.kind == "answer" for output in task.outputs) else "/dev/null"
    return f"python - > {into} <<'END_OF_SOLUTION'\n{gold.solution.code}\nEND_OF_SOLUTION"


def play(commands: dict[str, Sequence[str | ScriptedReply]]) -> Script:
    """A model that knows questions, and has each program run the commands one by one; then it is done.

    A reply may stand for a command. Every reply takes 1,000 tokens, 600 of them from a cache.
    """

    def script(messages: Sequence[Message]) -> ScriptedReply:
        asked = "\n".join(message.text for message in messages if message.role == "user")
        due = next((lines for question, lines in commands.items() if question in asked), ())
        spoken = sum(message.role == "assistant" for message in messages)
        word, tool, argument = tool_of(messages)
        if spoken < len(due):
            line = due[spoken]
            return line if isinstance(line, ScriptedReply) else say("Working.", call(tool, argument, line))
        return say("Done.") if word else say("Done.", call(tool, argument, _LAST))

    return script


def tool_of(messages: Sequence[Message]) -> tuple[str, str, str]:
    """A program's word, tool and argument, by its instructions."""
    told = "\n".join(message.text for message in messages if message.role == "system")
    return next(known for known in _TOOLS if known[0] in told)


def call(tool: str, argument: str, command: str) -> ScriptedCall:
    asked = {"security_risk": "LOW"} if tool == "terminal" else {}  # OpenHands' tool refuses calls that do not say
    return ScriptedCall(tool=tool, arguments={argument: command, **asked})


def say(text: str, *calls: ScriptedCall) -> ScriptedReply:
    return ScriptedReply(text=text, calls=calls, usage=Usage(input_tokens=400, cache_read_tokens=600, output_tokens=50))


def installed(names: Iterable[str], say: Callable[[str], None]) -> list[str]:
    """Those of the agents that are here, or can be installed; of the others the reason is said."""
    here = []
    for name in names:
        try:
            programs.install(name, say)
        except EnvironmentFault as error:
            say(f"passed over: {error}")
        else:
            here.append(name)
    return here


def main() -> None:
    from benchwright.live.planning import RunRequest, resolve
    from benchwright.live.prompts import Prompts
    from benchwright.live.runner import run

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", default=",".join(AGENTS))
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    ids = tuple(options.tasks.split(","))
    suite = find("lake", complain)
    agents = tuple(installed(options.agents.split(","), complain))
    if not agents:
        sys.exit(0)
    register(MODEL.partition("/")[2], solutions(suite, ids))
    request = RunRequest(agents=agents, models=(MODEL,), selection=Selection(ids=ids), max_parallel=2)
    with tempfile.TemporaryDirectory(prefix="benchwright-agents-") as scratch:
        outcome = run(resolve(request, suite, Prompts()), options.out or Path(scratch) / "run")
        rows = [row_of(outcome, cell) for cell in outcome.scoring.document()["cells"]]
    for row in rows:
        print(json.dumps(row))
    sys.exit(0 if all(row["answered"] == len(ids) and row["EA"] == row["DA"] == 1 for row in rows) else 1)


def row_of(outcome, cell) -> dict[str, object]:
    """One agent's figures: seconds of an attempt from its start to its end, model calls, files read."""
    made = [attempt for key, attempt in outcome.folder.attempts().items() if key.cell == cell["cell"]]
    name = cell["title"].split()[0]
    return {
        "agent": name,
        "version": outcome.folder.spec.versions[name],
        "tasks": len(made),
        "answered": sum(attempt.ending.kind == "answered" for attempt in made),
        "EA": cell["sound"]["mean"],
        "DA": cell["discovery"]["sound"]["mean"],
        "measured": sum(attempt.accesses.kind == "measured" for attempt in made),
        "model_calls": [attempt.steps for attempt in made],
        "tokens": [attempt.usage.input_tokens + attempt.usage.cache_read_tokens for attempt in made],
        "median_seconds": round(statistics.median(attempt.wall_seconds for attempt in made), 1),
    }


def complain(text: str) -> None:
    print(text, file=sys.stderr)


if __name__ == "__main__":
    main()
