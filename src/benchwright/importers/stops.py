"""Where a program ended before its time, as its output tells, and what of it had run by then."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

from benchwright.trajectory import Call

_HEAD = "Traceback (most recent call last)"
_FRAME = re.compile(r'(?:File "(<stdin>|<string>|<ipython[^"]*>|[^"\n]+\.py)"|Cell In ?\[\d+\]), line (\d{1,7})')
_ARROW = re.compile(r"<module>[^\n]{0,200}\n(?:[^\n]{0,500}\n){0,8}?-+>\s*(\d{1,7})\b")
"""How IPython showed lines before version 8."""
_ERROR = re.compile(r"^(?:\w+\.)*\w*(?:Error|Exception|Interrupt|SystemExit|Warning)\b(?::|$)", re.MULTILINE)
_BEFORE = re.compile(
    r"(?:^|' due to: )(?:(?:ModuleNotFoundError|ImportError)\b"
    r"|InterpreterError: Import (?:of|from) \S{1,200} is not allowed)",
    re.MULTILINE,
)
_INNER = re.compile(r", line \d{1,7}, in ")
_UNPARSED = re.compile(r"^(?:SyntaxError|IndentationError|TabError)\b", re.MULTILINE)
_NO_PROGRAM = re.compile(
    r"\b(?:i?python|pypy)[\d.]*: (?:command )?not found|\b(?:i?python|pypy)[\d.]*'?: No such file"
    r"|can't open file '[^'\n]{1,1000}'"
)
_STATEMENT = re.compile(r"Code execution failed at line '(.{1,2000}?)' due to: ", re.DOTALL)
"""How smolagents' interpreter tells where a cell ended: by the text of the statement."""
_OTHERS = re.compile(r"[|;]|\bPIPESTATUS\b")
"""What may stand between a program's exit code and that of its call."""
_DELIMITER = re.compile(r"<<-?\s*['\"]?(\w{1,50})")
_MOST_BEHIND = 3
"""Lines behind a traceback that still say that the program ended with it: harnesses and shells add some."""
_LONGEST = 200_000


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a program ended: the lines of the calls that led there, outermost first; none: `ran` is true of all of it.

    `last` is the last line of the outermost statement, where the log tells no more than that statement. `statements`
    gives the line on which the innermost statement around a line begins, `loops` the lines of each loop.
    """

    ran: bool | None = True
    frames: tuple[int, ...] = ()
    last: int = 0
    statements: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    loops: tuple[tuple[int, int], ...] = ()

    def reached(self, way: tuple[int, ...], *, first: bool = True) -> bool | None:
        """Whether the program came along these lines before it ended; None where that is left open.

        `first` says that nothing came along them before: of a loop, the first round.
        """
        looped = False
        for own, failed in zip(way, self.frames, strict=False):
            inside = self.frames[0] <= own <= self.last and failed == self.frames[0]
            if inside or self.statements.get(own, own) == self.statements.get(failed, failed):
                looped = looped or any(start <= own <= end for start, end in self.loops)
                continue
            looped = looped or any(start <= own <= end and start <= failed <= end for start, end in self.loops)
            if own < failed:
                return True if first or not looped else None
            return None if looped else False
        return None if self.frames else self.ran


WHOLE = Stop()
"""A program of which nothing says that it ended before its time."""
UNSURE = Stop(ran=None)
"""A program of which nothing says that it ran."""
NOTHING = Stop(ran=False)
"""A program that never began."""


def stop_of(call: Call, name: str, code: str, *, alone: bool, skip: int = 0) -> Stop:
    """Where a program of a call ended. `name` is how tracebacks call it, empty where any name may be meant.

    With others beside it (not `alone`) only a traceback that names it counts. `code` begins with `skip` lines that are
    counted elsewhere, and that the traceback knows nothing of.
    """
    output = call.output
    if (told := _STATEMENT.search(output)) is not None:
        return _at_statement(told.group(1), code, skip)
    blocks = output.split(_HEAD)[1:] or ([] if _UNPARSED.search(output) else [output])
    for block in reversed(blocks):
        lines = _lines(block, name if not alone else "")
        if lines and _HEAD not in output and _INNER.search(block) and "<module>" not in block:
            return UNSURE  # the outer frames were cut off
        if lines and _ended(call, block):
            return _at(lines, code, skip)
        if lines:
            return WHOLE
    failed = bool(call.is_error or call.exit_code) or (call.kind == "shell" and "|" in call.text)
    return _untold(output, failed=failed) if alone else WHOLE


def _untold(output: str, *, failed: bool) -> Stop:
    """A program whose output shows no line of it."""
    if failed and _NO_PROGRAM.search(output):
        return NOTHING
    if _UNPARSED.search(output) and _HEAD not in output:
        return NOTHING
    last = next((line for line in reversed(output.splitlines()) if line.strip()), "")
    broke = failed and _ERROR.match(last) is not None and "Warning" not in last.partition(":")[0]
    return UNSURE if broke or _BEFORE.search(output) else WHOLE


def _lines(block: str, name: str) -> tuple[int, ...]:
    """The lines of the program that a traceback shows, outermost first; those of modules that it uses are none."""
    frames = _FRAME.findall(block)
    if not frames:
        arrow = _ARROW.search(block)
        return (int(arrow.group(1)),) if arrow and not name else ()
    own = frames[0][0]
    if name and own.rsplit("/", 1)[-1] != name:
        return ()
    return tuple(int(line) for found, line in frames if found == own)


def _ended(call: Call, block: str) -> bool:
    """Whether the program ended with a traceback, and did not go on behind it."""
    if call.is_error or call.exit_code:
        return True
    if call.exit_code == 0 and _is_last(call.text):
        return False
    errors = list(_ERROR.finditer(block))
    behind = block[errors[-1].end() :].split("\n")[1:] if errors else []
    return sum(bool(line.strip()) for line in behind) <= _MOST_BEHIND


def _is_last(text: str) -> bool:
    """Whether the exit code of a command line is plainly that of the program that stands in it."""
    last = text.rstrip().rsplit("\n", 1)[-1].strip()
    return not _OTHERS.search(text) and (last in _DELIMITER.findall(text) or "python" in last)


def _at(lines: tuple[int, ...], code: str, skip: int) -> Stop:
    statements, loops = _outline(code)
    return Stop(frames=tuple(line + skip for line in lines), statements=statements, loops=loops)


def _at_statement(statement: str, code: str, skip: int) -> Stop:
    start = code.find(statement, _offset(code, skip))
    if start < 0:
        return UNSURE
    first = code.count("\n", 0, start) + 1
    statements, loops = _outline(code)
    return Stop(frames=(first,), last=first + statement.count("\n"), statements=statements, loops=loops)


def _offset(code: str, skip: int) -> int:
    """Where the line behind `skip` lines begins."""
    place = 0
    for _ in range(skip):
        place = code.find("\n", place) + 1
    return place


@lru_cache(maxsize=64)
def _outline(code: str) -> tuple[Mapping[int, int], tuple[tuple[int, int], ...]]:
    """The line on which the innermost statement around each line begins, and the lines of each loop."""
    if len(code) > _LONGEST:
        return {}, ()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.stmt)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}, ()
    found: dict[int, int] = {}
    for node in nodes:
        body: list[ast.stmt] = getattr(node, "body", [])
        last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
        found |= dict.fromkeys(range(node.lineno, max(last, node.lineno) + 1), node.lineno)
    loops = (node for node in nodes if isinstance(node, ast.For | ast.AsyncFor | ast.While))
    return found, tuple((loop.lineno, loop.end_lineno or loop.lineno) for loop in loops)
