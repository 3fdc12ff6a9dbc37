"""Follows what an agent's commands do with files: folders, variables, scripts and pipes, without running any."""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchwright.reading.holes import HOLE
from benchwright.reading.places import Spot
from benchwright.reading.shell_grammar import Command, For, Group, Pipeline, Redirection, Simple, While, parse
from benchwright.reading.shell_programs import finds, operands, printed, prints, reads_of, unwrapped
from benchwright.reading.shell_state import LONGEST_TEXT, MOST_WORDS, Doings, Names, Opened, PythonRun, State, fits
from benchwright.reading.shell_words import Piece, Word
from benchwright.reading.sql import files_in

_DEEPEST = 8
_ASSIGNMENT = re.compile(r"^([A-Za-z_]\w*)=")
_PYTHON = re.compile(r"^(?:python|python3|pypy3?|ipython3?)(?:\.\d+)*$")
_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh"))
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_WRITES = (">", ">>", ">|", "&>", "&>>")
_IN_PLACE = re.compile(r"-[a-zA-Z]*i|--in-place")
_EXPANDS = re.compile(r"\\[$`\\\n]|\$\w+|\$\{[^}\n]{1,500}\}|\$\([^\n]{0,2000}?\)|`[^`\n]{1,2000}`")
_MOST_BRACES = 200
_LONGEST_OF_MANY = 4096
"""Characters of each value of a word that has several."""


