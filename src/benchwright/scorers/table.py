"""The table scorer: a table file against gold tables, by named columns, with every row looked at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchwright.score import Score, Scored
from benchwright.scorers.base import Expected
from benchwright.scorers.compare.table_comparison import compare_tables
from benchwright.scorers.compare.table_rule import TableRule
from benchwright.scorers.compare.tables import Table, read_table
from benchwright.scorers.outputs import judge_output
from benchwright.trajectory import Submission


class TableScorer:
    """Compares the output file of a check with its gold files; with several golds the best one counts."""

    name = "table"
    version = 2

    def score(self, submission: Submission, expected: Expected) -> Score:
        """The value by the check's credit ("all": 1 or 0); the share of right cells is in the details."""
        rule = TableRule.read(expected.check.options)
        return judge_output(submission, expected, _read, lambda gold, found: _compare(gold, found, rule), _read_found)


def _read(path: Path, _: str) -> Table:
    return read_table(path)


def _read_found(path: Path, _: str, golds: Sequence[Table]) -> Table:
    """The output; the golds' names of columns show its delimiter."""
    return read_table(path, {name for gold in golds for name in gold.names})


def _compare(gold: Table, found: Table, rule: TableRule) -> Scored:
    verdict = compare_tables(gold, found, rule)
    return Scored(
        value=verdict.values[rule.credit],
        reason=verdict.reason or "right",
        evidence=verdict.evidence,
        details={
            "rows": found.height,
            "gold_rows": gold.height,
            **verdict.details,
            "notes": [*found.notes, *verdict.notes],
        },
    )
