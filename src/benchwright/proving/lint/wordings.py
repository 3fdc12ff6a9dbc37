"""Rules: two wordings of one question, `raw` and `clean`, that do not ask the same, or that give the answer away."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.proving.findings import Severity
from benchwright.proving.lint.base import Case, TaskRule, quoted

_ASKS_WHETHER = re.compile(
    r"(?i)(?:^|[.?!,;:]\s+)(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b[^.?!]*\?"
    r"|\b(?:whether|if)\b"
)
_ASKS_FOR = re.compile(r"(?i)\b(?:which|what|how|when|where|who|name|list|count|give|report)\b")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
_LEAST_CATEGORIES, _MOST_CATEGORIES = 1, 3


def presupposing(case: Case) -> Iterator[str]:
    """The raw wording asks for what it takes to exist, where the clean one asks first whether it does."""
    raw, clean = _wordings(case)
    if raw and clean and _takes_for_granted(raw) and not _takes_for_granted(clean):
        yield f"raw: {quoted(raw, 100)}; clean: {quoted(clean, 100)}"


def not_cleaned(case: Case) -> Iterator[str]:
    """The clean wording is the raw one, or takes as much for granted."""
    raw, clean = _wordings(case)
    if raw and " ".join(raw.split()).casefold() == " ".join(clean.split()).casefold():
        yield "both wordings are the same"
    elif raw and clean and _takes_for_granted(clean) and _takes_for_granted(raw):
        yield f"clean: {quoted(clean)}"


def differing(case: Case) -> Iterator[str]:
    """A number that only one wording names: the two do not ask for the same."""
    raw, clean = _wordings(case)
    if raw and clean:
        only = set(_NUMBER.findall(raw)) ^ set(_NUMBER.findall(clean))
        if only:
            yield f"only one wording names {', '.join(sorted(only))}"


def categories(case: Case) -> Iterator[str]:
    """Fewer than one or more than three categories, or tags that are none of the suite's."""
    count = case.labels.extra.get("n_categories")
    if isinstance(count, int) and not _LEAST_CATEGORIES <= count <= _MOST_CATEGORIES:
        yield f"{count} categories: {', '.join(case.labels.categories) or 'none'}"
    if unknown := case.labels.extra.get("unknown_categories"):
        yield f"unknown: {', '.join(map(str, unknown))}"


def _wordings(case: Case) -> tuple[str, str]:
    return case.task.variants.get("raw", "").strip(), case.task.variants.get("clean", "").strip()


def _takes_for_granted(text: str) -> bool:
    return bool(_ASKS_FOR.search(text)) and not _ASKS_WHETHER.search(text)


RULES = (
    TaskRule(
        "presupposing-wording",
        Severity.NOTE,
        "compare results on both wordings: the raw one tells the agent something about the data",
        presupposing,
    ),
    TaskRule("clean-wording-presupposes", Severity.NOTE, "ask first whether there is such a thing", not_cleaned),
    TaskRule("wordings-differ", Severity.NOTE, "see that both wordings ask for the same", differing),
    TaskRule("categories-out-of-range", Severity.WARNING, "give one to three of the suite's categories", categories),
)
