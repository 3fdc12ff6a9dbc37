"""Prove a suite before agents are judged by it: lint its tasks, run its reference solutions, count what it holds."""

from benchwright.proving.check import CheckOptions, ProofSummary, Report, check
from benchwright.proving.findings import Finding, Severity
from benchwright.proving.kept import Kept, read_kept, with_known_faults
from benchwright.proving.lint import lint
from benchwright.proving.privacy import PrivacyOptions, scan_suite
from benchwright.proving.proofs import Opener, Proof, ProofOptions, prove
from benchwright.proving.statistics import SuiteStatistics, statistics

__all__ = [
    "CheckOptions",
    "Finding",
    "Kept",
    "Opener",
    "PrivacyOptions",
    "Proof",
    "ProofOptions",
    "ProofSummary",
    "Report",
    "Severity",
    "SuiteStatistics",
    "check",
    "lint",
    "prove",
    "read_kept",
    "scan_suite",
    "statistics",
    "with_known_faults",
]
