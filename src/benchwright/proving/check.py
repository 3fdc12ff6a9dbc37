"""Check a suite: lint it, look for personal data, prove its tasks, and report what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchwright.files import Record
from benchwright.proving.accepted import read_accepted, settle
from benchwright.proving.findings import Finding, Severity
from benchwright.proving.kept import PARTS, keep_findings
from benchwright.proving.lint import lint
from benchwright.proving.lint.subsets import contained
from benchwright.proving.privacy import PrivacyOptions, scan_suite
from benchwright.proving.proofs import Proof, ProofOptions, prove
from benchwright.proving.suspects import suspects
from benchwright.suite import Suite

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What to check beside the lint. None: that part is left out.

    `full`: a suite that this one is to be a subset of. `answers`: answers of independent agents by task id.
    """

    proofs: ProofOptions | None = field(default_factory=ProofOptions)
    privacy: PrivacyOptions | None = field(default_factory=PrivacyOptions)
    full: Suite | None = None
    answers: Mapping[str, Sequence[str]] = field(default_factory=dict)


class ProofSummary(Record):
    """How many tasks were proved, failed, or could not be run; `ceiling`: the share of those run that is proved."""

    proved: int
    failed: int
    not_run: dict[str, int]
    made_now: int
    ceiling: float | None


class Report(Record):
    """Everything that a check found."""

    suite: str
    release: str
    digest: str
    gold_digest: str
    tasks: int
    findings: tuple[Finding, ...]
    proofs: ProofSummary | None = None

    @property
    def clean(self) -> bool:
        """Whether nothing but notes was found."""
        return not any(finding.alarming for finding in self.findings)

    @property
    def counts(self) -> dict[str, int]:
        """How many findings there are of each severity."""
        counted = Counter(finding.severity for finding in self.findings)
        return {severity.value: counted[severity] for severity in Severity}

    def to_json(self) -> dict[str, Any]:
        """The report as plain JSON values."""
        return {
            "suite": self.suite,
            "release": self.release,
            "digest": self.digest,
            "gold_digest": self.gold_digest,
            "tasks": self.tasks,
            "clean": self.clean,
            "counts": self.counts,
            "proofs": self.proofs.model_dump(mode="json") if self.proofs else None,
            "findings": [finding.model_dump(mode="json") for finding in self.findings],
        }


def check(suite: Suite, options: CheckOptions = CheckOptions(), progress: Progress = lambda _: None) -> Report:
    """Check a suite; an EnvironmentFault says that no sandbox can be had.

    Proofs, findings and the tasks that are faulty are kept in the suite's `checks.json` (`proving.kept`).
    """
    accepted = read_accepted(suite)
    progress(f"lint: {len(suite.tasks)} tasks")
    findings = list(lint(suite))
    if options.full is not None:
        findings.extend(contained(suite, options.full))
    if options.privacy is not None:
        findings.extend(scan_suite(suite, options.privacy, progress))
    if options.answers and suite.has_gold:
        findings.extend(suspects(suite, options.answers))
    summary: ProofSummary | None = None
    proved: tuple[str, ...] = ()
    if options.proofs is not None and suite.has_gold:
        done = prove(suite, options.proofs, progress)
        findings.extend([*done.broken, *(finding for proof in done.proofs for finding in proof.findings())])
        summary = _summary(done.proofs, done.made)
        proved = tuple(proof.task_id for proof in done.proofs)
    settled = tuple(_sorted(tuple(settle(findings, accepted)), suite))
    left_out = [name for name in PARTS if getattr(options, name) is None]
    if trouble := keep_findings(suite, settled, left_out, proved):
        progress(trouble)
    return Report(
        suite=suite.name,
        release=suite.info.release,
        digest=suite.digest,
        gold_digest=suite.gold_digest,
        tasks=len(suite.tasks),
        findings=settled,
        proofs=summary,
    )


def _summary(proofs: Sequence[Proof], made: int) -> ProofSummary:
    proved = sum(proof.proved for proof in proofs)
    run = sum(proof.outcome("solution-runs") != "not_applicable" for proof in proofs)
    reasons = Counter(_why_not_run(proof) for proof in proofs if not proof.proved and not proof.failed)
    return ProofSummary(
        proved=proved,
        failed=sum(proof.failed for proof in proofs),
        not_run=dict(sorted(reasons.items())),
        made_now=made,
        ceiling=proved / run if run else None,
    )


def _why_not_run(proof: Proof) -> str:
    return next((step.evidence for step in proof.steps if step.outcome == "not_applicable"), "")


def _sorted(findings: Sequence[Finding], suite: Suite) -> Iterator[Finding]:
    """The worst first, then in the suite's order of tasks."""
    rank = {severity: index for index, severity in enumerate(Severity)}
    order = {task_id: index for index, task_id in enumerate(suite.tasks)}
    yield from sorted(findings, key=lambda finding: (rank[finding.severity], order.get(finding.task_id, -1)))
