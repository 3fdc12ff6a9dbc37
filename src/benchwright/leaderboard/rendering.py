"""The leaderboard's pages from its templates; every value escaped, as in all pages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.publishing.pages.environment import environment
from benchwright.viewer.rendering import sheet as viewers_sheet

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def _templates() -> Environment:
    import jinja2

    shared = environment()
    assert shared.loader is not None
    own = jinja2.PackageLoader("benchwright.leaderboard")
    return shared.overlay(loader=jinja2.ChoiceLoader([own, shared.loader]))


def rendered(template: str, values: Mapping[str, Any]) -> str:
    """A page of a template."""
    text = _templates().get_template(template).render(**values)
    return text.encode("utf-8", "replace").decode()


@cache
def sheet() -> str:
    """The style sheet: the viewer's, and the board's own."""
    own = Path(__file__).parent / "static" / "leaderboard.css"
    return viewers_sheet() + "\n" + own.read_text(encoding="utf-8")
