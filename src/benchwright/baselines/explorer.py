"""A baseline that discovers: it searches names, headers and values for the question's words, then computes."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from importlib.resources import files

from benchwright.errors import Broken, Fault
from benchwright.sandbox.base import Exec, Sandbox
from benchwright.task import Task
from benchwright.trajectory import Submission

_PROGRAM = "/tmp/explore.pyz"  # noqa: S108 - a path inside the sandbox, which has a /tmp of its own
_EPOCH = (1980, 1, 1, 0, 0, 0)


class Explorer:
    """Sends its program into the sandbox, runs it once, and hands in what that prints. Uses no model."""

    name = "explorer"
    needs_sandbox = True

    def __init__(self, python: str = "python3") -> None:
        self.python = python

    def attempt(self, task: Task, sandbox: Sandbox | None, seed: int) -> Submission:  # noqa: ARG002 - the protocol's
        """The program's answer; a table is left in the workspace under its name."""
        if sandbox is None:
            raise Broken(
                Fault.SANDBOX, "the explorer needs a sandbox", found="none", expected="one with the task's data"
            )
        sandbox.write(_PROGRAM, program())
        command = Exec(
            (self.python, _PROGRAM), input=json.dumps(request(task)).encode(), seconds=task.limits.step_seconds
        )
        outcome = sandbox.run(command)
        return Submission(answer=_answer(outcome.stdout), accesses=sandbox.accessed())

    def files(self, task: Task) -> Mapping[str, bytes]:  # noqa: ARG002 - the protocol's
        """None."""
        return {}


def request(task: Task) -> dict[str, object]:
    """What the program is told: nothing but what the task states."""
    table = next((output for output in task.outputs if output.kind == "table"), None)
    return {
        "question": task.question,
        "guidelines": task.guidelines,
        "roots": [mount.target for mount in task.data],
        "table": table.name if table else None,
        "description": table.description if table else "",
    }


def program() -> bytes:
    """The package `explore` as a zip application; equal bytes on every machine."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("__main__.py", _EPOCH), "from explore.main import main\n\nmain()\n")
        for source in sorted(files("benchwright.baselines.explore").iterdir(), key=lambda item: item.name):
            if source.name.endswith(".py"):
                archive.writestr(zipfile.ZipInfo(f"explore/{source.name}", _EPOCH), source.read_bytes())
    return packed.getvalue()


def _answer(stdout: bytes) -> str | None:
    try:
        answer = json.loads(stdout.splitlines()[-1])["answer"]
    except (ValueError, IndexError, KeyError, TypeError):
        return None
    return answer if isinstance(answer, str) else None
