"""What a submission is made of: the two published forms, predictions with what was read, and the manifest."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from benchwright.files import Record
from benchwright.publishing.submission.moments import day, moment
from benchwright.publishing.submission.names import plain_name, twins
from benchwright.publishing.submission.strict_json import Share
from benchwright.run.effort import Effort
from benchwright.run.records import Cell, RunSpec
from benchwright.task import TaskId

ANSWER_CHARACTERS = 1 << 20
"""Of one prediction."""
MOST_FILES = 10_000
"""Of one prediction."""

Line = Annotated[str, StringConstraints(max_length=300, pattern=r"^[^\x00-\x1f\x7f\u2028\u2029]*$")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=r"^[^\x00-\x1f\x7f\u2028\u2029]+$")]
SubmissionId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$")]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
OptionalDigest = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{64})?$")]
Day = Annotated[str, AfterValidator(day)]
Moment = Annotated[str, AfterValidator(moment)]
FileName = Annotated[str, AfterValidator(plain_name)]
Count = Annotated[int, Field(ge=0, le=10_000_000, strict=True)]
Rule = Literal["reference", "sound"]


class ProtocolMetadata(Record):
    """When, and by whom, as CoDA-Bench's protocol has it."""

    date: Day = ""
    contact: Line = ""


class ProtocolForm(Record):
    """The form of CoDA-Bench's protocol. None: that subset was not run, or what was read was not measured."""

    method: Name
    model: Line
    ea_full: Share | None = None
    ea_hard: Share | None = None
    da_full: Share | None = None
    da_hard: Share | None = None
    metadata: ProtocolMetadata = ProtocolMetadata()


class Result(Record):
    """What was reached on one subset: shares of all its tasks, whatever became of them.

    `n_correct` counts the tasks that are worth 1. None: the gold is withheld, or what was read was not measured.
    """

    execution_accuracy: Share | None
    discovery_accuracy: Share | None = None
    n_tasks: Annotated[Count, Field(gt=0)]
    n_correct: Count | None = None


class Metadata(Record):
    """Beside the results of the detailed form."""

    date: Day = ""
    paper: Line = ""
    code: Line = ""
    contact: Line = ""
    notes: Annotated[str, StringConstraints(max_length=4000)] = ""


class DetailedForm(Record):
    """The form of CoDA-Bench's submission guide; `results` by subset."""

    submission_id: SubmissionId
    method: Name
    model: Line
    organization: Line = ""
    results: dict[Name, Result] = Field(min_length=1, max_length=50)
    metadata: Metadata = Metadata()


class HandedIn(Record):
    """A file by the SHA-256 of its content."""

    sha256: Digest
    bytes: Count


class ReadFiles(Record):
    """Beside a prediction: what the attempt read, how it ended, and what it took.

    `files_accessed` None: not measured. `rooms` says of which room each file is, where a task has several; `tracer` who
    saw it, `estimated` that it was put together from a log's commands; `room_files` how many files the rooms hold.
    `left_out` counts what was handed in and is not here: too large, or under a name that no submission takes.
    """

    files_accessed: tuple[str, ...] | None = Field(default=None, max_length=2_000_000)
    rooms: tuple[str, ...] = ()
    tracer: Literal["", "fanotify", "strace", "log"] = ""
    estimated: bool = False
    room_files: Count | None = None
    left_out: Count = 0
    ending: Line = ""
    steps: Count | None = None
    seconds: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    cost_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _of_one_trace(self) -> ReadFiles:
        """What was read is told once, with its rooms or without, and is no more than there was."""
        read = self.files_accessed or ()
        if self.rooms and len(self.rooms) != len(read):
            raise ValueError(f"{len(self.rooms)} rooms of {len(read)} files that were read")
        if len(told := set(zip(self.rooms or ("",) * len(read), read, strict=True))) != len(read):
            raise ValueError("a file that was read is told twice")
        if self.room_files is not None and len(told) > self.room_files:
            raise ValueError(f"{len(told)} files were read of {self.room_files} that there are")
        return self

    @property
    def told_by(self) -> str:
        """Who saw what was read: a tracer's name, or why none did."""
        if self.files_accessed is None:
            return "not_measured"
        return "estimated" if self.estimated or not self.tracer else self.tracer


class Prediction(Record):
    """One line of `predictions.jsonl`: the protocol's line, and the files that were handed in, by name.

    No answer is "", which scores as wrong; the published evaluator takes no other.
    """

    instance_id: int | TaskId | None = None
    task_id: TaskId | None = None
    prediction: Annotated[str, StringConstraints(max_length=ANSWER_CHARACTERS)]
    method: Line = ""
    files: dict[FileName, HandedIn] = Field(default_factory=dict, max_length=MOST_FILES)
    metadata: ReadFiles = ReadFiles()

    @model_validator(mode="after")
    def _of_one_task(self) -> Prediction:
        if (self.instance_id is None) == (self.task_id is None):
            raise ValueError("a prediction names its task once, as instance_id or as task_id")
        if same := twins(self.files):
            raise ValueError(f"file names that many machines take for one: {same[0]!a} and {same[1]!a}")
        return self

    @property
    def id(self) -> str:
        """The id of its task."""
        return self.task_id if self.task_id is not None else str(self.instance_id)


class TaskLine(Record):
    """What one task was worth; None: no verdict, which counts 0. `numeric` is CoDA-Bench's numeric match."""

    id: TaskId
    domain: Line = ""
    subsets: tuple[Name, ...] = ("full",)
    reference: Share | None = None
    numeric: Share | None = None
    sound: Share | None = None
    discovery: Share | None = None


class SuiteMade(Record):
    """The suite as it was: digests of all that agents saw, of the golds and of the scorers, and of its data rooms.

    `subsets` says how many tasks each holds. Digests of golds and scorers are empty where the gold is withheld.
    """

    name: Name
    release: Line
    digest: Digest
    reference: Line = ""
    rooms: dict[str, OptionalDigest] = Field(default_factory=dict)
    subsets: dict[Name, Count]
    gold_digest: OptionalDigest = ""
    scorer_digest: OptionalDigest = ""


class Measure(Record):
    """What Execution Accuracy means here: by which verdict, and whether a task can be worth a part of 1."""

    rule: Rule
    partial: bool = False


class Manifest(Record):
    """How the predictions came about: all that one needs to score them again, or to make them again.

    `runs` are the specifications without the folder of the suite, each with the one cell `cell`; what they leave to
    tasks, presets and defaults stands in `limits`: by limit, how many attempts were under which value. `isolation`,
    `tracers` and `endings` count attempts. `epoch` is the one that is handed in, of those that the runs made.
    `anonymous` asks leaderboards to show neither makers nor agent nor model until the entry is revealed.
    """

    format: Literal[1] = 1
    benchwright: Line
    suite: SuiteMade
    measure: Measure
    cell: Cell
    epoch: Annotated[Count, Field(gt=0)] = 1
    anonymous: bool = False
    runs: tuple[RunSpec, ...] = Field(min_length=1, max_length=200)
    models_served: tuple[Line, ...] = ()
    started: Moment = ""
    ended: Moment = ""
    limits: dict[Name, dict[Name, Count]] = Field(default_factory=dict)
    isolation: dict[str, Count] = Field(default_factory=dict)
    tracers: dict[str, Count] = Field(default_factory=dict)
    endings: dict[str, Count] = Field(default_factory=dict)
    effort: Effort = Effort()
    predictions: HandedIn
    tasks: tuple[TaskLine, ...] = Field(default=(), max_length=200_000)
