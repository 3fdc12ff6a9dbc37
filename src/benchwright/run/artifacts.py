"""Files that attempts handed in, kept by what is in them."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchwright.files import arriving, sha256_file
from benchwright.run.records import Artifact


class Artifacts:
    """A folder of files kept by the SHA-256 of their content; equal files are kept once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def keep(self, source: Path) -> Artifact:
        """Copy a regular file in; never follows a link."""
        digest, size = sha256_file(source), source.stat().st_size
        target = self.locate(digest)
        if not target.exists():
            with arriving(target) as partial:
                shutil.copyfile(source, partial, follow_symlinks=False)
        return Artifact(sha256=digest, bytes=size)

    def locate(self, digest: str) -> Path:
        """Where the file with this hash lies."""
        return self.path / digest
