"""What an expression of a program may be, as far as it can be known without running it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

Plain = str | bytes | int | float | bool | None

MOST_OPTIONS = 64
"""A value with more options than this is unknown."""


class Value:
    """Anything that an expression may be. The base itself is never made: see `UNKNOWN`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Unknown(Value):
    """Nothing is known: most of what a data program computes."""


UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True)
class Const(Value):
    """A constant; strings may hold holes (see `holes`)."""

    value: Plain


@dataclass(frozen=True, slots=True)
class PathText(Value):
    """A path object (pathlib) over text that may hold holes."""

    text: str


@dataclass(eq=False, slots=True)
class Items(Value):
    """A list, tuple or set.

    `more` says that there may be further items of which nothing is known; `unsure` that items may be missing, because
    a condition on them is only known when the program runs.
    """

    items: list[Value]
    kind: str = "list"
    more: bool = False
    unsure: bool = False


@dataclass(eq=False, slots=True)
class Table(Value):
    """A dictionary by constant keys. `rest` are values under keys that are not known."""

    entries: dict[Plain, Value] = field(default_factory=dict)
    rest: list[Value] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Choice(Value):
    """One of several values, in the order in which the program would prefer them."""

    options: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Library(Value):
    """Something of a library by its dotted name, e.g. `pandas.read_csv`."""

    name: str


@dataclass(frozen=True, slots=True)
class Member(Value):
    """An attribute that was looked up on a value and not yet called."""

    owner: Value
    name: str


@dataclass(frozen=True, slots=True)
class Stream(Value):
    """An open file, archive, workbook or database connection; `path` is None for one in memory."""

    kind: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Present(Value):
    """The answer to "is this file there?": unknown, but it is known what was asked."""

    path: str
    negated: bool = False


class Scope:
    """The variables of one call (or of the module), and the scope around them."""

    __slots__ = ("around", "cells", "globals", "returns", "variables", "yields")

    def __init__(self, around: Scope | None = None, cells: Iterable[str] = ()) -> None:
        self.around = around
        self.variables: dict[str, Value] = {}
        self.cells = frozenset(cells)
        """Names that belong to a scope around this one (`global`, `nonlocal`)."""
        self.globals: Scope = around.globals if around else self
        self.returns: list[Value] = []
        self.yields: list[Value] | None = None

    def look_up(self, name: str) -> Value | None:
        """The value of a name here or around; None where it was never given one."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.variables:
                return scope.variables[name]
            scope = scope.around
        return None

    def assign(self, name: str, value: Value) -> None:
        """Give a name a value, here or where `global` and `nonlocal` say."""
        self._home(name).variables[name] = value

    def _home(self, name: str) -> Scope:
        if name not in self.cells:
            return self
        scope = self.around
        while scope is not None:
            if name in scope.variables:
                return scope
            scope = scope.around
        return self.globals


@dataclass(eq=False, slots=True)
class Function(Value):
    """A function or lambda of the program, with the scope that it was made in."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    defaults: dict[str, Value] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Partial(Value):
    """A callable with some arguments given already (`functools.partial`, a bound method)."""

    target: Value
    positional: tuple[Value, ...] = ()
    keywords: dict[str, Value] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Class(Value):
    """A class of the program."""

    name: str
    attributes: dict[str, Value]
    bases: tuple[Value, ...] = ()
    fields: tuple[str, ...] = ()
    """The annotated names in order: the arguments of a dataclass."""

    def find(self, name: str) -> Value | None:
        """An attribute of the class or of its bases."""
        if name in self.attributes:
            return self.attributes[name]
        found = (base.find(name) for base in self.bases if isinstance(base, Class))
        return next((value for value in found if value is not None), None)


@dataclass(eq=False, slots=True)
class Instance(Value):
    """An object of a class of the program."""

    of: Class
    attributes: dict[str, Value] = field(default_factory=dict)


def options(value: Value) -> tuple[Value, ...]:
    """The values that this one may be: itself, or the options of a choice."""
    return value.options if isinstance(value, Choice) else (value,)


def one_of(values: Iterable[Value]) -> Value:
    """A choice between values: equal ones once, in order; too many are unknown."""
    found: list[Value] = []
    for value in values:
        found.extend(option for option in options(value) if option not in found)
    if not found or len(found) > MOST_OPTIONS:
        return UNKNOWN
    return found[0] if len(found) == 1 else Choice(tuple(found))


def lift(function: Callable[..., Value], *values: Value) -> Value:
    """Apply a function of plain values to values that may be choices: to every combination, within limits."""
    combinations: list[tuple[Value, ...]] = [()]
    for value in values:
        combinations = [(*before, option) for before in combinations for option in options(value)]
        if len(combinations) > MOST_OPTIONS:
            return UNKNOWN
    return one_of(function(*combination) for combination in combinations)


def text_of(value: Value) -> str | None:
    """The text of a string or path object; None for anything else."""
    if isinstance(value, PathText):
        return value.text
    if isinstance(value, Const) and isinstance(value.value, str):
        return value.value
    return None


def texts_of(value: Value) -> list[str]:
    """The texts that a value may be."""
    return [text for option in options(value) if (text := text_of(option)) is not None]
