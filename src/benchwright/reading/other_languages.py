"""The files that programs in R, JavaScript, Julia and Ruby read and write, where their names stand in the text."""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_TEXT = r""""(?:[^"\\\n]|\\.){0,400}"|'(?:[^'\\\n]|\\.){0,400}'|`(?:[^`\\]|\\.){0,400}`"""
_COMMENTS = {
    "javascript": re.compile(rf"({_TEXT})|//[^\n]*|/\*.*?\*/", re.DOTALL),
    "julia": re.compile(rf"({_TEXT})|#=.*?=#|#[^\n]*", re.DOTALL),
}
_COMMENT = re.compile(rf"({_TEXT})|#[^\n]*", re.DOTALL)
_LITERAL = re.compile(_TEXT, re.DOTALL)
_READERS = {
    "r": "read.csv read.csv2 read.table read.delim read_csv read_csv2 read_tsv read_delim read_table fread vroom "
    "read_excel read_xlsx read_xls read.xlsx excel_sheets readRDS read_rds load readLines read_lines read_file scan "
    "fromJSON read_json stream_in read_parquet read_feather st_read read_sf read_dta read_sav read_sas read.dta "
    "read.spss read_yaml read_xml file gzfile dbConnect",
    "javascript": "readFileSync readFile createReadStream openSync readJsonSync readJSONSync readJson readTextFile "
    "readTextFileSync require Database",
    "julia": "CSV.read CSV.File readdlm open read readlines eachline XLSX.readtable XLSX.readxlsx XLSX.openxlsx "
    "JSON.parsefile Arrow.Table load SQLite.DB",
    "ruby": "CSV.read CSV.foreach CSV.table File.read File.open File.foreach File.readlines IO.read IO.readlines",
}
_WRITERS: dict[str, dict[str, tuple[int, int]]] = {
    "r": {"writeLines": (1, 0), "write": (1, 0), "cat": (-1, 0), "write.csv": (1, -1), "write_csv": (1, -1)},
    "javascript": {"writeFileSync": (0, 1), "writeFile": (0, 1), "writeTextFileSync": (0, 1)},
    "julia": {"write": (0, 1), "CSV.write": (0, -1)},
    "ruby": {"File.write": (0, 1)},
}
"""Which of a writer's arguments is the path, and which the text; -1: none by its place."""
_OPENERS = frozenset(("open", "openSync", "file", "gzfile", "File.open"))
_SECOND = frozenset(("dbConnect",))
"""Readers whose second argument is the path."""
_NAMED = re.compile(r"^\s*(?:file|path|input|dsn|con|dbname|filename)\s*=(?!=)\s*(.*)$", re.DOTALL)
_OTHERWISE_NAMED = re.compile(r"^\s*[A-Za-z_.][\w.]*\s*=(?!=)")
_JOINS = frozenset("file.path path.join join resolve path.resolve joinpath File.join here here::here".split())
_TOGETHER = frozenset(("paste0", "string"))
_SAME = frozenset("normalizePath path.expand String file gzfile".split())
_CALL = re.compile(r"([A-Za-z_.$][\w.$]*(?:::[\w.]+)?)\((.*)\)", re.DOTALL)
_MOVES = re.compile(r"\b(?:setwd|process\.chdir|Dir\.chdir|cd)\(")
_GIVEN = re.compile(r"(?:^|[;{\n])[ \t]*(?:const |let |var )?([A-Za-z_.][\w.]*)[ \t]*(?:<-|=(?![=>]))[ \t]*([^\n;]+)")
_PUT_IN = re.compile(r"[$#]\{(\w+)\}|\$\((\w+)\)|\$(\w+)")
_BLOCK = re.compile(r"\b(?:function|for|while|if|unless|let|begin|try|do|module|class|def|case)\b")
_END = re.compile(r"\bend\b")
_CONDITION = re.compile(r"(?:^|[;{}\n])[ \t]*(?:else|if|for|while)\b[^\n;{]*$")
_LONGEST = 100_000
_MOST = 200
_DEEPEST = 20

