"""Models of the functions by which programs go through sequences and tables: ranges, sorting, pairs, maps."""

from __future__ import annotations

from benchwright.reading.holes import has_hole
from benchwright.reading.operators import iterate, length, truth
from benchwright.reading.site import Model, Site
from benchwright.reading.values import UNKNOWN, Const, Items, Table, Value, one_of, text_of

_LONGEST_RANGE = 1000


def _whole(value: Value) -> int | None:
    return value.value if isinstance(value, Const) and isinstance(value.value, int) else None


def _range(site: Site) -> Value:
    bounds = [number for value in site.positional if (number := _whole(value)) is not None]
    if len(bounds) != len(site.positional) or not 1 <= len(bounds) <= 3 or (len(bounds) == 3 and bounds[2] == 0):
        return UNKNOWN
    numbers = range(*bounds)
    return Items([Const(number) for number in numbers[:_LONGEST_RANGE]], more=len(numbers) > _LONGEST_RANGE)


def _sequence(kind: str) -> Model:
    def model(site: Site) -> Value:
        if not site.positional:
            return Items([], kind)
        items, more = iterate(site.positional[0])
        return Items(items, kind, more)

    return model


def _reversed(site: Site) -> Value:
    items, more = iterate(site.argument(0))
    return Items(items[::-1], more=more)


def _sorted(site: Site) -> Value:
    items, more = iterate(site.argument(0))
    texts = [text for item in items if isinstance(item, Const) and (text := text_of(item)) is not None]
    if len(texts) != len(items) or "key" in site.keywords or any(has_hole(text) for text in texts):
        return Items(items, more=more)
    backwards = truth(site.keywords.get("reverse", Const(value=False)))
    return Items([Const(text) for text in sorted(texts, reverse=bool(backwards))], more=more)


def _enumerate(site: Site) -> Value:
    items, more = iterate(site.argument(0))
    first = _whole(site.argument(1, "start")) or 0
    rows: list[Value] = [Items([Const(first + index), item], "tuple") for index, item in enumerate(items)]
    return Items(rows, more=more)


def _zip(site: Site) -> Value:
    columns = [iterate(value) for value in site.positional]
    rows: list[Value] = [Items(list(row), "tuple") for row in zip(*(items for items, _ in columns), strict=False)]
    return Items(rows, more=any(more for _, more in columns))


def _map(site: Site) -> Value:
    function, *sequences = site.positional or [UNKNOWN]
    columns = [iterate(value) for value in sequences]
    rows = zip(*(items for items, _ in columns), strict=False)
    return Items([site.invoke(function, row) for row in rows], more=any(more for _, more in columns))


def _filter(site: Site) -> Value:
    items, more = iterate(site.argument(1))
    function = site.argument(0)
    kept = [item for item in items if truth(site.invoke(function, [item])) is not False]
    return Items(kept, more=more)


def _next(site: Site) -> Value:
    sequence = site.argument(0)
    items, more = iterate(sequence)
    unsure = isinstance(sequence, Items) and sequence.unsure
    default = [site.argument(1)] if site.given(1) and (more or unsure or not items) else []
    return one_of([*(items if unsure else items[:1]), *default])


def _chain(site: Site) -> Value:
    parts = [iterate(value) for value in site.positional]
    return Items([item for items, _ in parts for item in items], more=any(more for _, more in parts))


def _reduce(site: Site) -> Value:
    items, _ = iterate(site.argument(1))
    value = site.argument(2) if site.given(2) else (items.pop(0) if items else UNKNOWN)
    for item in items:
        value = site.invoke(site.argument(0), [value, item])
    return value


def _product(site: Site) -> Value:
    rows: list[list[Value]] = [[]]
    for value in site.positional:
        items, _ = iterate(value)
        rows = [[*row, item] for row in rows for item in items][:_LONGEST_RANGE]
    return Items([Items(row, "tuple") for row in rows])


def _dict(site: Site) -> Value:
    table = Table()
    source = site.argument(0)
    if isinstance(source, Table):
        table.entries.update(source.entries)
        table.rest.extend(source.rest)
    elif site.positional:
        fill_table(table, source)
    table.entries.update(site.keywords)
    return table


def fill_table(table: Table, pairs: Value) -> None:
    """Put (key, value) pairs into a table."""
    for pair in iterate(pairs)[0]:
        if isinstance(pair, Items) and len(pair.items) == 2:
            put(table, pair.items[0], pair.items[1])


def put(table: Table, key: Value, value: Value) -> None:
    """`table[key] = value`."""
    if isinstance(key, Const) and not (isinstance(key.value, str) and has_hole(key.value)):
        table.entries[key.value] = value
    else:
        table.rest.append(value)


SEQUENCES: dict[str, Model] = {
    "functools.reduce": _reduce,
    "itertools.chain": _chain,
    "itertools.product": _product,
    "range": _range,
    "list": _sequence("list"),
    "tuple": _sequence("tuple"),
    "set": _sequence("set"),
    "frozenset": _sequence("set"),
    "iter": _sequence("list"),
    "collections.deque": _sequence("list"),
    "tqdm.tqdm": _sequence("list"),
    "tqdm.auto.tqdm": _sequence("list"),
    "tqdm.notebook.tqdm": _sequence("list"),
    "reversed": _reversed,
    "sorted": _sorted,
    "enumerate": _enumerate,
    "zip": _zip,
    "map": _map,
    "filter": _filter,
    "next": _next,
    "dict": _dict,
    "collections.OrderedDict": _dict,
    "collections.defaultdict": lambda _site: Table(),
    "len": lambda site: length(site.argument(0)),
}
"""By the names under which programs call them."""
