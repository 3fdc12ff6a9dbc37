"""Evaluates the expressions of a program as far as they can be known."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Sequence

from benchwright.reading.holes import HOLE, clip
from benchwright.reading.operators import binary, compare, iterate, slice_of, subscript, truth, unary
from benchwright.reading.sequences import put
from benchwright.reading.strings import format_value, path_attribute
from benchwright.reading.surroundings import Surroundings
from benchwright.reading.trace import Trace
from benchwright.reading.values import (
    UNKNOWN,
    Choice,
    Class,
    Const,
    Function,
    Instance,
    Items,
    Library,
    Member,
    Partial,
    PathText,
    Plain,
    Scope,
    Table,
    Value,
    lift,
    one_of,
    text_of,
)

_ALIASES = {"pd": "pandas", "np": "numpy", "plt": "matplotlib.pyplot", "sns": "seaborn", "pl": "polars"}
"""Names that stand for a library even where a fragment of a program does not import it."""

_SMALL_MODULES = {"os.sep": "/", "os.curdir": ".", "os.pardir": "..", "os.path.sep": "/"}


class BudgetSpent(Exception):
    """The program is too large to be followed to its end."""


class Expressions:
    """Evaluation of expressions in a scope; calls are left to the subclass."""

    def __init__(self, budget: int, given: Surroundings | None = None) -> None:
        self.trace = Trace()
        self.given = given or Surroundings()
        self.directory = ""
        self.scope = Scope()
        self.scope.variables["__name__"] = Const("__main__")
        self.scope.variables["__file__"] = Const("program.py")
        self._budget = budget

    @abstractmethod
    def call(self, function: Value, positional: Sequence[Value], keywords: dict[str, Value], node: ast.Call) -> Value:
        """The value of a call."""

    def spend(self) -> None:
        """Count one step; raises BudgetSpent at the limit."""
        self._budget -= 1
        if self._budget < 0:
            raise BudgetSpent

    def evaluate(self, node: ast.expr | None) -> Value:
        """What the expression may be; UNKNOWN where there is no expression."""
        if node is None:
            return UNKNOWN
        self.spend()
        method: Callable[[ast.expr], Value] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        return method(node) if method else self._parts_only(node)

    def _parts_only(self, node: ast.expr) -> Value:
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.evaluate(part)
        return UNKNOWN

    def _constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, str):
            return Const(clip(node.value))
        return Const(node.value) if isinstance(node.value, bytes | int | float | None) else UNKNOWN

    def _name(self, node: ast.Name) -> Value:
        value = self.scope.look_up(node.id)
        if value is not None:
            return value
        return Library(_ALIASES.get(node.id, node.id))

    def _attribute(self, node: ast.Attribute) -> Value:
        return lift(lambda owner: self.attribute(owner, node.attr), self.evaluate(node.value))

    def attribute(self, owner: Value, name: str) -> Value:
        """`owner.name`."""
        if isinstance(owner, Library):
            dotted = f"{owner.name}.{name}"
            known = self.given.argv if dotted == "sys.argv" else None
            return known or (Const(_SMALL_MODULES[dotted]) if dotted in _SMALL_MODULES else Library(dotted))
        if isinstance(owner, Instance):
            return self._instance_attribute(owner, name)
        if isinstance(owner, Class):
            return owner.find(name) or UNKNOWN
        if isinstance(owner, PathText):
            return self._path_attribute(owner, name)
        if name == "value" and isinstance(owner, Const):
            return owner  # a member of an enumeration
        return Member(owner, name)

    def _instance_attribute(self, owner: Instance, name: str) -> Value:
        if name in owner.attributes:
            return owner.attributes[name]
        found = owner.of.find(name)
        if isinstance(found, Function):
            return self._bind(owner, found)
        return found or self._dynamic_attribute(owner)

    @staticmethod
    def _dynamic_attribute(owner: Instance) -> Value:
        """An attribute that a library object gives every name, such as the options of a command line."""
        return owner.of.attributes.get("*", UNKNOWN)

    def _bind(self, owner: Instance, function: Function) -> Value:
        names = {ast.unparse(item) for item in getattr(function.node, "decorator_list", [])}
        if "staticmethod" in names:
            return function
        bound = Partial(function, (owner.of if "classmethod" in names else owner,))
        if names & {"property", "cached_property", "functools.cached_property"}:
            return self.call(bound, (), {}, ast.Call(ast.Name("property"), [], [], lineno=function.node.lineno))
        return bound

    @staticmethod
    def _path_attribute(owner: PathText, name: str) -> Value:
        if name == "path":
            return Const(owner.text)
        return path_attribute(owner.text, name) or Member(owner, name)

    def _binop(self, node: ast.BinOp) -> Value:
        return binary(node.op, self.evaluate(node.left), self.evaluate(node.right))

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        return lift(lambda value: unary(node.op, value), self.evaluate(node.operand))

    def _boolop(self, node: ast.BoolOp) -> Value:
        possible: list[Value] = []
        decisive = isinstance(node.op, ast.Or)
        for operand in node.values:
            value = self.evaluate(operand)
            known = truth(value)
            if known is decisive:
                return one_of([*possible, value])
            if known is None:
                possible.append(value)
        return one_of([*possible, Const(not decisive)]) if possible else value

    def _compare(self, node: ast.Compare) -> Value:
        left, answer = self.evaluate(node.left), Const(value=True)
        for kind, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.evaluate(right_node)
            one = lift(lambda a, b, kind=kind: compare(kind, a, b), left, right)
            if truth(one) is False:
                return one
            answer, left = (answer if truth(one) else UNKNOWN), right  # type: ignore[assignment]
        return answer

    def _ifexp(self, node: ast.IfExp) -> Value:
        known = truth(self.evaluate(node.test))
        if known is not None:
            return self.evaluate(node.body if known else node.orelse)
        point = self.trace.point(node.lineno)
        with self.trace.arm(point, 0):
            first = self.evaluate(node.body)
        with self.trace.arm(point, 1):
            second = self.evaluate(node.orelse)
        return one_of([first, second])

    def _joinedstr(self, node: ast.JoinedStr) -> Value:
        def join(*parts: Value) -> Value:
            return Const(clip("".join(HOLE if text_of(part) is None else text_of(part) or "" for part in parts)))

        return lift(join, *(self.evaluate(part) for part in node.values))

    def _formattedvalue(self, node: ast.FormattedValue) -> Value:
        spec = text_of(self.evaluate(node.format_spec)) if node.format_spec else ""
        return lift(lambda value: Const(format_value(value, HOLE if spec is None else spec)), self.evaluate(node.value))

    def _list(self, node: ast.List) -> Value:
        return self._sequence(node.elts, "list")

    def _tuple(self, node: ast.Tuple) -> Value:
        return self._sequence(node.elts, "tuple")

    def _set(self, node: ast.Set) -> Value:
        return self._sequence(node.elts, "set")

    def _sequence(self, nodes: list[ast.expr], kind: str) -> Value:
        made = Items([], kind)
        for node in nodes:
            if isinstance(node, ast.Starred):
                items, more = iterate(self.evaluate(node.value))
                made.items.extend(items)
                made.more = made.more or more
            else:
                made.items.append(self.evaluate(node))
        return made

    def _dict(self, node: ast.Dict) -> Value:
        table = Table()
        for key, value_node in zip(node.keys, node.values, strict=True):
            value = self.evaluate(value_node)
            if key is not None:
                put(table, self.evaluate(key), value)
            elif isinstance(value, Table):
                table.entries.update(value.entries)
                table.rest.extend(value.rest)
        return table

    def _subscript(self, node: ast.Subscript) -> Value:
        container = self.evaluate(node.value)
        if isinstance(node.slice, ast.Slice):
            bounds = [self._bound(part) for part in (node.slice.lower, node.slice.upper, node.slice.step)]
            if any(bound is UNKNOWN for bound in bounds):
                return Items(iterate(container)[0], more=True) if isinstance(container, Items) else UNKNOWN
            return lift(lambda one: slice_of(one, *bounds), container)  # type: ignore[arg-type]
        key = self.evaluate(node.slice)
        if isinstance(container, Library) and container.name == "os.environ":
            return self.given.variable(text_of(key)) or subscript(container, key)
        return subscript(container, key)

    def _bound(self, node: ast.expr | None) -> Plain | Value:
        if node is None:
            return None
        value = self.evaluate(node)
        return value.value if isinstance(value, Const) else UNKNOWN

    def _lambda(self, node: ast.Lambda) -> Value:
        return Function(node, self.scope, self.default_arguments(node.args))

    def default_arguments(self, arguments: ast.arguments) -> dict[str, Value]:
        """The default values of a function's arguments by name."""
        names = [*arguments.posonlyargs, *arguments.args]
        pairs = list(zip(reversed(names), reversed(arguments.defaults), strict=False))
        pairs += [(name, node) for name, node in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if node]
        return {name.arg: self.evaluate(node) for name, node in pairs}

    def _namedexpr(self, node: ast.NamedExpr) -> Value:
        value = self.evaluate(node.value)
        self.scope.assign(node.target.id, value)
        return value

    def _await(self, node: ast.Await) -> Value:
        return self.evaluate(node.value)

    def _starred(self, node: ast.Starred) -> Value:
        return self.evaluate(node.value)

    def _call(self, node: ast.Call) -> Value:
        function = self.evaluate(node.func)
        positional: list[Value] = []
        for argument in node.args:
            value = self.evaluate(argument)
            positional.extend(iterate(value)[0] if isinstance(argument, ast.Starred) else [value])
        keywords: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self.evaluate(keyword.value)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value, Table):
                keywords.update({str(key): item for key, item in value.entries.items()})
        targets = function.options if isinstance(function, Choice) else (function,)
        return one_of(self.call(target, positional, keywords, node) for target in targets)

    def _listcomp(self, node: ast.ListComp) -> Value:
        return self._comprehension(node.generators, lambda: self.evaluate(node.elt), "list")

    def _setcomp(self, node: ast.SetComp) -> Value:
        return self._comprehension(node.generators, lambda: self.evaluate(node.elt), "set")

    def _generatorexp(self, node: ast.GeneratorExp) -> Value:
        return self._comprehension(node.generators, lambda: self.evaluate(node.elt), "list")

    def _dictcomp(self, node: ast.DictComp) -> Value:
        table = Table()

        def one() -> Value:
            put(table, self.evaluate(node.key), self.evaluate(node.value))
            return UNKNOWN

        self._comprehension(node.generators, one, "list")
        return table

    def _comprehension(self, generators: list[ast.comprehension], element: Callable[[], Value], kind: str) -> Value:
        made, outer = Items([], kind), self.scope
        self.scope = Scope(outer)
        try:
            made.more = self._generate(generators, element, made)
        finally:
            self.scope = outer
        return made

    def _generate(self, generators: list[ast.comprehension], element: Callable[[], Value], made: Items) -> bool:
        if not generators:
            made.items.append(element())
            return False
        first, *others = generators
        items, more = iterate(self.evaluate(first.iter))
        for item in items:
            self.assign(first.target, item)
            kept = [self._condition(test) for test in first.ifs]
            made.unsure = made.unsure or None in kept
            if False not in kept:
                more = self._generate(others, element, made) or more
        return more

    def _condition(self, test: ast.expr) -> bool | None:
        known = truth(self.evaluate(test))
        if known is None:
            self.assume(test, holds=True)
        return known

    @abstractmethod
    def assign(self, target: ast.expr, value: Value) -> None:
        """`target = value`."""

    @abstractmethod
    def assume(self, test: ast.expr, *, holds: bool) -> None:
        """Narrow the variables of a condition that could not be decided to what it says."""
