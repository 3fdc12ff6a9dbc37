"""The program that looks at hostile files: a path comes in, an entry goes out. Run it as a child of `Looker`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from benchwright.profiles.entries import entry_text
from benchwright.profiles.formats import Bounds
from benchwright.profiles.looking import look
from benchwright.serving import Tell, serve


def main(memory_mb: str, seconds: str) -> None:
    """Look at files until stdin ends, within the limits."""
    serve(lambda: _answer, int(memory_mb), float(seconds))


def _answer(job: dict[str, Any], tell: Tell) -> None:
    # As text within the line: canonical lines would put columns and cells into another order.
    tell({"entry": entry_text(look(Path(job["path"]), job["name"], Bounds(**job["bounds"])))})


if __name__ == "__main__":
    main(*sys.argv[1:])
