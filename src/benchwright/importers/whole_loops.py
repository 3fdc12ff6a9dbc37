"""Where a program takes every file of a pattern in turn, so that each of them is read and not some."""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from benchwright.importers.stops import WHOLE, Stop
from benchwright.reading import FileRead

_PATTERNS = frozenset(("glob", "iglob", "rglob"))
_SAME = frozenset(("sorted", "list", "tuple", "reversed", "set"))
_LEAVES = (ast.Break, ast.Continue, ast.Return, ast.Raise, ast.IfExp, ast.BoolOp, ast.Lambda)
_STRAIGHT = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.With)
_COLLECTS = (ast.ListComp, ast.SetComp, ast.DictComp)


@dataclass(frozen=True, slots=True)
class Turns:
    """The lines of a statement that is carried out for every file of a pattern, and the last line of its loop; `name`
    is what the file is called there.
    """

    name: str
    first: int
    last: int
    end: int

    def takes(self, expression: str) -> bool:
        """Whether what is read is the file itself."""
        same = expression in (self.name, f"str({self.name})")
        return (
            same
            or re.fullmatch(rf"{re.escape(self.name)}\.(?:read_text|read_bytes|open)\([^()]*\)", expression) is not None
        )


def turns_of(code: str) -> tuple[Turns, ...]:
    """The statements of a program that every file of a pattern comes to; none of a text that is no program."""
    if not any(name in code for name in _PATTERNS):
        return ()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
            given = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and _stores(node))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    names: set[str] = set()
    found: list[Turns] = []
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if given[name] == 1 and _every(value, names):
                names.add(name)
        found += _loop(statement, names) if isinstance(statement, ast.For) else _collected(statement, names)
    return tuple(found)


def _stores(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _loop(loop: ast.For, names: set[str]) -> Iterator[Turns]:
    if not _every(loop.iter, names) or any(isinstance(node, _LEAVES) for node in ast.walk(loop)):
        return
    name = _called(loop.target, loop.iter)
    for statement in loop.body if name else ():
        if isinstance(statement, _STRAIGHT):
            yield _turns(name, statement, loop)


def _collected(statement: ast.stmt, names: set[str]) -> Iterator[Turns]:
    """Comprehensions over every file of a pattern, in a statement that is always carried out."""
    if not isinstance(statement, _STRAIGHT) or any(isinstance(node, _LEAVES) for node in ast.walk(statement)):
        return
    for node in ast.walk(statement):
        if isinstance(node, _COLLECTS) and len(node.generators) == 1:
            generator = node.generators[0]
            name = _called(generator.target, generator.iter)
            if name and not generator.ifs and _every(generator.iter, names):
                yield _turns(name, node, statement)


def _called(target: ast.expr, taken: ast.expr) -> str:
    """The name that each file is given; nothing where it is given none of its own."""
    numbered = isinstance(taken, ast.Call) and isinstance(taken.func, ast.Name) and taken.func.id == "enumerate"
    match target:
        case ast.Name(id=name) if not numbered:
            return name
        case ast.Tuple(elts=[ast.Name(), ast.Name(id=name)]) if numbered:
            return name
    return ""


def _turns(name: str, node: ast.stmt | ast.expr, around: ast.stmt) -> Turns:
    return Turns(name, node.lineno, node.end_lineno or node.lineno, around.end_lineno or around.lineno)


def _every(value: ast.expr, names: set[str]) -> bool:
    """Whether an expression is every file of a pattern, in some order."""
    match value:
        case ast.Name(id=name):
            return name in names
        case ast.Call(func=ast.Name(id=function), args=[inner, *_]) if function in _SAME:
            return _every(inner, names)
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
            return _every(inner, names)
        case ast.Call(func=ast.Attribute(attr=function)) | ast.Call(func=ast.Name(id=function)):
            return function in _PATTERNS
    return False


def comes_to_each(read: FileRead, turns: tuple[Turns, ...], stop: Stop) -> bool:
    """Whether a program comes to every file of a pattern that it reads: it ended well, or behind the loop over them."""
    named = [turn for turn in turns if turn.takes(read.expression)]
    around = [turn for turn in named if all(len(way) == 1 and turn.first <= way[0] <= turn.last for way in read.ways)]
    return any(stop is WHOLE or bool(stop.frames and stop.frames[0] > turn.end) for turn in around)
