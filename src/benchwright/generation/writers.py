"""Writers by name: the templates, and writers of other packages."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points

from benchwright.errors import InputError
from benchwright.generation.workflow import Writer

GROUP = "benchwright.writers"
"""The entry point group in which other packages offer writers: name = "package.module:Class", called without arguments.
"""

_OWN: Mapping[str, str] = {"template": "benchwright.generation.templates:TemplateWriter"}


def writer_named(name: str) -> Writer:
    """A writer that asks nobody. Errors: InputError lists those there are, or says why one cannot be loaded."""
    offered = {point.name: point.value for point in entry_points(group=GROUP)}
    target = _OWN.get(name) or offered.get(name)
    if target is None:
        raise InputError(f"no writer {name!r}", expected=f"one of {', '.join(sorted({'model', *_OWN, *offered}))}")
    try:
        made: Writer = EntryPoint(name=name, value=target, group=GROUP).load()()
    except Exception as error:
        raise InputError(f"the writer {name} cannot be loaded", found=f"{type(error).__name__}: {error}") from error
    return made
