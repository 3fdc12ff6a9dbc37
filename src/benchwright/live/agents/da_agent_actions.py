"""What a reply of the data-science agent asks for, as the published parser reads it or without its faults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Literal

Parser = Literal["fixed", "published"]

READ_CHARACTERS = 100_000
"""What is read of a reply; no model writes an action that long."""

_CALLS_TRIED = 8


@dataclass(frozen=True, slots=True)
class Bash:
    """A command for the shell."""

    code: str


@dataclass(frozen=True, slots=True)
class PythonFile:
    """A program that is written to a file and run."""

    path: str
    code: str


@dataclass(frozen=True, slots=True)
class Sql:
    """A statement for a database file; `output` is `direct`, or the file that the result goes to."""

    path: str
    command: str
    output: str = "direct"


@dataclass(frozen=True, slots=True)
class Terminate:
    """The end of the task, with the answer or the names of what was written."""

    output: str


Action = Bash | PythonFile | Sql | Terminate


def action_in(reply: str, parser: Parser = "fixed") -> Action | None:
    """The action that a reply asks for; None where there is none that can be read.

    Takes time in proportion to the reply. If nothing is found, it is read once more without the backslashes that models
    put before underscores, and with three single quotes as the fences of code.
    """
    text = reply[:READ_CHARACTERS]
    read = _published if parser == "published" else _fixed
    return read(text) or read(text.replace("\\_", "_").replace("'''", "```"))


# ------------------------------------------------------------------------------------------------ without the faults

_NAMES = "file_path|command|output|code"
_CALL = re.compile(r"\b(Bash|Python|SQL|Terminate)\(\s*(?=(?:file_path|command|output|code)\s*=)")
_MARK = re.compile(r"^[ \t*#_`]*Action\b[ \t*_`0-9]*:", re.MULTILINE)
_NEXT = re.compile(r"^[ \t*#_`]*(?:Action|Thought|Observation)\b[ \t*_`0-9]*:", re.MULTILINE)
_NAME = re.compile(rf"\s*({_NAMES})\s*=\s*")
_OPENING = re.compile(r'"""|\'\'\'|["\'`]|')
_FENCE = re.compile(r"^[ \t:]*```[ \t]*(?:python3?|py)?[ \t]*\n", re.MULTILINE | re.IGNORECASE)
_FENCE_END = re.compile(r"^[ \t]*```[ \t]*$", re.MULTILINE)
_ENDS = {
    quote: re.compile(
        rf"{quote}(?P<end>\s*,(?=\s*(?:{_NAMES})\s*=)|\s*\)(?P<line>[ \t`*]*:?[ \t]*(?:\n|\Z))?)"
        if quote
        else rf"(?P<end>,(?=\s*(?:{_NAMES})\s*=)|\)(?P<line>[ \t`*]*:?[ \t]*(?:\n|\Z))?)"
    )
    for quote in ('"""', "'''", '"', "'", "`", "")
}


def _fixed(text: str) -> Action | None:
    """The first action after the word `Action:`, where there is that word; what follows it was written unseen."""
    mark = _MARK.search(text)
    for region in (text[mark.end() :], text) if mark else (text,):
        for call in islice(_CALL.finditer(region), _CALLS_TRIED):
            found = _arguments(region, call.end())
            if found and (action := _action(call.group(1), *found)) is not None:
                return action
    return None


def _arguments(text: str, start: int) -> tuple[Mapping[str, str], str] | None:
    """The arguments of a call by name, and what follows it; None where it never ends."""
    values: dict[str, str] = {}
    while (named := _NAME.match(text, start)) is not None:
        if named.group(1) in values:
            return None
        opening = _OPENING.match(text, named.end())
        quote = opening.group() if opening else ""
        begin = named.end() + len(quote)
        end = _end(text, begin, quote)
        if end is None:
            return None
        value = text[begin : end.start()]
        values[named.group(1)] = value.replace(f"\\{quote}", quote) if len(quote) == 1 else value.strip()
        start = end.end()
        if not end.group("end").endswith(","):
            return values, text[start:]
    return None


