"""A shell's command line as a tree of simple commands, pipelines, groups and loops."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchwright.reading.shell_words import Lexer, Token, Word, literal

_LONGEST = 1 << 20
_DEEPEST = 40
_SEPARATORS = frozenset(("\n", ";", "&", "&&", "||", ";;"))
_REDIRECTIONS = frozenset(("<", ">", ">>", "<<", "<<-", "<<<", "<&", ">&", ">|", "&>", "&>>", "<>"))
_ASKING = frozenset("grep egrep fgrep rg diff cmp false".split())
_SKIPPED = frozenset(("then", "do", "else", "elif", "fi", "done", "esac", "!", "time", "}", "in"))


@dataclass(frozen=True, slots=True)
class Redirection:
    """One redirection; a here-document's text is its `body`."""

    operator: str
    target: Word = ()
    body: str = ""
    literal: bool = False


@dataclass(slots=True)
class Simple:
    """Words, the first of which is the program, and redirections."""

    words: list[Word] = field(default_factory=list)
    redirections: list[Redirection] = field(default_factory=list)


@dataclass(slots=True)
class Group:
    """Commands one after another; a subshell leaves the folder and variables as they were."""

    body: list[Pipeline]
    subshell: bool = False
    redirections: list[Redirection] = field(default_factory=list)


@dataclass(slots=True)
class For:
    """A loop of a variable over words."""

    name: str
    words: list[Word]
    body: Group


@dataclass(slots=True)
class While:
    """A loop under a condition, whose commands stand first in the body."""

    body: Group


@dataclass(slots=True)
class Define:
    """A function of the shell: its body runs when it is called."""

    name: str
    body: Group


@dataclass(slots=True)
class Array:
    """A variable that is given several words."""

    name: str
    words: list[Word]


Command = Simple | Group | For | While | Define | Array


@dataclass(slots=True)
class Pipeline:
    """Commands of which each reads what the one before it prints.

    `doubtful` ones run only where something else failed or did not hold: behind `||`, `else`, `elif`, in `case`, and
    where a search is the condition. `behind` ones run only where the one before did not fail (`&&`).
    """

    commands: list[Command]
    doubtful: bool = False
    behind: bool = False


def parse(text: str) -> Group:
    """The tree of a command line; takes any text, and leaves out what makes no sense. Longer than a mebibyte: empty."""
    if len(text) > _LONGEST:
        return Group([])
    return Group(_Parser(Lexer(text).run()).commands(frozenset()))


def _asks(pipeline: Pipeline) -> bool:
    """Whether a condition is a question of what is in a file, of which nobody knows the answer."""
    last = pipeline.commands[-1]
    return isinstance(last, Simple) and bool(last.words) and literal(last.words[0]) in _ASKING


