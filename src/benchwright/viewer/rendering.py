"""The viewer's pages from its templates, whole or their live part alone."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from benchwright.publishing import pages
from benchwright.publishing.numbers import seconds
from benchwright.publishing.pages.environment import environment
from benchwright.publishing.pages.rendering import render_attempt

if TYPE_CHECKING:
    from jinja2 import Environment

_HERE = Path(__file__).parent


@cache
def _templates() -> Environment:
    import jinja2

    shared = environment()
    assert shared.loader is not None
    made = shared.overlay(loader=jinja2.ChoiceLoader([jinja2.PackageLoader("benchwright.viewer"), shared.loader]))
    made.globals = {**made.globals, "render_attempt": render_attempt, "attempt_at": attempt_at, "task_at": task_at}
    made.filters = {**made.filters, "ago": ago}
    return made


def rendered(template: str, values: Mapping[str, Any], *, live: bool = False) -> str:
    """A page of a template; `live`: only its block of that name."""
    found = _templates().get_template(template)
    if not live:
        return found.render(**values)
    return "".join(found.blocks["live"](found.new_context(dict(values))))


def sheet() -> str:
    """The style sheet: that of all pages, of attempts, and the viewer's own."""
    folder = Path(pages.__file__).parent
    paths = (folder / "style.css", folder / "attempt.css", _HERE / "static" / "viewer.css")
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def attempt_at(run: str, row: Mapping[str, Any]) -> str:
    """The address of an attempt."""
    parts = (run, "attempt", row["cell"], row["task_id"], str(row["epoch"]))
    return "/run/" + "/".join(quote(str(part), safe="", errors="replace") for part in parts)


def task_at(run: str, task_id: str) -> str:
    """The address of a task."""
    return f"/run/{quote(run, safe='', errors='replace')}/task/{quote(task_id, safe='', errors='replace')}"


def ago(moment: float) -> str:
    """How long ago a time is, in seconds since the epoch."""
    return f"{seconds(max(0, round(time.time() - moment)))} ago" if moment else "never"
