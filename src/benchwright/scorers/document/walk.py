"""A gold document walked beside a found one: how much of it is right, and where it differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from benchwright.score import Evidence
from benchwright.scorers.compare.documents import Ambiguous, children, finder
from benchwright.scorers.compare.values import ABSENT, kind_of, range_fault, value_fault
from benchwright.scorers.document.pairing import Pairing
from benchwright.scorers.document.rule import DocumentRule, Range, Spec, only_ranges

_SHOWN = 20
"""Differences that are shown; all are counted."""


class GoldLacksField(Exception):
    """The check names a field that the gold does not have."""


class Tally(NamedTuple):
    """How much is right, of how much there is."""

    right: float
    weight: float

    @property
    def share(self) -> float:
        """The share that is right; 1 where there is nothing."""
        return self.right / self.weight if self.weight else 1.0


@dataclass(slots=True)
class Walk:
    """One comparison under a rule; collects `evidence` of the first differences and counts all (`wrong`)."""

    rule: DocumentRule
    evidence: list[Evidence] = field(default_factory=list)
    wrong: int = 0
    notes: dict[str, None] = field(default_factory=dict)
    pairing: Pairing = field(init=False)

    def __post_init__(self) -> None:
        self.pairing = Pairing(self.rule, self._likeness)

    def root(self, gold: Any, found: Any) -> Tally:
        """The whole document: by the rule's fields, or by every key of the gold."""
        if self.rule.fields:
            return self._named(gold, found, self.rule.fields, "")
        return self._every_field(gold, found, "")

    def _named(self, gold: Any, found: Any, spec: Spec, where: str) -> Tally:
        """What a check names: each leaf of `spec` weighs 1, in every item of a list."""
        if not isinstance(spec, Mapping):
            return self._leaf(gold, found, spec, where)
        if not spec:
            return self._every_field(gold, found, where)
        if isinstance(gold, list):
            return self._items(gold, found, spec, where)
        if not isinstance(gold, dict) and not only_ranges(spec):
            raise GoldLacksField(f"{where or 'the gold'} is a {kind_of(gold)}, not an object with {', '.join(spec)}")
        there = self._object(found, where)
        return _sum(
            self._named(_gold_field(gold, name, inner, where), there(name), inner, _joined(where, name))
            for name, inner in spec.items()
        )

    def _every_field(self, gold: Any, found: Any, where: str) -> Tally:
        """Every key of the gold: objects are entered, anything else in them is one field."""
        if isinstance(gold, list) and any(isinstance(item, dict) for item in gold):
            return self._items(gold, found, {}, where)
        if not isinstance(gold, dict) or not gold:
            return self._leaf(gold, found, None, where)
        there = self._object(found, where)
        self._surplus_keys(gold, found)
        return _sum(
            self._every_field(item, there(name), _joined(where, name))
            if isinstance(item, dict)
            else self._leaf(item, there(name), None, _joined(where, name))
            for name, item in gold.items()
        )

    def _leaf(self, gold: Any, found: Any, spec: Range | float | None, where: str) -> Tally:
        """One field, of weight 1 whatever it holds."""
        if isinstance(spec, Range):
            fault = range_fault(found, spec.low, spec.high)
            self._differs(where, f"{spec.low:g} to {spec.high:g}", found, fault)
            return Tally(0.0 if fault else 1.0, 1.0)
        relative = self.rule.relative if spec is None else spec
        return Tally(self._below(gold, found, relative, where).share, 1.0)

    def _below(self, gold: Any, found: Any, relative: float, where: str) -> Tally:
        """All that lies in a value; every value without parts weighs 1."""
        if isinstance(gold, dict) and gold:
            there = self._object(found, where)
            self._surplus_keys(gold, found)
            return _sum(self._below(item, there(name), relative, _joined(where, name)) for name, item in gold.items())
        if isinstance(gold, list) and gold:
            return self._items(gold, found, relative, where)
        if isinstance(gold, dict | list):
            fault = "" if type(gold) is type(found) and not found else f"not the empty {kind_of(gold)}"
        else:
            fault = value_fault(gold, found, relative)
        self._differs(where, gold, found, fault)
        return Tally(0.0 if fault else 1.0, 1.0)

    def _items(self, gold: Sequence[Any], found: Any, spec: Spec, where: str) -> Tally:
        """The items of a list: what is missing or surplus counts as wrong, against the longer of both lists."""
        if not isinstance(found, list):
            self._differs(where, gold, found, _not_a("list", found))
            return _sum(self._item(item, ABSENT, spec, None) for item in gold) if gold else Tally(0.0, 1.0)
        pairs = dict(self.pairing.pairs(gold, found, spec))
        tallies = [
            self._item(item, found[pairs[place]], spec, f"{where}[{place}]")
            if place in pairs
            else self._missing_item(item, spec, f"{where}[{place}]")
            for place, item in enumerate(gold)
        ]
        surplus = max(0, len(found) - len(gold))
        used = set(pairs.values())
        for place in (place for place in range(len(found)) if place not in used):
            if surplus:
                self._differs(f"{where}[{place}]", ABSENT, found[place], "surplus item")
        whole = _sum(tallies) if gold else Tally(float(not found), 1.0)
        return Tally(whole.right, whole.weight * (1 + surplus / len(gold)) if gold else whole.weight)

    def _item(self, gold: Any, found: Any, spec: Spec, where: str | None) -> Tally:
        """One item; `where` is None where its differences are not to be told."""
        if where is None:
            kept = self.evidence[:], self.wrong
            try:
                return self._item(gold, found, spec, "")
            finally:
                self.evidence[:], self.wrong = kept
        if isinstance(spec, Mapping):
            return self._named(gold, found, spec, where)
        if isinstance(spec, Range):
            return self._leaf(gold, found, spec, where)
        return self._below(gold, found, self.rule.relative if spec is None else spec, where)

    def _missing_item(self, gold: Any, spec: Spec, where: str) -> Tally:
        self._differs(where, gold, ABSENT, "missing")
        return self._item(gold, ABSENT, spec, None)

    def _likeness(self, gold: Any, found: Any, spec: Spec) -> float:
        """How much of an item another one has right, to find its partner."""
        return self._item(gold, found, spec, None).share

    def _object(self, found: Any, where: str) -> Any:
        """A look-up of the keys of what should be an object."""
        if isinstance(found, dict):
            return finder(found, ABSENT)
        if found is not ABSENT:
            self._differs(where, "an object", found, _not_a("object", found))
        return lambda _: ABSENT

    def _surplus_keys(self, gold: Mapping[str, Any], found: Any) -> None:
        if isinstance(found, dict) and len(found) > len(gold):
            self.notes["more keys than the gold has, not compared"] = None

    def _differs(self, where: str, gold: Any, found: Any, fault: str) -> None:
        if not fault:
            return
        self.wrong += 1
        if len(self.evidence) < _SHOWN:
            self.evidence.append(
                Evidence(part=where[:200], verdict="wrong", expected=_shown(gold), found=_shown(found), reason=fault)
            )


def _gold_field(gold: Any, name: str, spec: Spec, where: str) -> Any:
    """What the gold says of a field that a check names; of a range it need not say anything."""
    value = finder(gold, ABSENT)(name) if isinstance(gold, dict) else ABSENT
    if only_ranges(spec):
        return value
    if value is ABSENT or isinstance(value, Ambiguous):
        raise GoldLacksField(f"{where or 'the gold'} has no field {name!r}")
    return value


def _sum(tallies: Iterable[Tally]) -> Tally:
    right = weight = 0.0
    for tally in tallies:
        right, weight = right + tally.right, weight + tally.weight
    return Tally(right, weight)


def _not_a(kind: str, found: Any) -> str:
    return "missing" if found is ABSENT else f"a {kind_of(found)} where a {kind} is expected"


def _joined(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _shown(value: Any) -> str:
    """A value in a line; of lists and objects their length, for the whole of one may be millions of values."""
    if value is ABSENT:
        return ""
    if isinstance(value, list | dict) and value:
        return f"{kind_of(value)} of {len(list(children(value)))}"
    return str(value)[:200]
