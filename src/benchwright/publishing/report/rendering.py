"""How the report's templates are filled: everything is escaped, and what cannot be seen is made visible."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

PAGES = Path(__file__).parents[1] / "pages"
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def clean(text: str) -> str:
    """A text as a page may show it: what acts on a screen or turns words round is named instead."""
    return _INVISIBLE.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


@cache
def environment() -> Environment:
    """The environment of the report. Every text goes through `clean`, then is escaped."""
    import jinja2
    from markupsafe import Markup

    def shown(value: object) -> object:
        return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(PAGES / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
