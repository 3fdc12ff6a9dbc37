"""What commands do with folders and files without reading what is in them: `cd`, `cp`, `mv`, `ln`, `tee`, databases."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.reading.holes import HOLE
from benchwright.reading.shell_programs import Operands, operands
from benchwright.reading.shell_state import State
from benchwright.reading.sql import attached, files_in

_IN_PLACE = re.compile(r"-[a-zA-Z]*i|--in-place")
_IMPORT = re.compile(r"^\s*\.(?:import|read|open)\s+(?:--?\w+\s+)*('[^'\n]+'|\"[^\"\n]+\"|[^\s'\"|]+)", re.MULTILINE)
"""Commands of SQLite's own shell that read a file."""


@dataclass(slots=True)
class Files(State):
    """The part of a shell that moves files and folders about."""

    def _cd(self, words: list[str]) -> None:
        target = next((word for word in words if not word.startswith("-") or word == "-"), "")
        if target == "-":
            self.cwd = self.variables.get("OLDPWD", [self.cwd])[0]
        elif not target or target.startswith("~"):
            return
        elif HOLE not in target:
            self.variables["OLDPWD"], self.cwd = [self.cwd], self.absolute(target)

    def _files(self, program: str, words: list[str], given: str) -> None:
        found = operands(
            words, "-t -T" if program in ("cp", "mv") else "-C -f --file --directory" if program == "tar" else ""
        )
        if program == "tee":
            for word in found.words:
                self.write(word, given or None, more=found.has("-a"))
            if self.last and len(found.words) == 1 and not found.has("-a"):
                self.doings.shown = self.absolute(found.words[0])
        elif program == "dd":
            for word in words:
                if word.startswith("if="):
                    self.open(word[3:])
        elif program in ("tar", "zip"):
            self._pack(program, words, found)
        elif program in ("sed", "rm"):
            self._change(program, words, found.words)
        elif len(found.words) >= 2:
            everything = program == "rsync" or found.has("-r", "-R", "-a")
            self._copy(program, found.words[:-1], found.words[-1], everything=everything)

    def _pack(self, program: str, words: list[str], found: Operands) -> None:
        """Archives that are made read what goes into them; others are read themselves."""
        makes = program == "zip" or bool(words and re.match(r"-?[a-zA-Z]*c", words[0]))
        if not makes:
            for name in found.values("-f", "--file") or found.words[1:2]:
                self.open(name)
            return
        first = 1 if program == "zip" else 0 if words[0].startswith("-") else 2
        for name in found.words[first:]:
            self.open_below(name)

    def _change(self, program: str, words: list[str], named: Sequence[str]) -> None:
        """What was written earlier is no longer what the log shows of it."""
        if program == "sed" and not any(_IN_PLACE.match(word) for word in words):
            return
        for word in named:
            if (place := self.absolute(word)) in self.files:
                self.write(word, None)
                if program == "rm":
                    self.files.pop(place, None)

    def _copy(self, program: str, sources: Sequence[str], target: str, *, everything: bool) -> None:
        for source in sources:
            place = self.absolute(source)
            folder = len(sources) > 1 or target.endswith("/") or target in (".", "..")
            into = posixpath.join(target, posixpath.basename(source)) if folder else target
            if program == "ln":
                self.places.link(self.absolute(into), place)
                continue
            text = self.files.pop(place, None) if program == "mv" else self.files.get(place)
            if program in ("cp", "rsync"):
                if everything:
                    self.open_below(source)
                else:
                    self.open(source)
            self.write(into, text)

    def _database(self, program: str, words: list[str], given: str) -> None:
        found = operands(words, "-c -cmd -separator -s -init")
        if found.words:
            self.open(found.words[0])
        query = " ".join((*found.words[1:], *found.values("-c", "-s", "-cmd"), given))
        texts = (*found.words[1:], *found.values("-c", "-s", "-cmd"), given)
        imported = (path.strip("'\"") for text in texts for path in _IMPORT.findall(text))
        for path in (*(files_in(query) if program == "duckdb" else attached(query)), *imported):
            self.open(path.replace(HOLE, "*"))
