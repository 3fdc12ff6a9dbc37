"""Where a writer's programs run and its drafts are proved: sandboxes, by the same machine as all drafts."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from benchwright.files import index_folder
from benchwright.generation.modelled.forms import TABLE_FILE
from benchwright.generation.modelled.kept import Execute, Prove, Ran
from benchwright.generation.prover import prove_draft
from benchwright.generation.trial import Room, Tools, bare, opened
from benchwright.generation.workflow import Draft, Material, Rejection, Step, Workflow
from benchwright.proving.proofs.solution_runs import Run
from benchwright.scratch import scratch_folder
from benchwright.task import OutputSpec

_MOST_CHARACTERS = 100_000
_FRAME = re.compile(r'  File "[^"\n]*", line \d+.*\n(?:    .*\n)*')
_PLACE = re.compile(r'File "<stdin>", line (\d+)')


class Lab(Protocol):
    """What runs programs on a room, and what proves drafts there."""

    def executing(self, material: Material) -> Execute:
        """Runs programs on this room."""

    def proving(self, material: Material, skills: Collection[str]) -> Prove:
        """Proves drafts on this room, whose steps may name these skills."""


class Sandboxed:
    """A lab of sandboxes; `tools` are those of one thread. Errors: Broken where a sandbox failed."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    def executing(self, material: Material) -> Execute:
        """Runs programs in the room's warm Python, or where files are to be measured in a new sandbox."""
        outputs = (OutputSpec(), OutputSpec(kind="table", name=TABLE_FILE))
        nothing = Workflow(steps=(Step(id="s1", skill="none", description="nothing", code="pass"),))
        case = bare(
            Draft(name="try", writer="model", room=material.room, question="?", outputs=outputs, workflow=nothing)
        )

        def execute(code: str, *, fresh: bool = False) -> Ran:
            run = self._tools.bench.run if fresh else self._tools.bench.run_warm
            with scratch_folder("try") as folder:
                return _ran(run(case, material.folder, code, folder), code)

        return execute

    def proving(self, material: Material, skills: Collection[str]) -> Prove:
        """Proves drafts as a suite's are; what a proved one left is thrown away."""
        room = Room(material, index_folder(material.folder))

        def prove(draft: Draft) -> Rejection | None:
            with scratch_folder("proof") as folder:
                return prove_draft(draft, room, self._tools, skills, folder / "outputs").rejection

        return prove


def _ran(run: Run, code: str) -> Ran:
    failure = _failure(run, code) or ("it printed too much" if run.outcome.truncated else "")
    table = run.files.get(TABLE_FILE)
    text = None if table is None else _text(table)
    return Ran(printed=run.printed[:_MOST_CHARACTERS], table=text, error=failure, opened=opened(run))


def _failure(run: Run, code: str) -> str:
    """Why a run failed, and at which line of its program: tracebacks of programs from a pipe show none."""
    if not run.failure or run.outcome.limit:
        return run.failure
    said = run.outcome.stderr.decode("utf-8", "replace")
    lines, places = code.splitlines(), [int(number) for number in _PLACE.findall(said)]
    at = [f"line {place}: {lines[place - 1].strip()[:300]}" for place in places if 0 < place <= len(lines)][-3:]
    frames = list(_FRAME.finditer(said))
    error = [line for line in said[frames[-1].end() if frames else 0 :].splitlines() if line.strip()]
    return "\n".join([*at, *error[-6:]])[-1_500:] or run.failure


def _text(path: Path) -> str:
    """The beginning of a file of a program; "" where it is no regular file of its own."""
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as stream:
        return stream.read(_MOST_CHARACTERS).decode("utf-8", "replace")
