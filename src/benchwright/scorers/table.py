"""The table scorer: a table file against gold tables, by named columns, with every row looked at."""

from __future__ import annotations

from pathlib import Path

from benchwright.score import Score, Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.scorers.compare.table_comparison import compare_tables
from benchwright.scorers.compare.table_rule import TableRule
from benchwright.scorers.compare.tables import Table, UnreadableTable, read_table
from benchwright.trajectory import Submission


class TableScorer:
    """Compares the output file of a check with its gold files; with several golds the best one counts."""

    name = "table"
    version = 2

    def score(self, submission: Submission, expected: Expected) -> Score:
        """The value by the check's credit ("all": 1 or 0); the share of right cells is in the details."""
        check = expected.check
        rule = TableRule.read(check.options)
        golds = _golds(expected)
        if isinstance(golds, str):
            return Unscored(reason=f"suite: {golds}", details={"gold": "unreadable"})
        path = submission.files.get(check.output)
        if path is None:
            return Scored(value=0.0, reason=f"no file {check.output}")
        return max(
            (_score(path, gold, rule) for gold in golds),
            key=lambda score: (score.value, score.details.get("cell_share", 0.0)),
        )


def _golds(expected: Expected) -> list[Table] | str:
    """The gold tables, or why there are none."""
    tables: list[Table] = []
    for name in expected.check.golds or expected.gold.files:
        try:
            tables.append(read_table(expected.files / Path(name).name))
        except UnreadableTable as error:
            return f"the gold table {name} cannot be used: {error}"
    return tables or "no gold table"


def _score(path: Path, gold: Table, rule: TableRule) -> Scored:
    try:
        found = read_table(path, gold.names)
    except UnreadableTable as error:
        return Scored(value=0.0, reason=f"unreadable {path.name}: {error}")
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
