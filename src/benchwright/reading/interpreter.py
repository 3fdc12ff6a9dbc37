"""Follows a program statement by statement, without running it, and records which files it uses."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from benchwright.reading import containers
from benchwright.reading.assumptions import asks_presence, cases_reached, narrow
from benchwright.reading.calls import Calls
from benchwright.reading.flow import Ends, Variables, join
from benchwright.reading.operators import binary, iterate, truth
from benchwright.reading.sequences import put
from benchwright.reading.trace import Arm
from benchwright.reading.values import (
    UNKNOWN,
    Class,
    Const,
    Function,
    Instance,
    Items,
    Library,
    Scope,
    Table,
    Value,
    one_of,
    options,
)

_MOST_ROUNDS = 50
_LEAVING = frozenset({"sys.exit", "exit", "quit", "os._exit", "os.abort"})


class Interpreter(Calls):
    """Statements: a program is followed once along every way that it may take."""

    def run_block(self, statements: Sequence[ast.stmt]) -> Ends:
        """Follow statements in order until one of them always leaves."""
        whole, rests = Ends(None), []
        for statement in statements:
            ends = self._run(statement)
            whole.add(ends)
            whole.next = ends.next
            if ends.next is None:
                break
            self.scope.variables = ends.next
            if ends.rest is not None:
                rests.append((len(self.trace.events), ends.rest))
        else:
            whole.next = self.scope.variables
        for start, arm in reversed(rests):
            self.trace.enclose(start, arm)
        return whole

    def _run(self, statement: ast.stmt) -> Ends:
        self.spend()
        method: Callable[[ast.stmt], Ends | None] | None = getattr(
            self, f"_do_{type(statement).__name__.lower()}", None
        )
        ends = method(statement) if method else None
        return Ends(self.scope.variables) if ends is None else ends

    def _do_expr(self, node: ast.Expr) -> Ends | None:
        self.evaluate(node.value)
        match node.value:
            case ast.Call(func=(ast.Name() | ast.Attribute(value=ast.Name())) as function):
                called = self.evaluate(function)
                return Ends(None) if isinstance(called, Library) and called.name in _LEAVING else None
        return None

    def _do_assign(self, node: ast.Assign) -> None:
        value = self.evaluate(node.value)
        for target in node.targets:
            self.assign(target, value)

    def _do_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.evaluate(node.value))

    def _do_augassign(self, node: ast.AugAssign) -> None:
        before, added = self.evaluate(node.target), self.evaluate(node.value)
        if isinstance(before, Items) and isinstance(node.op, ast.Add):
            items, more = iterate(added)
            before.items.extend(items)
            before.more = before.more or more
        else:
            self.assign(node.target, binary(node.op, before, added))

    def assign(self, target: ast.expr, value: Value) -> None:
        """`target = value`."""
        match target:
            case ast.Name(id=name):
                self.scope.assign(name, value)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                self._unpack(parts, value)
            case ast.Attribute(value=owner, attr=name):
                for holder in options(self.evaluate(owner)):
                    if isinstance(holder, Instance | Class):
                        holder.attributes[name] = value
            case ast.Subscript():
                self._assign_entry(target, value)
            case ast.Starred(value=inner):
                self.assign(inner, value)

    def _assign_entry(self, target: ast.Subscript, value: Value) -> None:
        holder = self.evaluate(target.value)
        key = UNKNOWN if isinstance(target.slice, ast.Slice) else self.evaluate(target.slice)
        if isinstance(holder, Table):
            put(holder, key, value)
        elif isinstance(holder, Items):
            containers.replace_item(holder, key, value)

    def _unpack(self, parts: list[ast.expr], value: Value) -> None:
        rows = [option for option in options(value) if isinstance(option, Items)]
        starred = next((index for index, part in enumerate(parts) if isinstance(part, ast.Starred)), None)
        for index, part in enumerate(parts):
            if starred is not None and index >= starred:
                rest = [item for row in rows for item in row.items[index:]]
                self.assign(part, Items(rest, more=True) if index == starred else one_of(rest))
            else:
                self.assign(part, one_of(row.items[index] for row in rows if index < len(row.items)))

    def _do_import(self, node: ast.Import) -> None:
        for alias in node.names:
            root = alias.name.partition(".")[0]
            library = Library(alias.name if alias.asname else root)
            self.scope.assign(alias.asname or root, self._module(alias.name, node.lineno) or library)

    def _do_importfrom(self, node: ast.ImportFrom) -> None:
        own = self._module(node.module or "", node.lineno)
        for alias in node.names:
            if own is not None and alias.name == "*":
                for name, value in own.attributes.items():
                    self.scope.assign(name, value)
                continue
            known = own.attributes.get(alias.name) if own is not None else None
            self.scope.assign(alias.asname or alias.name, known or Library(f"{node.module or ''}.{alias.name}"))

    def _module(self, name: str, line: int) -> Instance | None:
        """A module of the program's own author, followed where it is first imported; None for any other."""
        text = dict(self.given.modules).get(name)
        if text is None or name in self._modules:
            return self._modules.get(name)
        made = self._modules[name] = Instance(Class(name, {}))
        outer, self.scope = self.scope, Scope()
        made.attributes = self.scope.variables
        self.scope.variables["__name__"] = Const(name)
        self.trace.callers.append(line)
        try:
            self.run_block(ast.parse(text).body)
            made.attributes = self.scope.variables
        except (SyntaxError, ValueError, MemoryError):
            return made
        finally:
            self.trace.callers.pop()
            self.scope = outer
        return made

    def _do_functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            self.evaluate(decorator)
        self.scope.assign(node.name, Function(node, self.scope, self.default_arguments(node.args)))

    _do_asyncfunctiondef = _do_functiondef

    def _do_classdef(self, node: ast.ClassDef) -> None:
        outer = self.scope
        self.scope = Scope(outer)
        try:
            self.run_block(node.body)
            attributes = self.scope.variables
        finally:
            self.scope = outer
        fields = tuple(
            part.target.id
            for part in node.body
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
        )
        for value in attributes.values():
            if isinstance(value, Function):
                value.scope = outer
        bases = tuple(self.evaluate(base) for base in node.bases)
        self.scope.assign(node.name, Class(node.name, attributes, bases, fields))

    def _do_global(self, node: ast.Global | ast.Nonlocal) -> None:
        self.scope.cells = self.scope.cells | set(node.names)

    _do_nonlocal = _do_global

    def _do_return(self, node: ast.Return) -> Ends:
        self.scope.returns.append(self.evaluate(node.value) if node.value else Const(None))
        return Ends(None, returns=True)

    def _do_raise(self, node: ast.Raise) -> Ends:
        self.evaluate(node.exc)
        return Ends(None)

    def _do_assert(self, node: ast.Assert) -> None:
        self.assume(node.test, holds=True)

    def _do_break(self, _node: ast.Break) -> Ends:
        return Ends(None, breaks=[self.scope.variables])

    def _do_continue(self, _node: ast.Continue) -> Ends:
        return Ends(None, continues=[self.scope.variables])

    def _do_delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.scope.variables.pop(target.id, None)

    def assume(self, test: ast.expr, *, holds: bool) -> None:
        """Narrow variables to what an undecided condition says."""
        narrow(self.scope, test, self.evaluate, holds=holds)

    def _do_if(self, node: ast.If) -> Ends:
        value = self.evaluate(node.test)
        known = truth(value)
        if known is not None:
            return self.run_block(node.body if known else node.orelse)
        asked = asks_presence(value)
        missing = asked is not None and asked.negated
        point = self.trace.point(node.lineno)
        before = self.scope.variables
        arms = []
        for body, holds in ((node.body, True), (node.orelse, False)):
            number = int(holds is missing)
            self.scope.variables = dict(before)
            with self.trace.arm(point, number, sure=asked is not None and number == 0):
                self.assume(node.test, holds=holds)
                arms.append(self.run_block(body))
        if missing:
            arms.reverse()
        whole = Ends(join(*(arm.next for arm in arms)))
        for number, arm in enumerate(arms):
            whole.add(arm)
            if arm.next is None and arm.leaves_early:
                whole.rest = Arm(point, 1 - number, sure=asked is not None and number == 1)
        return whole

    def _do_for(self, node: ast.For | ast.AsyncFor) -> Ends:
        sequences = options(self.evaluate(node.iter))
        if len(sequences) == 1:
            return self._loop(node, *iterate(sequences[0]))
        point = self.trace.point(node.lineno)
        whole, ways, before = Ends(None), [], self.scope.variables
        for number, sequence in enumerate(sequences):
            self.scope.variables = dict(before)
            with self.trace.arm(point, number, sure=number == 0):
                ends = self._loop(node, *iterate(sequence))
            whole.add(ends)
            ways.append(ends.next)
        whole.next = join(*ways)
        return whole

    _do_asyncfor = _do_for

    def _loop(self, node: ast.For | ast.AsyncFor, items: list[Value], more: bool) -> Ends:
        whole, point = Ends(None), self.trace.point(node.lineno)
        left: list[Variables] = []
        before: Variables | None = self.scope.variables
        now: Variables | None = dict(self.scope.variables)
        for number, item in enumerate(items):
            if now is None:
                break
            self.scope.variables = now
            start = len(self.trace.events)
            self.assign(node.target, item)
            ends = self.run_block(node.body)
            if ends.may_leave or left:
                self.trace.enclose(start, Arm(point, number, sure=number == 0))
            left += ends.breaks
            whole.returns = whole.returns or ends.returns
            now = join(ends.next, *ends.continues)
        return self._after_loop(node, whole, left, join(now, before) if more else now)

    def _after_loop(
        self, node: ast.For | ast.AsyncFor | ast.While, whole: Ends, left: list[Variables], done: Variables | None
    ) -> Ends:
        if done is not None and node.orelse:
            self.scope.variables = dict(done)
            ends = self.run_block(node.orelse)
            whole.add(ends)
            done = ends.next
        whole.next = join(*left, done)
        return whole

    def _do_while(self, node: ast.While) -> Ends:
        whole = Ends(None)
        left: list[Variables] = []
        done: Variables | None = None
        for _ in range(_MOST_ROUNDS):
            known = truth(self.evaluate(node.test))
            if known is not True:
                done = join(done, dict(self.scope.variables))
            if known is False:
                break
            ends = self.run_block(node.body)
            left += ends.breaks
            whole.returns = whole.returns or ends.returns
            after = join(ends.next, *ends.continues)
            if after is None:
                break
            self.scope.variables = after
            if known is None or left:
                done = join(done, after)
                break
        return self._after_loop(node, whole, left, done)

    def _do_try(self, node: ast.Try) -> Ends:
        point, before = self.trace.point(node.lineno), dict(self.scope.variables)
        with self.trace.arm(point, 0, sure=True):
            ends = self.run_block([*node.body, *node.orelse])
        whole, ways = Ends(None), [ends.next]
        whole.add(ends)
        reached = before | self.scope.variables
        for number, handler in enumerate(node.handlers, start=1):
            self.scope.variables = dict(reached)
            with self.trace.arm(point, number):
                caught = self.run_block(handler.body)
            whole.add(caught)
            ways.append(caught.next)
        self.scope.variables = join(*ways) or dict(reached)
        last = self.run_block(node.finalbody)
        whole.add(last)
        whole.next = None if not any(way is not None for way in ways) else last.next
        if ends.next is None and ends.leaves_early:
            whole.rest = Arm(point, 1)
        return whole

    _do_trystar = _do_try

    def _do_with(self, node: ast.With | ast.AsyncWith) -> Ends:
        for item in node.items:
            value = self.evaluate(item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value)
        return self.run_block(node.body)

    _do_asyncwith = _do_with

    def _do_match(self, node: ast.Match) -> Ends:
        cases, always = cases_reached(node.cases, self.evaluate(node.subject), self.evaluate)
        if always and len(cases) == 1:
            return self.run_block(cases[0].body)
        point, before = self.trace.point(node.lineno), self.scope.variables
        whole, ways = Ends(None), [] if always else [dict(before)]
        for number, case in enumerate(cases):
            self.scope.variables = dict(before)
            with self.trace.arm(point, number):
                ends = self.run_block(case.body)
            whole.add(ends)
            ways += [ends.next] if ends.next is not None else []
        whole.next = join(*ways)
        return whole
