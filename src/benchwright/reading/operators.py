"""Python's operators on values that are only partly known."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from benchwright.reading.holes import HOLE, clip, has_hole, join_paths, may_equal, pieces
from benchwright.reading.values import (
    UNKNOWN,
    Const,
    Function,
    Items,
    Library,
    PathText,
    Plain,
    Present,
    Stream,
    Table,
    Value,
    lift,
    one_of,
    text_of,
)

_LARGEST = 10**15
_LONGEST_LIST = 2000

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_ORDER: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def binary(kind: ast.operator, left: Value, right: Value) -> Value:
    """`left kind right`."""
    return lift(lambda one, other: _binary(kind, one, other), left, right)


def _binary(kind: ast.operator, left: Value, right: Value) -> Value:
    if isinstance(kind, ast.Div) and (isinstance(left, PathText) or isinstance(right, PathText)):
        return PathText(join_paths([text_of(left) or HOLE, text_of(right) or HOLE]))
    if isinstance(kind, ast.Add) and isinstance(left, Items) and isinstance(right, Items):
        return Items([*left.items, *right.items][:_LONGEST_LIST], left.kind, left.more or right.more)
    if isinstance(kind, ast.BitOr) and isinstance(left, Table) and isinstance(right, Table):
        return Table(left.entries | right.entries, [*left.rest, *right.rest])
    if isinstance(left, Const) and isinstance(left.value, str):
        return _text_operation(kind, left.value, right)
    if isinstance(right, Const) and isinstance(right.value, str) and isinstance(kind, ast.Add):
        return Const(clip(HOLE + right.value))
    return _numbers(kind, left, right)


def _text_operation(kind: ast.operator, left: str, right: Value) -> Value:
    if isinstance(kind, ast.Add):
        known = isinstance(right, Const) and isinstance(right.value, str)
        return Const(clip(left + (text_of(right) or "" if known else HOLE)))
    if isinstance(kind, ast.Mod):
        return percent(left, right)
    if isinstance(kind, ast.Mult) and isinstance(right, Const) and isinstance(right.value, int):
        return Const(clip(left * right.value)) if len(left) * right.value <= _LONGEST_LIST else Const(HOLE)
    return UNKNOWN


_PERCENT = re.compile(r"%(?:\((?P<key>\w+)\))?(?P<spec>[-#0 +]*\d{0,2}(?:\.\d{1,2})?[a-zA-Z%])")


def percent(template: str, argument: Value) -> Value:
    """`template % argument`; placeholders without a known value become holes."""
    given = iter(argument.items if isinstance(argument, Items) and argument.kind == "tuple" else [argument])

    def fill(match: re.Match[str]) -> str:
        if match["spec"] == "%":
            return "%"
        value = _entry(argument, Const(match["key"])) if isinstance(argument, Table) else next(given, UNKNOWN)
        return _percent_piece(match["spec"], value)

    return Const(clip(_PERCENT.sub(fill, template)))


def _percent_piece(spec: str, value: Value) -> str:
    text = text_of(value)
    if spec == "s" and text is not None:
        return text
    if isinstance(value, Const) and not isinstance(value.value, str):
        try:
            return f"%{spec}" % (value.value,)
        except (TypeError, ValueError, OverflowError):
            return HOLE
    return HOLE


def _numbers(kind: ast.operator, left: Value, right: Value) -> Value:
    operation = _ARITHMETIC.get(type(kind))
    if operation is None or not (_is_number(left) and _is_number(right)):
        return UNKNOWN
    try:
        result = operation(left.value, right.value)  # type: ignore[attr-defined]
    except (ArithmeticError, TypeError, ValueError):
        return UNKNOWN
    return Const(result) if abs(result) <= _LARGEST else UNKNOWN


def _is_number(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, int | float) and abs(value.value) <= _LARGEST


def unary(kind: ast.unaryop, value: Value) -> Value:
    """`kind value`."""
    if isinstance(kind, ast.Not):
        if isinstance(value, Present):
            return Present(value.path, not value.negated)
        known = truth(value)
        return UNKNOWN if known is None else Const(not known)
    if isinstance(kind, ast.USub) and isinstance(value, Const) and isinstance(value.value, int | float):
        return Const(-value.value)
    return UNKNOWN


def truth(value: Value) -> bool | None:
    """Whether a condition holds: True, False, or None where that is not known."""
    if isinstance(value, Const):
        if isinstance(value.value, str) and has_hole(value.value):
            return True if any(pieces(value.value)) else None
        return bool(value.value)
    if isinstance(value, Items):
        return _is_filled(value)
    if isinstance(value, Table):
        return True if value.entries else (None if value.rest else False)
    if isinstance(value, PathText | Function | Library | Stream):
        return True
    return None


def _is_filled(items: Items) -> bool | None:
    if items.items:
        return None if items.unsure else True
    return None if items.more else False


def compare(kind: ast.cmpop, left: Value, right: Value) -> Value:
    """`left kind right` for one comparison; UNKNOWN where it is not known."""
    answer = _comparison(kind, left, right)
    return UNKNOWN if answer is None else Const(answer)


def _comparison(kind: ast.cmpop, left: Value, right: Value) -> bool | None:
    if isinstance(kind, ast.In | ast.NotIn):
        return _negated(contains(right, left), isinstance(kind, ast.NotIn))
    if isinstance(kind, ast.Eq | ast.Is):
        return equal(left, right)
    if isinstance(kind, ast.NotEq | ast.IsNot):
        return _negated(equal(left, right), negate=True)
    if _is_number(left) and _is_number(right):
        return _ORDER[type(kind)](left.value, right.value)  # type: ignore[attr-defined]
    return None


def _negated(answer: bool | None, negate: bool) -> bool | None:
    return answer if answer is None or not negate else not answer


def equal(left: Value, right: Value) -> bool | None:
    """Whether two values are equal, None where that is not known."""
    one, other = text_of(left), text_of(right)
    if one is not None and other is not None:
        return may_equal(one, other)
    if isinstance(left, Const) and isinstance(right, Const):
        return left.value == right.value
    made = Items | Table | Function | Stream | PathText
    if isinstance(left, made) and isinstance(right, Const) and right.value is None:
        return False
    return None


def contains(container: Value, item: Value) -> bool | None:
    """Whether `item in container`."""
    if isinstance(container, Items):
        answers = [equal(member, item) for member in container.items]
        return _any(answers, more=container.more)
    if isinstance(container, Table):
        answers = [equal(Const(key), item) for key in container.entries]
        return _any(answers, more=bool(container.rest))
    text, piece = text_of(container), text_of(item)
    if text is None or piece is None or has_hole(piece):
        return None
    return True if piece in text else (None if has_hole(text) else False)


def _any(answers: list[bool | None], *, more: bool) -> bool | None:
    if True in answers:
        return True
    return None if more or None in answers else False


def subscript(container: Value, key: Value) -> Value:
    """`container[key]`."""
    return lift(_subscript, container, key)


def _subscript(container: Value, key: Value) -> Value:
    if isinstance(container, Table):
        return _entry(container, key)
    index = key.value if isinstance(key, Const) and isinstance(key.value, int) else None
    if isinstance(container, Items):
        return _item(container, index)
    text = text_of(container) if isinstance(container, Const) else None
    if text is None:
        return UNKNOWN
    if index is None or has_hole(text) or not -len(text) <= index < len(text):
        return Const(HOLE)
    return Const(text[index])


def _entry(table: Table, key: Value) -> Value:
    if isinstance(key, Const) and key.value in table.entries:
        return table.entries[key.value]
    known = isinstance(key, Const) and not (isinstance(key.value, str) and has_hole(key.value))
    candidates = [*table.rest] if known else [*table.entries.values(), *table.rest]
    return one_of(candidates)


def _item(items: Items, index: int | None) -> Value:
    if index is None:
        return one_of(items.items)
    if items.unsure or (items.more and items.items and items.kind != "tuple"):
        return one_of(items.items)
    return items.items[index] if -len(items.items) <= index < len(items.items) else UNKNOWN


def slice_of(container: Value, start: Plain, stop: Plain, step: Plain) -> Value:
    """`container[start:stop:step]` for bounds that are known."""
    bounds = [_index(bound) for bound in (start, stop, step)]
    if bounds[2] == 0:
        return UNKNOWN
    if isinstance(container, Items):
        return Items(container.items[slice(*bounds)], container.kind, container.more)
    text = text_of(container)
    if text is not None and isinstance(container, Const):
        return Const(HOLE) if has_hole(text) else Const(text[slice(*bounds)])
    return UNKNOWN


def _index(bound: Plain) -> int | None:
    return bound if isinstance(bound, int) else None


def length(value: Value) -> Value:
    """`len(value)`."""
    if isinstance(value, Items) and not value.more and not value.unsure:
        return Const(len(value.items))
    if isinstance(value, Table) and not value.rest:
        return Const(len(value.entries))
    text = text_of(value)
    return Const(len(text)) if text is not None and not has_hole(text) else UNKNOWN


def iterate(value: Value) -> tuple[list[Value], bool]:
    """The items that a loop over the value sees, and whether there may be more of them."""
    if isinstance(value, Items):
        return list(value.items), value.more
    if isinstance(value, Table):
        return [Const(key) for key in value.entries], bool(value.rest)
    text = text_of(value)
    if text is not None and isinstance(value, Const) and not has_hole(text):
        return [Const(letter) for letter in text[:_LONGEST_LIST]], False
    return [UNKNOWN], True
