"""Builds a suite folder beside its place and puts it there in one step, so that no half-built suite is ever seen."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchwright.errors import SuiteError


@contextmanager
def staged(out: Path) -> Iterator[Path]:
    """A new folder that takes the place of `out` when the block ends well, and is gone when it does not.

    An earlier suite at `out` makes way; a folder that is no suite does not.
    """
    out = out.absolute()
    if out.exists() and not _makes_way(out):
        found = "a folder that is no suite" if out.is_dir() else "a file"
        raise SuiteError(f"{out} is in the way", found=found, expected="a new or empty folder")
    out.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        new = staging / "suite"
        new.mkdir()
        yield new
        if out.exists():
            os.replace(out, staging / "earlier")
        os.replace(new, out)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _makes_way(out: Path) -> bool:
    return out.is_dir() and ((out / "suite.toml").is_file() or not any(out.iterdir()))
