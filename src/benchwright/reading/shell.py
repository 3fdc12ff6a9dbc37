"""Follows what an agent's commands do with files: folders, variables, scripts and pipes, without running any."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from benchwright.reading.holes import HOLE
from benchwright.reading.name_filters import filtered
from benchwright.reading.other_languages import LANGUAGES
from benchwright.reading.shell_grammar import (
    Array,
    Command,
    Define,
    For,
    Group,
    Pipeline,
    Redirection,
    Simple,
    While,
    parse,
)
from benchwright.reading.shell_programs import operands, printed, prints, reads_of, unwrapped
from benchwright.reading.shell_python import NOTEBOOKS, PYTHON, Running
from benchwright.reading.shell_state import LONGEST_TEXT, MOST_WORDS, Doings, Names
from benchwright.reading.shell_words import Piece, Word, braced

_DEEPEST = 8
_ASSIGNMENT = re.compile(r"^([A-Za-z_]\w*)=")
_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh"))
_WRITES = (">", ">>", ">|", "&>", "&>>")
_EXPANDS = re.compile(r"\\[$`\\\n]|\$\w+|\$\{[^}\n]{1,500}\}|\$\([^\n]{0,2000}?\)|`[^`\n]{1,2000}`")
_MOST_ROUNDS = 30
"""Rounds of a loop that are followed one by one; of more, all at once."""
_LONGEST_OF_MANY = 4096
"""Characters of each value of a word that has several."""


@dataclass(slots=True)
class Shell(Running):
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
        cwd, variables, behind = self.cwd, dict(self.variables), self.behind
        for pipeline in group.body:
            before, self.behind = self._done(), behind or pipeline.behind
            fed = self._pipeline(pipeline, fed) or fed
            if pipeline.doubtful:
                self._unsure_since(before)
        self.behind = behind
        if group.subshell:
            self.cwd, self.variables = cwd, variables
        for redirection in group.redirections:
            self._redirect(redirection, None)

    def _pipeline(self, pipeline: Pipeline, fed: Names | None) -> Names | None:
        names, self.told, printing = fed, None, self.doings.printing
        for place, command in enumerate(pipeline.commands):
            self.last = place == len(pipeline.commands) - 1
            self.doings.printing = printing  # what is piped on is not seen
            names = self._command(command, names, alone=self.last and len(pipeline.commands) == 1)
        self.named = names
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
                before = self._done()
                fed = fed or self._fed(command.body.redirections)
                self._group(command.body, fed)
                if fed is not None and not fed.sure:
                    self._unsure_since(before)
            case For():
                self._for(command)
            case Define():
                self.functions[command.name] = command.body
            case Array():
                self.variables[command.name] = self._words(command.words)
        return None

    def _words(self, words: Iterable[Word]) -> list[str]:
        """The words that are meant, patterns as the paths that fit them."""
        values = (value for word in words for value in self._expand(word))
        return list(itertools.islice((path for value in values for path in self.paths(value)), MOST_WORDS))

    def _fed(self, redirections: Iterable[Redirection]) -> Names | None:
        """The lines that a loop reads, by what is put into it."""
        for item in redirections:
            if item.operator == "<<":
                return Names(self._body(item).splitlines()[:MOST_WORDS])
            if item.operator == "<<<":
                return Names([line for text in self._expand(item.target) for line in text.splitlines()])
            if item.operator == "<" and len(item.target) == 1 and item.target[0].kind == "process":
                return self._names_of(item.target[0].text)
            if item.operator == "<" and (text := self._own_text(item)):
                return Names(text.splitlines()[:MOST_WORDS])
        return None

    def _for(self, loop: For) -> None:
        guessed, before = self.guessed, self._done()
        values = self._words(loop.words)
        for round_ in [[value] for value in values] if len(values) <= _MOST_ROUNDS else [values]:
            self.variables[loop.name] = round_
            self._group(loop.body)
        if self.guessed != guessed:
            self._unsure_since(before)

    def _simple(self, command: Simple, fed: Names | None, *, alone: bool) -> Names | None:
        piped, guessed, before = self.told, self.guessed, self._done()
        self.told = None
        given = list(itertools.takewhile(lambda pair: pair[1], ((word, self._assigns(word)) for word in command.words)))
        words = [text for word in command.words[len(given) :] for text in self._expand(word)][: MOST_WORDS * 2]
        held = dict(self.variables)
        for word, name in given:
            self._assign(name, [value[len(name) + 1 :] for value in self._expand(word)], guessed)
        names = self._called(command, unwrapped(words), fed, piped, alone=alone)
        if words:  # before a command, variables are set for it alone
            short = {name for _, name in given}
            kept = {name: values for name, values in self.variables.items() if name not in short}
            self.variables = kept | {name: held[name] for name in short if name in held}
            if self.guessed != guessed:
                self._unsure_since(before)
        return names

    def _assigns(self, word: Word) -> str:
        """The variable that a word gives a value; empty for any other word."""
        match = _ASSIGNMENT.match(word[0].text) if word and word[0].kind == "plain" else None
        return match.group(1) if match else ""

    def _assign(self, name: str, values: list[str], guessed: int) -> None:
        self.variables[name] = values
        (self.doubted.add if self.guessed != guessed else self.doubted.discard)(name)

    def _called(
        self, command: Simple, words: list[str], fed: Names | None, piped: str | None, *, alone: bool
    ) -> Names | None:
        """A program, a script or a function of the agent's, by the words that call it."""
        program = words[0].rsplit("/", 1)[-1] if words else ""
        if words and self._own(words):
            program = ""
        written = [item for item in command.redirections if item.operator in _WRITES]
        self.doings.printing += bool(program) and prints(program) and not written
        body = "".join(self._body(item) for item in command.redirections if item.operator == "<<")
        given = [text for item in command.redirections if item.operator == "<<<" for text in self._expand(item.target)]
        given += [self._own_text(item) for item in command.redirections if item.operator == "<"]
        if program == "xargs" and fed is None and piped is not None:
            fed = Names(piped.split()[:MOST_WORDS])
        names = self._program(program, words[1:], fed, body or "".join(given) or piped or "", alone=alone)
        text = printed(program, words[1:], body)
        if program == "cat" and len(words) == 2:
            text = self.files.get(self.absolute(words[1]), text)
        for redirection in command.redirections:
            self._redirect(redirection, text)
        self.told = None if written else text
        return names

    def _own_text(self, item: Redirection) -> str:
        """The text of a file of the agent's own that is put in."""
        return self.files.get(self.absolute("".join(self._expand(item.target)[:1]))) or ""

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

    def _redirect(self, redirection: Redirection, text: str | None) -> None:
        process = len(redirection.target) == 1 and redirection.target[0].kind == "process"
        for target in self._expand(redirection.target) if redirection.target and not process else ():
            if redirection.operator in _WRITES:
                self.write(target, text, more=redirection.operator.endswith(">>"))
            elif redirection.operator == "<":
                self.open(target)

    def _program(self, program: str, words: list[str], fed: Names | None, given: str, *, alone: bool) -> Names | None:
        if PYTHON.match(program):
            self._python(words, given)
        elif program in LANGUAGES:
            self._other(program, words, given)
        elif program in NOTEBOOKS:
            self._notebook(words)
        elif program in _SHELLS or program in ("source", ".", "eval"):
            self._shell(program, words, given)
        elif program in ("export", "declare", "typeset", "local", "readonly"):
            self.variables |= {m.group(1): [word[m.end() :]] for word in words if (m := _ASSIGNMENT.match(word))}
        elif program in ("cd", "pushd"):
            self._cd(words)
        elif program in ("cp", "rsync", "mv", "ln", "tee", "dd", "sed", "tar", "zip", "rm"):
            self._files(program, words, given)
        elif program in ("sqlite3", "duckdb"):
            self._database(program, words, given)
        elif program in ("find", "ls", "echo", "printf", "seq", "xargs", "read", "parallel", "fd"):
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
        return filtered(fed, program, words) if fed else None

    def _shell(self, program: str, words: list[str], given: str) -> None:
        if program == "eval":
            self._run_text(" ".join(words))
            return
        found = operands(words)
        command = next((place for place, word in enumerate(words) if re.fullmatch(r"-[a-z]*c", word)), None)
        if program in _SHELLS and command is not None:
            self._script(words[command + 1] if command + 1 < len(words) else "", words[command + 2 :], apart=True)
        elif found.words and ((place := self.absolute(found.words[0])) in self.files or not given):
            if place in self.files or program in _SHELLS:
                self._script(self.files.get(place), list(found.words), apart=program in _SHELLS)
        elif given:
            self._apart(given)

    def _own(self, words: list[str]) -> bool:
        """Run a script that is called by its path; whether there is one that the agent wrote."""
        place = self.absolute(words[0])
        if words[0] in self.functions:
            self._function(self.functions[words[0]], words)
            return True
        if "/" not in words[0] or place not in self.files:
            return False
        text = self.files[place]
        if not self._marked(text or "", words):
            self._script(text, words, apart=True)
        return True

    def _function(self, body: Group, words: list[str]) -> None:
        if self.depth >= _DEEPEST:
            return
        before = self.variables
        self.variables = before | self._parameters(words)
        self.depth += 1
        self._group(body)
        self.depth -= 1
        kept = {name: before[name] for name in self._parameters(words) if name in before}
        self.variables = {name: value for name, value in self.variables.items() if name not in "@*123456789"} | kept

    @staticmethod
    def _parameters(words: list[str]) -> dict[str, list[str]]:
        return {str(place): [word] for place, word in enumerate(words[1:10], 1)} | dict.fromkeys(("@", "*"), words[1:])

    def _script(self, text: str | None, words: list[str], *, apart: bool) -> None:
        """A script of the shell's, called by its name with words behind it; None: nobody knows what is in it."""
        if text is None:
            self.doings.unresolved += 1
            return
        before = self.variables
        self.variables = before | self._parameters(words)
        (self._apart if apart else self._run_text)(text)
        self.variables = before if apart else self.variables

    def _apart(self, text: str) -> None:
        """Run in a shell of its own: its folder is gone afterwards."""
        cwd, variables = self.cwd, dict(self.variables)
        self._run_text(text)
        self.cwd, self.variables = cwd, variables

    def _naming(self, program: str, words: list[str], fed: Names | None) -> Names | None:
        if program == "find":
            return self._find(words)
        if program in ("ls", "echo", "printf", "seq"):
            return self._listed(program, [word for word in words if not word.startswith("-") or program == "seq"])
        if program == "read":
            name = next((word for word in words if not word.startswith("-")), "")
            self.variables[name] = fed.paths[:MOST_WORDS] if fed else [HOLE]
            return fed
        if program == "xargs":
            self._xargs(words, fed)
        return None

    def _xargs(self, words: list[str], fed: Names | None) -> None:
        place, mark = 0, ""
        found = operands(words, "-a --arg-file -n -I -P -L -d -s")
        for name in found.values("-a", "--arg-file"):
            text = self.files.get(self.absolute(name))
            fed = None if text is None else Names(text.split()[:MOST_WORDS])
        while place < len(words) and words[place].startswith("-"):
            if words[place].startswith("-I"):
                mark = words[place][2:] or (words[place + 1] if place + 1 < len(words) else "")
            place += 2 if words[place] in ("-n", "-I", "-P", "-L", "-d", "-s", "-a", "--arg-file") else 1
        self._apply(words[place:], fed, mark)

    def _apply(self, words: list[str], names: Names | None, mark: str) -> None:
        """A command over file names: where they stand for `mark`, else behind its words."""
        if not words:
            return
        if names is None:
            self.doings.unresolved += reads_of(unwrapped(words)[0].rsplit("/", 1)[-1], []) is not None
            return
        before = self._done()
        for path in names.paths:
            self.budget -= 1
            if self.budget < 0:
                break
            told = [word.replace(mark, path) for word in words] if mark else [*words, path]
            told = unwrapped(told)
            if told:
                self._program(told[0].rsplit("/", 1)[-1], told[1:], None, "", alone=False)
        if not names.sure:
            self._unsure_since(before)

    def _done(self) -> tuple[int, int, int]:
        """How much was opened and run so far."""
        return len(self.doings.opened), len(self.doings.programs), len(self.doings.by_others)

    def _unsure_since(self, before: tuple[int, int, int]) -> None:
        """What was opened and run since is not certain."""
        programs = self.doings.programs
        for opened, first in ((self.doings.opened, before[0]), (self.doings.by_others, before[2])):
            opened[first:] = [replace(item, certain=False) for item in opened[first:]]
        programs[before[1] :] = [replace(run, sure=False) for run in programs[before[1] :]]

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
                self.guessed += piece.text in self.doubted
                return self.variables.get(piece.text) or [self.cwd if piece.text == "PWD" else HOLE]
            case "default":
                name, _, default = re.split(r"(:?[-=])", piece.text, maxsplit=1)
                return self.variables.get(name) or [default]
            case "command":
                return self._substituted(piece.text)
            case "process":
                self._names_of(piece.text)
                return ["/dev/fd/63"]
            case "plain":
                return list(braced(piece.text))
        return [piece.text]

    def _substituted(self, text: str) -> list[str]:
        """What a command prints, as words."""
        names = self._names_of(text)
        if text.strip() == "pwd":
            return [self.cwd]
        if names is None or not names.paths:
            return [HOLE]
        self.guessed += not names.sure
        return names.paths

    def _names_of(self, text: str) -> Names | None:
        """The names that a command prints, run in a shell of its own."""
        kept, self.named = (self.doings.printing, self.told), None
        self._apart(text)
        names = self.named
        if names is None and self.told is not None:
            names = Names(self.told.split()[:MOST_WORDS])
        self.named, (self.doings.printing, self.told) = None, kept
        return names
