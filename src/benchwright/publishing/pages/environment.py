"""How pages are rendered: values escaped, a missing name an error, nothing of models or data shown as it came."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from benchwright.publishing import numbers
from benchwright.publishing.pages.words import clean, excerpt, line

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> Environment:
    """The one environment of all pages; templates of other packages are added by an overlay with a loader of theirs."""
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("benchwright.publishing.pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finished,
    )
    made.filters.update({name: getattr(numbers, name) for name in numbers.FILTERS})
    made.filters.update(clean=clean, excerpt=excerpt, line=line)
    return made


def _finished(value: object) -> object:
    """Every text that is put into a page is cleaned, whoever made it; what templates made themselves is not text."""
    return clean(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
