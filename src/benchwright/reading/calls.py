"""Calls: functions and classes of the program, modelled library functions, and methods."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Sequence

from benchwright.reading import containers, files_used, library, strings
from benchwright.reading.expressions import Expressions
from benchwright.reading.flow import Ends
from benchwright.reading.site import Site
from benchwright.reading.surroundings import Surroundings
from benchwright.reading.values import (
    UNKNOWN,
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
    one_of,
    options,
    texts_of,
)

_DEEPEST = 25
_APPLYING = frozenset(
    "map imap starmap imap_unordered map_async submit apply apply_async applymap transform pipe".split()
)


class Calls(Expressions):
    """What a call gives, and what it does with files."""

    def __init__(self, budget: int, given: Surroundings | None = None) -> None:
        super().__init__(budget, given)
        self._stack: list[ast.AST] = []
        self._modules: dict[str, Instance] = {}

    @abstractmethod
    def run_block(self, statements: Sequence[ast.stmt]) -> Ends:
        """Follow statements."""

    def call(self, function: Value, positional: Sequence[Value], keywords: dict[str, Value], node: ast.Call) -> Value:
        """The value of a call."""
        self.spend()
        site = Site(self, node, tuple(positional), keywords)
        match function:
            case Function():
                value = self._call_function(function, site)
            case Partial(target=target, positional=given, keywords=named):
                value = self.call(target, [*given, *positional], named | keywords, node)
            case Class():
                value = self._instantiate(function, site)
            case Library(name=name):
                value = self._call_library(site, name)
            case Member(owner=owner, name=name):
                value = one_of(self._call_method(site, option, name) for option in options(owner))
            case Instance():
                value = self.call(self.attribute(function, "__call__"), positional, keywords, node)
            case _:
                value = self._hand_over(site)
        return value

    def _call_library(self, site: Site, name: str) -> Value:
        used = files_used.use(site, name)
        if used is not None:
            return used
        modelled = library.call_library(site, name)
        if modelled is not None:
            return modelled
        if name == "threading.Thread":
            return self._start(site)
        if name in {"exec", "eval"}:
            return self._run_text(site)
        return self._hand_over(site)

    def _start(self, site: Site) -> Value:
        arguments = site.argument(99, "args")
        site.invoke(site.argument(1, "target"), arguments.items if isinstance(arguments, Items) else ())
        return UNKNOWN

    def _run_text(self, site: Site) -> Value:
        """`exec` of a text that is known: followed as a part of the program."""
        for text in texts_of(site.argument(0)):
            try:
                self.run_block(ast.parse(text).body)
            except (SyntaxError, ValueError, MemoryError):
                return UNKNOWN
        return UNKNOWN

    def _call_method(self, site: Site, owner: Value, name: str) -> Value:
        used = files_used.use_method(site, owner, name)
        if used is not None:
            return used
        match owner:
            case Items():
                return containers.items_method(site, owner, name)
            case Table():
                return containers.table_method(site, owner, name)
            case PathText(text=text):
                return strings.path_method(text, name, site.positional)
            case Const(value=str() as text):
                return strings.string_method(text, name, site.positional, site.keywords)
        return self._apply(site, name) if name in _APPLYING else self._hand_over(site)

    def _apply(self, site: Site, name: str) -> Value:
        """`pool.map(function, items)`, `executor.submit(function, argument)`."""
        function, *arguments = site.positional or [UNKNOWN]
        if name == "submit":
            return site.invoke(function, arguments)
        if name in {"apply", "apply_async", "applymap", "transform", "pipe"} or not arguments:
            return self._hand_over(site)
        items = [arguments[0]] if not isinstance(arguments[0], Items) else arguments[0].items
        rows = [item.items if name == "starmap" and isinstance(item, Items) else [item] for item in items]
        return Items([site.invoke(function, row) for row in rows])

    def _hand_over(self, site: Site) -> Value:
        """An unknown callee may call the program's functions that it is given."""
        for value in [*site.positional, *site.keywords.values()]:
            if isinstance(value, Function | Partial):
                self.call(value, [], {}, site.node)
        return UNKNOWN

    def _instantiate(self, made: Class, site: Site) -> Value:
        instance = Instance(made)
        start = made.find("__init__")
        if isinstance(start, Function):
            self._call_function(start, Site(self, site.node, (instance, *site.positional), site.keywords))
        else:
            instance.attributes.update(zip(made.fields, site.positional, strict=False))
            instance.attributes.update(site.keywords)
            after = made.find("__post_init__")
            if isinstance(after, Function):
                self._call_function(after, Site(self, site.node, (instance,)))
        return instance

    def _call_function(self, function: Function, site: Site) -> Value:
        if len(self._stack) >= _DEEPEST or self._stack.count(function.node) > 1:
            return UNKNOWN
        outer = self.scope
        self.scope = Scope(function.scope)
        self.scope.variables = self._bound_arguments(function, site)
        self._stack.append(function.node)
        self.trace.callers.append(site.node.lineno)
        try:
            return self._body_value(function.node)
        finally:
            self._stack.pop()
            self.trace.callers.pop()
            self.scope = outer

    def _body_value(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Value:
        if isinstance(node, ast.Lambda):
            return self.evaluate(node.body)
        ends = self.run_block(node.body)
        if self.scope.yields is not None:
            return Items(self.scope.yields)
        returned = self.scope.returns
        return one_of([*returned, Const(None)] if ends.next is not None else returned)

    def _bound_arguments(self, function: Function, site: Site) -> dict[str, Value]:
        arguments = function.node.args
        names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
        every = [*names, *(argument.arg for argument in arguments.kwonlyargs)]
        bound: dict[str, Value] = dict.fromkeys(every, UNKNOWN) | function.defaults
        bound.update(zip(names, site.positional, strict=False))
        bound.update({name: value for name, value in site.keywords.items() if name in every})
        if arguments.vararg:
            bound[arguments.vararg.arg] = Items(list(site.positional[len(names) :]), "tuple")
        if arguments.kwarg:
            extra: dict[Plain, Value] = {name: value for name, value in site.keywords.items() if name not in every}
            bound[arguments.kwarg.arg] = Table({**extra})
        return bound

    def _yield(self, node: ast.Yield) -> Value:
        self._collect(self.evaluate(node.value))
        return UNKNOWN

    def _yieldfrom(self, node: ast.YieldFrom) -> Value:
        value = self.evaluate(node.value)
        for item in value.items if isinstance(value, Items) else [value]:
            self._collect(item)
        return UNKNOWN

    def _collect(self, value: Value) -> None:
        if self.scope.yields is None:
            self.scope.yields = []
        self.scope.yields.append(value)