LANGUAGES = {
    **dict.fromkeys(("Rscript", "R", "r", "littler"), "r"),
    **dict.fromkeys(("node", "nodejs", "bun", "deno", "tsx", "ts-node"), "javascript"),
    "julia": "julia",
    "ruby": "ruby",
}
"""The language of the programs that each of these runs."""


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file that a program reads, or writes with `text` (None: not known), below `folder` if it had moved there.

    `sure` says that no block, loop or condition stands around it.
    """

    path: str
    sure: bool = True
    folder: str = ""
    text: str | None = None


@dataclass(slots=True)
class Files:
    """What a program does with files; `unresolved` counts reads of which the text does not tell the file."""

    read: list[NamedFile] = field(default_factory=list)
    written: list[NamedFile] = field(default_factory=list)
    unresolved: int = 0


def files_of(code: str, language: str, known: Mapping[str, str]) -> Files:
    """The files of a program in `r`, `javascript`, `julia` or `ruby`; `known` are names with a value from outside."""
    found = Files()
    if len(code) > _LONGEST:
        found.unresolved = 1
        return found
    bare = _COMMENTS.get(language, _COMMENT).sub(lambda match: match[1] or "", code)
    program = _Program(language, bare, dict(known))
    program.learn()
    for place, name, arguments in program.calls():
        program.take(found, place, name, arguments)
    return found


@dataclass(slots=True)
class _Program:
    """A program without its comments; `shape` is its text with blanks for what stands between quotes."""

    language: str
    code: str
    known: dict[str, str]
    shape: str = ""
    moves: list[tuple[int, str]] = field(default_factory=list)

    def learn(self) -> None:
        """Names that are given one text and nothing else, and the folders that the program moves to."""
        self.shape = _LITERAL.sub(lambda match: " " * len(match[0]), self.code)
        given: dict[str, list[str]] = {}
        for match in _GIVEN.finditer(self.code):
            given.setdefault(match[1], []).append(match[2].strip())
        for name, values in given.items():
            if len(values) == 1 and name not in self.known and (value := self.value(values[0])) is not None:
                self.known[name] = value
        for match in _MOVES.finditer(self.shape):
            if folder := self.value((self.arguments(match.end()) or [""])[0]):
                self.moves.append((match.start(), folder))

    def calls(self) -> Iterator[tuple[int, str, list[str]]]:
        """Each call of a reader or a writer: where it stands, its name, its arguments."""
        names = [*_READERS[self.language].split(), *_WRITERS[self.language]]
        every = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        dotted = r"(?<![\w$])" if self.language in ("javascript", "r") else r"(?<![\w.$])"
        for match in list(re.finditer(rf"{dotted}({every})\(", self.shape))[:_MOST]:
            yield match.start(), match[1], self.arguments(match.end())

    def arguments(self, start: int) -> list[str]:
        """The arguments that begin here, up to the bracket that ends them."""
        depth, begun, found = 0, start, list[str]()
        for place in range(start, min(len(self.shape), start + 20_000)):
            letter = self.shape[place]
            if letter in "([{":
                depth += 1
            elif letter in ")]}" and depth:
                depth -= 1
            elif (letter == "," and not depth) or letter in ")]}":
                found.append(self.code[begun:place].strip())
                begun = place + 1
                if letter != ",":
                    return [each for each in found if each]
        return []

    def take(self, found: Files, place: int, name: str, arguments: list[str]) -> None:
        """One call."""
        folder = next((folder for start, folder in reversed(self.moves) if start < place), "")
        named = next((told[1] for each in arguments if (told := _NAMED.match(each))), "")
        by_place = (
            arguments if self.language == "javascript" else [a for a in arguments if not _OTHERWISE_NAMED.match(a)]
        )
        if name in _WRITERS[self.language]:
            where, what = _WRITERS[self.language][name]
            path = self.value(named or _at(by_place, where))
            if path:
                found.written.append(NamedFile(path, self.sure(place), folder, self.value(_at(by_place, what))))
            return
        if name in _OPENERS and (self.value(_at(by_place, 1)) or "")[:1] in ("w", "a"):
            return
        path = self.value(named or _at(by_place, 1 if name in _SECOND else 0))
        if path is None:
            found.unresolved += name not in ("require", "file", "gzfile", "scan", "read", "load", "Database")
        elif name != "require" or path.endswith(".json"):
            found.read.append(NamedFile(path, self.sure(place), folder))

    def sure(self, place: int) -> bool:
        """Whether no block, loop or condition stands around this place."""
        before = self.shape[:place]
        if self.language in ("julia", "ruby"):
            return len(_BLOCK.findall(before)) <= len(_END.findall(before))
        return before.count("{") <= before.count("}") and not _CONDITION.search(before[-500:])

    def value(self, written: str, depth: int = 0) -> str | None:
        """The text that an expression stands for; None where that is not known."""
        written = written.strip()
        if not written or depth > _DEEPEST:
            return None
        if _LITERAL.fullmatch(written):
            return self._literal(written)
        if written in self.known:
            return self.known[written]
        if call := _CALL.fullmatch(written):
            return self._called(call[1], call[2], depth)
        parts = _sum(written, "*" if self.language == "julia" else "+")
        values = [self.value(part, depth + 1) for part in parts] if len(parts) > 1 else [None]
        return None if None in values else "".join(value or "" for value in values)

    def _literal(self, written: str) -> str | None:
        inside = re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), written[1:-1])
        puts_in = {"javascript": "`", "julia": '"', "ruby": '"'}.get(self.language)
        if written[0] != puts_in:
            return inside
        names = [next(filter(None, match.groups())) for match in _PUT_IN.finditer(inside)]
        if any(name not in self.known for name in names) or "${" in _PUT_IN.sub("", inside):
            return None
        return _PUT_IN.sub(lambda match: self.known[next(filter(None, match.groups()))], inside)

    def _called(self, name: str, inside: str, depth: int) -> str | None:
        inner = _Program(self.language, f"{inside})", self.known)
        inner.shape = _LITERAL.sub(lambda match: " " * len(match[0]), inner.code)
        values = [self.value(each, depth + 1) for each in inner.arguments(0) if not _OTHERWISE_NAMED.match(each)]
        if not values or None in values:
            return None
        texts = [value or "" for value in values]
        if name in _JOINS:
            return posixpath.join(*texts)
        return "".join(texts) if name in _TOGETHER else texts[0] if name in _SAME else None


def _at(arguments: list[str], place: int) -> str:
    return arguments[place] if 0 <= place < len(arguments) else ""


def _sum(written: str, operator: str) -> list[str]:
    """The parts of a sum of texts, at the top of an expression."""
    shape = _LITERAL.sub(lambda match: " " * len(match[0]), written)
    if any(letter in shape for letter in "([{"):
        return [written]
    places = [-1, *(place for place, letter in enumerate(shape) if letter == operator), len(written)]
    return [written[start + 1 : end] for start, end in itertools.pairwise(places)]
