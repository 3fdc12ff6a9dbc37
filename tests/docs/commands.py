"""The commands that pages show: found in their blocks and lines, and held against the command line without running any."""

import re
import shlex
from functools import cache
from pathlib import Path
from typing import NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from benchwright.cli import app
from benchwright.suites import loader
from benchwright.suites.registry import families

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]
_BLOCK = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"(?<!`)`(benchwright [^`\n]+)`(?!`)")
_COMMAND = re.compile(r"^\s*(?:\$ )?(?:\S+=\S+ )*(?:sudo )?(?:\S*/)?benchwright (.+)$")
_SHOWN = {"", "sh", "bash", "shell", "console"}
"""The languages of blocks that people type; others show what comes back."""
UsageError = typer.BadParameter.__mro__[1]
"""What typer raises of words that it does not take, whichever click it stands on."""
_MANY = re.compile(r"(\.\.\.|…)$")


class Shown(NamedTuple):
    """A command on a page: where it stands, its words, and whether it stands in a block, whole."""

    place: str
    words: tuple[str, ...]
    whole: bool


def shown(page: Path) -> list[Shown]:
    """Every command of ours that a page shows."""
    text, name = page.read_text("utf-8"), str(page.relative_to(ROOT))
    found = []
    for block in _BLOCK.finditer(text):
        if block[2] not in _SHOWN:
            continue
        first = text.count("\n", 0, block.start(3)) + 1
        lines = block[3].replace("\\\n", " \0").split("\n")
        for number, line in enumerate(lines):
            at = first + sum(before.count("\0") + 1 for before in lines[:number])
            typed = map(_COMMAND.match, re.split(r" (?:&&|\||;) ", line.replace("\0", "")))
            found += [Shown(f"{name}:{at}", words(command[1]), whole=True) for command in typed if command]
    outside = _BLOCK.sub("", text)
    found += [
        Shown(f"{name}: `{match[1]}`", words(match[1].partition(" ")[2]), whole=False)
        for match in _INLINE.finditer(outside)
    ]
    return found


def words(text: str) -> tuple[str, ...]:
    """The words of a command as it is typed: a remark, brackets around what may be left out, and dots are no words."""
    text = re.sub(r"\s#.*$", "", text).replace("[", " ").replace("]", " ")
    text = re.sub(r"\s[<>]\s*\S+", "", text)
    split = shlex.split(text)
    return tuple(word for each in split if (word := each if each == "..." else _MANY.sub("", each)) and word != "\\")


class Wrong(Exception):
    """Why a command is none that the program knows."""


def check(command: Shown) -> None:
    """Resolve a command and parse its words, running nothing. Raises Wrong."""
    try:
        _parse(command)
    except UsageError as error:
        raise Wrong(f"{command.place}: benchwright {' '.join(command.words)}: {error}") from error


@cache
def _program() -> TyperCommand | TyperGroup:
    return typer.main.get_command(app)


def _parse(command: Shown) -> None:
    found = _program()
    context = typer.Context(found, info_name="benchwright", resilient_parsing=True)
    rest = list(command.words)
    while isinstance(found, TyperGroup) and rest and not rest[0].startswith("-"):
        sub = found.get_command(context, rest[0])
        if sub is None:
            choices = rest[0].split("|")
            if len(choices) < 2:
                raise UsageError(f"no command {rest[0]!r}")
            for choice in choices:
                _parse(command._replace(words=(*command.words[: len(command.words) - len(rest)], choice, *rest[1:])))
            return
        found, context, rest = sub, typer.Context(sub, context, info_name=rest[0], **sub.context_settings), rest[1:]
    if isinstance(found, TyperGroup) and not (found.invoke_without_command and command.words[1:]):
        if rest and rest[0] not in {"--version", "--help", "-h"}:
            raise UsageError(f"no option {rest[0]}")
        return
    _check_words(found, context, rest, whole=command.whole)


def _check_words(command: TyperCommand, context: typer.Context, rest: list[str], *, whole: bool) -> None:
    rest = ["1" if word == "N" else _first_choice(word) for word in rest if word not in {"--help", "-h"}]
    if context.ignore_unknown_options:
        _check_sources(rest)
    if whole:  # in a line of text, what has to be given may be left out
        context.resilient_parsing = False
        command.parse_args(context, rest)
        return
    _, left, _ = command.make_parser(context).parse_args(rest)
    left = [word for word in left if word != "..."]
    if left and not context.allow_extra_args:
        raise UsageError(f"more words than it takes: {' '.join(left)}")


def _first_choice(word: str) -> str:
    """`sound|reference` stands for either."""
    return word.partition("|")[0] if re.fullmatch(r"[\w-]+(\|[\w-]+)+", word) else word


def _check_sources(rest: list[str]) -> None:
    """`suites build NAME --SOURCE PATH`: the sources are those of the family."""
    name = next((word for word in rest if not word.startswith("-")), "")
    if name.isupper():
        return
    if name not in families():
        raise UsageError(f"no suite family {name!r}")
    known = {"out", "release", *loader(name).sources}
    for word in rest:
        option = word.removeprefix("--").partition("=")[0].replace("-", "_")
        if word.startswith("--") and option not in known:
            raise UsageError(f"no such option {word}")
