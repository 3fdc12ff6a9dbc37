"""Submissions: made from runs, checked without trust, scored again."""

from benchwright.publishing.submission.checking import check
from benchwright.publishing.submission.findings import Finding, Verdict
from benchwright.publishing.submission.making import About, make
from benchwright.publishing.submission.package import Package, write
from benchwright.publishing.submission.parcel import BOUNDS, Bounds, Parcel, opened
from benchwright.publishing.submission.records import (
    DetailedForm,
    Manifest,
    Metadata,
    Prediction,
    ProtocolForm,
    Result,
    TaskLine,
)
from benchwright.publishing.submission.rescoring import judged, rescored

__all__ = [
    "BOUNDS",
    "About",
    "Bounds",
    "DetailedForm",
    "Finding",
    "Manifest",
    "Metadata",
    "Package",
    "Parcel",
    "Prediction",
    "ProtocolForm",
    "Result",
    "TaskLine",
    "Verdict",
    "check",
    "judged",
    "make",
    "opened",
    "rescored",
    "write",
]
