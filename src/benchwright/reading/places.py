"""Which file of a room a path on some machine means, by the room's index where there is one, else by where data lie."""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from benchwright.reading.paths import pattern_matcher

_COMMUNITY = re.compile(r"^(.*/full_community)(?:/|$)")
_NAMED = re.compile(r"\.[A-Za-z0-9_]{1,10}$")
_PROGRAM = re.compile(r"\.(py|sh|ipynb|r|sql|md|log|pyc)$", re.IGNORECASE)
_WILD = re.compile(r"[*?\[]")
_MOST_LINKS = 100
_MOST_STARS = 8
"""Stars of one pattern: with many, matching takes as long as a log's author likes."""
_MOST_TESTS = 3_000_000
"""Files held against patterns, in one attempt; later patterns are not followed."""
_MOST_MATCHED = 20_000
"""Matches of one pattern; an estimate of more files is "everything" anyway."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A file of a room: the room, and the path below it."""

    room: str
    path: str


def is_pattern(path: str) -> bool:
    """Whether the path holds wildcards."""
    return _WILD.search(path) is not None


def normal(path: str) -> str:
    """The path without `.`, `..` and doubled slashes; two leading slashes are one."""
    return re.sub(r"^/+", "/", posixpath.normpath(path)) if path else ""


@dataclass(slots=True)
class Places:
    """Where the data lie on the machine that a log comes from.

    `rooms` holds the paths of each room's files, None for a room that is not indexed; `roots` says which folders of the
    machine are which room. Folders that turn out to hold a room's files are remembered as roots.
    """

    rooms: Mapping[str, frozenset[str] | None] = field(default_factory=dict)
    roots: dict[str, str] = field(default_factory=dict)
    weak_roots: dict[str, str] = field(default_factory=dict)
    """Folders in which data may lie beside other files: only files of the index count there."""
    links: dict[str, str] = field(default_factory=dict)
    _tests: int = 0
    _known: dict[str, list[Spot]] = field(default_factory=dict)

    @property
    def indexed(self) -> bool:
        """Whether every room's files are known."""
        return bool(self.rooms) and all(files is not None for files in self.rooms.values())

    def link(self, link: str, target: str) -> None:
        """Remember a symbolic link: both names then mean the same."""
        name, meant = normal(link), normal(target)
        if len(self.links) >= _MOST_LINKS or not name or not meant or f"{meant}/".startswith(f"{name}/"):
            return
        self.links[name] = meant
        if name in self.roots:
            self.roots.setdefault(meant, self.roots[name])

    def locate(self, path: str) -> Spot | None:
        """The file that a path means; None for anything that is not a room's file."""
        for name in self._names(path):
            for root, below in self._below_roots(name):
                if below and (spot := self._in_room(root, below)):
                    return spot
            if spot := self._by_suffix(name):
                return spot
        return None

    def expand(self, pattern: str) -> list[Spot] | None:
        """The files that fit a pattern; None where the rooms' files are not known."""
        if not self.indexed or pattern.count("*") > _MOST_STARS or self._tests > _MOST_TESTS:
            return None
        if pattern not in self._known:
            self._known[pattern] = self._fitting(pattern)
        return self._known[pattern]

    def _fitting(self, pattern: str) -> list[Spot]:
        found: list[Spot] = []
        for name in self._names(pattern):
            for root, below in self._below_roots(name):
                room = self._room_of(root)
                files = self.rooms.get(room) or frozenset()
                fits = pattern_matcher(_without_classes(below))
                self._tests += len(files)
                found += [Spot(room, file) for file in sorted(files) if fits(file)]
            if found:
                break
        return list(dict.fromkeys(found))[:_MOST_MATCHED]

    def below(self, folder: str) -> list[Spot] | None:
        """Every file below a folder; None where the rooms' files are not known."""
        found = self.named_below(folder)
        return None if found is None else [spot for spot, _ in found]

    def named_below(self, folder: str) -> list[tuple[Spot, str]] | None:
        """Every file below a folder with its path from there; None where the rooms' files are not known."""
        if not self.indexed:
            return None
        for name in self._names(folder):
            for root, inside in self._below_roots(name):
                room = self._room_of(root)
                files = sorted(self.rooms.get(room) or ())
                prefix = f"{inside}/" if inside else ""
                found = [(Spot(room, file), file[len(prefix) :]) for file in files if file.startswith(prefix)]
                if found:
                    return found[:_MOST_MATCHED]
            holding = [root for root in self.roots if root.startswith(f"{name}/") or name in ("", "/", ".")]
            if holding:
                inner = ((root, posixpath.relpath(root, name or ".")) for root in holding)
                every = ((spot, posixpath.join(way, path)) for root, way in inner for spot, path in self._in_root(root))
                return list(itertools.islice(every, _MOST_MATCHED))
        return []

    def _in_root(self, root: str) -> list[tuple[Spot, str]]:
        return self.named_below(root) or []

    def path_of(self, spot: Spot) -> str:
        """A path on the machine that means this file."""
        roots = {**self.weak_roots, **self.roots}
        root = next((root for root in sorted(roots) if self._room_of(root) == spot.room), "")
        return posixpath.join(root, spot.path)

    def _names(self, path: str) -> Iterable[str]:
        """The path, and what it is called with a link followed."""
        name = normal(path)
        yield name
        for _ in range(3):
            via = next((link for link in self.links if name == link or name.startswith(f"{link}/")), None)
            if via is None:
                return
            name = normal(self.links[via] + name[len(via) :])
            yield name

    def _below_roots(self, name: str) -> Iterable[tuple[str, str]]:
        """The roots that the path lies under, longest first, each with the rest of the path."""
        roots = {**self.weak_roots, **self.roots}
        for root in sorted(roots, key=len, reverse=True):
            if name == root:
                yield root, ""
            elif name.startswith(root if root.endswith("/") else f"{root}/") or root == "":
                yield root, name[len(root) :].lstrip("/")
        if (community := _COMMUNITY.match(name)) and community.group(1) not in roots:
            yield community.group(1), name[community.end(1) :].lstrip("/")

    def _room_of(self, root: str) -> str:
        known = self.roots.get(root) or self.weak_roots.get(root)
        return known if known is not None else next(iter(self.rooms), "")

    def _in_room(self, root: str, below: str) -> Spot | None:
        room = self._room_of(root)
        files = self.rooms.get(room)
        if files is not None:
            return Spot(room, below) if below in files else None
        strong = root in self.roots or _COMMUNITY.match(root) is not None
        named = _NAMED.search(below) is not None and _PROGRAM.search(below) is None
        return Spot(room, below) if strong and named and not is_pattern(below) else None

    def _by_suffix(self, name: str) -> Spot | None:
        """The room's file whose whole path, of two parts or more, the path ends in."""
        parts = name.split("/")
        for start in range(len(parts) - 1):
            tail = "/".join(parts[start:])
            for room, files in self.rooms.items():
                if files and tail in files:
                    root = "/".join(parts[:start])
                    if root and len(self.roots) < _MOST_LINKS:
                        self.roots.setdefault(root, room)
                    return Spot(room, tail)
        return None


def _without_classes(pattern: str) -> str:
    """Character classes as single unknown characters."""
    return re.sub(r"\[[^\]/]*\]", "?", pattern)
