"""From a parcel to a package: every document has the fields that it must have, and no other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from benchwright.errors import InputError
from benchwright.files import Record, canonical_json, sha256
from benchwright.publishing.submission.findings import Finding
from benchwright.publishing.submission.package import Package, detailed_of, protocol_of
from benchwright.publishing.submission.parcel import DETAILED, MANIFEST, PREDICTIONS, PROTOCOL, Parcel
from benchwright.publishing.submission.records import DetailedForm, Manifest, Prediction, ProtocolForm

R = TypeVar("R", bound=Record)
PUBLISHED = "coda_bench"
PUBLISHED_SIZES: Mapping[str, int] = {"full": 1009, "hard": 119}
"""Tasks of CoDA-Bench, for submissions in the protocol's form, which does not tell them."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")
_MOST = 5
"""Bad lines that are told."""


def packaged(
    parcel: Parcel, sizes: Mapping[str, int] = PUBLISHED_SIZES, name: str = ""
) -> tuple[Package | None, list[Finding]]:
    """The package, and what is wrong with its documents, with which there is none.

    A claim in the protocol's form has no id, and no number of tasks: `name` and `sizes` tell them.
    """
    findings: list[Finding] = []
    protocol = _taken(ProtocolForm, parcel.documents, PROTOCOL, findings)
    detailed = _taken(DetailedForm, parcel.documents, DETAILED, findings)
    manifest = _taken(Manifest, parcel.documents, MANIFEST, findings)
    predictions = _predictions(parcel, findings)
    if (PREDICTIONS in parcel.texts) != (MANIFEST in parcel.documents):
        here, gone = (PREDICTIONS, MANIFEST) if PREDICTIONS in parcel.texts else (MANIFEST, PREDICTIONS)
        findings.append(Finding("schema", f"{here} came without {gone}"))
    if findings or (detailed is None and protocol is None):
        return None, findings
    if detailed is None and protocol is not None:
        digest = sha256(canonical_json(parcel.documents[PROTOCOL]))
        detailed = detailed_of(protocol, sizes, name if _ID.fullmatch(name) else f"claim-{digest[:16]}")
    if detailed is None:  # pragma: no cover - one of both is there
        return None, findings
    return Package(detailed, protocol or protocol_of(detailed), manifest, predictions, dict(parcel.files)), findings


def _taken(kind: type[R], documents: Mapping[str, Any], name: str, findings: list[Finding]) -> R | None:
    if name not in documents:
        return None
    try:
        return kind.from_json(documents[name], name)
    except InputError as error:
        findings.append(Finding("schema", f"{name}: {error.found}"))
        return None


def _predictions(parcel: Parcel, findings: list[Finding]) -> tuple[Prediction, ...]:
    taken: list[Prediction] = []
    bad: list[str] = []
    for number, value in enumerate(parcel.predictions, start=1):
        try:
            taken.append(Prediction.from_json(value, str(number)))
        except InputError as error:
            bad.append(f"prediction {number}: {error.found}")
    if bad:
        more = f"; and {len(bad) - _MOST} more" if len(bad) > _MOST else ""
        findings.append(Finding("schema", f"{PREDICTIONS}: {'; '.join(bad[:_MOST])}{more}"))
    return tuple(taken)
