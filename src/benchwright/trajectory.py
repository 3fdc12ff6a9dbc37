"""All that an agent did: its steps and calls, what they used, which files it read, and what it handed in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from benchwright.errors import Fault
from benchwright.files import Record, Tagged

CallKind = Literal["shell", "python", "sql", "read", "search", "write", "edit", "list", "submit", "other"]
Tracer = Literal["fanotify", "strace", "log"]


class Usage(Record):
    """Tokens and money; a cost of None is unknown, which is never 0.

    `cache_write_long_tokens` are those of `cache_write_tokens` that the cache keeps for an hour, which costs more.
    `uncounted_calls` are replies that did not say their tokens: with any of them the tokens are too few, and the cost
    is unknown.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cache_write_long_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: float | None = None
    uncounted_calls: int = 0

    def plus(self, other: Usage) -> Usage:
        """Both, added up; the cost is known where both are."""
        mine, theirs = self.cost_usd, other.cost_usd
        counted = {name: value + getattr(other, name) for name, value in self if name != "cost_usd"}
        return Usage(**counted, cost_usd=None if mine is None or theirs is None else mine + theirs)


class Call(Record):
    """One tool call and what came back; times are seconds since the epoch.

    `text` is what was run or written: the command, the code, the new content of a file; of other tools the arguments as
    JSON. `path` is the file or folder that the call is about, where it names one. `exit_code` None: not told. `limit`
    names the limit that ended it, where what ran it says so: `step` is the time that one call may take.
    """

    id: str
    tool: str
    kind: CallKind = "other"
    text: str = ""
    path: str = ""
    output: str = ""
    exit_code: int | None = None
    is_error: bool = False
    limit: str = ""
    truncated: bool = False
    started: float | None = None
    ended: float | None = None


class Step(Record):
    """One turn of the agent: what it thought and said, and the calls it made; `index` counts from 1.

    `usage` is what the model used for it, None where that is not told; `started` is seconds since the epoch.
    """

    index: int
    thought: str = ""
    text: str = ""
    calls: tuple[Call, ...] = ()
    usage: Usage | None = None
    model: str = ""
    started: float | None = None

    @property
    def succeeded(self) -> bool:
        """Whether the agent acted, and nothing failed that it ran."""
        return bool(self.calls) and not any(call.is_error or call.exit_code for call in self.calls)


class FileAccess(Record):
    """One regular file of a room that was opened for reading.

    `path` is relative to the room. `step` is the index of the step that read it, `certain` is False where
    two steps may have. `bytes_read` is None where it is not known; `sha256` is the content's hash.
    """

    path: str
    room: str = ""
    step: int | None = None
    certain: bool = True
    bytes_read: int | None = None
    sha256: str = ""


class Measured(Tagged):
    """The set of files that the attempt read: complete, as the tracer saw it."""

    kind: Literal["measured"] = "measured"
    tracer: Tracer
    files: tuple[FileAccess, ...] = ()
    room_files: int | None = None
    """How many regular files the rooms hold; None where not counted."""

    @property
    def swept(self) -> bool:
        """Whether the attempt opened (nearly) everything: at least 90 % of a room of ten or more files."""
        return self.room_files is not None and self.room_files >= 10 and len(self.files) >= 0.9 * self.room_files


class Estimated(Tagged):
    """The files that a log's commands seem to have read: an estimate, which is never mixed with what was measured.

    Of a file, `certain` is False where the log leaves open whether it was read at all. `unresolved` counts reads of
    which the log does not tell the file.
    """

    kind: Literal["estimated"] = "estimated"
    files: tuple[FileAccess, ...] = ()
    unresolved: int = 0


class NotMeasured(Tagged):
    """Which files were read is not known, with the reason; this is never an empty set."""

    kind: Literal["not_measured"] = "not_measured"
    reason: str


Accesses = Annotated[Measured | Estimated | NotMeasured, Field(discriminator="kind")]


class Submission(Record):
    """What an attempt handed in: the final answer, output files by name, and the files it was seen to read.

    `answer` is None where nothing was answered. `files` are paths on the scoring machine; they are hostile.
    """

    answer: str | None = None
    files: dict[str, Path] = Field(default_factory=dict)
    accesses: Accesses = NotMeasured(reason="no tracer ran")


class Answered(Tagged):
    """The agent handed in an answer."""

    kind: Literal["answered"] = "answered"


class GaveUp(Tagged):
    """The agent ended without an answer."""

    kind: Literal["gave_up"] = "gave_up"
    detail: str = ""


class LimitHit(Tagged):
    """The attempt hit a limit: wall, step, memory, processes, disk, outputs, messages, tokens, cost, budget."""

    kind: Literal["limit"] = "limit"
    which: str
    detail: str = ""


class Broke(Tagged):
    """The attempt could not be carried through; `fault` says by whose doing."""

    kind: Literal["broke"] = "broke"
    fault: Fault
    detail: str = ""


Ending = Annotated[Answered | GaveUp | LimitHit | Broke, Field(discriminator="kind")]


class FinalAnswer(Record):
    """The answer that a log shows, and where it stands: in the output file, in a call that hands it in, in the last
    message of the agent.
    """

    text: str
    source: Literal["result_file", "submission", "last_message"]


class Trajectory(Record):
    """One attempt as the agent lived it.

    `models` is the usage by model where several served; `logged_cost_usd` is what the harness says it cost, beside
    `usage.cost_usd`, which is ours. Times are seconds since the epoch; `seconds` is how long it
    took, where the log tells that itself. `ending` is None where it is not told; `notes`
    say what was odd about the record that it was made from.
    """

    steps: tuple[Step, ...] = ()
    usage: Usage = Usage()
    accesses: Accesses = NotMeasured(reason="no tracer ran")
    model: str = ""
    harness: str = ""
    harness_version: str = ""
    prompt: str = ""
    cwd: str = ""
    session: str = ""
    models: dict[str, Usage] = Field(default_factory=dict)
    logged_cost_usd: float | None = None
    started: float | None = None
    ended: float | None = None
    seconds: float | None = None
    answer: FinalAnswer | None = None
    ending: Ending | None = None
    notes: tuple[str, ...] = ()

    @property
    def successful_steps(self) -> int | None:
        """How many steps succeeded; None where there is none."""
        return sum(step.succeeded for step in self.steps) if self.steps else None
