"""The text files of a Harbor task: what the agent is told, how its machine is made, how it is solved and judged."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable
from importlib.resources import files
from string import Template
from typing import Any

from benchwright.files import toml_text
from benchwright.gold import Gold, Solution
from benchwright.proving.proofs.solution_runs import program_of
from benchwright.scoring.reward import answer_file
from benchwright.suite import Suite
from benchwright.task import OutputSpec, Task

PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"
PROGRAMS = {"python": "solution.py", "shell": "solution.sh"}
"""By a solution's language, the file that it is written to; others cannot be run there."""
_VERIFIER_SECONDS = 600.0
_VERIFIER_MB = 4096
_PLAIN_ANSWER = "Give the answer alone, as short as it can be."


def render(name: str, **values: str) -> str:
    """A template with its `$places` filled."""
    return Template((files(__package__) / "templates" / name).read_text("utf-8")).substitute(values)


def instruction(task: Task) -> str:
    """What the agent is told; names no data file, because finding those is the task."""
    mounts = [f"- {mount.target}" for mount in task.data]
    return render(
        "instruction.md",
        question=task.question,
        guidelines=task.guidelines or _PLAIN_ANSWER,
        data="\n".join(["The data files are in:", *mounts] if mounts else ["There are no data files."]),
        outputs="\n".join(map(_output, task.outputs)),
    )


def _output(output: OutputSpec) -> str:
    name = output.file or output.name
    what = "the final answer, and nothing but the answer" if output.kind == "answer" else output.kind
    described = f": {output.description}" if output.description else ""
    return f"- /workspace/{name}: {what}{described}"


def configuration(suite: Suite, task: Task, organisation: str, *, network: bool) -> str:
    """`task.toml`. The verifier has a machine of its own, to which only the task's outputs are carried."""
    label, limits = suite.label(task.id), task.limits
    machine = {"cpus": int(limits.cpus) if limits.cpus else None, "memory_mb": limits.memory_mb}
    values: dict[str, Any] = {
        "schema_version": "1.4",
        "artifacts": [f"/workspace/{name}" for name in handed_in_names(task)],
        "task": {"name": f"{organisation}/{suite.name}-{task.id}", "keywords": [suite.name, "data-analysis"]},
        "metadata": {
            "suite": suite.name,
            "release": suite.info.release,
            "suite_digest": suite.digest,
            "task_id": task.id,
            "domain": label.domain,
            "difficulty": label.difficulty,
            "licence": suite.info.licence,
        },
        "agent": {"timeout_sec": limits.wall_seconds},
        "verifier": {
            "timeout_sec": _VERIFIER_SECONDS,
            "environment_mode": "separate",
            "environment": {"network_mode": "no-network", "memory_mb": _VERIFIER_MB},
        },
        "environment": {"network_mode": "public" if network else "no-network", "workdir": "/workspace", **machine},
    }
    return toml_text(values)


def handed_in_names(task: Task) -> tuple[str, ...]:
    """The files of the workspace that are handed in."""
    return tuple(output.file or output.name if output.kind == "answer" else output.name for output in task.outputs)


def agent_dockerfile(copies: Iterable[tuple[str, str]]) -> str:
    """The agent's machine; `copies` are folders of the build context, and where they are to lie."""
    lines = "\n".join(f"COPY {source}/ {target}/" for source, target in copies)
    return render("environment.Dockerfile", python=PYTHON, copies=lines)


def compose(mounts: Iterable[tuple[str, str]]) -> str:
    """`docker-compose.yaml`: rooms that are mounted read-only; `mounts` are rooms, and targets."""
    lines = [f"      - ../../../rooms/{source}:{target}:ro" for source, target in mounts]
    return "\n".join(["services:", "  main:", "    volumes:", *lines, ""])


def verifier_dockerfile(wheel: str) -> str:
    """The verifier's machine."""
    return render("tests.Dockerfile", python=PYTHON, wheel=wheel)


def verifier_script(task: Task) -> str:
    """`tests/test.sh`."""
    return render("test.sh", task=shlex.quote(task.id))


def solve_script(task: Task, gold: Gold, solution: Solution) -> str:
    """`solution/solve.sh`: the program reads the solution from its input; what it prints is the answer."""
    run = program_of(task, gold, solution)
    printed = shlex.quote(f"/workspace/{answer_file(task)}") if answer_file(task) else "/dev/null"
    program = PROGRAMS[solution.language]
    return render("solve.sh", folder=run.cwd, interpreter=run.argv[0], program=program, printed=printed)
