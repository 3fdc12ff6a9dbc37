"""A submission whose every part is what it should be, and how it is written down."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from benchwright.errors import InputError
from benchwright.files import canonical_json, replacing, sha256, write_atomic
from benchwright.publishing.submission.parcel import DETAILED, MANIFEST, PREDICTIONS, PROTOCOL
from benchwright.publishing.submission.records import (
    DetailedForm,
    HandedIn,
    Manifest,
    Metadata,
    Prediction,
    ProtocolForm,
    ProtocolMetadata,
    Result,
)

_TIME = (1980, 1, 1, 0, 0, 0)
"""Of every member: equal submissions make equal archives."""


@dataclass(frozen=True, slots=True)
class Package:
    """A submission. Without a manifest it is a claim alone, which nobody can score again."""

    detailed: DetailedForm
    protocol: ProtocolForm
    manifest: Manifest | None = None
    predictions: tuple[Prediction, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """What it is known by."""
        return self.detailed.submission_id


def protocol_of(form: DetailedForm) -> ProtocolForm:
    """The protocol's own form of the same results: full and hard."""
    full, hard = form.results.get("full"), form.results.get("hard")
    return ProtocolForm(
        method=form.method,
        model=form.model,
        ea_full=full.execution_accuracy if full else None,
        ea_hard=hard.execution_accuracy if hard else None,
        da_full=full.discovery_accuracy if full else None,
        da_hard=hard.discovery_accuracy if hard else None,
        metadata=ProtocolMetadata(date=form.metadata.date, contact=form.metadata.contact),
    )


def detailed_of(form: ProtocolForm, sizes: Mapping[str, int], submission_id: str) -> DetailedForm:
    """The detailed form of a protocol's one; `sizes` says how many tasks each subset has."""
    told = {"full": (form.ea_full, form.da_full), "hard": (form.ea_hard, form.da_hard)}
    return DetailedForm(
        submission_id=submission_id,
        method=form.method,
        model=form.model,
        results={
            name: Result(execution_accuracy=ea, discovery_accuracy=da, n_tasks=sizes[name])
            for name, (ea, da) in told.items()
            if (ea, da) != (None, None) or name == "full"
        },
        metadata=Metadata(date=form.metadata.date, contact=form.metadata.contact),
    )


def predictions_text(predictions: Sequence[Prediction]) -> str:
    """Canonical JSON Lines."""
    return "".join(canonical_json(each.to_json()) + "\n" for each in predictions)


def handed_in(text: str | bytes) -> HandedIn:
    """The digest of a text."""
    data = text.encode() if isinstance(text, str) else text
    return HandedIn(sha256=sha256(data), bytes=len(data))


def texts_of(package: Package) -> Iterator[tuple[str, str]]:
    """The documents of a submission by name."""
    yield DETAILED, _document(package.detailed.model_dump(mode="json"))
    yield PROTOCOL, _document(package.protocol.model_dump(mode="json"))
    if package.manifest is not None:
        yield PREDICTIONS, predictions_text(package.predictions)
        yield MANIFEST, _document(_told(package.manifest))


def _told(manifest: Manifest) -> dict[str, Any]:
    """A manifest with the settings that were left as they are by default, too: readers do not know them."""
    whole = manifest.model_dump(mode="json", include={"cell", "runs", "measure", "epoch"})
    return {**manifest.to_json(), **whole}


def _document(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def write(package: Package, out: Path) -> None:
    """Write it as a zip archive where `out` ends in .zip, else as a folder, which must not be there yet or be empty."""
    if out.suffix == ".zip":
        with replacing(out) as stream:
            _zip(package, stream)
        return
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out} is there already", expected="a new folder, or a name that ends in .zip")
    for name, text in texts_of(package):
        write_atomic(out / name, text)
    for digest, place in sorted(package.files.items()):
        with place.open("rb") as source, replacing(out / "files" / digest) as stream:
            shutil.copyfileobj(source, stream)


def _zip(package: Package, stream: BinaryIO) -> None:
    """Write the archive, file by file: together they may be more than the memory holds."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts_of(package):
            archive.writestr(_member(name), text)
        for digest, place in sorted(package.files.items()):
            member = _member(f"files/{digest}")
            member.file_size = place.stat().st_size
            with place.open("rb") as source, archive.open(member, "w") as target:
                shutil.copyfileobj(source, target, 1 << 20)


def _member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _TIME)
    info.external_attr = 0o644 << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    return info
