"""Paths as programs write them, and the key by which two spellings of one data file are equal."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from typing import NamedTuple

from benchwright.reading.holes import HOLE

DATA_FILE = re.compile(
    r"\.(csv|tsv|txt|dat|json|jsonl|ndjson|geojson|xlsx?|xlsm|ods|parquet|pq|feather|fth|arrow|orc|db|sqlite3?|duckdb|"
    r"npy|npz|mat|h5|hdf5?|pkl|pickle|rds|rdata|dta|sav|sas7bdat|xml|html?|yaml|yml|shp|gpkg|kml|nc|tif|tiff|gz|gzip|"
    r"bz2|xz|zst|zip|tar|7z)$",
    re.IGNORECASE,
)
"""The suffixes by which a piece of text is taken for the name of a data file."""

_COMMUNITY = re.compile(r"^.*?(?:/|^)full_community/")
_PRIVATE = re.compile(r"^.*?(?:/|^)(?:private_dataset|public/.*?/datasets|datasets)/(?=[^/]+/)")
_INPUT = re.compile(r"^.*?(?:/|^)(?:kaggle/)?input/(?=[^/]+/)", re.IGNORECASE)


class DataPath(NamedTuple):
    """A path taken apart: the dataset's folder (empty where it is not named), the path below it, the convention."""

    dataset: str
    path: str
    convention: str

    @property
    def room_path(self) -> str:
        """Where the file lies in a room: `<dataset>/source/<path>`."""
        return f"{self.dataset}/source/{self.path}" if self.dataset else self.path


def take_apart(text: str) -> DataPath:
    """The dataset and path that a program's text names, whatever convention it follows."""
    text = posixpath.normpath(text.replace("\\", "/"))
    for pattern, convention in ((_COMMUNITY, "community"), (_PRIVATE, "private"), (_INPUT, "input")):
        if match := pattern.match(text):
            return _split(text[match.end() :], convention)
    return _split(text, "")


def _split(text: str, convention: str) -> DataPath:
    parts = [part for part in text.split("/") if part not in {"", ".", ".."}]
    if "source" in parts[1:-1]:
        place = parts.index("source", 1)
        return DataPath(parts[place - 1], "/".join(parts[place + 1 :]), convention or "source")
    if len(parts) >= 2 and not text.startswith(("/", "..")):
        return DataPath(parts[0], "/".join(parts[1:]), convention or "folder")
    return DataPath("", "/".join(parts[-1:]), convention or "bare")


def canonical_key(text: str) -> tuple[str, str]:
    """(dataset, path) such that spellings of one file are equal.

    Both are lower-case; runs of `-` and `_` in the dataset are one `-`; what leads to the community's root, and the
    folder `source`, are dropped.
    """
    found = take_apart(text)
    return re.sub(r"[-_]+", "-", found.dataset).lower(), found.path.lower()


def specificity(text: str) -> int:
    """How well a path says which file is meant: 3 dataset and name, 2 dataset and pattern, 1 name only, 0 less."""
    found = take_apart(text)
    if not found.dataset or HOLE in found.dataset:
        return 0 if HOLE in posixpath.basename(text) else 1
    return 2 if HOLE in found.path else 3


def matches_pattern(path: str, pattern: str) -> bool:
    """Whether a path fits a pattern: `*` and `?` stay inside one folder, `**/` stands for any folders or none."""
    return pattern_matcher(pattern)(path)


def pattern_matcher(pattern: str) -> Callable[[str], bool]:
    """What tells whether paths fit a pattern, for many paths."""
    compiled = re.compile("".join(map(_expression, _WILD.split(pattern))))
    return lambda path: compiled.fullmatch(path) is not None


_WILD = re.compile(r"(\*\*/|\*\*|\*|\?)")
_MEANINGS = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _expression(piece: str) -> str:
    return _MEANINGS.get(piece) or re.escape(piece)
