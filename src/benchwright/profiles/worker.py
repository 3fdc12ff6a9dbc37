"""The program that looks at hostile files: a path comes in, an entry goes out. Run it as a child of `Looker`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from benchwright.errors import InputError
from benchwright.profiles.entries import entry_text
from benchwright.profiles.formats import Bounds
from benchwright.profiles.looking import look
from benchwright.profiles.measure import profile_file
from benchwright.serving import Tell, serve


def main(memory_mb: str, seconds: str) -> None:
    """Look at files until stdin ends, within the limits."""
    serve(lambda: _answer, int(memory_mb), float(seconds))


def _answer(job: dict[str, Any], tell: Tell) -> None:
    if "measured" in job:
        tell(_measured(Path(job["measured"])))
        return
    # As text within the line: canonical lines would put columns and cells into another order.
    tell({"entry": entry_text(look(Path(job["path"]), job["name"], Bounds(**job["bounds"])))})


def _measured(path: Path) -> dict[str, Any]:
    """The profile of a table as text, or why there is none."""
    try:
        return {"profile": profile_file(path).model_dump_json()}
    except InputError as error:
        return {"wrong": {name: getattr(error, name) for name in ("what", "found", "expected", "hint")}}


if __name__ == "__main__":
    main(*sys.argv[1:])
