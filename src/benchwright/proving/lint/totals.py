"""Rule: the parts of a gold contradict the total that it states."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from benchwright.errors import InputError
from benchwright.files import parse_json
from benchwright.proving.findings import Severity
from benchwright.proving.guideline import slots, split_parts
from benchwright.proving.lint.base import Case, TaskRule, quoted

_TOTAL = re.compile(r"(?i)\b(?:total|overall|sum|all)\b|_total\b|\btotal_")
_INTEGER = re.compile(r"^[+]?\d{1,3}(?:,\d{3})+$|^[+]?\d+$")
_NEAR = 0.05


def _labelled(case: Case) -> dict[str, int]:
    """Whole numbers of the gold by their label: a JSON object, `label: number` parts, or the format's slots."""
    if case.answer.startswith("{"):
        try:
            value = parse_json(case.answer, "gold")
        except InputError:
            return {}
        return _from_object(value) if isinstance(value, Mapping) else {}
    parts = split_parts(case.answer)
    named = [part.rpartition(":") for part in parts]
    if all(label for label, _, _ in named):
        return _integers((label, value) for label, _, value in named)
    labels = slots(case.task.guidelines)
    states_total = sum(bool(_TOTAL.search(label)) for label in labels) == 1
    return _integers(zip(labels, parts, strict=True)) if states_total and len(labels) == len(parts) else {}


def _from_object(value: Mapping[str, Any]) -> dict[str, int]:
    single = {key: item[0] if isinstance(item, list) and len(item) == 1 else item for key, item in value.items()}
    return _integers((key, str(item)) for key, item in single.items() if not isinstance(item, bool))


def _integers(pairs: Any) -> dict[str, int]:
    found = {}
    for label, text in pairs:
        if _INTEGER.match(text.strip()):
            found[str(label).strip()] = int(text.strip().replace(",", "").lstrip("+"))
    return found


def find(case: Case) -> Iterator[str]:
    """Three whole numbers or more that nearly, but not quite, sum to the largest or to the one called total."""
    numbers = _labelled(case)
    if len(numbers) < 3 or not case.answer:
        return
    named = [label for label in numbers if _TOTAL.search(label)]
    total = named[0] if len(named) == 1 else max(numbers, key=numbers.__getitem__)
    rest = sum(value for label, value in numbers.items() if label != total)
    off = abs(rest - numbers[total])
    if len(numbers) >= 4 and 0 < off <= _NEAR * numbers[total]:
        yield f"parts sum to {rest}, {total!r} says {numbers[total]}: {quoted(case.answer)}"


RULES = (
    TaskRule("total-contradicts-parts", Severity.WARNING, "one of the numbers is wrong: compute them again", find),
)
