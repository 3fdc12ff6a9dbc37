"""Findings that a suite's authors stand by: `accepted.toml` beside `suite.toml`, each entry with its reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import Field

from benchwright.errors import SuiteError
from benchwright.files import Record, read_toml
from benchwright.proving.findings import Finding, Severity
from benchwright.suite import Suite

FILE = "accepted.toml"


class Accepted(Record):
    """Accepted findings of one rule, and the reason.

    `task_id`: the task; empty: those of the whole suite; `*`: all. `contains`: a piece of the evidence.
    """

    rule: str
    task_id: str = ""
    contains: str = ""
    reason: str = Field(min_length=1)

    def covers(self, finding: Finding) -> bool:
        """Whether this finding was meant."""
        same = self.rule == finding.rule and self.task_id in ("*", finding.task_id)
        return same and self.contains in finding.evidence


def read_accepted(suite: Suite) -> tuple[Accepted, ...]:
    """What a suite's authors accept; an InputError names what is wrong with the file."""
    path = suite.folder / FILE
    if not path.is_file():
        return ()
    values = read_toml(path)
    listed = values.pop("accepted", [])
    if values or not isinstance(listed, list):
        raise SuiteError(f"{path}: only [[accepted]] tables may stand here", found=", ".join(values) or "no list")
    return tuple(Accepted.from_json(value, f"{path}, entry {number}") for number, value in enumerate(listed, start=1))


def settle(findings: Sequence[Finding], accepted: Sequence[Accepted]) -> Iterator[Finding]:
    """The findings, accepted ones as notes with their reason; entries that cover nothing any more are notes, too."""
    used: set[int] = set()
    for finding in findings:
        covering = [index for index, each in enumerate(accepted) if each.covers(finding)]
        used.update(covering)
        yield _as_note(finding, accepted[covering[0]].reason) if covering else finding
    for index, each in enumerate(accepted):
        if index not in used:
            yield Finding(
                task_id=each.task_id.strip("*"),
                rule="accepted-without-finding",
                severity=Severity.NOTE,
                evidence=f"{FILE} accepts {each.rule}, which is not found any more",
                hint="remove the entry",
            )


def _as_note(finding: Finding, reason: str) -> Finding:
    evidence = f"{finding.evidence} (accepted: {reason})"
    return finding.model_copy(update={"severity": Severity.NOTE, "evidence": evidence})
