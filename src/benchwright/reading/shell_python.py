"""Programs in Python and other languages that a command line runs: inline, from a script or a module, with words."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.reading.holes import HOLE
from benchwright.reading.other_languages import LANGUAGES, files_of
from benchwright.reading.shell_names import Naming
from benchwright.reading.shell_state import Doings, PythonRun

PYTHON = re.compile(r"^(?:python|python3|pypy3?|ipython3?)(?:\.\d+)*$")
NOTEBOOKS = frozenset(("jupyter", "jupyter-nbconvert", "papermill", "ipynb-run"))
"""Programs that carry out notebooks."""
_MOST_VARIABLES = 100
_INLINE = frozenset(("-e", "--eval", "-p", "--print", "-E"))
_NO_SCRIPT = frozenset(("run", "CMD", "BATCH", "-"))
"""Words before the name of a script."""


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

    def _marked(self, text: str, words: list[str]) -> bool:
        """Run a script by the program that its first line names; whether it names one, and no shell."""
        first = text.partition("\n")[0].split()
        program = posixpath.basename(first[-1]) if first and first[0].startswith("#!") else ""
        if PYTHON.match(program):
            self._run_python(text, words[1:], posixpath.basename(words[0]))
        elif program in LANGUAGES:
            self._other(program, words, "")
        return bool(PYTHON.match(program)) or program in LANGUAGES

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
        run = PythonRun(
            code, self.cwd, tuple(arguments), name, environment=environment[:_MOST_VARIABLES], behind=self.behind
        )
        self.doings.programs.append(run)

    def _notebook(self, words: list[str]) -> None:
        """The code of a notebook, where it is carried out and not only converted."""
        name = next((word for word in words if word.endswith(".ipynb")), "")
        if not name or ("nbconvert" in words and "--execute" not in words):
            return
        place = self.absolute(name)
        code = _cells(self.files.get(place) or "") if place in self.files else None
        self._run_python(code, (), "")

    def _other(self, program: str, words: list[str], given: str) -> None:
        """A program in another language: what its text names, and perhaps the files that are named behind it."""
        inline = [words[place + 1] for place, word in enumerate(words[:-1]) if word in _INLINE]
        rest = [word for word in words if not word.startswith("-") and word not in inline and word not in _NO_SCRIPT]
        code: str | None = "\n".join(inline) or given
        if not code and rest:
            code = self.files.get(self.absolute(rest.pop(0)))
        if not code:
            self.doings.unresolved += code is None
            return
        self.budget -= len(code) // 200
        if self.budget > 0:
            self._of_text(code, LANGUAGES[program], rest)

    def _of_text(self, code: str, language: str, arguments: list[str]) -> None:
        found = files_of(code, language, {"__dirname": self.cwd})
        kept, self.doings = self.doings, Doings()
        for file in found.read:
            self.open(file.path, self.absolute(file.folder) if file.folder else None, certain=file.sure)
        for word in arguments:
            self.open(word, certain=False)
        kept.by_others += self.doings.opened
        kept.unresolved += found.unresolved + self.doings.unresolved
        self.doings = kept
        for file in found.written:
            self.write(file.path, file.text, self.absolute(file.folder) if file.folder else None)


def _cells(notebook: str) -> str | None:
    """The code of a notebook's cells, one after another; None where it is no notebook."""
    try:
        told = json.loads(notebook)
    except (ValueError, RecursionError):
        return None
    cells = told.get("cells") if isinstance(told, dict) else None
    code = (
        [cell for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"]
        if isinstance(cells, list)
        else []
    )
    texts = [
        "".join(map(str, source)) if isinstance(source := cell.get("source"), list) else str(source) for cell in code
    ]
    return "\n".join(re.sub(r"(?m)^[ \t]*[!%]", "#", text) for text in texts)
