"""What checks of a suite found, kept in its `checks.json` for whoever shows results with and without faulty tasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, get_args

from pydantic import Field

from benchwright.errors import InputError
from benchwright.files import Record, canonical_json, read_json, write_atomic
from benchwright.proving.findings import Finding, Mode, Severity
from benchwright.scoring import Scoring
from benchwright.suite import Suite

FILE: Final = "checks.json"
FORMAT: Final = 1
PARTS: Final = {"proofs": "prove-", "privacy": "privacy-"}
"""The parts of a check that may be left out, and how the names of their rules begin."""


class Kept(Record):
    """`checks.json`. `digest` and `gold_digest` say of which tasks and golds it speaks.

    `faulty` names, by verdict, the tasks with an error that concerns that verdict: their scores say nothing.
    `proofs` are what `proofs.records` keeps. `findings` are those of the last check, with those of an earlier one for
    parts that the last left out.
    """

    format: int = FORMAT
    suite: str = ""
    digest: str = ""
    gold_digest: str = ""
    proofs: dict[str, Any] = Field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    faulty: dict[Mode, tuple[str, ...]] = Field(default_factory=dict)

    def is_of(self, suite: Suite) -> bool:
        """Whether it speaks of this suite as it is now."""
        return (self.digest, self.gold_digest) == (suite.digest, suite.gold_digest)

    def reasons(self, task_id: str, mode: Mode) -> tuple[Finding, ...]:
        """The errors for which a task's verdict says nothing."""
        return tuple(finding for finding in self.findings if finding.task_id == task_id and _voids(finding, mode))


def read_kept(suite: Suite) -> Kept:
    """What earlier checks found; empty where there was none, or one in another format.

    A file that is not ours is an InputError.
    """
    path = suite.folder / FILE
    if not path.is_file():
        return Kept()
    document = read_json(path)
    if not isinstance(document, dict) or "proofs" not in document:
        raise InputError(f"{path} is not a record of proofs", hint="move it away, and check again")
    if document.get("format") != FORMAT:
        return Kept()
    return Kept.from_json(document, f"{path} is not a record of proofs (move it away, and check again)")


def with_known_faults(scoring: Scoring) -> Scoring:
    """The same scores beside what checks of their suite found; as they are, where none speaks of it as it is, or where
    the record of the checks cannot be read.
    """
    try:
        kept = read_kept(scoring.suite)
    except InputError:
        return scoring
    return replace(scoring, faulty=kept.faulty) if kept.is_of(scoring.suite) else scoring


def keep_proofs(suite: Suite, proofs: dict[str, Any], earlier: Kept) -> None:
    """Write the proofs; findings of an earlier check stay while they speak of the same tasks and golds."""
    same = earlier.is_of(suite)
    _write(suite, proofs, earlier.findings if same else ())


def keep_findings(suite: Suite, findings: Sequence[Finding], left_out: Iterable[str], proved: Iterable[str]) -> str:
    """Write a check's findings, and which tasks are faulty; returns what kept it from that, empty where nothing did.

    `left_out` are the names of parts that were not checked: what an earlier check found by them stays. `proved` are
    the tasks that were proved, of which no earlier finding of proofs stays.
    """
    earlier, again = read_kept(suite), set(proved)
    absent = tuple(PARTS[name] for name in left_out)
    stay = [
        finding
        for finding in (earlier.findings if earlier.is_of(suite) else ())
        if (absent and finding.rule.startswith(absent))
        or (finding.rule.startswith(PARTS["proofs"]) and finding.task_id not in again)
    ]
    return _write(suite, earlier.proofs, (*findings, *stay))


def _write(suite: Suite, proofs: dict[str, Any], findings: Sequence[Finding]) -> str:
    """What kept it from being written, such as a folder of somebody else or a full disk; empty where nothing did."""
    faulty = {mode: [name for name in suite.tasks if name in _faulty(findings, mode)] for mode in get_args(Mode)}
    document = {
        "format": FORMAT,
        "suite": suite.name,
        "digest": suite.digest,
        "gold_digest": suite.gold_digest,
        "proofs": proofs,
        "findings": [finding.to_json() for finding in findings],
        "faulty": faulty,
    }
    try:
        write_atomic(suite.folder / FILE, canonical_json(document) + "\n")
    except OSError as error:  # what was found is told all the same
        return f"{suite.folder / FILE} could not be written ({error.strerror}): the next check does everything anew"
    return ""


def _faulty(findings: Iterable[Finding], mode: Mode) -> set[str]:
    return {finding.task_id for finding in findings if _voids(finding, mode)}


def _voids(finding: Finding, mode: Mode) -> bool:
    return finding.severity is Severity.ERROR and (not finding.modes or mode in finding.modes)
