"""What an undecided condition says about a variable in the arm where it holds, or does not."""

from __future__ import annotations

import ast
from collections.abc import Callable

from benchwright.reading.holes import HOLE, clip, has_hole
from benchwright.reading.operators import equal, truth
from benchwright.reading.values import Choice, Const, Items, PathText, Present, Scope, Value, one_of, options, text_of

Evaluate = Callable[[ast.expr], Value]


def narrow(scope: Scope, test: ast.expr, evaluate: Evaluate, *, holds: bool) -> None:
    """Narrow the variables that the condition speaks of."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds:
        for part in test.values:
            narrow(scope, part, evaluate, holds=holds)
        return
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        narrow(scope, test.operand, evaluate, holds=not holds)
        return
    names = sorted({node.id for node in ast.walk(test) if isinstance(node, ast.Name)})
    for name in names:
        value = scope.look_up(name)
        if isinstance(value, Choice):
            _narrow_choice(scope, name, value, lambda: evaluate(test), holds=holds)
        elif holds and value is not None and has_hole(text_of(value) or ""):
            _narrow_text(scope, name, value, test, evaluate)


def _narrow_choice(scope: Scope, name: str, value: Choice, ask: Callable[[], Value], *, holds: bool) -> None:
    kept = []
    for option in value.options:
        scope.assign(name, option)
        if truth(ask()) is not (not holds):
            kept.append(option)
    scope.assign(name, one_of(kept) if kept else value)


def _narrow_text(scope: Scope, name: str, value: Value, test: ast.expr, evaluate: Evaluate) -> None:
    wanted = _affix(name, test, evaluate) or _equal(name, test, evaluate)
    if wanted:
        make = PathText if isinstance(value, PathText) else Const
        texts = [_fitted(text_of(value) or HOLE, text) for text in wanted]
        scope.assign(name, one_of(make(text) for text in texts))


def _fitted(known: str, wanted: str) -> str:
    """The known start of a text kept where the wanted text is only its end."""
    if wanted.startswith(HOLE) and known.endswith(HOLE):
        return clip(known + wanted)
    return wanted


def _affix(name: str, test: ast.expr, evaluate: Evaluate) -> list[str]:
    """`name.endswith(x)` and `name.startswith(x)`."""
    match test:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=found), attr="endswith" | "startswith" as method), args=[arg]
        ):
            if found != name:
                return []
            texts = _texts(evaluate(arg))
            return [HOLE + text if method == "endswith" else text + HOLE for text in texts]
    return []


def _equal(name: str, test: ast.expr, evaluate: Evaluate) -> list[str]:
    """`name == x` and `name in (x, y)`."""
    match test:
        case ast.Compare(left=ast.Name(id=found), ops=[ast.Eq() | ast.In()], comparators=[other]) if found == name:
            return [text for text in _texts(evaluate(other)) if not has_hole(text)]
    return []


def _texts(value: Value) -> list[str]:
    members = value.items if isinstance(value, Items) else list(options(value))
    return [text for member in members if (text := text_of(member)) is not None]


def asks_presence(value: Value) -> Present | None:
    """The question "is this file there?" in a condition; of several the first counts."""
    return next((option for option in options(value) if isinstance(option, Present)), None)


def cases_reached(cases: list[ast.match_case], subject: Value, evaluate: Evaluate) -> tuple[list[ast.match_case], bool]:
    """The cases of a `match` that the subject may come to, and whether it always comes to one of them."""
    reached = []
    for case in cases:
        fits = _fits(case.pattern, subject, evaluate)
        if fits is not False:
            reached.append(case)
        if fits and case.guard is None:
            return reached, True
    return reached, False


def _fits(pattern: ast.pattern, subject: Value, evaluate: Evaluate) -> bool | None:
    match pattern:
        case ast.MatchValue(value=value):
            return equal(subject, evaluate(value))
        case ast.MatchSingleton(value=value):
            return equal(subject, Const(value))
        case ast.MatchAs(pattern=inner):
            return inner is None or _fits(inner, subject, evaluate)
        case ast.MatchOr(patterns=patterns):
            answers = [_fits(one, subject, evaluate) for one in patterns]
            return True if True in answers else (None if None in answers else False)
    return None