@dataclass(slots=True)
class _Parser:
    tokens: list[Token]
    place: int = 0
    depth: int = 0

    def _here(self) -> Token | None:
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def commands(self, ends: frozenset[str]) -> list[Pipeline]:
        """Pipelines up to a closing word or operator, which is left standing; at the top up to the end."""
        found: list[Pipeline] = []
        otherwise, failed, joined = "esac" in ends, False, False
        while (token := self._here()) is not None:
            if (token.plain or token.operator) in ends:
                break
            before = self.place
            if "fi" in ends and token.plain in ("then", "else", "elif"):
                otherwise = token.plain != "then" or otherwise or (bool(found) and _asks(found[-1]))
            if token.operator in _SEPARATORS:
                failed = token.operator == "||" or (failed and token.operator == "\n")
                joined = token.operator == "&&" or (joined and token.operator == "\n")
                self.place += 1
            elif pipeline := self._pipeline():
                pipeline.doubtful, pipeline.behind = otherwise or failed, joined
                found.append(pipeline)
                failed = joined = False
            if self.place == before:
                self.place += 1
        return found

    def _pipeline(self) -> Pipeline | None:
        commands: list[Command] = []
        while True:
            command = self._command()
            if command is not None:
                commands.append(command)
            token = self._here()
            if token is None or token.operator not in ("|", "|&"):
                break
            self.place += 1
            while (after := self._here()) is not None and after.operator == "\n":
                self.place += 1
        return Pipeline(commands) if commands else None

    def _command(self) -> Command | None:
        token = self._here()
        while token is not None and token.plain in _SKIPPED:
            self.place += 1
            token = self._here()
        if token is None:
            return None
        if self.depth >= _DEEPEST:
            return self._simple()
        self.depth += 1
        try:
            return self._compound(token)
        finally:
            self.depth -= 1

    def _compound(self, token: Token) -> Command | None:
        if token.operator == "(":
            return self._enclosed(")", subshell=True)
        if token.plain == "for":
            return self._for()
        if token.plain in ("while", "until"):
            return While(self._enclosed("done"))
        closing = {"{": "}", "if": "fi", "case": "esac"}.get(token.plain)
        return self._enclosed(closing) if closing else self._named() or self._simple()

    def _named(self) -> Command | None:
        """A function's definition, or a variable that is given several words; None for anything else."""
        head, opening, closing = (self._token(self.place + ahead) for ahead in range(3))
        if opening.operator != "(" or not head.plain:
            return None
        if head.plain.endswith("="):
            self.place += 2
            return Array(head.plain.rstrip("=+"), self._words_to(")"))
        brace = self.place + 3
        while self._token(brace).operator == "\n":
            brace += 1
        if closing.operator != ")" or self._token(brace).plain != "{":
            return None
        self.place = brace
        return Define(head.plain, self._enclosed("}"))

    def _token(self, place: int) -> Token:
        return self.tokens[place] if place < len(self.tokens) else Token()

    def _words_to(self, closing: str) -> list[Word]:
        """The words up to an operator, which is passed over; ends of lines between them do not count."""
        words: list[Word] = []
        while (token := self._here()) is not None and token.operator != closing:
            words += [token.word] if token.word is not None else []
            self.place += 1
        self.place += 1
        return words

    def _enclosed(self, closing: str, *, subshell: bool = False) -> Group:
        self.place += 1
        body = self.commands(frozenset((closing,)))
        if self._here() is not None:
            self.place += 1
        rest = self._simple()
        return Group(body, subshell, rest.redirections if rest else [])

    def _for(self) -> Command:
        self.place += 1
        token = self._here()
        name = token.plain if token else ""
        words: list[Word] = []
        while (token := self._here()) is not None and token.plain != "do" and token.operator not in ("\n", ";"):
            if token.word is not None:
                words.append(token.word)
            self.place += 1
        while (token := self._here()) is not None and (token.operator in ("\n", ";")):
            self.place += 1
        return For(name, words[2:], self._enclosed("done"))

    def _simple(self) -> Simple | None:
        command = Simple()
        while (token := self._here()) is not None:
            if token.operator in _REDIRECTIONS:
                self._redirection(command, token)
            elif token.word is not None:
                command.words.append(token.word)
                self.place += 1
            elif token.operator == "(" and command.words:  # a function's definition: its body runs when it is called
                self.place += 2
            else:
                break
        return command if command.words or command.redirections else None

    def _redirection(self, command: Simple, token: Token) -> None:
        self.place += 1
        if token.glued and command.words and literal(command.words[-1]) in ("0", "1", "2"):
            number = literal(command.words.pop())
            if number == "2":  # errors do not carry data
                self._skip_target(token)
                return
        if token.operator in ("<<", "<<-"):
            command.redirections.append(Redirection("<<", body=token.body, literal=token.literal))
            return
        target = self._here()
        if target is not None and target.word is not None:
            command.redirections.append(Redirection(token.operator, target.word))
            self.place += 1

    def _skip_target(self, token: Token) -> None:
        after = self._here()
        if token.operator not in ("<<", "<<-") and after is not None and after.word is not None:
            self.place += 1
