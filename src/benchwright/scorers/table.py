"""The table scorer: a table file against gold tables, by named columns, with every row looked at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.errors import SuiteError
from benchwright.score import Score, Scored
from benchwright.scorers.base import Expected
from benchwright.scorers.compare.table_comparison import compare_tables
from benchwright.scorers.compare.table_rule import TableRule
from benchwright.scorers.compare.tables import Table, read_table
from benchwright.scorers.outputs import judge_output
from benchwright.trajectory import Submission

BY_GOLD = "by_gold"
"""The option with options of single golds, by the names of their files: `{"a.csv": {"columns": ["x"]}}`."""


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """A table, and the name of the file that it was read from."""

    name: str
    table: Table


class TableScorer:
    """Compares the output file of a check with its gold files; with several golds the best one counts."""

    name = "table"
    version = 5

    def score(self, submission: Submission, expected: Expected) -> Score:
        """The value by the check's credit ("all": 1 or 0); the share of right cells is in the details."""
        rules = rules_of(expected.check.options, expected.check.golds or expected.gold.files)
        return judge_output(
            submission,
            expected,
            _read,
            lambda gold, found: _compare(gold.table, found.table, rules[gold.name]),
            _read_found,
        )


def rules_of(options: Mapping[str, Any], golds: Sequence[str]) -> Mapping[str, TableRule]:
    """The rule for each gold, found by its name and never by its place."""
    own: Any = options.get(BY_GOLD, {})
    common = {name: value for name, value in options.items() if name != BY_GOLD}
    shared = TableRule.read(common)
    if not isinstance(own, Mapping) or not all(isinstance(each, Mapping) for each in own.values()):
        raise SuiteError(
            f"option {BY_GOLD!r} of the table scorer", found=repr(own)[:200], expected="options by the name of a gold"
        )
    if unknown := sorted(set(own) - set(golds)):
        raise SuiteError(f"option {BY_GOLD!r} names no gold of the check", found=unknown[0], expected=", ".join(golds))
    return defaultdict(lambda: shared, {name: TableRule.read({**common, **each}) for name, each in own.items()})


def _read(path: Path, name: str) -> _Read:
    return _Read(name, read_table(path))


def _read_found(path: Path, name: str, golds: Sequence[_Read]) -> _Read:
    """The output; the golds' names of columns show its delimiter."""
    return _Read(name, read_table(path, {column for gold in golds for column in gold.table.names}))


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
