"""The SHA-256 that manifests state of the archives that they lie beside."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchwright.files import read_json, read_text
from benchwright.suites.archives import SUFFIXES

_HASH = re.compile(r"[0-9a-f]{64}")
_HASH_LINE = re.compile(r"^(?P<hash>[0-9a-fA-F]{64})\s+\*?(?P<name>\S.*)$")
_MANIFESTS = ("SHA256SUMS", "*.sha256", "*manifest*.json", "checksums*.txt")


def archive_hashes(folder: Path) -> dict[str, str]:
    """The SHA-256 of archives by file name, from every manifest that lies beside them."""
    hashes: dict[str, str] = {}
    for root in (folder, folder / "archives"):
        for pattern in _MANIFESTS:
            for path in sorted(root.glob(pattern)):
                hashes.update(_json_hashes(read_json(path)) if path.suffix == ".json" else _line_hashes(path))
    return hashes


def _line_hashes(path: Path) -> Iterator[tuple[str, str]]:
    for line in read_text(path).splitlines():
        if match := _HASH_LINE.match(line.strip()):
            yield os.path.basename(match["name"]), match["hash"].lower()


def _json_hashes(value: Any) -> Iterator[tuple[str, str]]:
    """(name, hash) wherever an object names an archive and a hash, or maps one to the other."""
    if isinstance(value, list):
        for item in value:
            yield from _json_hashes(item)
    if not isinstance(value, dict):
        return
    texts = {key: item for key, item in value.items() if isinstance(item, str)}
    names = [os.path.basename(item) for item in texts.values() if item.endswith(SUFFIXES)]
    found = [item.lower() for item in texts.values() if _HASH.fullmatch(item.lower())]
    if names and found:
        yield names[0], found[0]
    for key, item in value.items():
        if key.endswith(SUFFIXES):
            yield from ((os.path.basename(key), each) for each in _HASH.findall(json.dumps(item).lower())[:1])
        else:
            yield from _json_hashes(item)
