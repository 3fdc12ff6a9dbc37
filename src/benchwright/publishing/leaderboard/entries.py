"""One submission as a leaderboard sees it, and the settings of the board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import Field, field_validator

from benchwright.files import Record
from benchwright.publishing.submission.package import Package
from benchwright.publishing.submission.records import (
    Count,
    Line,
    Metadata,
    Name,
    OptionalDigest,
    Prediction,
    Result,
    SubmissionId,
    TaskLine,
)
from benchwright.publishing.submission.schema import PUBLISHED, PUBLISHED_SIZES
from benchwright.run import Cell
from benchwright.suite import Suite

ANONYMOUS = "anonymous"
Status = Literal["verified", "stated", "claim"]
Reads = Literal["measured", "self-reported", "claimed", ""]
"""By whose word Discovery stands: a tracer of the keepers', one of the submitter's, a bare number, or not told."""
_SWEPT, _ROOM = 0.9, 10
"""From which share of a room, of at least so many files, an attempt is said to have opened everything."""


class Board(Record):
    """What `leaderboard.toml` says. Places go by `subset`, ties by the subsets of `then`.

    `release` and `digest` (of questions and data) empty: any, but never two beside each other. `sizes` says how many
    tasks a subset has: an entry over more or fewer has no place. `partial`: tasks can be worth a part of 1, so that no
    accuracy need be k/n. `private`: scores of single tasks are not kept. `withdrawn` has the reason by id; `anonymous`
    the name by id under which an entry is shown until it is among the `revealed`; `measured` are ids whose attempts
    the keepers made themselves. `costs` and `tokens` are of one task, for claims, which have no manifest.
    """

    title: Line = ""
    about: Line = ""
    suite: Line = ""
    release: Line = ""
    digest: OptionalDigest = ""
    subset: Name = "full"
    then: tuple[Name, ...] = ("hard",)
    sizes: dict[Name, Count] = Field(default_factory=dict)
    partial: bool = False
    private: bool = False
    withdrawn: dict[SubmissionId, Line] = Field(default_factory=dict)
    anonymous: dict[SubmissionId, SubmissionId] = Field(default_factory=dict)
    revealed: tuple[SubmissionId, ...] = ()
    measured: tuple[SubmissionId, ...] = ()
    costs: dict[SubmissionId, float] = Field(default_factory=dict)
    tokens: dict[SubmissionId, float] = Field(default_factory=dict)

    def wrong_size(self, subset: str, result: Result) -> str:
        """What is wrong with the number of tasks that a result is over; empty: nothing that is known."""
        sizes = {**(PUBLISHED_SIZES if self.suite == PUBLISHED else {}), **self.sizes}
        whole = sizes.get(subset, result.n_tasks)
        return "" if result.n_tasks == whole else f"{subset} has {whole} tasks, the results are over {result.n_tasks}"

    @field_validator("anonymous", mode="before")
    @classmethod
    def _numbered(cls, value: Any) -> Any:
        """A plain list of ids is numbered."""
        named = isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
        return {each: f"{ANONYMOUS}-{place}" for place, each in enumerate(value, start=1)} if named else value

    def alias(self, package: Package) -> str:
        """What an entry is called as long as it is anonymous; empty: it is not."""
        if package.id in self.revealed:
            return ""
        manifest = package.manifest
        own = f"{ANONYMOUS}-{manifest.predictions.sha256[:12]}" if manifest and manifest.anonymous else ""
        return self.anonymous.get(package.id, own)


class Verified(Record):
    """What scoring a submission again gave, where the leaderboard's keepers did it; `tasks` unless they are private.

    `predictions` is the digest of what was scored: it verifies no other predictions that come under the same id.
    `swept` counts attempts that opened nearly everything, of how many, by the sizes of the suite's rooms.
    """

    submission_id: SubmissionId
    predictions: OptionalDigest = ""
    benchwright: Line
    suite_digest: OptionalDigest
    gold_digest: OptionalDigest
    scorer_digest: OptionalDigest
    results: dict[Name, Result]
    tasks: tuple[TaskLine, ...] = ()
    swept: tuple[Count, Count] | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One submission: what it reached, by whose word, and what it took a task. `swept` counts attempts that opened
    nearly everything, of `measured`; `cell` is None for a claim, `ended` the day of its last attempt. Of an anonymous
    one, `id` and `method` are what it is called, and nothing tells its makers, agent, model, costs or file.
    """

    id: str
    method: str
    model: str
    organization: str
    metadata: Metadata
    results: Mapping[str, Result]
    status: Status
    lines: tuple[TaskLine, ...] = ()
    rule: str = ""
    suite: str = ""
    release: str = ""
    digest: str = ""
    cell: Cell | None = None
    cost_usd: float | None = None
    tokens: float | None = None
    swept: int | None = None
    measured: int | None = None
    withdrawn: str = ""
    file: str = ""
    ended: str = ""
    reads: Reads = ""

    @property
    def day(self) -> str:
        """What decides ties: the day that it states, or that of its last attempt where that is later."""
        return max(self.metadata.date, self.ended) if self.metadata.date else ""

    @property
    def title(self) -> str:
        """Method and model."""
        return f"{self.method}, {self.model}" if self.model else self.method

    def accuracy(self, subset: str) -> float | None:
        """Execution Accuracy on a subset; None where it has none."""
        result = self.results.get(subset)
        return None if result is None or result.execution_accuracy is None else float(result.execution_accuracy)

    def discovery(self, subset: str) -> float | None:
        """Discovery Accuracy on a subset; None where it was not measured."""
        result = self.results.get(subset)
        return None if result is None or result.discovery_accuracy is None else float(result.discovery_accuracy)

    def worths(self, subset: str) -> dict[str, float]:
        """What each task of a subset was worth, one without a verdict 0; empty where not all of them are told."""
        name = "reference" if self.rule == "reference" else "sound"
        found = {line.id: float(getattr(line, name) or 0.0) for line in self.lines if subset in line.subsets}
        return found if subset in self.results and len(found) == self.results[subset].n_tasks else {}


