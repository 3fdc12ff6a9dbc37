"""What was proved of each task, kept in the suite's `checks.json` so that a second check does only what is new."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Literal

from benchwright.files import Record, canonical_json, sha256, sha256_file
from benchwright.proving.findings import Finding, Mode, Severity
from benchwright.proving.kept import FILE, keep_proofs, read_kept
from benchwright.proving.lint.base import Case
from benchwright.proving.lint.rooms import required_paths
from benchwright.suite import Suite

VERSION = 2
"""Raised whenever a proof would come out differently."""

StepName = Literal[
    "gold-scores-one",
    "empty-scores-zero",
    "fixed-file-fails",
    "solution-runs",
    "solution-reproduces-gold",
    "required-files-opened",
    "no-other-files-opened",
    "same-result-twice",
]
Outcome = Literal["passed", "failed", "noted", "not_applicable"]
_SAVE_SECONDS = 2.0
_HINTS: Mapping[StepName, str] = {
    "gold-scores-one": "the task's own checks refuse its gold: correct the gold, the guideline or the check's options",
    "empty-scores-zero": "a check that credits nothing at all cannot judge: tighten it",
    "fixed-file-fails": "a file that was made without any data earns credit: tighten the check, or ask for more",
    "solution-runs": "run the solution in the sandbox and read its error",
    "solution-reproduces-gold": "either the gold or the solution is wrong",
    "required-files-opened": "the solution leaves a required file unread: correct the list or the solution",
    "no-other-files-opened": "the solution reads more than is called required: complete the list where it needs them",
    "same-result-twice": "fix seeds and orders in the solution",
}


class Step(Record):
    """One thing that was tried, and how it went; `noted` is worth knowing, and no fault.

    `modes`: the verdicts under which it went so; empty: both, or it is not a matter of verdicts.
    """

    name: StepName
    outcome: Outcome
    evidence: str = ""
    modes: tuple[Mode, ...] = ()


class Proof(Record):
    """All that was tried on one task. `stamp` digests everything that the proof depends on."""

    task_id: str
    stamp: str
    steps: tuple[Step, ...]
    seconds: float = 0.0
    tracer: str = ""

    def outcome(self, name: StepName) -> Outcome:
        """How one step went; `not_applicable` where it was not tried."""
        return next((step.outcome for step in self.steps if step.name == name), "not_applicable")

    @property
    def failed(self) -> bool:
        """Whether any step failed."""
        return any(step.outcome == "failed" for step in self.steps)

    @property
    def proved(self) -> bool:
        """Whether the solution ran and reproduced the gold, and nothing failed."""
        return not self.failed and self.outcome("solution-reproduces-gold") == "passed"

    def findings(self) -> Iterator[Finding]:
        """Failed steps as errors, noted ones as notes."""
        for step in self.steps:
            if step.outcome in ("failed", "noted"):
                yield Finding(
                    task_id=self.task_id,
                    rule=f"prove-{step.name}",
                    severity=Severity.ERROR if step.outcome == "failed" else Severity.NOTE,
                    evidence=step.evidence,
                    hint=_HINTS[step.name],
                    modes=step.modes,
                )


def stamp(suite: Suite, case: Case, scorers: str, conditions: str) -> str:
    """The digest of what a task's proof depends on: task, gold and files, rooms, required files, scorers, options."""
    gold = case.gold
    files = [suite.gold_files(gold.task_id) / name for name in gold.files]
    rooms = [suite.info.rooms[mount.room].sha256 for mount in case.task.data]
    required = [sha256_file(path) for path in required_paths(suite, case)]
    golds = [sha256_file(path) if path.is_file() else "" for path in files]
    parts = [VERSION, scorers, conditions, case.task.to_json(), gold.to_json(), golds, rooms, required]
    return sha256(canonical_json(parts))


class Ledger:
    """The proofs in a suite's `checks.json`. `put` may be called from several threads."""

    def __init__(self, suite: Suite) -> None:
        self._suite, self._kept = suite, read_kept(suite)
        self._proofs = {
            name: Proof.from_json(value, f"{suite.folder / FILE}, task {name}")
            for name, value in self._kept.proofs.items()
            if name in suite.tasks
        }
        self._lock = Lock()
        self._saved = 0.0

    def get(self, task_id: str, wanted: str) -> Proof | None:
        """The proof of a task, if it was made of what is there now."""
        proof = self._proofs.get(task_id)
        return proof if proof and proof.stamp == wanted else None

    def put(self, proof: Proof) -> None:
        """Keep a proof; on disk at the latest two seconds later, or with `save`."""
        with self._lock:
            self._proofs[proof.task_id] = proof
            if time.monotonic() - self._saved > _SAVE_SECONDS:
                self._write()

    def save(self) -> None:
        """Write everything, atomically."""
        with self._lock:
            self._write()

    def _write(self) -> None:
        proofs = {name: self._proofs[name].to_json() for name in sorted(self._proofs)}
        keep_proofs(self._suite, proofs, self._kept)
        self._saved = time.monotonic()
