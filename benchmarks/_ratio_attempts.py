"""Sides of ratios.py that make attempts: Inspect alone, a bare loop over a sandbox, and ours."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import scripted_attempts

Work = Callable[[], Any]

SAMPLES = 100


def inspect_alone(folder: Path) -> Work:
    """Inspect by itself: a model that answers at once, no sandbox, a scorer of one comparison."""
    import inspect_ai
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.scorer import match
    from inspect_ai.solver import generate

    samples = [Sample(input=f"How many {number}?", target="42", id=f"t{number}") for number in range(SAMPLES)]
    task = inspect_ai.Task(dataset=samples, solver=generate(), scorer=match())
    outputs = with_usage([ModelOutput.from_content("mockllm/model", "42")] * SAMPLES)
    model = get_model("mockllm/model", custom_outputs=outputs)

    def work() -> None:
        logs = inspect_ai.eval(task, model=model, log_dir=str(folder / "alone"), display="none")
        assert logs[0].status == "success", logs[0].error

    return work


def with_usage(outputs: list[Any]) -> list[Any]:
    """Outputs that say what they used; Inspect counts the tokens of others, by a file that it fetches from the network."""
    from inspect_ai.model import ModelUsage

    used = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return [output.model_copy(update={"usage": used}) for output in outputs]


TURNING = 5


def turns_of_a_loop(folder: Path) -> Work:
    """The same sandbox and the same commands, a line of JSON for each, and nothing else."""
    from benchwright.sandbox.base import Exec, Room, SandboxSpec
    from benchwright.sandbox.namespace import NamespaceProvider

    provider, room = NamespaceProvider(), folder / "room"
    room.mkdir(exist_ok=True)
    (room / "sales.csv").write_text("month,amount\njan,10\nfeb,32\n")

    def work() -> None:
        for attempt in range(TURNING):
            with provider.open(SandboxSpec(rooms=(Room("room", room),))) as sandbox, (folder / "log").open("a") as log:
                for turn in range(scripted_attempts.TURNS):
                    done = sandbox.run(Exec(("bash", "-c", "head -2 /data/sales.csv")))
                    log.write(json.dumps([attempt, turn, done.stdout.decode()]) + "\n")

    return work


def turns_of_inspect(folder: Path) -> Work:
    """Inspect's own agent and its sandbox without containers, which keeps nothing apart."""
    import inspect_ai
    from inspect_ai.agent import react
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.scorer import match
    from inspect_ai.tool import bash

    look = [ModelOutput.for_tool_call("mockllm/model", "bash", {"cmd": "head -2 sales.csv"})] * scripted_attempts.TURNS
    turns = [*look, ModelOutput.for_tool_call("mockllm/model", "submit", {"answer": "42"})]
    outputs = with_usage(turns * TURNING)
    files = {"sales.csv": "month,amount\njan,10\nfeb,32\n"}
    samples = [Sample(input=f"How many {number}?", target="42", files=files) for number in range(TURNING)]
    task = inspect_ai.Task(dataset=samples, solver=react(tools=[bash()]), scorer=match(), sandbox="local")
    model = get_model("mockllm/model", custom_outputs=outputs)

    def work() -> None:
        logs = inspect_ai.eval(task, model=model, log_dir=str(folder / "alone"), display="none", max_samples=1)
        assert logs[0].status == "success", logs[0].error
        assert sum(len(s.messages) for s in logs[0].samples or ()) > 40 * TURNING

    return work


def ours(kind: str, attempts: int) -> Callable[[Path], Work]:
    """Our own run of as many scripted attempts of a kind; see scripted_attempts.py."""

    def prepared(folder: Path) -> Work:
        from benchwright.live.planning import RunRequest, resolve
        from benchwright.live.prompts import Prompts
        from benchwright.live.runner import run

        place = Path(tempfile.mkdtemp(dir=folder))
        suite, script = scripted_attempts.prepare(place, kind, attempts)
        spec = resolve(RunRequest(agents=("react",), models=(f"scripted/{script}",)), suite, Prompts())

        def work() -> None:
            assert run(spec, place / "run").done == attempts

        return work

    return prepared