def entry_of(package: Package, board: Board, verified: Verified | None = None, file: str = "") -> Entry:
    """A submission on a board; of an anonymous one whatever tells its makers, its agent or its model is left out."""
    form, manifest = package.detailed, package.manifest
    seen = (verified.swept if verified else None) or swept(package)
    entry = Entry(
        id=form.submission_id,
        method=form.method,
        model=form.model,
        organization=form.organization,
        metadata=form.metadata,
        results=verified.results if verified else form.results,
        status="verified" if verified else "stated" if manifest else "claim",
        lines=() if board.private else verified.tasks if verified else manifest.tasks if manifest else (),
        rule=manifest.measure.rule if manifest else "",
        suite=manifest.suite.name if manifest else board.suite,
        release=manifest.suite.release if manifest else "",
        digest=manifest.suite.digest if manifest else "",
        cell=manifest.cell if manifest else None,
        cost_usd=manifest.effort.cost_usd if manifest else board.costs.get(form.submission_id),
        tokens=manifest.effort.tokens if manifest else board.tokens.get(form.submission_id),
        swept=seen[0] if seen else None,
        measured=seen[1] if seen else None,
        withdrawn=(board.withdrawn[package.id] or "no reason is given") if package.id in board.withdrawn else "",
        file=file,
        ended=manifest.ended[:10] if manifest else "",
    )
    entry = replace(entry, reads=_reads(entry, board))
    alias = board.alias(package)
    return _nameless(entry, alias) if alias else entry


def _reads(entry: Entry, board: Board) -> Reads:
    if not any(result.discovery_accuracy is not None for result in entry.results.values()):
        return ""
    if entry.status == "claim":
        return "claimed"
    return "measured" if entry.id in board.measured else "self-reported"


def _nameless(entry: Entry, alias: str) -> Entry:
    """What may be shown of an anonymous entry: what a task costs tells the model, too."""
    shown = Metadata(date=entry.metadata.date)
    nothing = {"model": "", "organization": "", "cell": None, "cost_usd": None, "tokens": None, "file": ""}
    return replace(entry, id=alias, method=alias, metadata=shown, **nothing)  # type: ignore[arg-type]


def swept(package: Package, suite: Suite | None = None) -> tuple[int, int] | None:
    """How many attempts opened nearly everything, of how many that tell what they opened; None where none does.

    How large rooms are is the suite's word; without one the submission's, whose attempts may not tell it.
    """
    read = [(each.metadata.files_accessed, _room(each, suite)) for each in package.predictions]
    told = [len(files) >= _SWEPT * room for files, room in read if files is not None and room >= _ROOM]
    return (sum(told), len(told)) if told else None


def _room(prediction: Prediction, suite: Suite | None) -> int:
    """Files of the rooms that an attempt had."""
    mounts = suite.tasks[prediction.id].data if suite is not None and prediction.id in suite.tasks else ()
    rooms = [suite.info.rooms.get(mount.room) for mount in mounts] if suite is not None else []
    known = [room.files for room in rooms if room is not None and room.files is not None]
    return sum(known) if known and len(known) == len(mounts) else prediction.metadata.room_files or 0
