"""What is known of an agent's machine while its commands are followed: folder, variables, own files, files opened."""

from __future__ import annotations

import fnmatch
import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchwright.reading.holes import HOLE
from benchwright.reading.places import Places, Spot, is_pattern, normal
from benchwright.reading.shell_grammar import Group

MOST_WORDS = 2_000
"""Values of one word, or turns of one loop; more are not followed."""
MOST_COMMANDS = 20_000
FILES_A_COMMAND = 50
"""Files looked at that cost as much as one command."""
LONGEST_TEXT = 1 << 20
"""Characters of a file that the agent wrote; of longer ones the text is not kept."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that a command seems to read: as a room's file; `certain` is False where that is left open."""

    spot: Spot
    certain: bool = True


@dataclass(frozen=True, slots=True)
class PythonRun:
    """A Python program that a command runs: its text (None: not known), where it runs, and what it is told."""

    code: str | None
    cwd: str
    arguments: tuple[str, ...] = ()
    name: str = "<stdin>"
    """How tracebacks call it."""
    sure: bool = True
    environment: tuple[tuple[str, str], ...] = ()
    """The shell's variables that have one value."""
    behind: bool = False
    """Whether it ran only if what stands before it in the command line did not fail."""


@dataclass(slots=True)
class Doings:
    """What one command line did: files opened, programs run, files written, and the one file it shows whole."""

    opened: list[Opened] = field(default_factory=list)
    by_others: list[Opened] = field(default_factory=list)
    """By programs in other languages than Python, of which no one tells how far they came if they failed."""
    programs: list[PythonRun] = field(default_factory=list)
    wrote: list[str] = field(default_factory=list)
    unresolved: int = 0
    printing: int = 0
    shown: str = ""

    @property
    def shows(self) -> str:
        """The file whose content is all that is printed; empty where there is none."""
        return self.shown if self.printing == 1 else ""


@dataclass(slots=True)
class Names:
    """File names that go through a pipe; `sure` while none was filtered out."""

    paths: list[str]
    sure: bool = True


@dataclass(slots=True)
class State:
    """An agent's machine. `files` are those that the agent wrote, with their text where the log shows it."""

    places: Places
    start: str = ""
    cwd: str = ""
    variables: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, str | None] = field(default_factory=dict)
    doings: Doings = field(default_factory=Doings)
    budget: int = MOST_COMMANDS
    depth: int = 0
    functions: dict[str, Group] = field(default_factory=dict)
    told: str | None = None
    """What the command before printed, where that stands in the log."""
    named: Names | None = None
    """The names that the last pipeline printed."""
    behind: bool = False
    """Whether what runs now runs only where what stands before it did not fail."""
    last: bool = True
    """Whether the command is the last of its pipeline."""
    guessed: int = 0
    """How many words were put in of which it is not certain that they are meant."""
    doubted: set[str] = field(default_factory=set)
    """The variables that hold such words."""

    def absolute(self, path: str, cwd: str | None = None) -> str:
        """The path from the working folder, or from where the shell started, where that is what must be meant."""
        here = self.cwd if cwd is None else cwd
        inside = posixpath.relpath(here, self.start) if here.startswith(self.start or "/") and self.start else here
        first = normal(path).split("/")[0]
        again = first not in ("", ".", "..") and inside.split("/")[0] == first and here != self.start
        return normal(posixpath.join(self.start if again else here, path))

    def open(self, path: str, cwd: str | None = None, *, certain: bool = True) -> bool:
        """Record that a file is read, or each file of a pattern; whether it is one of a room or of the agent's own."""
        if not path or HOLE in path or path == "-":
            self.doings.unresolved += HOLE in path
            return False
        place = self.absolute(path, cwd)
        if place in self.files:
            return True
        if spot := self.places.locate(place):
            self.doings.opened.append(Opened(spot, certain))
            return True
        if is_pattern(path):
            found = self.places.expand(place)
            self.doings.unresolved += found is None
            self._open_all(found or (), certain=certain)
            return bool(found)
        return False

    def open_below(self, folder: str, include: Sequence[str] = (), *, certain: bool = True) -> None:
        """Record that everything below a folder is read, or what carries one of the names."""
        if self.open(folder, certain=certain):
            return
        found = self.places.below(self.absolute(folder))
        self.doings.unresolved += found is None
        self._open_all([spot for spot in found or () if not include or fits(spot.path, include)], certain=certain)

    def _open_all(self, spots: Sequence[Spot], *, certain: bool) -> None:
        """Many files cost like commands, so that no log can name them over and over."""
        self.budget -= len(spots) // FILES_A_COMMAND
        if self.budget > 0:
            self.doings.opened += [Opened(spot, certain) for spot in spots]

    def write(self, path: str, text: str | None, cwd: str | None = None, *, more: bool = False) -> None:
        """Record that the agent wrote a file; `more` adds to what it held."""
        place = self.absolute(path, cwd)
        before = self.files.get(place, "" if more else None)
        self.files.pop(place, None)
        if text is not None and len(text) + (len(before or "") if more else 0) > LONGEST_TEXT:
            text = None
        known = text if not more else before + text if before is not None and text is not None else None
        self.files[place] = known
        self.doings.wrote.append(place)

    def paths(self, value: str) -> list[str]:
        """The paths that a pattern stands for; where they are not known, the pattern."""
        found = self.places.expand(self.absolute(value)) if is_pattern(value) else None
        return [self.places.path_of(spot) for spot in found] if found else [value]


def fits(path: str, patterns: Sequence[str]) -> bool:
    """Whether a file's name fits one of the patterns, whatever the case."""
    name = posixpath.basename(path).lower()
    return any(fnmatch.fnmatchcase(name, pattern.rsplit("/", 1)[-1].lower()) for pattern in patterns)
