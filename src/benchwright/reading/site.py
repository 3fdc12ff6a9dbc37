"""One call of a program, as the models of library functions see it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from benchwright.reading.surroundings import Surroundings
from benchwright.reading.trace import Trace
from benchwright.reading.values import UNKNOWN, Value

_LONGEST_EXPRESSION = 200


class Machine(Protocol):
    """What runs the program: it can be asked to call a value, and knows the working directory."""

    trace: Trace
    directory: str
    given: Surroundings

    def call(self, function: Value, positional: Sequence[Value], keywords: dict[str, Value], node: ast.Call) -> Value:
        """The value of a call."""


@dataclass(frozen=True, slots=True)
class Site:
    """A call with its arguments evaluated."""

    machine: Machine
    node: ast.Call
    positional: Sequence[Value] = ()
    keywords: dict[str, Value] = field(default_factory=dict)

    def argument(self, position: int, *names: str) -> Value:
        """An argument by position or by one of its names; UNKNOWN where it was not given."""
        if position < len(self.positional):
            return self.positional[position]
        return next((self.keywords[name] for name in names if name in self.keywords), UNKNOWN)

    def given(self, position: int, *names: str) -> bool:
        """Whether that argument was given."""
        return position < len(self.positional) or any(name in self.keywords for name in names)

    @property
    def expression(self) -> str:
        """The text of the first argument (of the whole call where it has none)."""
        node: ast.expr = self.node
        if self.node.args:
            node = self.node.args[0]
        elif self.node.keywords:
            node = self.node.keywords[0].value
        return ast.unparse(node)[:_LONGEST_EXPRESSION]

    def invoke(self, function: Value, positional: Sequence[Value] = ()) -> Value:
        """Call a value that was handed over, e.g. the function given to `map`."""
        return self.machine.call(function, positional, {}, self.node)


Model = Callable[[Site], Value]
"""A library function: what a call of it comes to."""
