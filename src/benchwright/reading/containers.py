"""Methods of lists, dictionaries and sets, which change them in place."""

from __future__ import annotations

from collections.abc import Callable

from benchwright.reading.operators import equal, iterate
from benchwright.reading.sequences import fill_table, put
from benchwright.reading.site import Site
from benchwright.reading.values import UNKNOWN, Const, Items, Table, Value, one_of

_LONGEST_LIST = 5000


def items_method(site: Site, items: Items, name: str) -> Value:
    """A method of a list, tuple or set."""
    method = _ITEMS.get(name)
    return method(site, items) if method else UNKNOWN


def table_method(site: Site, table: Table, name: str) -> Value:
    """A method of a dictionary."""
    method = _TABLE.get(name)
    return method(site, table) if method else UNKNOWN


def replace_item(items: Items, key: Value, value: Value) -> None:
    """`items[key] = value`."""
    if isinstance(key, Const) and isinstance(key.value, int) and -len(items.items) <= key.value < len(items.items):
        items.items[key.value] = value


def _append(site: Site, items: Items) -> Value:
    if len(items.items) < _LONGEST_LIST:
        items.items.append(site.argument(0))
    return Const(None)


def _insert(site: Site, items: Items) -> Value:
    position = site.argument(0)
    known = isinstance(position, Const) and isinstance(position.value, int)
    items.items.insert(position.value if known else len(items.items), site.argument(1))  # type: ignore[attr-defined]
    return Const(None)


def _extend(site: Site, items: Items) -> Value:
    for value in site.positional:
        added, more = iterate(value)
        items.items.extend(added[: max(0, _LONGEST_LIST - len(items.items))])
        items.more = items.more or more
    return Const(None)


def _pop(site: Site, items: Items) -> Value:
    index = site.argument(0) if site.positional else Const(-1)
    if items.items and not items.more and isinstance(index, Const) and isinstance(index.value, int):
        try:
            return items.items.pop(index.value)
        except IndexError:
            return UNKNOWN
    return one_of(items.items)


def _remove(site: Site, items: Items) -> Value:
    """Takes out what is certainly meant; what may be meant stays."""
    certain = [index for index, item in enumerate(items.items) if equal(item, site.argument(0))]
    if certain:
        del items.items[certain[0]]
    return Const(None)


def _copy(_site: Site, items: Items) -> Value:
    return Items(list(items.items), items.kind, items.more)


def _reverse(_site: Site, items: Items) -> Value:
    items.items.reverse()
    return Const(None)


def _get(site: Site, table: Table) -> Value:
    key = site.argument(0)
    if isinstance(key, Const) and key.value in table.entries:
        return table.entries[key.value]
    default = site.argument(1) if site.given(1) else Const(None)
    if isinstance(key, Const) and not table.rest:
        return default
    return one_of([*table.entries.values(), *table.rest, default])


def _set_default(site: Site, table: Table) -> Value:
    key, default = site.argument(0), site.argument(1)
    if isinstance(key, Const) and key.value in table.entries:
        return table.entries[key.value]
    put(table, key, default)
    return default


def _pairs(_site: Site, table: Table) -> Value:
    rows: list[Value] = [Items([Const(key), value], "tuple") for key, value in table.entries.items()]
    rows += [Items([UNKNOWN, value], "tuple") for value in table.rest]
    return Items(rows, more=bool(table.rest))


def _values(_site: Site, table: Table) -> Value:
    return Items([*table.entries.values(), *table.rest], more=bool(table.rest))


def _keys(_site: Site, table: Table) -> Value:
    return Items([Const(key) for key in table.entries], more=bool(table.rest))


def _update(site: Site, table: Table) -> Value:
    for value in site.positional:
        if isinstance(value, Table):
            table.entries.update(value.entries)
            table.rest.extend(value.rest)
        else:
            fill_table(table, value)
    table.entries.update(site.keywords)
    return Const(None)


_ITEMS: dict[str, Callable[[Site, Items], Value]] = {
    "append": _append,
    "add": _append,
    "insert": _insert,
    "extend": _extend,
    "update": _extend,
    "pop": _pop,
    "remove": _remove,
    "discard": _remove,
    "copy": _copy,
    "reverse": _reverse,
}
_TABLE: dict[str, Callable[[Site, Table], Value]] = {
    "get": _get,
    "setdefault": _set_default,
    "items": _pairs,
    "values": _values,
    "keys": _keys,
    "update": _update,
}
