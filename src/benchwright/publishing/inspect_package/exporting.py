"""Writes a task file for Inspect beside a copy of the suite."""

from __future__ import annotations

import keyword
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from string import Template

from benchwright import __version__
from benchwright.errors import InputError
from benchwright.files import require_place, write_atomic
from benchwright.suite import Selection, Suite
from benchwright.suites.copying import SuiteCopy, write_copy
from benchwright.suites.staging import staged

_TEMPLATES = files(__package__) / "templates"


def export_inspect(suite: Suite, selection: Selection, out: Path) -> SuiteCopy:
    """Write the tasks of a selection as a package for `inspect eval`; an earlier one at `out` makes way for it.

    Raises InputError where the gold is withheld: nothing could be scored.
    """
    golds, tasks = suite.golds, suite.select(selection)
    if not any(task.id in golds for task in tasks):
        raise InputError(
            f"no task of {suite.name} that was chosen has a gold", hint="benchwright suites show says which"
        )
    name = f"{suite.name}_suite" if keyword.iskeyword(suite.name) else suite.name
    require_place(out, "suite/suite.toml")
    out.mkdir(parents=True, exist_ok=True)
    with staged(out / "suite") as folder:
        copied = write_copy(suite, tasks, folder, gold=True)
    values = {
        "name": name,
        "suite": suite.name,
        "title": (suite.info.title or suite.name).replace("\\", "").replace('"', "'").replace("\n", " "),
        "release": suite.info.release,
        "licence": suite.info.licence or "not stated",
        "count": str(len(tasks)),
        "project": f"{suite.name.replace('_', '-')}-inspect",
        "version": __version__,
        "inspect": version("inspect-ai"),
    }
    for template, target in (
        ("task.txt", f"{name}.py"),
        ("README.md", "README.md"),
        ("pyproject.txt", "pyproject.toml"),
    ):
        write_atomic(out / target, Template((_TEMPLATES / template).read_text("utf-8")).substitute(values))
    return SuiteCopy(Suite.open(out / "suite"), copied.files, copied.bytes)
