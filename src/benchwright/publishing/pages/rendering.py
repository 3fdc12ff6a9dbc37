"""A page of an attempt as a piece of HTML, for the report and for the viewer."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from benchwright.publishing.pages.attempt import AttemptPage
from benchwright.publishing.pages.environment import environment

if TYPE_CHECKING:
    from markupsafe import Markup


def render_attempt(page: AttemptPage) -> Markup:
    """An `<article class="attempt">` with headings from `<h3>` down, without script, style or a frame about it.

    The ids in it begin with `step-`, a digest of the attempt's key, and the step's number.
    """
    from markupsafe import Markup

    made = environment().get_template("attempt.html").render(page=page, anchor=anchor(page))
    return Markup(made)  # noqa: S704 - made by a template that escapes every value


def anchor(page: AttemptPage) -> str:
    """What tells the ids of this page from those of others on one sheet."""
    return hashlib.sha256(f"{page.run}/{page.key}".encode("utf-8", "replace")).hexdigest()[:10]
