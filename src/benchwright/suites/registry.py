"""Suite families by name, and suites by name or folder."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from benchwright.errors import Broken, EnvironmentFault, InputError
from benchwright.files import home
from benchwright.suite import Suite
from benchwright.suites.base import BuildRequest, BuiltIn, Progress, SuiteFetcher, SuiteLoader

GROUP = "benchwright.suites"
"""The entry point group in which other packages offer families of their own: name = "package.module:Class"."""

_FAMILIES: Mapping[str, str] = {
    "agentic_data_bench": "benchwright.suites.agentic_data_bench:AgenticDataBenchLoader",
    "coda_bench": "benchwright.suites.coda_bench:CodaBenchLoader",
    "dsbc": "benchwright.suites.dsbc:DsbcLoader",
    "folder": "benchwright.suites.folder:FolderLoader",
    "hugging_face": "benchwright.suites.hugging_face:HuggingFaceLoader",
    "lake": "benchwright.suites.lake:LakeLoader",
}


def families() -> tuple[str, ...]:
    """The names of all families, built-in and of other packages, in order."""
    return tuple(sorted(_offered()))


def loader(family: str) -> SuiteLoader:
    """The loader of a family; an InputError lists those there are."""
    offered = _offered()
    if family not in offered:
        raise InputError(f"no suite family {family!r}", expected=f"one of {', '.join(sorted(offered))}")
    return _loaded(offered[family])


def find(named: str, progress: Progress = lambda _: None) -> Suite:
    """A suite by its folder, or by its name under `$BENCHWRIGHT_HOME/suites`.

    A family that needs no files (`lake`) is built there when it is first asked for, and again when it has changed.
    A folder that is no suite hides no suite of its name.
    """
    folder, kept = Path(named), home() / "suites" / named
    family = loader(named) if "/" not in named and named in _offered() else None
    known = isinstance(family, BuiltIn) or (kept / "suite.toml").is_file()
    if folder.is_dir() and ((folder / "suite.toml").is_file() or not known):
        return Suite.open(folder)
    suite = Suite.open(kept) if (kept / "suite.toml").is_file() else None
    if isinstance(family, BuiltIn) and (suite is None or suite.info.release != family.release):
        progress(f"building the suite {named} {family.release} at {kept}")
        return made(family, BuildRequest(out=kept, progress=progress))
    if suite is not None:
        return suite
    raise InputError(
        f"no suite {named!r}",
        found=f"neither a folder here nor a suite in {home() / 'suites'}",
        expected=f"a suite folder, or one of: {', '.join(sorted({*built(), *_built_in()}))}",
        hint=_ways(named, family) if family else _others(named),
    )


def _others(named: str) -> str:
    """What may have been meant, and how every other suite is made."""
    ways = [_ways(name, loader(name)) for name in families() if name not in _built_in()]
    meant = get_close_matches(named, {*built(), *families()}, n=1)
    start = f"did you mean {meant[0]}? " if meant else ""
    return "\n    ".join([f"{start}others can be made, see: benchwright suites list", *ways])


def _ways(name: str, family: SuiteLoader) -> str:
    """The commands that make a suite of a family."""
    sources = " ".join(f"--{source} PATH" for source in family.sources)
    fetched = f", or benchwright suites fetch {name}" if isinstance(family, SuiteFetcher) else ""
    return f"benchwright suites build {name} {sources}{fetched}"


def made(family: SuiteLoader, request: BuildRequest) -> Suite:
    """Build a suite; a disk that is full in a process of the family's own is an EnvironmentFault as in this one."""
    try:
        return family.load(request)
    except Broken as error:
        reason = os.strerror(errno.ENOSPC)
        if reason not in error.found:
            raise
        raise EnvironmentFault(
            f"the suite cannot be written to {request.out}",
            found=reason,
            hint="make room, or set BENCHWRIGHT_HOME to a larger disk",
        ) from error


def built() -> dict[str, Path]:
    """The suites under `$BENCHWRIGHT_HOME/suites` by name."""
    found = (home() / "suites").glob("*/suite.toml")
    return {path.parent.name: path.parent for path in sorted(found)}


def _built_in() -> tuple[str, ...]:
    """The families that are built by their name alone."""
    return tuple(name for name in _FAMILIES if isinstance(loader(name), BuiltIn))


def _offered() -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group=GROUP)} | dict(_FAMILIES)


@cache
def _loaded(target: str) -> SuiteLoader:
    made: SuiteLoader = EntryPoint(name="", value=target, group=GROUP).load()()
    return made