@dataclass(slots=True)
class Shell(State):
    """One shell of an agent: commands are followed one after another."""

    def run(self, command: str) -> Doings:
        """Follow one command line; later ones go on in the folder that this one leaves."""
        self.doings = Doings()
        self._run_text(command)
        return self.doings

    def _run_text(self, text: str) -> None:
        if self.depth >= _DEEPEST:
            return
        self.depth += 1
        try:
            self._group(parse(text))
        finally:
            self.depth -= 1

    def _group(self, group: Group, fed: Names | None = None) -> None:
        cwd, variables = self.cwd, dict(self.variables)
        for pipeline in group.body:
            fed = self._pipeline(pipeline, fed) or fed
        if group.subshell:
            self.cwd, self.variables = cwd, variables
        for redirection in group.redirections:
            self._redirect(redirection, None)

    def _pipeline(self, pipeline: Pipeline, fed: Names | None) -> Names | None:
        names = fed
        for place, command in enumerate(pipeline.commands):
            last = place == len(pipeline.commands) - 1
            names = self._command(command, names, alone=last and len(pipeline.commands) == 1)
        return names if len(pipeline.commands) == 1 and fed is not None else None

    def _command(self, command: Command, fed: Names | None, *, alone: bool) -> Names | None:
        self.budget -= 1
        if self.budget < 0:
            return None
        match command:
            case Simple():
                return self._simple(command, fed, alone=alone)
            case Group():
                self._group(command, fed)
            case While():
                before = len(self.doings.opened)
                self._group(command.body, fed)
                self._doubt(before, fed)
            case For():
                self._for(command)
        return None

    def _for(self, loop: For) -> None:
        values = [value for word in loop.words for value in self._expand(word)]
        listed = [path for value in values for path in self.paths(value)]
        self.variables[loop.name] = listed[:MOST_WORDS]
        self._group(loop.body)

    def _simple(self, command: Simple, fed: Names | None, *, alone: bool) -> Names | None:
        words = [text for word in command.words for text in self._expand(word)][: MOST_WORDS * 2]
        while words and (match := _ASSIGNMENT.match(words[0])) and self._is_assignment(command):
            if len(command.words) == 1 or words[0] == words[-1]:
                self.variables[match.group(1)] = [words[0][match.end() :]]
            words = words[1:]
        words = unwrapped(words)
        program = words[0].rsplit("/", 1)[-1] if words else ""
        if words and self._own(words):
            program = ""
        written = [item for item in command.redirections if item.operator in _WRITES]
        self.doings.printing += bool(program) and prints(program) and not written
        body = "".join(self._body(item) for item in command.redirections if item.operator == "<<")
        given = [text for item in command.redirections if item.operator == "<<<" for text in self._expand(item.target)]
        names = self._program(program, words[1:], fed, body or "".join(given), alone=alone)
        text = printed(program, words[1:], body)
        for redirection in command.redirections:
            self._redirect(redirection, text)
        return names

    def _body(self, item: Redirection) -> str:
        """The text of a here-document, its variables put in where its mark is bare."""
        if item.literal or not _EXPANDS.search(item.body):
            return item.body
        return _EXPANDS.sub(lambda match: self._in_body(match.group()), item.body)

    def _in_body(self, written: str) -> str:
        if written[0] == "\\":
            return written[1:] if written[1:] != "\n" else ""
        known = self.variables.get(written.strip("${}"), [])
        return known[0] if len(known) == 1 else HOLE

    def _is_assignment(self, command: Simple) -> bool:
        first = command.words[0][0] if command.words and command.words[0] else None
        return first is not None and first.kind == "plain"

    def _redirect(self, redirection: Redirection, text: str | None) -> None:
        for target in self._expand(redirection.target) if redirection.target else ():
            if redirection.operator in _WRITES:
                self.write(target, text, more=redirection.operator.endswith(">>"))
            elif redirection.operator == "<":
                self.open(target)

    def _program(self, program: str, words: list[str], fed: Names | None, given: str, *, alone: bool) -> Names | None:
        if _PYTHON.match(program):
            self._python(words, given)
        elif program in _SHELLS or program in ("source", ".", "eval"):
            self._shell(program, words, given)
        elif program in ("export", "declare", "typeset", "local", "readonly"):
            self.variables |= {m.group(1): [word[m.end() :]] for word in words if (m := _ASSIGNMENT.match(word))}
        elif program in ("cd", "pushd"):
            self._cd(words)
        elif program in ("cp", "mv", "ln", "tee", "dd", "sed", "tar", "rm"):
            self._files(program, words, given)
        elif program in ("sqlite3", "duckdb"):
            self._database(program, words, given)
        elif program in ("find", "ls", "echo", "printf", "xargs", "read", "parallel", "fd"):
            return self._naming(program, words, fed)
        return self._reading(program, words, fed, alone=alone)

    def _reading(self, program: str, words: list[str], fed: Names | None, *, alone: bool) -> Names | None:
        """A program that reads the files it names, and may show one as it is."""
        reads = reads_of(program, words)
        if reads is None:
            return None
        for path in reads.files:
            self.open(path)
        for folder in reads.folders:
            self.open_below(folder, reads.include)
        plain = not any(word.startswith("-") for word in words)
        if program in ("cat", "head", "tail", "less", "more") and alone and plain and len(reads.files) == 1:
            self.doings.shown = self.absolute(reads.files[0])
        return Names(fed.paths, sure=program in ("sort", "cat", "tac", "uniq") and fed.sure) if fed else None

    def _python(self, words: list[str], given: str) -> None:
        place = 0
        while place < len(words) and words[place].startswith("-") and words[place] not in ("-", "-c", "-m"):
            place += 2 if words[place] in ("-W", "-X") else 1
        rest = words[place:]
        if rest[:1] == ["-c"]:
            self._run_python(rest[1] if len(rest) > 1 else "", rest[2:])
        elif rest[:1] == ["-m"]:
            for word in rest[2:]:
                self.open(word)
        elif not rest or rest[0] == "-":
            self._run_python(given or None, rest[1:])
        else:
            self._run_python(self.files.get(self.absolute(rest[0])), rest[1:])

    def _run_python(self, code: str | None, arguments: Sequence[str]) -> None:
        self.doings.programs.append(PythonRun(code, self.cwd, tuple(arguments)))

    def _shell(self, program: str, words: list[str], given: str) -> None:
        if program == "eval":
            self._run_text(" ".join(words))
            return
        found = operands(words)
        command = next((place for place, word in enumerate(words) if re.fullmatch(r"-[a-z]*c", word)), None)
        if program in _SHELLS and command is not None:
            self._apart(words[command + 1] if command + 1 < len(words) else "")
        elif found.words and ((place := self.absolute(found.words[0])) in self.files or not given):
            if place in self.files or program in _SHELLS:
                self._script(self.files.get(place), list(found.words), apart=program in _SHELLS)
        elif given:
            self._apart(given)

    def _own(self, words: list[str]) -> bool:
        """Run a script that is called by its path; whether there is one that the agent wrote."""
        place = self.absolute(words[0])
        if "/" not in words[0] or place not in self.files:
            return False
        text = self.files[place]
        first = (text or "").partition("\n")[0]
        if first.startswith("#!") and _PYTHON.match(
            posixpath.basename(first[2:].split()[-1] if first[2:].split() else "")
        ):
            self._run_python(text, words[1:])
        else:
            self._script(text, words, apart=True)
        return True

    def _script(self, text: str | None, words: list[str], *, apart: bool) -> None:
        """A script of the shell's, called by its name with words behind it; None: nobody knows what is in it."""
        if text is None:
            self.doings.unresolved += 1
            return
        before = self.variables
        told = {str(place): [word] for place, word in enumerate(words[1:10], 1)}
        self.variables = before | told | dict.fromkeys(("@", "*"), words[1:])
        (self._apart if apart else self._run_text)(text)
        self.variables = before if apart else self.variables

    def _apart(self, text: str) -> None:
        """Run in a shell of its own: its folder is gone afterwards."""
        cwd, variables = self.cwd, dict(self.variables)
        self._run_text(text)
        self.cwd, self.variables = cwd, variables

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
        elif program == "dd":
            for word in words:
                if word.startswith("if="):
                    self.open(word[3:])
        elif program == "tar":
            for name in found.values("-f", "--file") or found.words[1:2]:
                self.open(name)
        elif program in ("sed", "rm"):
            self._change(program, words, found.words)
        elif len(found.words) >= 2:
            self._copy(program, found.words[:-1], found.words[-1], everything=found.has("-r", "-R", "-a"))

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
            if program == "cp":
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
        for path in files_in(query) if program == "duckdb" else ():
            self.open(path.replace(HOLE, "*"))

    def _naming(self, program: str, words: list[str], fed: Names | None) -> Names | None:
        if program == "find":
            return self._find(words)
        if program in ("ls", "echo", "printf"):
            listed = [path for word in words if not word.startswith("-") for path in self.paths(word)]
            return Names(listed[:MOST_WORDS])
        if program == "read":
            name = next((word for word in words if not word.startswith("-")), "")
            self.variables[name] = fed.paths[:MOST_WORDS] if fed else [HOLE]
            return fed
        if program == "xargs":
            self._xargs(words, fed)
        return None

    def _find(self, words: list[str]) -> Names | None:
        told = finds(words)
        found: list[Spot] | None = []
        for folder in told.folders:
            below = self.places.below(self.absolute(folder))
            found = None if below is None or found is None else found + below
        kept = [spot for spot in found or () if not told.names or fits(spot.path, told.names)]
        names = None if found is None else Names([self.places.path_of(spot) for spot in kept][:MOST_WORDS], told.sure)
        for command in told.commands:
            self._apply(command, names, "{}")
        return names

    def _xargs(self, words: list[str], fed: Names | None) -> None:
        place, mark = 0, ""
        while place < len(words) and words[place].startswith("-"):
            if words[place].startswith("-I"):
                mark = words[place][2:] or (words[place + 1] if place + 1 < len(words) else "")
            place += 2 if words[place] in ("-n", "-I", "-P", "-L", "-d", "-s") else 1
        self._apply(words[place:], fed, mark)

    def _apply(self, words: list[str], names: Names | None, mark: str) -> None:
        """A command over file names: where they stand for `mark`, else behind its words."""
        if not words:
            return
        if names is None:
            self.doings.unresolved += reads_of(unwrapped(words)[0].rsplit("/", 1)[-1], []) is not None
            return
        before = len(self.doings.opened)
        for path in names.paths:
            self.budget -= 1
            if self.budget < 0:
                break
            told = [word.replace(mark, path) for word in words] if mark else [*words, path]
            told = unwrapped(told)
            if told:
                self._program(told[0].rsplit("/", 1)[-1], told[1:], None, "", alone=False)
        self._doubt(before, names)

    def _doubt(self, before: int, names: Names | None) -> None:
        """What was opened since is not certain where a filter left open which names came through."""
        if names is not None and not names.sure:
            opened = self.doings.opened
            opened[before:] = [Opened(item.spot, certain=False) for item in opened[before:]]

    def _expand(self, word: Word) -> list[str]:
        """The texts that a word may be, HOLE for what is not known; several for braces and loops' variables."""
        values = [""]
        for piece in word:
            options = self._piece(piece)
            made = itertools.islice((before + option for before in values for option in options), MOST_WORDS)
            longest = LONGEST_TEXT if len(values) * len(options) == 1 else _LONGEST_OF_MANY
            values = [value if len(value) <= longest else HOLE for value in made]
        return values

    def _piece(self, piece: Piece) -> list[str]:
        match piece.kind:
            case "variable":
                return self.variables.get(piece.text) or [self.cwd if piece.text == "PWD" else HOLE]
            case "command":
                return self._substituted(piece.text)
            case "plain":
                return list(_braces(piece.text))
        return [piece.text]

    def _substituted(self, text: str) -> list[str]:
        printing = self.doings.printing
        self._apart(text)
        self.doings.printing = printing
        return [self.cwd] if text.strip() == "pwd" else [HOLE]


def _braces(text: str) -> Iterable[str]:
    match = _BRACES.search(text)
    if match is None:
        return (text,)
    parts = match.group(1).split(",")
    found = (inner for part in parts for inner in _braces(text[: match.start()] + part + text[match.end() :]))
    return itertools.islice(found, _MOST_BRACES)
