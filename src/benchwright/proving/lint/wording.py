"""Rules: a task that does not say what form its answer should have."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from benchwright.proving.findings import Severity
from benchwright.proving.guideline import examples, split_parts, without_abstention
from benchwright.proving.lint.base import Case, Hit, SuiteRule, TaskRule, cases, quoted
from benchwright.suite import Suite

_ASKS_PERCENT = re.compile(r"(?i)\b(?:percentages?|percent|per\s?cent)\b|%")
_PRECISION = re.compile(
    r"(?i)\b(?:integers?|whole\s+(?:numbers?|percent)|decimals?|round(?:ed|ing)?|truncat\w+|floor\w*|nearest|precision|"
    r"significant|digits?|exact(?:ly)?|places?|int\(\)|fraction|ceil\w*)\b"
    r"|\b[Xx#]+(?:\.[Xx#]+)?\s*%"
)
_NUMBER = re.compile(r"(?<![\w.])[-+−]?\d[\d,]*(?:\.\d+)?")
_RATIO = re.compile(
    r"\b\w+\s*:\s*\w+\s+ratio\b|(?i:\bratio\s+(?:in\s+the\s+form|of\s+the\s+form|as)\s+[\"']?\w+\s*:\s*\w+)"
)
_RATIO_VALUE = re.compile(r"\d\s*(?::|\bto\b)\s*\d")
_TABLE_SUFFIXES = {".csv": ",", ".tsv": "\t"}


def percent_precision(case: Case) -> Iterator[str]:
    """The question asks for a percentage, the gold holds one, and nothing states unit and digits."""
    if not _ASKS_PERCENT.search(case.task.question):
        return
    text = without_abstention(case.task.guidelines)
    stated = _PRECISION.search(text) or _PRECISION.search(case.task.question) or examples(case.task.guidelines)
    asked = any(number in case.task.question for number in re.findall(r"\d[\d.,]*%", case.answer))
    if not stated and not asked and _NUMBER.search(case.answer) and re.search(r"\d%|^\W*[\d.,]+\W*$", case.answer):
        yield f"unit and precision are not stated; question {quoted(case.task.question)}, gold {quoted(case.answer)}"


def percent_sign(case: Case) -> Iterator[str]:
    """A gold without a percent sign for a percentage, and nothing says whether percent or fraction is meant."""
    text = without_abstention(case.task.guidelines)
    asks = re.search(r"(?i)\bpercentages?\b(?!\s+(?:points?|change|distribution))", case.task.question)
    single = len(split_parts(case.answer)) == 1 and re.fullmatch(r"[-+]?0?\.\d+", case.answer)
    if asks and single and not _ASKS_PERCENT.search(text) and "fraction" not in text.lower():
        yield f"the question asks for a percentage, the gold is {quoted(case.answer)}: a fraction, or below 1 %?"


def ratio(case: Case) -> Iterator[str]:
    """The question asks for an a:b ratio, the gold is of another form."""
    match = _RATIO.search(case.task.question)
    if match and case.answer and not _RATIO_VALUE.search(case.answer):
        yield f"question/gold unit mismatch: the question says {quoted(match[0])}, the gold is {quoted(case.answer)}"


def table_schema(suite: Suite) -> Iterator[Hit]:
    """A gold table whose column names are nowhere in the prompt."""
    for case in cases(suite):
        for name in case.gold.files:
            columns = _columns(suite.gold_files(case.task.id) / name)
            prompt = _squeezed(case.prompt)
            unstated = [column for column in columns if _squeezed(column) not in prompt]
            if unstated:
                listed = ", ".join(quoted(column, 40) for column in unstated[:5])
                yield Hit(
                    case.task.id, f"output schema not stated: {len(unstated)} of {len(columns)} columns, {listed}"
                )


def _squeezed(text: str) -> str:
    """Letters and digits alone: `Region Name`, `region_name` and `RegionName` are one name."""
    return re.sub(r"[\W_]+", "", text).casefold()


def _columns(path: Path) -> list[str]:
    """The column names of a gold table in text form; none where it is another kind of file, or not there."""
    separator = _TABLE_SUFFIXES.get(path.suffix.lower())
    if separator is None or not path.is_file():
        return []
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        header = next(csv.reader(stream, delimiter=separator), [])
    return [name.strip() for name in header if re.search(r"[^\W\d_]", name) and not name.startswith("Unnamed:")]


RULES = (
    TaskRule(
        "precision-not-stated",
        Severity.WARNING,
        "say whether an integer or how many decimals, and whether with a percent sign",
        percent_precision,
    ),
    TaskRule("fraction-or-percent", Severity.NOTE, "say which of the two is meant", percent_sign),
    TaskRule("ratio-form", Severity.WARNING, "say in which form the ratio is wanted", ratio),
    SuiteRule("schema-not-stated", Severity.WARNING, "name the columns of the table in the task", table_schema),
)
