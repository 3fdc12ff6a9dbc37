"""The command lines that a Python program hands to a shell, by `os.system`, `subprocess` and the like."""

from __future__ import annotations

import ast
import shlex
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from benchwright.reading.holes import HOLE

_BY_MODULE = {
    "os": frozenset(("system", "popen")),
    "subprocess": frozenset(("run", "call", "check_call", "check_output", "Popen", "getoutput", "getstatusoutput")),
}
_STRAIGHT = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.With, ast.Assert)
_MOST = 200


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """A command, HOLE for what is not known of it; `sure`: no condition, loop or function stands around it."""

    line: int
    text: str
    sure: bool


def commands_of(code: str) -> list[ShellCommand]:
    """The commands of a program, in their order."""
    if not any(module in code for module in _BY_MODULE):
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            statements = ast.parse(code).body
            nodes = [(node, isinstance(each, _STRAIGHT)) for each in statements for node in ast.walk(each)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    everything = [node for node, _ in nodes]
    aliases, constants = _imported(everything), _constants(everything)
    found = (
        ShellCommand(node.lineno, _where(node, constants) + text, sure)
        for node, sure in nodes
        if isinstance(node, ast.Call) and node.args and _runs(node.func, aliases)
        if (text := _command(node.args[0], constants))
    )
    return sorted(found, key=lambda command: command.line)[:_MOST]


def _imported(nodes: list[ast.AST]) -> dict[str, str]:
    """Names in the program and what they stand for, as `module` or `module.name`."""
    found = {module: module for module in _BY_MODULE}
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {item.asname or item.name: item.name for item in node.names if item.name in _BY_MODULE}
        elif isinstance(node, ast.ImportFrom) and node.module in _BY_MODULE:
            found |= {item.asname or item.name: f"{node.module}.{item.name}" for item in node.names}
    return found


def _runs(function: ast.expr, aliases: dict[str, str]) -> bool:
    name = ""
    if isinstance(function, ast.Name):
        name = aliases.get(function.id, "")
    elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        name = f"{aliases.get(function.value.id, '')}.{function.attr}"
    module, _, called = name.partition(".")
    return called in _BY_MODULE.get(module, ())


def _constants(nodes: list[ast.AST]) -> dict[str, ast.expr]:
    """Names that are given a value once."""
    given: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                given.setdefault(target.id if isinstance(target, ast.Name) else "", []).append(node.value)
    return {name: values[0] for name, values in given.items() if len(values) == 1}


def _command(node: ast.expr, constants: dict[str, ast.expr]) -> str:
    """A command as a shell reads it: of a text, or of a list of words."""
    if isinstance(node, ast.Name):
        node = constants.get(node.id, node)
    if isinstance(node, (ast.List, ast.Tuple)):
        words = ["".join(_text(word, constants)) for word in node.elts]
        return " ".join(HOLE if HOLE in word else shlex.quote(word) for word in words)
    return "".join(_text(node, constants))


def _where(node: ast.Call, constants: dict[str, ast.expr]) -> str:
    """The folder that a command is run in, as a change to it."""
    given = next((word.value for word in node.keywords if word.arg == "cwd"), None)
    folder = "" if given is None else "".join(_text(given, constants))
    return f"cd {shlex.quote(folder)}\n" if folder and HOLE not in folder else ""


def _text(node: ast.expr, constants: dict[str, ast.expr]) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(written)):
            yield written
        case ast.JoinedStr(values=parts):
            for part in parts:
                yield from _text(part.value if isinstance(part, ast.FormattedValue) else part, constants)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from _text(left, constants)
            yield from _text(right, constants)
        case ast.Attribute(value=ast.Name(id="sys"), attr="executable"):
            yield "python"
        case ast.Name(id=name) if isinstance(known := constants.get(name), ast.Constant):
            yield str(known.value)
        case _:
            yield HOLE
