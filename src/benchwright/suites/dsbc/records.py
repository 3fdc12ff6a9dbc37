"""The questions of DSBC as they are published (csv, jsonl or parquet), and worked questions with typed golds."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.errors import InputError, SuiteError
from benchwright.files import read_jsonl, read_text
from benchwright.suites.dsbc.categories import read_categories

COLUMNS = ("Index", "Dataset", "Tasks", "Query_Raw", "Query_Clean", "Response_Expected", "Solution_Code")
_WORKED = ("id", "dataset", "categories", "query_raw", "query_clean", "gold_code", "gold_answer")
_MOST_BYTES = 100 << 20


@dataclass(frozen=True, slots=True)
class Question:
    """One question, whichever way it was written down.

    `dataset` is the published name ("WEATHER Dataset"), `file` the data file where the record names one. `answer` is
    text; a typed gold is JSON, its keys in the order given; `answer_type` and `tolerance` say how it is compared.
    """

    id: str
    dataset: str
    file: str
    categories: tuple[str, ...]
    unknown_categories: tuple[str, ...]
    raw: str
    clean: str
    answer: str
    code: str
    answer_type: str = ""
    tolerance: str = ""


def read_questions(path: Path) -> list[Question]:
    """Every question of a file, each id once; a SuiteError names the record and the column that is wrong."""
    rows = list(_rows(path))
    if not rows:
        raise SuiteError(f"{path}: no questions", expected="at least one record")
    questions = [_question(values, f"{path}, record {number}") for number, values in enumerate(rows, start=1)]
    seen: dict[str, int] = {}
    for number, question in enumerate(questions, start=1):
        if question.id in seen:
            raise SuiteError(
                f"{path}, record {number}: question {question.id} stands twice",
                found=f"also record {seen[question.id]}",
            )
        seen[question.id] = number
    return questions


def _rows(path: Path) -> Iterable[Mapping[str, Any]]:
    suffix = path.suffix.lower()
    if suffix not in {".csv", ".jsonl", ".parquet"}:
        raise SuiteError(f"{path}: questions of an unknown kind", found=suffix, expected=".csv, .jsonl or .parquet")
    if path.stat().st_size > _MOST_BYTES:
        raise SuiteError(f"{path} is too large for a list of questions", expected=f"at most {_MOST_BYTES >> 20} MB")
    if suffix == ".jsonl":
        return [_object(value, f"{path}, line {line}") for line, value in read_jsonl(path)]
    return _csv_rows(path) if suffix == ".csv" else _parquet_rows(path)


def _object(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise SuiteError(f"{where}: not a question", found=type(value).__name__, expected="an object")
    return value


def _csv_rows(path: Path) -> list[Mapping[str, Any]]:
    try:
        return list(csv.DictReader(io.StringIO(read_text(path), newline=""), strict=True))
    except csv.Error as error:
        raise InputError(f"{path}: not valid CSV", found=str(error)) from error


def _parquet_rows(path: Path) -> list[Mapping[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows: list[Mapping[str, Any]] = pq.read_table(path).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise SuiteError(f"{path}: not a readable parquet file", found=str(error)[:200]) from error
    return rows


def _question(values: Mapping[str, Any], where: str) -> Question:
    if "gold_answer" in values:
        return _worked(values, where)
    _require(values, COLUMNS, where)
    categories, unknown = read_categories(_text(values["Tasks"]).split(","))
    clean, raw = _text(values["Query_Clean"]), _text(values["Query_Raw"])
    return Question(
        id=_id(values["Index"], where),
        dataset=_filled(values["Dataset"], "Dataset", where),
        file="",
        categories=categories,
        unknown_categories=unknown,
        raw=raw,
        clean=_filled(clean or raw, "Query_Clean", where),
        answer=_text(values["Response_Expected"]),
        code=_text(values["Solution_Code"]),
    )


def _worked(values: Mapping[str, Any], where: str) -> Question:
    _require(values, _WORKED, where)
    listed = values["categories"]
    if not isinstance(listed, list):
        raise SuiteError(f"{where}: categories is wrong", found=repr(listed)[:80], expected="a list of names")
    categories, unknown = read_categories(map(str, listed))
    return Question(
        id=_id(values["id"], where),
        dataset=_filled(values["dataset"], "dataset", where),
        file=_text(values.get("file")),
        categories=categories,
        unknown_categories=unknown,
        raw=_text(values["query_raw"]),
        clean=_filled(values["query_clean"], "query_clean", where),
        answer=json.dumps(values["gold_answer"], ensure_ascii=False),
        code=_text(values["gold_code"]),
        answer_type=_text(values.get("answer_type")),
        tolerance=_text(values.get("tolerance")),
    )


def _require(values: Mapping[str, Any], names: Iterable[str], where: str) -> None:
    missing = [name for name in names if name not in values]
    if missing:
        raise SuiteError(
            f"{where}: no column {missing[0]!r}",
            found=", ".join(map(str, values))[:200],
            expected=", ".join(names),
        )


def _text(value: object) -> str:
    """A cell as text; a missing one is empty."""
    if value is None or (isinstance(value, float) and value != value):  # noqa: PLR0124 - only NaN differs from itself
        return ""
    return str(value).replace("\r\n", "\n").strip("\n").strip()


def _filled(value: object, column: str, where: str) -> str:
    text = _text(value)
    if not text:
        raise SuiteError(f"{where}: {column} is empty", expected="text")
    return text


def _id(value: object, where: str) -> str:
    text = _text(value)
    number = text.removesuffix(".0")
    if not number.isascii() or not number.isdigit():
        raise SuiteError(f"{where}: the id is wrong", found=repr(value)[:80], expected="a whole number")
    return str(int(number))
