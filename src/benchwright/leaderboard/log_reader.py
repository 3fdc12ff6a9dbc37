"""The program that reads logs which came with submissions: a job names a log, and what it holds is kept."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from benchwright.errors import BenchwrightError
from benchwright.importers import importer
from benchwright.run.transcripts import Transcripts
from benchwright.serving import Tell, serve


def main(memory_mb: str, seconds: str) -> None:
    """Read until stdin ends, within the limits."""
    serve(lambda: _keep, int(memory_mb), float(seconds))


def _keep(job: dict[str, Any], tell: Tell) -> None:
    try:
        found = importer(job["kind"]).parse(Path(job["path"]))
        if found:
            Transcripts(Path(job["into"])).write(job["name"], found[-1])
        tell({"why": "" if found else "it holds no attempt"})
    except BenchwrightError as error:
        tell({"why": error.what[:300]})


if __name__ == "__main__":
    main(*sys.argv[1:])
