"""Which published function a check calls, and what becomes of it where that function raises."""

from __future__ import annotations

import stat
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from benchwright.score import Score, Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.scorers.compare.opening import MAX_BYTES
from benchwright.scorers.reference.agentic_data_bench.calls import Call, Verdict
from benchwright.trajectory import Submission

_HERE = "benchwright.scorers.reference.agentic_data_bench"
_MODULES: Mapping[str, str] = {
    "compare_csv": "tables",
    "compare_json": "documents",
    "compare_json_normalized": "documents",
    "compare_model": "models",
    "compare_image": "images",
    "compare_text": "texts",
    "compare_sqlite": "databases",
}
_OPTIONS: Mapping[str, frozenset[str]] = {
    "compare_json": frozenset(("thresholds", "matched_keys")),
    "compare_json_normalized": frozenset(("thresholds",)),
    "compare_model": frozenset(
        ("matched_columns", "calculate_columns", "metric", "lower_bound", "upper_bound"),
    ),
    "compare_image": frozenset(("calculate_columns",)),
    "compare_text": frozenset(),
}
_OURS = (MemoryError, ImportError)
"""What is no verdict of the published rule, but this machine's want of room or of a library."""


class AgenticDataBenchScorer:
    """Reads `options["published"]`: {"function": ..., "arguments": {...}}, the call without its files.

    Where the published function raises, the score is 0.0 and `details` hold the error and `raised`.
    """

    name = "agentic_data_bench"
    version = 2
    release: Literal["july", "april"] = "july"

    def score(self, submission: Submission, expected: Expected) -> Score:
        """The published score of one call; unscored without a published call, or without its gold."""
        published = expected.check.options.get("published")
        if not isinstance(published, Mapping) or published.get("function") not in _MODULES:
            return Unscored(reason=f"suite: no published call for {expected.check.output}")
        files = {name: path for name, path in submission.files.items() if _regular(path)}
        giants = {name for name, path in files.items() if path.stat().st_size > MAX_BYTES}
        if expected.check.output in giants:
            return Scored(value=0.0, reason=f"{expected.check.output} has more than {MAX_BYTES:,} bytes, not opened")
        call = Call(
            name=expected.check.output,
            files={name: path for name, path in files.items() if name not in giants},
            golds=tuple(expected.files / name for name in expected.check.golds),
            arguments=published.get("arguments", {}),
            release=self.release,
        )
        score = _called(published["function"], call)
        gone = [gold.name for gold in call.golds if not gold.is_file()]
        if gone:
            reason = f"suite: the gold {', '.join(gone)} is not here"
            return Unscored(reason=reason, details={**score.details, "gold": "missing"})
        return score


class AgenticDataBenchAprilScorer(AgenticDataBenchScorer):
    """The testbed of 2026-04-11: tables are ordered by default, relative tolerances are exact where rows are not in
    order, and an unknown label fails accuracy.
    """

    name = "agentic_data_bench_april"
    release = "april"


def _regular(path: Path) -> bool:
    """Whether it is a file of its own, and no link or device."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _called(function: str, call: Call) -> Scored:
    try:
        verdict = _function(function, call)(call)
    except _OURS:
        raise
    except Exception as error:  # noqa: BLE001 - what the published function raises is part of its verdict
        told = f"{type(error).__name__}: {error}"[:500]
        return Scored(value=0.0, reason=f"the published scorer raises {told}", details={"error": told, "raised": True})
    return Scored(value=verdict.value, reason=verdict.reason[:500], evidence=verdict.evidence)


def _function(name: str, call: Call) -> Callable[[Call], Verdict]:
    unknown = call.arguments.keys() - _OPTIONS.get(name, call.arguments.keys())
    if unknown:
        raise TypeError(f"{name} got an unexpected argument {min(unknown)!r}")
    found: Any = getattr(import_module(f"{_HERE}.{_MODULES[name]}"), name)
    return found  # type: ignore[no-any-return]
