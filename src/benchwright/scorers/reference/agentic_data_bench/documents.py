"""The published comparisons of JSON documents: the mean over the fields that a tree of thresholds names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.score import Evidence
from benchwright.scorers.reference.agentic_data_bench.calls import SHOWN, Call, Verdict, finding
from benchwright.scorers.reference.agentic_data_bench.fields import Field, FieldRules
from benchwright.scorers.reference.agentic_data_bench.keys import find_key, leaves

Rules = Mapping[str, Any]
Scores = Iterator[tuple[str, Field]]
_STRICT = FieldRules()
_GRADED = FieldRules(slack=1e-9, graded=True)
_BEYOND_FLOATS = re.compile(r"\d{309}")


def compare_json(call: Call) -> Verdict:
    """Fields that exist on both sides by their rule; 0 for an output or gold that is missing or no JSON.

    Raises UnicodeDecodeError for text that is not UTF-8, RecursionError for one that is nested too deep.
    """
    rules, keys = call.arguments.get("thresholds") or {}, call.arguments.get("matched_keys") or ()
    found = _read(call.output)
    if isinstance(found, Verdict):
        return found
    gold = _read(call.gold)
    if isinstance(gold, Verdict):
        return Verdict(0.0, f"the gold is {gold.reason}")
    return _mean(_walk(found.value, gold.value, rules, _Way(keys, _fields(_STRICT, found, gold))))


def compare_json_normalized(call: Call) -> Verdict:
    """What the output reports of itself, by the way from bound to bound; other rules need a gold."""
    rules = call.arguments.get("thresholds") or {}
    found = _read(call.output)
    if isinstance(found, Verdict):
        return found
    gold = _read(call.gold) if call.golds else _Document(None)
    if isinstance(gold, Verdict):
        return Verdict(0.0, f"the gold is {gold.reason}")
    return _mean(_walk_graded(found.value, gold.value, rules, _fields(_GRADED, found, gold)))


class _Document(NamedTuple):
    """A document, and whether it may hold whole numbers beyond the range of floats."""

    value: Any
    vast: bool = False


def _fields(rules: FieldRules, *documents: _Document) -> FieldRules:
    return replace(rules, every=any(document.vast for document in documents))


def _read(path: Path | None) -> _Document | Verdict:
    """A document, or what to say where there is none. A byte order mark makes it none."""
    try:
        if path is None:
            return Verdict(0.0, "no such file")
        text = _text(path)
        return _Document(json.loads(text), vast=bool(_BEYOND_FLOATS.search(text)))
    except FileNotFoundError:
        return Verdict(0.0, "no such file")
    except json.JSONDecodeError as error:
        return Verdict(0.0, f"no JSON: {error}")


def _text(path: Path) -> str:
    with path.open(encoding="utf-8") as stream:
        return stream.read()


def _mean(scores: Iterable[tuple[str, Field]]) -> Verdict:
    total, count = 0.0, 0
    evidence: list[Evidence] = []
    for part, field in scores:
        total, count = total + field.score, count + 1
        if field.reason and len(evidence) < SHOWN:
            evidence.append(finding(part, field.reason))
    if not count:
        return Verdict(0.0, "no field is scored")
    reason = f"{evidence[0].part}: {evidence[0].reason}"[:500] if evidence else ""
    return Verdict(total / count, reason, tuple(evidence))


def _zeros(part: str, count: int, reason: str) -> Scores:
    return ((part, Field(0.0, reason)) for _ in range(count))


class _Way:
    """How fields are judged, and how items of lists find each other: by the values of some keys, which must be spelled
    and equal exactly.
    """

    def __init__(self, keys: Sequence[str], fields: FieldRules) -> None:
        self.keys = keys
        self.fields = fields

    def partners(self, found: Sequence[Any], gold: Sequence[Any]) -> Iterator[tuple[dict[str, Any], Any]]:
        """Each object of the gold with the first unused object that has its values, None if there is none."""
        left = dict(enumerate(found))
        places: dict[Any, dict[int, Any]] = {}
        for place, item in left.items():
            places.setdefault(self._index(item), {})[place] = item
        for wanted in gold:
            if isinstance(wanted, dict):
                index = self._index(wanted)
                near = left if index is None else places.get(index, {})
                chosen = next((place for place, item in near.items() if self._equal(item, wanted)), None)
                yield wanted, None if chosen is None else left.pop(chosen)
                if chosen is not None and near is not left:
                    del near[chosen]

    def _index(self, item: Any) -> Any:
        """What equal items have in common, None for values that cannot be looked up."""
        if not isinstance(item, dict):
            return None
        values = tuple(item.get(key) for key in self.keys)
        return None if any(isinstance(value, list | dict) for value in values) else values

    def _equal(self, found: Any, wanted: dict[str, Any]) -> bool:
        return isinstance(found, dict) and all(
            key in wanted and key in found and not wanted[key] != found[key]  # noqa: SIM202 - NaN, and no other order
            for key in self.keys
        )


def _walk(found: Any, gold: Any, rules: Rules, way: _Way, path: str = "") -> Scores:
    if isinstance(found, list) or isinstance(gold, list):
        yield from _walk_lists(found, gold, rules, way, path)
        return
    ours, golds = (side if isinstance(side, dict) else {} for side in (found, gold))
    both = isinstance(found, dict) and isinstance(gold, dict)
    for key, rule in rules.items():
        # where either side is no object, a group of rules is passed over: as published
        if both or not isinstance(rule, dict):
            yield from _field(ours, golds, (key, rule), way, path)


def _walk_lists(found: Any, gold: Any, rules: Rules, way: _Way, path: str) -> Scores:
    if not isinstance(found, list) or not isinstance(gold, list):
        count = leaves(rules) * (len(gold) if isinstance(gold, list) else 1)
        yield from _zeros(path, count, "a list on one side only")
    elif way.keys:
        for place, (wanted, item) in enumerate(way.partners(found, gold)):
            part = f"{path}[{place}]"
            if item is None:
                yield from _zeros(part, leaves(rules), "no item has its keys")
                continue
            for pair in rules.items():
                yield from _field(item, wanted, pair, way, part)


def _field(found: Mapping[str, Any], gold: Mapping[str, Any], pair: tuple[str, Any], way: _Way, path: str) -> Scores:
    key, rule = pair
    part = f"{path}.{key}" if path else key
    ours, golds = find_key(key, found), find_key(key, gold)
    if ours is None or golds is None:
        yield from _zeros(part, leaves({key: rule}), "no such key" if ours is None else "no such key in the gold")
    elif isinstance(rule, dict):
        yield from _walk(found[ours], gold[golds], rule, way, part)
    else:
        yield part, way.fields.judge(found[ours], gold[golds], rule)


def _walk_graded(found: Any, gold: Any, rules: Rules, fields: FieldRules, path: str = "") -> Scores:
    ours, golds = (side if isinstance(side, dict) else {} for side in (found, gold))
    for key, rule in rules.items():
        part = f"{path}.{key}" if path else key
        our_key, gold_key = find_key(key, ours), find_key(key, golds)
        wanted = golds[gold_key] if gold_key is not None else None
        if isinstance(rule, dict):
            if our_key is not None:
                # a key of the gold that is empty is passed over here, as published
                yield from _walk_graded(ours[our_key], wanted if gold_key else None, rule, fields, part)
            elif isinstance(found, dict):  # where there is no object, a group is passed over: as published
                yield from _zeros(part, leaves(rule), "no such key")
        elif our_key is None:
            yield part, Field(0.0, "no such key")
        else:
            yield part, fields.judge(ours[our_key], wanted, rule)
