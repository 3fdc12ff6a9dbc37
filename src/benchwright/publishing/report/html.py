"""A report as one HTML file: nothing is loaded from anywhere, and nothing but its own script can run."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.publishing import pages
from benchwright.publishing.pages.environment import environment
from benchwright.publishing.report.attempts import TaskPart
from benchwright.publishing.report.queries import query
from benchwright.scoring.verdicts import Mode

if TYPE_CHECKING:
    from markupsafe import Markup

    from benchwright.publishing.report.contents import Report

_PAGES = Path(pages.__file__).parent
_STYLES = ("style.css", "attempt.css")
_SCRIPTS = ("tables.js",)


def html(report: Report, mode: Mode, parts: Sequence[TaskPart] = ()) -> str:
    """The whole page; `mode` is the verdict that it is about, `parts` are the attempts in detail."""
    styles, scripts = [own(name) for name in _STYLES], [own(name) for name in _SCRIPTS]
    page: str = (
        environment()
        .get_template("report.html")
        .render(
            report=report,
            parts=parts,
            query=partial(query, mode=mode),
            styles=styles,
            scripts=scripts,
            policy=policy(styles, scripts),
        )
    )
    return page


def policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    """The content security policy: these very styles and scripts, pictures within the page, and nothing else."""
    return "; ".join(
        (
            "default-src 'none'",
            "img-src data:",
            f"style-src {' '.join(map(_hash, styles))}",
            f"script-src {' '.join(map(_hash, scripts))}",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def own(name: str) -> Markup:
    """A style or script of ours, as it goes into a page."""
    from markupsafe import Markup

    return Markup((_PAGES / name).read_text(encoding="utf-8"))  # noqa: S704 - a file of ours
