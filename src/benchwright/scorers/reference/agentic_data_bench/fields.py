"""One field of a JSON document under the published rules: a value, what it should be, and how near it must come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, NamedTuple

from benchwright.scorers.reference.agentic_data_bench.keys import find_key

DEFAULT = 0.01
_TINY = 1e-12


class Field(NamedTuple):
    """A field's score, and why it is not 1."""

    score: float
    reason: str = ""


RIGHT = Field(1.0)


@dataclass(frozen=True, slots=True)
class FieldRules:
    """The rules of `compare_json`; `slack` and `graded` make those of `compare_json_normalized`.

    `slack` is added to every tolerance. `graded`: a range gives the share of the way from its first bound to its
    second, and without a gold there is no score by any other rule. `every`: items of lists are judged even behind one
    that is right, for there may be whole numbers beyond the range of floats among them, which raise.
    """

    slack: float = 0.0
    graded: bool = False
    every: bool = False

    def judge(self, found: Any, gold: Any, rule: Any) -> Field:
        """Score one value by its rule: None, a relative tolerance, a range [a, b], or rules for the keys of a dict."""
        if rule is None:
            return self._by_default(found, gold)
        if isinstance(rule, int | float):
            return self._within(found, gold, rule)
        if isinstance(rule, list) and len(rule) == 2:
            return _on_scale(found, *rule) if self.graded else _in_range(found, *rule)
        if isinstance(rule, dict):
            return self._nested(found, gold, rule)
        return Field(0.0, f"no rule is written {rule!r}")

    def _by_default(self, found: Any, gold: Any) -> Field:
        if gold is None:
            return RIGHT if found is None and not self.graded else Field(0.0, "null on one side, or no gold")
        if isinstance(gold, int | float):
            return self._near(found, gold, DEFAULT)
        if isinstance(gold, str):  # null is the text "None": as published
            same = str(found).lower().strip() == gold.lower().strip()
            return RIGHT if same else Field(0.0, f"{gold[:200]!r} expected, {str(found)[:200]!r} found")
        if isinstance(gold, list):
            pairs = self._paired(found, gold, None)
            return pairs if isinstance(pairs, Field) else _mean(pairs)
        if isinstance(gold, dict) and not self.graded:
            return self._each_key(found, gold, None)
        return RIGHT if found == gold else Field(0.0, "not equal")

    def _within(self, found: Any, gold: Any, rule: float) -> Field:
        if gold is None:
            return RIGHT if found is None and not self.graded else Field(0.0, "the gold is null")
        if found is None and not self.graded:
            return Field(0.0, "null")
        if isinstance(gold, list):
            pairs = self._paired(found, gold, rule)
            if isinstance(pairs, Field):
                return pairs
            wrong = [pair for pair in pairs if pair.score < 1.0]
            return Field(0.0, wrong[0].reason) if wrong else RIGHT
        if isinstance(gold, dict):
            return self._each_key(found, gold, rule)
        return self._near(found, gold, rule)

    def _paired(self, found: Any, gold: Sequence[Any], rule: Any) -> list[Field] | Field:
        """Each gold item with the best of the items that are left, the first of equals."""
        if not isinstance(found, list):
            return Field(0.0, f"a list expected, {type(found).__name__} found")
        if len(found) != len(gold):
            return Field(0.0, f"{len(gold)} items expected, {len(found)} found")
        left = list(found)
        fields: list[Field] = []
        for wanted in gold:
            best, place = Field(-1.0), 0
            for index, item in enumerate(left):
                field = self.judge(item, wanted, rule)
                if field.score > best.score:
                    best, place = field, index
                if best.score >= 1.0 and not self.every:
                    break
            left.pop(place)
            fields.append(best)
        return fields

    def _near(self, found: Any, gold: Any, tolerance: float) -> Field:
        if not isinstance(found, int | float) or not isinstance(gold, int | float):
            return Field(0.0, f"a number like {gold!r} expected, {str(found)[:200]!r} found")
        apart = abs(found - gold) / max(abs(gold), _TINY)
        if apart <= tolerance + self.slack:
            return RIGHT
        # formatting a whole number beyond the range of floats is an OverflowError here, as published
        return Field(0.0, f"{gold!r} expected, {found!r} found: {abs(found - gold):.6g} apart, relative {apart:.4g}")

    def _each_key(self, found: Any, gold: dict[str, Any], rule: Any) -> Field:
        """Every key of the gold by one rule."""
        if not isinstance(found, dict):
            return Field(0.0, f"an object expected, {type(found).__name__} found")
        keys = [(find_key(key, found), wanted) for key, wanted in gold.items()]
        return _mean(
            [
                Field(0.0, "a key is missing") if key is None else self.judge(found[key], wanted, rule)
                for key, wanted in keys
            ]
        )

    def _nested(self, found: Any, gold: Any, rules: dict[str, Any]) -> Field:
        """Rules by key, reached inside a field only."""
        if not isinstance(found, dict) or not (isinstance(gold, dict) or (self.graded and gold is None)):
            return Field(0.0, f"an object expected, {type(found).__name__} found")
        fields: list[Field] = []
        for key, rule in rules.items():
            known = gold or {}
            ours, golds = find_key(key, found), find_key(key, known)
            if golds is None and not self.graded:
                continue
            wanted = None if golds is None else known[golds]
            fields.append(Field(0.0, f"no key {key}") if ours is None else self.judge(found[ours], wanted, rule))
        return _mean(fields)


def _mean(fields: Sequence[Field]) -> Field:
    if not fields:
        return Field(0.0, "nothing to compare")
    return Field(
        fsum(field.score for field in fields) / len(fields), "; ".join(field.reason for field in fields if field.reason)
    )


def _in_range(found: Any, low: float, high: float) -> Field:
    if not isinstance(found, int | float):
        return Field(0.0, f"a number from {low} to {high} expected, {str(found)[:200]!r} found")
    if low <= found <= high:
        return RIGHT
    return Field(0.0, f"{found!r} is not from {low} to {high}: {abs(found - (low if found < low else high)):.6g} off")


def _on_scale(found: Any, worst: float, best: float) -> Field:
    """How far a value has come from the worst bound to the best; NaN has arrived, as published."""
    if not isinstance(found, int | float):
        return Field(0.0, f"a number from {worst} to {best} expected, {str(found)[:200]!r} found")
    if worst == best:
        return RIGHT if found == worst else Field(0.0, f"{worst} expected, {found!r} found")
    share = (found - worst) / (best - worst) if worst < best else (worst - found) / (worst - best)
    if share >= 1.0:
        return RIGHT
    # the order of arguments decides what becomes of NaN
    return Field(max(0.0, min(1.0, share)), f"{found!r} is short of {best}: {share:.4g} of the way")
