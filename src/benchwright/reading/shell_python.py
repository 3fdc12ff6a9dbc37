"""Python programs that a command line runs: inline, from a script or a module, with words and variables."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.reading.holes import HOLE
from benchwright.reading.shell_names import Naming
from benchwright.reading.shell_state import PythonRun

PYTHON = re.compile(r"^(?:python|python3|pypy3?|ipython3?)(?:\.\d+)*$")
_MOST_VARIABLES = 100


@dataclass(slots=True)
class Running(Naming):
    """The part of a shell that runs Python."""

    def _python(self, words: list[str], given: str) -> None:
        place = 0
        while place < len(words) and words[place].startswith("-") and words[place] not in ("-", "-c", "-m"):
            place += 2 if words[place] in ("-W", "-X") else 1
        rest = words[place:]
        if rest[:1] == ["-c"]:
            self._run_python(rest[1] if len(rest) > 1 else "", rest[2:], "<string>")
        elif rest[:1] == ["-m"]:
            self._run_module(rest[1:])
        elif not rest or rest[0] == "-":
            self._run_python(given or None, rest[1:])
        else:
            self._run_python(self.files.get(self.absolute(rest[0])), rest[1:], posixpath.basename(rest[0]))

    def _run_module(self, words: list[str]) -> None:
        own = self.absolute(f"{words[0].replace('.', '/')}.py") if words else ""
        if own in self.files:
            self._run_python(self.files[own], words[1:], posixpath.basename(own))
            return
        for word in words[1:]:
            self.open(word)

    def _run_python(self, code: str | None, arguments: Sequence[str], name: str = "<stdin>") -> None:
        known = ((key, values[0]) for key, values in self.variables.items() if len(values) == 1)
        environment = tuple(sorted((key, value) for key, value in known if HOLE not in value and key[:1].isalpha()))
        run = PythonRun(code, self.cwd, tuple(arguments), name, environment=environment[:_MOST_VARIABLES])
        self.doings.programs.append(run)
