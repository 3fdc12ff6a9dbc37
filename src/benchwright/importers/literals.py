"""The files that a Python program writes whole with text that stands in the program."""

from __future__ import annotations

import ast
import warnings


def literal_writes(code: str) -> dict[str, str]:
    """The text of each file by its path, where both stand in the program and the file is written once."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    nodes = list(ast.walk(tree))
    constants = _constants(nodes)
    streams = _streams(nodes, constants)
    found: dict[str, list[str | None]] = {}
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            path = _target(node.func, streams, constants)
            if path is not None:
                found.setdefault(path, []).append(_text(node.args[0], constants))
    return {path: texts[0] for path, texts in found.items() if len(texts) == 1 and texts[0] is not None}


def _constants(nodes: list[ast.AST]) -> dict[str, str]:
    """Names that are given one text and nothing else."""
    given: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    given.setdefault(target.id, []).append(node.value)
    texts = {name: values[0] for name, values in given.items() if len(values) == 1}
    return {
        name: value.value
        for name, value in texts.items()
        if isinstance(value, ast.Constant) and isinstance(value.value, str)
    }


def _streams(nodes: list[ast.AST], constants: dict[str, str]) -> dict[str, str]:
    """Names of files that are opened to be written, with their paths."""
    found: dict[str, str] = {}
    for node in nodes:
        pairs: list[tuple[ast.expr | None, ast.expr]] = []
        if isinstance(node, ast.With):
            pairs = [(item.optional_vars, item.context_expr) for item in node.items]
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            pairs = [(node.targets[0], node.value)]
        for name, value in pairs:
            path = _opened(value, constants)
            if isinstance(name, ast.Name) and path is not None:
                found[name.id] = path
    return found


def _opened(node: ast.expr, constants: dict[str, str]) -> str | None:
    """The path of `open(path, "w")`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "open":
        return None
    modes = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "mode")]
    mode = _text(modes[0], constants) if modes else None
    return _text(node.args[0], constants) if node.args and mode is not None and mode[:1] in ("w", "x") else None


def _target(function: ast.Attribute, streams: dict[str, str], constants: dict[str, str]) -> str | None:
    owner = function.value
    if function.attr == "write":
        return streams.get(owner.id) if isinstance(owner, ast.Name) else _opened(owner, constants)
    if function.attr == "write_text" and isinstance(owner, ast.Call) and owner.args:
        return _text(owner.args[0], constants)
    return None


def _text(node: ast.expr, constants: dict[str, str]) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return constants.get(node.id) if isinstance(node, ast.Name) else None
