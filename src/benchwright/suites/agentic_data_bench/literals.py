"""Reads the text of one call whose arguments are literals: parsed, never evaluated."""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

_LONGEST: Final = 100_000
_DEEPEST: Final = 50
_OPENING, _CLOSING = "([{", ")]}"


class NotLiteral(ValueError):
    """The text is no call of a named function with literal arguments; says where."""


class LiteralCall(NamedTuple):
    """A function's name, its positional and its named arguments: None, booleans, numbers, texts, lists, dicts."""

    function: str
    positional: tuple[Any, ...]
    named: Mapping[str, Any]


def read_call(text: str) -> LiteralCall:
    """The call that a text states; NotLiteral for everything else. No name is looked up and nothing is run."""
    _refuse_swelling(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on odd escapes
            tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise NotLiteral(f"{error.msg} at character {error.offset}") from error
    except (ValueError, MemoryError, RecursionError) as error:
        raise NotLiteral(str(error) or type(error).__name__) from error
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        raise NotLiteral("not the call of a function by its name")
    names = [keyword.arg for keyword in tree.keywords]
    if None in names:
        raise NotLiteral("** stands for arguments that are not written out")
    if repeated := [name for name in names if names.count(name) > 1]:
        raise NotLiteral(f"argument {repeated[0]} is given twice")
    positional = tuple(_value(argument) for argument in tree.args)
    named = {str(keyword.arg): _value(keyword.value) for keyword in tree.keywords}
    return LiteralCall(tree.func.id, positional, named)


def _refuse_swelling(text: str) -> None:
    """Bound length and nesting before the parser sees the text: it is written in C and recurses."""
    if len(text) > _LONGEST:
        raise NotLiteral(f"longer than {_LONGEST} characters")
    if "\0" in text:
        raise NotLiteral("a null character")
    depth = 0
    for letter in text:
        depth += (letter in _OPENING) - (letter in _CLOSING)
        if depth > _DEEPEST:
            raise NotLiteral(f"nested deeper than {_DEEPEST}")


def _value(node: ast.expr) -> Any:
    read = _READERS.get(type(node))
    if read is None:
        raise NotLiteral(f"{type(node).__name__} at character {node.col_offset} is no literal")
    return read(node)


def _constant(node: ast.Constant) -> Any:
    value = node.value
    if isinstance(value, bytes | complex) or value is ...:
        raise NotLiteral(f"{value!r:.50} is neither text nor a real number")
    if isinstance(value, float) and not math.isfinite(value):
        raise NotLiteral("a number too large to be held")
    if isinstance(value, int) and value.bit_length() > 64:
        raise NotLiteral("a number too large to be held")
    if isinstance(value, str) and any(0xD800 <= ord(letter) <= 0xDFFF for letter in value):
        raise NotLiteral("half a character in a text")
    return value


def _signed(node: ast.UnaryOp) -> float:
    inner = _value(node.operand) if isinstance(node.operand, ast.Constant) else None
    if isinstance(inner, bool) or not isinstance(inner, int | float) or not isinstance(node.op, ast.USub | ast.UAdd):
        raise NotLiteral(f"a sign at character {node.col_offset} that stands before no number")
    return -inner if isinstance(node.op, ast.USub) else inner


def _listed(node: ast.List | ast.Tuple) -> list[Any]:
    return [_value(item) for item in node.elts]


def _mapped(node: ast.Dict) -> dict[Any, Any]:
    """A dict; of a key that stands twice the last counts, as in Python."""
    found: dict[Any, Any] = {}
    for key, item in zip(node.keys, node.values, strict=True):
        name = None if key is None else _value(key)
        if isinstance(name, bool) or not isinstance(name, str | int):
            raise NotLiteral("a key that is neither text nor a whole number")
        found[name] = _value(item)
    return found


_READERS: Final[Mapping[type[ast.expr], Callable[[Any], Any]]] = {
    ast.Constant: _constant,
    ast.UnaryOp: _signed,
    ast.List: _listed,
    ast.Tuple: _listed,
    ast.Dict: _mapped,
}
