"""Which data sets programs use together, told from their text alone: notebooks and scripts are read, never run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path, PurePosixPath
from typing import Any

from benchwright.errors import InputError
from benchwright.files import read_json, read_text
from benchwright.generation.rooms.datasets import Collection
from benchwright.reading import canonical_key, matches_pattern, read_program

_PROGRAMS = frozenset((".py", ".ipynb"))
_MOST_BYTES = 50_000_000
_MOST_DATASETS = 50
"""A program that uses more data sets than that (one that walks a whole folder) says nothing of how they belong."""
_MAGIC = re.compile(r"^\s*[%!?].*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Program:
    """One program: its path below the folder of code, the data sets that it uses, and what was not understood.

    `unknown` are files that it reads and that are in no data set; `error` says why its text could not be followed.
    """

    path: str
    datasets: tuple[int, ...] = ()
    unknown: tuple[str, ...] = ()
    error: str = ""


def read_programs(folder: Path, collection: Collection) -> list[Program]:
    """Every notebook (.ipynb) and script (.py) below a folder, in the order of their paths."""
    if not folder.is_dir():
        raise InputError(f"no such folder: {folder}", expected="a folder of notebooks or scripts")
    paths = DatasetPaths(collection)
    found = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in _PROGRAMS and path.is_file() and not path.is_symlink()
    )
    return [_program(path, path.relative_to(folder).as_posix(), paths) for path in found]


def co_usage(programs: Iterable[Program]) -> dict[tuple[int, int], float]:
    """How often two data sets are used in one program; one that uses k of them adds 1 / (k - 1) to each pair.

    So that each program adds as much to a data set, however many others it uses (Newman 2001).
    """
    together: dict[tuple[int, int], float] = defaultdict(float)
    for program in programs:
        for pair in combinations(sorted(program.datasets), 2):
            together[pair] += 1 / (len(program.datasets) - 1)
    return dict(together)


def _program(path: Path, name: str, paths: DatasetPaths) -> Program:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return Program(name, error=f"more than {_MOST_BYTES:,} bytes")
        code = notebook_code(read_json(path)) if path.suffix.lower() == ".ipynb" else read_text(path)
    except InputError as error:
        return Program(name, error=error.found or error.what)
    except (OSError, TypeError, KeyError, AttributeError) as error:
        return Program(name, error=f"{type(error).__name__}: {error}"[:200])
    return used(code, name, paths)


def used(code: str, name: str, paths: DatasetPaths) -> Program:
    """What one program uses, by its text."""
    reading = read_program(code)
    places: set[int] = set()
    unknown: list[str] = []
    for read in (*reading.reads, *reading.optional):
        found = set().union(*(paths.meant(path) for path in (read.path, *read.alternatives)))
        places |= found
        if not found:
            unknown.append(read.path)
    if len(places) > _MOST_DATASETS:
        return Program(name, (), tuple(unknown), f"uses {len(places)} data sets: it tells nothing")
    return Program(name, tuple(sorted(places)), tuple(unknown), reading.error)


def notebook_code(document: Any) -> str:
    """The code of a notebook of format 3 or 4 as one program; lines for the shell and magics stay out."""
    cells = document["cells"] if "cells" in document else [c for s in document["worksheets"] for c in s["cells"]]
    sources = [cell.get("source", cell.get("input", "")) for cell in cells if cell["cell_type"] == "code"]
    texts = [source if isinstance(source, str) else "".join(source) for source in sources]
    return "\n".join(_MAGIC.sub("", text) for text in texts if not text.lstrip().startswith("%%"))


class DatasetPaths:
    """Data sets by the paths that programs write for their files."""

    def __init__(self, collection: Collection) -> None:
        by_key: dict[tuple[str, str], set[int]] = defaultdict(set)
        by_name: dict[str, set[int]] = defaultdict(set)
        self._by_folder: dict[str, set[int]] = defaultdict(set)
        self._files: dict[int, tuple[str, ...]] = {}
        for place, dataset in enumerate(collection.datasets):
            self._by_folder[_folded(dataset.name)].add(place)
            self._files[place] = dataset.files
            for path in dataset.files:
                by_key[canonical_key(path)].add(place)
                by_name[PurePosixPath(path).name.lower()].add(place)
        self._by_key: Mapping[tuple[str, str], set[int]] = by_key
        self._by_name: Mapping[str, set[int]] = by_name

    def meant(self, path: str) -> set[int]:
        """The data sets that a path may mean: by data set and path, by a folder in it, or by a name that one has."""
        if "*" in path or "?" in path:
            return self._fitting(path)
        if found := self._by_key.get(canonical_key(path)):
            return found
        parts = PurePosixPath(path.replace("\\", "/")).parts
        named = self._by_name.get(parts[-1].lower() if parts else "", set())
        folders = set().union(*(self._by_folder.get(_folded(part), set()) for part in parts[:-1]))
        if named & folders:
            return named & folders
        return named if len(named) == 1 else set()

    def _fitting(self, pattern: str) -> set[int]:
        parts = [part for part in pattern.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        folders = set().union(*(self._by_folder.get(_folded(part), set()) for part in parts[:-1]))
        last = parts[-1].lower() if parts else "*"
        if not folders:
            return set()
        return {place for place in folders if any(_fits(path, last) for path in self._files[place])}


def _fits(path: str, last: str) -> bool:
    return matches_pattern(PurePosixPath(path).name.lower(), last)


def _folded(name: str) -> str:
    return re.sub(r"[-_ ]+", "-", name).lower()


def tied(programs: Iterable[Program]) -> Iterator[Program]:
    """The programs that use two data sets or more."""
    return (program for program in programs if len(program.datasets) > 1)
