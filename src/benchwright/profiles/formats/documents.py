"""PDF documents' text, and the headers of images: no picture is decoded, no script is run."""

from __future__ import annotations

import re
from typing import Any

from benchwright.profiles.entries import Count, Table
from benchwright.profiles.formats.base import Found, Source, Unreadable, needed
from benchwright.profiles.formats.texts import SHOWN
from benchwright.profiles.layout import is_header
from benchwright.profiles.tables import cut, plain, table_of, text_frame

_PAGES = 50
_LEAST_ROWS = 3
_CELLS = re.compile(r"\s{2,}|\t")


def read_pdf(source: Source) -> Found:
    """Pages, title, the beginning of the text, and the tables that stand in it as columns of text."""
    pypdf = needed("pypdf")
    source.whole()  # within the bounds, or not at all
    reader = pypdf.PdfReader(source.path, strict=False)
    if reader.is_encrypted and not reader.decrypt(""):
        raise Unreadable("encrypted")
    pages = len(reader.pages)
    texts = [page.extract_text(extraction_mode="layout") or "" for page in reader.pages[:_PAGES]]
    tables = tuple(_tables(texts, source.bounds.tables))
    looked = min(pages, _PAGES)
    facts = {
        "pages": pages,
        "pages_read": {"value": looked, "exact": looked == pages},
        "characters": {"value": sum(map(len, texts)), "exact": looked == pages},
        "about": plain({str(key).lstrip("/"): str(value) for key, value in (reader.metadata or {}).items()}),
    }
    text = re.sub(r"[ \t]{3,}", "  ", "\n".join(texts)).strip()
    return Found(tables=tables, facts=facts, text=text[:SHOWN], rows=tables[0].rows if len(tables) == 1 else None)


def _tables(pages: list[str], most: int) -> list[Table]:
    """Runs of lines that wide gaps cut into as many cells each."""
    found: list[Table] = []
    for number, page in enumerate(pages, 1):
        run: list[list[str]] = []
        for line in [*page.splitlines(), ""]:
            cells = _CELLS.split(line.strip())
            if len(cells) > 1 and (not run or len(cells) == len(run[0])):
                run.append(cells)
                continue
            if not line.strip() and run and line is not page:
                continue
            _keep(run, number, found)
            run = [cells] if len(cells) > 1 else []
        _keep(run, number, found)
    return found[:most]


def _keep(run: list[list[str]], page: int, found: list[Table]) -> None:
    if len(run) >= _LEAST_ROWS:
        named = is_header(run[0], run[1:])
        frame = text_frame(run[0] if named else [None] * len(run[0]), list(run[named:]))
        found.append(table_of([frame], f"page {page}", {"from_text": True}))


def read_image(source: Source) -> Found:
    """Size, mode and format, from the header alone."""
    from PIL import Image

    with Image.open(source.path) as image:
        facts: dict[str, Any] = {
            "kind": image.format,
            "width": image.width,
            "height": image.height,
            "mode": image.mode,
            "frames": _frames(image),
            "dpi": plain(_dpi(image.info.get("dpi"))),
        }
    return Found(facts=facts)


def _frames(image: Any) -> dict[str, Any] | None:
    count = None if image.format == "GIF" else getattr(image, "n_frames", 1)
    return None if count is None else Count(value=count).model_dump()


def _dpi(value: Any) -> Any:
    return [round(float(each), 2) for each in value] if isinstance(value, tuple) else cut(str(value)) if value else None
