"""Transcripts of attempts that no log of Inspect holds: one trajectory a file, packed, by the attempt's uuid."""

from __future__ import annotations

import json
import re
from pathlib import Path

from benchwright.errors import InputError
from benchwright.files import canonical_json, write_atomic
from benchwright.run.secrecy import cleared_values
from benchwright.trajectory import Trajectory

_UUID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_LONGEST = 1 << 30
"""Bytes of one transcript, unpacked."""


class Transcripts:
    """The folder `transcripts/` of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def locate(self, uuid: str) -> Path:
        """Where the transcript of an attempt lies. Errors: InputError for what is no uuid."""
        if not _UUID.fullmatch(uuid):
            raise InputError("not an attempt's uuid", found=repr(uuid)[:80])
        return self.path / f"{uuid}.json.zst"

    def write(self, uuid: str, trajectory: Trajectory) -> None:
        """Keep a transcript, without any key or password."""
        import zstandard

        text = canonical_json(cleared_values(trajectory.to_json()))
        write_atomic(self.locate(uuid), zstandard.ZstdCompressor(level=3).compress(text.encode(errors="replace")))

    def read(self, uuid: str) -> Trajectory | None:
        """The transcript of an attempt; None where none is kept. Errors: InputError where it is damaged."""
        import zstandard

        place = self.locate(uuid)
        if not place.is_file():
            return None
        try:
            text = zstandard.ZstdDecompressor().decompress(place.read_bytes(), max_output_size=_LONGEST)
            return Trajectory.from_json(json.loads(text), str(place))
        except (zstandard.ZstdError, ValueError, MemoryError) as error:
            raise InputError(f"{place} is damaged", found=str(error)[:200]) from error

    def found(self, uuid: str) -> Trajectory:
        """The transcript of an attempt; an empty one where none is kept, or it is damaged."""
        try:
            return (self.read(uuid) if uuid else None) or Trajectory()
        except InputError:
            return Trajectory()
