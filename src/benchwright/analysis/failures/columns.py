"""Failures as the rows of a table, for every mode of verdict that a run was scored in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchwright.analysis.failures.reasons import failures
from benchwright.run import RunFolder
from benchwright.scoring.verdicts import BOTH
from benchwright.suite import Suite

FAILURE_COLUMNS = {
    **dict.fromkeys(("run", "cell", "task_id"), "String"),
    "epoch": "Int64",
    **dict.fromkeys(("mode", "domain"), "String"),
    "value": "Float64",
    **dict.fromkeys(("counted", "failed"), "Boolean"),
    **dict.fromkeys(("failure", "basis", "rule"), "String"),
    "step": "Int64",
    **dict.fromkeys(("evidence", "by_rules", "by_model"), "String"),
    **dict.fromkeys(("timeouts", "failed_steps"), "Int64"),
}
"""The columns of the table, and the polars types of their values."""


def failure_rows(suite: Suite, run: RunFolder, name: str) -> Iterator[dict[str, Any]]:
    """One row a planned attempt and mode."""
    for mode in BOTH:
        if run.has_scores(mode):
            for row in failures(suite, run, mode, name):
                yield {**row.model_dump(mode="json"), "mode": mode}
