"""JSON in all its forms: one document, a value a line, and maps as GeoJSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from math import isfinite
from typing import TYPE_CHECKING, Any

from benchwright.dialects import decode
from benchwright.errors import InputError
from benchwright.files import scan_jsonl
from benchwright.profiles.entries import Count, Table
from benchwright.profiles.formats.base import Found, Source, Unreadable
from benchwright.profiles.tables import cut, frame_of, plain, table_of

if TYPE_CHECKING:
    import polars as pl

_BATCH = 20_000
_KEYS = 100
_DEEPEST = 10
_NODES = 200_000
_BAD_SHOWN = 5


def read_json(source: Source) -> Found:
    """One document: its shape, and its records as a table where it is a list of objects, or holds but one such list."""
    text = decode(source.whole())[0]
    twice = 0

    def last_ones(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal twice
        found = dict(pairs)
        twice += len(found) < len(pairs)
        return found

    try:
        value = json.loads(text, parse_constant=lambda _: None, object_pairs_hook=last_ones)
    except RecursionError as error:
        raise Unreadable("nested too deeply") from error
    except ValueError as error:
        return _lines_after_all(source, error)
    return shape_of(value).with_notes(f"a key stands twice in {twice} objects: the last one counts" if twice else "")


def _lines_after_all(source: Source, error: ValueError) -> Found:
    """What is no document may be a value a line."""
    found = read_lines(source)
    if not found.facts["values"] or found.facts["bad_lines"] > found.facts["values"]:
        raise Unreadable(f"not valid JSON: {error}") from error
    return found.with_notes("a value a line, under a name for one document")


def read_lines(source: Source) -> Found:
    """A value a line; lines that are none are counted, and lose no other."""
    bad: list[str] = []
    counts: Counter[str] = Counter()

    def values() -> Iterator[Any]:
        for line in scan_jsonl(source.path):
            counts["bad" if line.error else "values"] += 1
            if not line.error:
                yield line.value
            elif len(bad) < _BAD_SHOWN:
                bad.append(cut(f"line {line.number}: {line.error}"))

    keys = _Keys()
    try:
        table = table_of(_frames(keys.seen(values())))
    except InputError as error:
        raise Unreadable(error.what) from error
    table = _with_all_columns(table, keys)
    facts = {"values": counts["values"], "bad_lines": counts["bad"], "first_bad_lines": bad, **keys.facts()}
    return Found(tables=(table,) if table.columns else (), rows=Count(value=counts["values"]), facts=facts)


class _Keys:
    """Which keys records have."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.records = self.others = 0

    def seen(self, values: Iterable[Any]) -> Iterator[dict[str, Any]]:
        """The records among the values, counted."""
        for value in values:
            if isinstance(value, dict):
                self.records += 1
                self.counts.update(value.keys())
                yield value
            else:
                self.others += 1

    def facts(self) -> dict[str, Any]:
        common = [cut(key) for key, count in self.counts.items() if count == self.records]
        return {
            "records": self.records,
            "other_values": self.others,
            "keys": len(self.counts),
            "common_keys": common[:_KEYS],
            "same_keys": len(common) == len(self.counts),
        }


def _frames(records: Iterable[dict[str, Any]]) -> Iterator[pl.DataFrame]:
    """Records as one frame: what comes in batches of differing keys and types could not be tallied."""
    rows = list(records)
    names = list(dict.fromkeys(key for row in rows for key in row))
    yield frame_of(names, [[_cell(row.get(name)) for name in names] for row in rows])


def _cell(value: Any) -> Any:
    """What is no number (NaN, and what is too large for one) is missing, as it is in a document."""
    if isinstance(value, float) and not isfinite(value):
        return None
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _with_all_columns(table: Table, keys: _Keys) -> Table:
    return table if keys.records else table.model_copy(update={"columns": (), "sample": ()})


def shape_of(value: Any) -> Found:
    """What a parsed document holds: its kind, depth, keys, and the tables in it."""
    facts: dict[str, Any] = {"top_level": _kind(value), "depth": depth_of(value)}
    if isinstance(value, dict) and isinstance(value.get("features"), list) and value.get("type") == "FeatureCollection":
        return _features(value, facts)
    if isinstance(value, list):
        return _records("", value, facts, Count(value=len(value)))
    if not isinstance(value, dict):
        return Found(facts={**facts, "value": plain(value)})
    facts["top_level_keys"] = [cut(str(key)) for key in list(value)[:_KEYS]]
    facts["keys"] = len(value)
    lists = {str(key): item for key, item in value.items() if _is_records(item)}
    tables = [_records(key, item, {}, Count(value=len(item))).tables for key, item in list(lists.items())[:20]]
    if not tables and len(value) > 1 and all(isinstance(item, dict) for item in value.values()):
        rows = [{"key": str(key), **item} for key, item in value.items()]
        return _records("", rows, {**facts, "records_by_key": True}, Count(value=len(rows)))
    flat = tuple(table for group in tables for table in group)
    facts["sample"] = plain(value)
    return Found(tables=flat, facts=facts, rows=flat[0].rows if len(flat) == 1 else None)


def _is_records(item: Any) -> bool:
    return isinstance(item, list) and bool(item) and all(isinstance(each, dict) for each in item)


def _records(name: str, values: list[Any], facts: dict[str, Any], rows: Count) -> Found:
    keys = _Keys()
    records = list(keys.seen(values))
    facts = {**facts, **keys.facts()}
    if not records:
        return Found(facts={**facts, "sample": plain(values)}, rows=rows)
    table = table_of(_frames(iter(records)), name)
    return Found(tables=(table,), facts=facts, rows=rows)


def _features(value: dict[str, Any], facts: dict[str, Any]) -> Found:
    """A map: the properties as a table, and what kinds of geometry there are."""
    features = [each for each in value["features"] if isinstance(each, dict)]
    kinds = Counter(str((each.get("geometry") or {}).get("type")) for each in features if _has_geometry(each))
    rows = [each["properties"] if isinstance(each.get("properties"), dict) else {} for each in features]
    found = _records("", rows, facts, Count(value=len(features)))
    found.facts.update(geometries={cut(kind): count for kind, count in kinds.items()}, crs=plain(value.get("crs")))
    return found


def _has_geometry(feature: dict[str, Any]) -> bool:
    return isinstance(feature.get("geometry"), dict)


def _kind(value: Any) -> str:
    names = {dict: "object", list: "array", str: "text", bool: "boolean", int: "number", float: "number"}
    return names.get(type(value), "null" if value is None else type(value).__name__)


def depth_of(value: Any) -> dict[str, Any]:
    """How deep containers lie within each other; looks at `_NODES` of them, and no deeper than is worth knowing."""
    level, depth, nodes = [value], 0, 0
    while depth < _DEEPEST:
        inner: list[Any] = []
        for each in level:
            nodes += 1
            if nodes <= _NODES and isinstance(each, dict | list):
                inner.extend(each.values() if isinstance(each, dict) else each)
        if not any(isinstance(each, dict | list) for each in level):
            break
        depth, level = depth + 1, inner
    return {"value": depth, "exact": depth < _DEEPEST and nodes <= _NODES}
