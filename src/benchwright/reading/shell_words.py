"""The words of a shell's command line: quotes, variables, substitutions, here-documents; nothing is ever run."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

PieceKind = Literal["plain", "quoted", "variable", "default", "command", "process"]

_OPERATORS = ("&&", "||", ";;", "&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", ">>", ">&", ">|", "|&")
_ENDS = frozenset(" \t\r\n|&;()<>")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SPECIAL = re.compile(r"[0-9@*#?$!-]")
_NUMBERS = r"-?\d{1,9}\.\.-?\d{1,9}(?:\.\.-?\d{1,9})?|[A-Za-z]\.\.[A-Za-z]"
_BRACES = re.compile(rf"\{{([^{{}}]*,[^{{}}]*|{_NUMBERS})\}}")
_RANGE = re.compile(_NUMBERS)
_MOST_BRACES = 200
_ARRAY = re.compile(r"([A-Za-z_]\w*)\[[@*]\]")
_DEFAULT = re.compile(r"(?:[A-Za-z_]\w*|\d):?[-=][^$`]*")
_BLANKS = re.compile(r"(?:[ \t\r]|\\\r?\n)+")
_PLAIN = re.compile(r"[^\s|&;()<>'\"\\$`]+")
_QUOTED = re.compile(r"[^\"\\$`]+")
_ANSI = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "e": "\x1b", "0": "\0"}
"""What stands for what in `$'...'`."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a word: text, text in quotes, the name of a variable (with what stands for it where it has no value),
    or the text of a command to substitute, or of one whose output is read like a file.
    """

    text: str
    kind: PieceKind = "plain"


Word = tuple[Piece, ...]


@dataclass(slots=True)
class Token:
    """A word, or an operator; a here-document is the `body` of its operator, filled in once the line has ended.

    `glued` operators follow a word without a blank: then a number before them is no word but a descriptor's.
    """

    word: Word | None = None
    operator: str = ""
    body: str = ""
    glued: bool = False
    literal: bool = False

    @property
    def plain(self) -> str:
        """The word's text where it is one bare piece, as keywords are; empty otherwise."""
        bare = self.word is not None and len(self.word) == 1 and self.word[0].kind == "plain"
        return self.word[0].text if bare and self.word else ""


@dataclass(slots=True)
class _Heredoc:
    token: Token
    delimiter: str
    strip_tabs: bool


def literal(word: Word) -> str:
    """The word with variables as they are written: for delimiters and messages."""
    return "".join(f"${piece.text}" if piece.kind == "variable" else piece.text for piece in word)


def braced(text: str) -> Iterable[str]:
    """The texts that braces in a word stand for: `{a,b}.csv`."""
    match = _BRACES.search(text)
    if match is None:
        return (text,)
    parts = _range(match.group(1)) or match.group(1).split(",")
    found = (inner for part in parts for inner in braced(text[: match.start()] + part + text[match.end() :]))
    return itertools.islice(found, _MOST_BRACES)


def _range(inside: str) -> list[str]:
    """The numbers or letters that `{1..12}` stands for; none for any other text in braces."""
    if _RANGE.fullmatch(inside) is None:
        return []
    first, last, *more = inside.split("..")
    letters = first.isalpha()
    start, end = (ord(first), ord(last)) if letters else (int(first), int(last))
    step = abs(int(more[0])) or 1 if more else 1
    places = range(start, end + 1, step) if start <= end else range(start, end - 1, -step)
    padded = any(number.lstrip("-").startswith("0") and len(number) > 1 for number in (first, last))
    width = max(len(first), len(last)) if padded else 0
    return [chr(place) if letters else f"{place:0{width}d}" for place in places[:_MOST_BRACES]]


