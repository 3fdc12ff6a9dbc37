"""What a check of a submission finds, and its verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchwright.publishing.submission.package import Package
from benchwright.publishing.submission.records import Result, TaskLine


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or (`refused` False) that a reader must know.

    `reason` may be shown to anybody: it tells aggregates and ids of predictions, and never which task is right. `tasks`
    are those it is about; those of the code `score` say which answers are right, and are not for strangers.
    """

    code: str
    reason: str
    tasks: tuple[str, ...] = ()
    refused: bool = True


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a submission. `package` is None where its documents are not what they should be.

    `lines` and `results` are what scoring it again gave; empty where there was no gold, or nothing to score.
    """

    findings: tuple[Finding, ...] = ()
    package: Package | None = None
    lines: tuple[TaskLine, ...] = ()
    results: Mapping[str, Result] = field(default_factory=dict)

    @property
    def refused(self) -> bool:
        """Whether it must not be taken."""
        return any(finding.refused for finding in self.findings)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is refused, for its submitter."""
        return tuple(finding.reason for finding in self.findings if finding.refused)