def _end(text: str, begin: int, quote: str) -> re.Match[str] | None:
    """Where a value ends: a quote before the next name, or before the bracket that ends the line.

    Models leave quotes inside a command as they are, so that not every quote ends it. A bracket in the middle of a
    line counts only where no such end comes before the next part of the reply.
    """
    weak: re.Match[str] | None = None
    strong: re.Match[str] | None = None
    limit, counted, inside = len(text), begin, 0
    for end in _ENDS[quote].finditer(text, begin):
        if quote and _escaped(text, end.start()):
            continue
        if end.start() > limit:
            break
        if end.group("line") is not None or end.group("end").endswith(","):
            if len(quote) != 1:
                return end
            inside += text.count(quote, counted, end.start()) - text.count(f"\\{quote}", counted, end.start())
            counted = end.start()
            if inside % 2 == 0:
                return end
            if strong is None:  # a line such as `print("x")` inside: what is quoted goes on
                strong, following = end, _NEXT.search(text, end.end())
                limit = min(limit, following.start()) if following else limit
        elif weak is None:
            weak = end
            following = _NEXT.search(text, end.end())
            limit = following.start() if following else limit
    return strong or weak


def _escaped(text: str, at: int) -> bool:
    before = text[max(0, at - 64) : at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _action(kind: str, values: Mapping[str, str], rest: str) -> Action | None:
    match kind:
        case "Bash" if "code" in values:
            return Bash(values["code"].strip())
        case "Python" if values.get("file_path", "").strip():
            code = values.get("code") or _block(rest)
            return None if code is None else PythonFile(values["file_path"].strip(), code)
        case "SQL" if values.get("file_path") and values.get("command"):
            output = values.get("output", "").strip() or "direct"
            return Sql(values["file_path"].strip(), values["command"].strip(), output)
        case "Terminate" if "output" in values:
            return Terminate(values["output"].strip())
    return None


def _block(rest: str) -> str | None:
    """The first block of Python; one that never ends was cut off."""
    begin = _FENCE.search(rest)
    if begin is None:
        return None
    end = _FENCE_END.search(rest, begin.end())
    return rest[begin.end() : end.start() if end else len(rest)]


# ------------------------------------------------------------------------------------------------ as published

_PUBLISHED_MARK = re.compile(r"Action[\"']?:? ")
_PUBLISHED_FENCES = tuple(re.compile(rf"```{name}[ \t]*(?:\w+[ \t]*)?\r?\n") for name in ("python", ""))
_PUBLISHED_NAMES = ("file_path", "filepath")


def _published(text: str) -> Action | None:
    """As the published harness reads a reply, faults included.

    A command ends at its first closing bracket, the last Bash of a reply is the one that runs, a second block of code
    and the fences between become part of the first, two backslashes in Python become one, and the words Thought and
    Observation end an action wherever they stand; where they leave nothing, the whole reply is read.
    """
    part = _published_part(text).strip() or text.strip()
    return _bash(part) or _python(part) or _sql(part) or _terminate(part)


def _published_part(text: str) -> str:
    mark = _PUBLISHED_MARK.search(text)
    if mark is None:
        return text.partition("Observation")[0] if "Observation" in text else text
    part = text[mark.end() :]
    for word in ("Observation", "Thought"):
        if word in part:
            return part.partition(word)[0]
    return part


def _bash(text: str) -> Bash | None:
    code, at = None, 0
    while (begin := text.find("Bash(code=", at)) >= 0 and (end := text.find(")", begin + 10)) >= 0:
        code, at = text[begin + 10 : end], end + 1
    return None if code is None else Bash(_unquoted(code))


def _python(text: str) -> PythonFile | None:
    """A block that says it is Python goes before any other, and the right name of the argument before the wrong one."""
    for name in _PUBLISHED_NAMES:
        for fence in _PUBLISHED_FENCES:
            begin = text.find(f"Python({name}=")
            start = begin + len(f"Python({name}=")
            end = text.find(")", start)
            opening, last = fence.search(text, end) if min(begin, end) >= 0 else None, text.rfind("```")
            if opening is not None and last >= opening.end():
                code = text[opening.end() : last].strip().replace("\\\\", "\\")
                return PythonFile(_unquoted(text[start:end].strip()), code)
    return None


def _sql(text: str) -> Sql | None:
    """The last of those that are whole."""
    parts, at = None, 0
    while True:
        begin = text.find("SQL(file_path=", at)
        command = text.find(", command=", begin + 14)
        output = text.find(", output=", command + 10)
        end = text.find(")", output + 9)
        if min(begin, command, output, end) < 0:
            return None if parts is None else Sql(*(_unquoted(part.strip()) for part in parts))
        parts, at = (text[begin + 14 : command], text[command + 10 : output], text[output + 9 : end]), end + 1


def _terminate(text: str) -> Terminate | None:
    begin, end = text.find("Terminate(output="), text.rfind(")")
    return Terminate(_unquoted(text[begin + 17 : end])) if 0 <= begin < end - 16 else None


def _unquoted(text: str) -> str:
    for quote in ('"', "'", "`"):
        if text.startswith(quote) and text.endswith(quote):
            return text[1:-1].replace(f"\\{quote}", quote).strip()
    return text.strip()