@dataclass(slots=True)
class Lexer:
    """Cuts a command line into tokens. Takes any text: what is left open at its end ends there."""

    text: str
    position: int = 0
    tokens: list[Token] = field(default_factory=list)
    _waiting: list[_Heredoc] = field(default_factory=list)
    _word_end: int = -1

    def run(self) -> list[Token]:
        """All tokens; operators, redirections and ends of lines among them."""
        while self.position < len(self.text):
            self._next()
        return self.tokens

    def _next(self) -> None:
        if blanks := _BLANKS.match(self.text, self.position):
            self.position = blanks.end()
            return
        here = self.text[self.position]
        if here == "\n":
            self.position += 1
            self.tokens.append(Token(operator="\n"))
            self._read_heredocs()
        elif here == "#":
            end = self.text.find("\n", self.position)
            self.position = len(self.text) if end < 0 else end
        elif here in "|&;()<>" and not self.text.startswith(("<(", ">("), self.position):
            self._operator()
        else:
            self._word()

    def _operator(self) -> None:
        found = next((text for text in _OPERATORS if self.text.startswith(text, self.position)), "")
        operator = found or self.text[self.position]
        token = Token(operator=operator, glued=self.position == self._word_end)
        self.position += len(operator)
        self.tokens.append(token)
        if operator in ("<<", "<<-"):
            self._expect_heredoc(token, strip_tabs=operator == "<<-")

    def _expect_heredoc(self, token: Token, *, strip_tabs: bool) -> None:
        if blanks := _BLANKS.match(self.text, self.position):
            self.position = blanks.end()
        if self.position < len(self.text) and self.text[self.position] not in _ENDS:
            self._word()
            word = self.tokens.pop().word or ()
            token.literal = any(piece.kind == "quoted" for piece in word)
            self._waiting.append(_Heredoc(token, literal(word), strip_tabs))

    def _read_heredocs(self) -> None:
        waiting, self._waiting = self._waiting, []
        for heredoc in waiting:
            heredoc.token.body = self._body(heredoc)

    def _body(self, heredoc: _Heredoc) -> str:
        lines: list[str] = []
        while self.position < len(self.text):
            end = self.text.find("\n", self.position)
            line = self.text[self.position : len(self.text) if end < 0 else end]
            self.position = len(self.text) if end < 0 else end + 1
            line = line.lstrip("\t") if heredoc.strip_tabs else line
            if line.rstrip("\r") == heredoc.delimiter:
                break
            lines.append(line)
        return "".join(f"{line}\n" for line in lines)

    def _word(self) -> None:
        pieces: list[Piece] = []
        while self.position < len(self.text):
            here = self.text[self.position]
            if here in _ENDS and not self.text.startswith(("<(", ">("), self.position):
                break
            self._piece(here, pieces)
        if not pieces:
            self.position += 1  # a lone closing character: skipped, so that reading always goes on
            return
        self._word_end = self.position
        self.tokens.append(Token(word=tuple(pieces)))

    def _piece(self, here: str, pieces: list[Piece]) -> None:
        if here == "'":
            pieces.append(Piece(self._until("'"), "quoted"))
        elif here == '"':
            self._double(pieces)
        elif here == "\\":
            escaped = self.text[self.position + 1 : self.position + 2]
            self.position += 2
            if escaped != "\n":
                pieces.append(Piece(escaped, "quoted"))
        elif here == "$":
            self._dollar(pieces, quoted=False)
        elif here == "`":
            pieces.append(Piece(self._until("`"), "command"))
        elif here in "<>":
            self.position += 1
            pieces.append(Piece(self._parenthesis(), "process"))
        else:
            match = _PLAIN.match(self.text, self.position)
            text = match.group() if match else here
            self.position += len(text)
            pieces.append(Piece(text))

    def _until(self, closing: str) -> str:
        start = self.position + 1
        end = self.text.find(closing, start)
        end = len(self.text) if end < 0 else end
        self.position = end + 1
        return self.text[start:end]

    def _double(self, pieces: list[Piece]) -> None:
        self.position += 1
        pieces.append(Piece("", "quoted"))
        while self.position < len(self.text) and self.text[self.position] != '"':
            here = self.text[self.position]
            if here == "\\":
                escaped = self.text[self.position + 1 : self.position + 2]
                self.position += 2
                kept = escaped if escaped in '"\\$`' else "" if escaped == "\n" else f"\\{escaped}"
                pieces.append(Piece(kept, "quoted"))
            elif here == "$":
                self._dollar(pieces, quoted=True)
            elif here == "`":
                pieces.append(Piece(self._until("`"), "command"))
            else:
                match = _QUOTED.match(self.text, self.position)
                text = match.group() if match else here
                self.position += len(text)
                pieces.append(Piece(text, "quoted"))
        self.position += 1

    def _dollar(self, pieces: list[Piece], *, quoted: bool) -> None:
        rest = self.position + 1
        if self.text.startswith("((", rest):
            self.position = rest
            self._parenthesis()
            pieces.append(Piece("", "variable"))
        elif self.text.startswith("(", rest):
            self.position = rest
            pieces.append(Piece(self._parenthesis(), "command"))
        elif self.text.startswith("{", rest):
            self.position = rest
            inside = self._until("}")
            known = _NAME.fullmatch(inside) or _SPECIAL.fullmatch(inside)
            array, default = _ARRAY.fullmatch(inside), _DEFAULT.fullmatch(inside)
            kind: PieceKind = "default" if default else "variable"
            pieces.append(Piece(array.group(1) if array else inside if known or default else "", kind))
        elif self.text.startswith("'", rest) and not quoted:
            self.position = rest
            pieces.append(Piece(self._ansi(), "quoted"))
        elif match := _NAME.match(self.text, rest) or _SPECIAL.match(self.text, rest):
            self.position = match.end()
            pieces.append(Piece(match.group(), "variable"))
        else:
            self.position = rest
            pieces.append(Piece("$", "quoted"))

    def _ansi(self) -> str:
        start = self.position + 1
        end = start
        while end < len(self.text) and self.text[end] != "'":
            end += 2 if self.text[end] == "\\" else 1
        self.position = min(end, len(self.text)) + 1
        inside = self.text[start : min(end, len(self.text))]
        return re.sub(r"\\(.)", lambda match: _ANSI.get(match.group(1), match.group()), inside, flags=re.DOTALL)

    def _parenthesis(self) -> str:
        """The text inside a pair of parentheses that opens here, and go on behind it; quotes are respected."""
        start, depth, place = self.position + 1, 0, self.position
        while place < len(self.text):
            here = self.text[place]
            if here == "\\":
                place += 1
            elif here == "'":
                closing = self.text.find("'", place + 1)
                place = len(self.text) if closing < 0 else closing
            elif here == "(":
                depth += 1
            elif here == ")":
                depth -= 1
                if depth == 0:
                    break
            place += 1
        self.position = min(place, len(self.text)) + 1
        return self.text[start : min(place, len(self.text))]
