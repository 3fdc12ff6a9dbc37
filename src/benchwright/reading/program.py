"""Which data files a Python program reads, found without running it."""

from __future__ import annotations

import ast
import posixpath
import warnings
from collections import defaultdict
from dataclasses import dataclass

from benchwright.reading.expressions import BudgetSpent
from benchwright.reading.holes import clip, has_hole, to_glob
from benchwright.reading.interpreter import Interpreter
from benchwright.reading.paths import DATA_FILE, canonical_key, specificity
from benchwright.reading.surroundings import Surroundings
from benchwright.reading.trace import Event, Trace

_BUDGET = 300_000
_LONGEST_PROGRAM = 1 << 20


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file that a program reads, as its text names it; with `glob`, `*` stands for what is not known.

    `alternatives` are paths that the program takes in its place where it is missing or cannot be read.
    """

    path: str
    reader: str
    line: int
    expression: str
    glob: bool = False
    conditional: bool = False
    alternatives: tuple[str, ...] = ()
    ways: tuple[tuple[int, ...], ...] = ()
    """Each time: the lines of the calls that lead there, outermost first, and of the read itself."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What is known of a program's use of files.

    `error` says why the program could not be parsed; `complete` is False where it could not be followed to its
    end, or where something is read of which the path is not known.
    """

    reads: tuple[FileRead, ...] = ()
    optional: tuple[FileRead, ...] = ()
    remote: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    declared_unread: tuple[str, ...] = ()
    complete: bool = True
    error: str = ""


def read_program(code: str, given: Surroundings | None = None) -> Reading:
    """Follow a program's text and say which files it reads. Never runs it, never raises on any text.

    `given` is what is known of how it is run; what its own modules read is part of it.
    """
    if len(code) > _LONGEST_PROGRAM:
        return Reading(error=f"longer than {_LONGEST_PROGRAM} characters", complete=False)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Reading(error=f"{type(error).__name__}: {error}", complete=False)
    followed = Interpreter(_BUDGET, given)
    complete = True
    try:
        followed.run_block(tree.body)
    except (BudgetSpent, RecursionError):
        complete = False
    return _summary(tree, followed.trace, complete=complete)


def _summary(tree: ast.Module, trace: Trace, *, complete: bool) -> Reading:
    written = {event.path for event in trace.events if event.kind == "write"}
    read = [event for event in trace.events if event.kind == "read" and event.path not in written]
    taken, left = choose(read)
    reads = _merge(taken, left)
    return Reading(
        reads=reads,
        optional=_merge([event for event in left if not _stands_in(event, reads)], []),
        remote=tuple(dict.fromkeys(to_glob(event.path) for event in trace.events if event.kind == "remote")),
        written=tuple(sorted(to_glob(path) for path in written)),
        declared_unread=_declared(tree, trace),
        complete=complete and not trace.unresolved,
    )


def choose(events: list[Event]) -> tuple[list[Event], list[Event]]:
    """Where arms exclude each other take one: the events taken, and those left.

    Of a point's arms the one that names its files best is taken (a path with its dataset before a bare name), of
    equals the one that the program prefers: the body before its handlers, the first candidate before the next.
    """
    arms: dict[str, dict[int, list[Event]]] = defaultdict(lambda: defaultdict(list))
    for event in events:
        for arm in event.arms:
            arms[arm.point][arm.number].append(event)
    best = {
        point: max(numbers, key=lambda number, numbers=numbers: (_quality(numbers[number]), -number))  # type: ignore[misc]
        for point, numbers in arms.items()
    }
    taken = [event for event in events if all(best[arm.point] == arm.number for arm in event.arms)]
    chosen = set(taken)
    return taken, [event for event in events if event not in chosen]


def _quality(events: list[Event]) -> int:
    return min(specificity(event.path) for event in events)


def _merge(events: list[Event], others: list[Event]) -> tuple[FileRead, ...]:
    """One read a file; what is left over that stands for the same file becomes its alternative."""
    grouped: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for event in events:
        grouped[canonical_key(event.path)].append(event)
    return tuple(_file_read(group, others) for group in grouped.values())


def _file_read(group: list[Event], others: list[Event]) -> FileRead:
    first = group[0]
    rivals = [event for event in others if _replaces(event, group, others)]
    paths = dict.fromkeys(to_glob(event.path) for event in [*group, *rivals])
    return FileRead(
        path=to_glob(first.path),
        reader=first.reader,
        line=first.line,
        expression=first.expression,
        glob=has_hole(first.path),
        conditional=all(event.conditional for event in group),
        alternatives=tuple(path for path in paths if path != to_glob(first.path)),
        ways=tuple(dict.fromkeys(event.way for event in group)),
    )


def _replaces(event: Event, group: list[Event], others: list[Event]) -> bool:
    """Whether an event of an arm not taken stands in for this file: by name, or as the only file of its arm."""
    if not _excludes(event, group):
        return False
    same_arm = [other for other in others if set(other.arms) & set(event.arms)]
    alone = len({canonical_key(other.path) for other in same_arm}) == 1
    return alone or _name(event) in {_name(other) for other in group}


def _name(event: Event) -> str:
    return posixpath.basename(event.path).lower()


def _excludes(event: Event, group: list[Event]) -> bool:
    points = {arm.point for arm in event.arms}
    return any(arm.point in points for other in group for arm in other.arms)


def _stands_in(event: Event, reads: tuple[FileRead, ...]) -> bool:
    return any(to_glob(event.path) in (read.path, *read.alternatives) for read in reads)


def _declared(tree: ast.Module, trace: Trace) -> tuple[str, ...]:
    """Texts that name a data file which the program never opens."""
    used = {_name(event) for event in trace.events}
    texts = (
        clip(node.value).strip()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" not in node.value
    )
    named = (
        text
        for text in texts
        if DATA_FILE.search(text) and text[0] not in ".*" and text[:8].lower() not in ("http://", "https://")
    )
    return tuple(dict.fromkeys(text for text in named if posixpath.basename(text).lower() not in used))
