"""Notebooks: what is written before the first code is the question, the rest is the solution; outputs stay out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from benchwright.errors import InputError
from benchwright.files import read_json
from benchwright.skills.corpus.base import EMPTY, LONG, UNREADABLE, Found, Refused, Wanted, cleaned, content_id
from benchwright.skills.corpus.base import fenced_code as fenced
from benchwright.skills.steps import Solution

_MOST_BYTES = 100_000_000
_MOST_CHARACTERS = 400_000
_LANGUAGE = re.compile(r"[A-Za-z][\w+#-]{0,19}")


def read_notebook(path: Path, wanted: Wanted) -> Found:  # noqa: ARG001 - a notebook has neither tags nor a score
    """The one solution of an `.ipynb`, of format 3 or 4; its id depends on its cells alone."""
    yield _read(path)


def _read(path: Path) -> Solution | Refused:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return Refused(path.name, LONG, f"more than {_MOST_BYTES:,} bytes")
        document = read_json(path)
        cells, language = _cells(document), _language(document)
    except OSError as error:
        return Refused(path.name, UNREADABLE, error.strerror or str(error))
    except (InputError, TypeError, KeyError, AttributeError) as error:
        found = error.found if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        return Refused(path.name, UNREADABLE, f"{found}; expected a notebook of format 3 or 4")
    codes = [text for kind, text in cells if kind == "code"]
    if not codes:
        return Refused(path.name, EMPTY, "no code")
    if sum(len(text) for _, text in cells) > _MOST_CHARACTERS:
        return Refused(path.name, LONG, f"more than {_MOST_CHARACTERS:,} characters")
    first = next(place for place, (kind, _) in enumerate(cells) if kind == "code")
    asked = [text for _, text in cells[:first]]
    told = [fenced(text, language) if kind == "code" else text for kind, text in cells[first:]]
    return Solution(
        id=content_id("nb", *(f"{kind}:{text}" for kind, text in cells)),
        source="notebook",
        question="\n\n".join(asked),
        answer="\n\n".join(told),
        code="\n\n".join(codes),
    )


def _cells(document: Any) -> list[tuple[str, str]]:
    """Kind and text of the cells that say something."""
    if "cells" in document:
        cells = document["cells"]
    else:
        cells = [cell for sheet in document["worksheets"] for cell in sheet["cells"]]
    found = [(str(cell["cell_type"]), _text(cell.get("source", cell.get("input", "")))) for cell in cells]
    return [(kind, text) for kind, text in found if kind in ("code", "markdown", "heading") and text.strip()]


def _language(document: Any) -> str:
    """What the code is written in, as far as the notebook says so: in format 3 each cell does, and it was Python."""
    told = document.get("metadata")
    for name, key in (("language_info", "name"), ("kernelspec", "language")):
        part = told.get(name) if isinstance(told, dict) else None
        if isinstance(part, dict) and _LANGUAGE.fullmatch(str(part.get(key, ""))):
            return str(part[key]).lower()
    return "python"


def _text(source: Any) -> str:
    text = source if isinstance(source, str) else "".join(source)
    return cleaned(text).strip("\n")
