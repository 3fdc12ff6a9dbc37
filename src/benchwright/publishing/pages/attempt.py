"""One attempt for people: what was asked, what was handed in beside what was expected, what was done, what it took."""

from __future__ import annotations

from dataclasses import dataclass

from benchwright.labels import Labels
from benchwright.publishing.pages.exhibits import Exhibit
from benchwright.publishing.pages.words import Excerpt
from benchwright.run import Key
from benchwright.task import OutputSpec
from benchwright.trajectory import Usage


@dataclass(frozen=True, slots=True)
class Asked:
    """The task as this attempt was told it; `question` is empty where neither suite nor transcript is here."""

    question: Excerpt
    guidelines: Excerpt
    outputs: tuple[OutputSpec, ...] = ()
    rooms: tuple[str, ...] = ()
    labels: Labels | None = None


@dataclass(frozen=True, slots=True)
class AnswerShown:
    """The answer in words, and the golds beside it where they may be shown; None: there is none."""

    found: Excerpt | None
    golds: tuple[Excerpt, ...] = ()


@dataclass(frozen=True, slots=True)
class EvidenceShown:
    """Why one part of an output is right or wrong."""

    part: str
    verdict: str
    expected: str
    found: str
    reason: str


@dataclass(frozen=True, slots=True)
class VerdictShown:
    """One verdict: `value` from 0 to 1, or None with the reason; `about` names a check; empty: the whole."""

    mode: str
    about: str
    value: float | None
    reason: str
    evidence: tuple[EvidenceShown, ...] = ()


@dataclass(frozen=True, slots=True)
class CallShown:
    """One call: what was run, what came back, how it went and how long it took."""

    tool: str
    kind: str
    path: str
    text: Excerpt
    output: Excerpt
    exit_code: int | None
    failed: bool
    truncated: bool
    seconds: float | None


@dataclass(frozen=True, slots=True)
class StepShown:
    """One turn of the agent; `at` is seconds since the attempt began, where that is known."""

    index: int
    thought: Excerpt
    text: Excerpt
    calls: tuple[CallShown, ...]
    usage: Usage | None
    at: float | None
    failed: bool
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileShown:
    """One file that was read; `required` is None where that may not be shown, or is not known."""

    path: str
    room: str
    step: int | None
    certain: bool
    bytes: int | None
    required: bool | None


@dataclass(frozen=True, slots=True)
class FilesShown:
    """The files that were read: `basis` says how that is known, `note` why it is not.

    `missing` are required files that were not read, None where that may not be shown. `left_out` files are not listed.
    """

    basis: str
    note: str = ""
    files: tuple[FileShown, ...] = ()
    missing: tuple[str, ...] | None = None
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class FailureNote:
    """Which kind of failure it was, by what evidence, and at which step; `basis` is `estimate` for a guess."""

    name: str
    why: str = ""
    step: int | None = None
    basis: str = "rule"


@dataclass(frozen=True, slots=True)
class Taken:
    """What the attempt took. None is not known, which is never 0."""

    steps: int
    successful_steps: int | None
    wall_seconds: float
    working_seconds: float
    usage: Usage
    started: str
    model: str


@dataclass(frozen=True, slots=True)
class AttemptPage:
    """All that a page of one attempt shows; every text in it is cut, cleaned of what acts on a screen, and hostile."""

    key: Key
    run: str
    cell: str
    agent: str
    ending: str
    ending_detail: Excerpt
    error: Excerpt
    asked: Asked
    answer: AnswerShown
    exhibits: tuple[Exhibit, ...]
    verdicts: tuple[VerdictShown, ...]
    steps: tuple[StepShown, ...]
    steps_left_out: int
    files: FilesShown
    taken: Taken
    failure: FailureNote | None
    with_gold: bool
    notes: tuple[str, ...] = ()
    withheld: bool = False
    """Whether what was handed in, opened and done is left out: it is the gold itself."""

    @property
    def sound(self) -> VerdictShown | None:
        """The sound verdict on the whole."""
        return next((each for each in self.verdicts if each.mode == "sound" and not each.about), None)
