"""A task as the agent sees it: the question, the data it may use, what to hand in, and the limits."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from benchwright.files import Record

TaskId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")]
RoomName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$")]
OutputKind = Literal["answer", "table", "document", "predictions", "chart", "database", "text"]


class DataMount(Record):
    """One data room and where the agent finds it."""

    room: RoomName
    target: str = Field(default="/data", pattern=r"^/[A-Za-z0-9._/-]+$")
    writable: bool = False


class OutputSpec(Record):
    """One thing to hand in: the final answer, or a file of that name in the workspace.

    `file` is a file of the workspace that the final answer may be written into; empty: it is what the agent says last.
    """

    kind: OutputKind = "answer"
    name: str = Field(default="answer.txt", pattern=r"^[^/\x00]{1,200}$")
    description: str = ""
    file: str = Field(default="", pattern=r"^[^/\x00]{0,200}$")


class Limits(Record):
    """What one attempt may use; a limit of None is not set."""

    wall_seconds: float | None = Field(default=1800.0, gt=0, allow_inf_nan=False)
    step_seconds: float = Field(default=120.0, gt=0, allow_inf_nan=False)
    cpus: float | None = Field(default=2.0, gt=0, allow_inf_nan=False)
    memory_mb: int | None = Field(default=4096, gt=0)
    processes: int | None = Field(default=256, gt=0)
    disk_mb: int | None = Field(default=1024, gt=0)
    output_kb: int = Field(default=256, gt=0)
    artifacts_mb: int = Field(default=100, gt=0)
    messages: int | None = Field(default=None, gt=0)
    tokens: int | None = Field(default=None, gt=0)
    cost_usd: float | None = Field(default=None, gt=0, allow_inf_nan=False)


class Task(Record):
    """One task: everything here may be shown to the agent, and nothing else may."""

    id: TaskId
    question: str = Field(min_length=1)
    guidelines: str = ""
    data: tuple[DataMount, ...] = ()
    outputs: tuple[OutputSpec, ...] = (OutputSpec(),)
    limits: Limits = Limits()
    variants: dict[str, str] = Field(default_factory=dict)
    """Other wordings of the question by name, e.g. `raw` and `clean`."""
    unnamed_outputs_in: tuple[str, ...] = ()
    """The variants in which the agent is not told the names of the files to hand in, as some harnesses do not."""
