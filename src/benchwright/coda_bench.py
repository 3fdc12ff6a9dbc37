"""CoDA-Bench's own three functions, for drop-in use.

    from benchwright.coda_bench import load_tasks, load_predictions, evaluate

    tasks = load_tasks("coda_bench.json")
    predictions = load_predictions("predictions.jsonl")
    result = evaluate(tasks, predictions)
    print(f"Execution Accuracy: {result.exact_accuracy:.2%}")

The verdicts are the published ones, faults included (`benchwright.scorers.reference.coda_bench`). Two things are
mended on the way to them: tasks of release v1.0.0 load though they lack `data_path`, and one bad line in a predictions
file is reported instead of ending everything. `benchwright score` gives the sound verdicts beside these.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from benchwright.errors import InputError
from benchwright.files import scan_jsonl
from benchwright.scorers.reference.coda_bench import Evaluation, InstanceResult, evaluate
from benchwright.suites.coda_bench.records import CodaTask, read_records

__all__ = [
    "BadLine",
    "CodaTask",
    "Evaluation",
    "InstanceResult",
    "Prediction",
    "Predictions",
    "evaluate",
    "load_predictions",
    "load_tasks",
]


class Prediction(BaseModel):
    """One line of a predictions file, taken and refused as the published loader does.

    An id of "0", 0.0 or true is taken for a number; a prediction that is no text is not taken. Further
    keys are no error.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    instance_id: int
    prediction: str
    method: str | None = None
    metadata: dict[str, Any] | None = None


class BadLine(NamedTuple):
    """A line that holds no prediction: its number (from 1), and why."""

    line: int
    reason: str


class Predictions(list[Prediction]):
    """The predictions of a file in order, duplicates included; `bad_lines` are the lines that were left out."""

    def __init__(self, predictions: list[Prediction], bad_lines: list[BadLine]) -> None:
        super().__init__(predictions)
        self.bad_lines = tuple(bad_lines)


def load_tasks(path: str | os.PathLike[str]) -> list[CodaTask]:
    """The tasks of `coda_bench.json` or `coda_bench_hard.json`, of either release."""
    return read_records(Path(path))


def load_predictions(path: str | os.PathLike[str], *, strict: bool = False) -> Predictions:
    """The predictions of a JSON Lines file, with or without a byte order mark.

    A bad line is left out, warned of and kept in `bad_lines`; with `strict` it is an InputError, as it is in the
    published loader.
    """
    predictions: list[Prediction] = []
    bad: list[BadLine] = []
    for line in scan_jsonl(Path(path)):
        try:
            predictions.append(Prediction.model_validate(line.value))
        except ValidationError as error:
            bad.append(BadLine(line.number, line.error or _reason(error)))
    if bad:
        _report(Path(path), bad, strict=strict)
    return Predictions(predictions, bad)


def _reason(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]


def _report(path: Path, bad: list[BadLine], *, strict: bool) -> None:
    listed = "; ".join(f"line {line}: {reason}" for line, reason in bad[:5])
    if strict:
        raise InputError(f"{path}: invalid prediction at line {bad[0].line}", found=listed)
    warnings.warn(f"{path}: {len(bad)} bad lines are left out: {listed}", stacklevel=3)
