"""The database scorer: an SQLite or DuckDB file against a gold one, table by table as the table scorer compares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import fsum
from pathlib import Path
from typing import Any

from benchwright.errors import SuiteError
from benchwright.score import Evidence, Score, Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.scorers.compare.databases import Database, open_database
from benchwright.scorers.compare.table_comparison import compare_tables
from benchwright.scorers.compare.table_credit import SHOWN, TableVerdict
from benchwright.scorers.compare.table_rule import TableRule
from benchwright.scorers.compare.tables import Table, UnreadableTable
from benchwright.trajectory import Submission


@dataclass(frozen=True, slots=True)
class DatabaseRule:
    """The options of a check: `tables`, {name: columns that count, None for all}, default all of the gold.

    The others are those of a table, and hold for every table.
    """

    tables: Mapping[str, tuple[str, ...] | None] | None
    table: TableRule

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> DatabaseRule:
        """The rule of some options; a SuiteError names one that does not exist or has no such value."""
        rest = {name: value for name, value in options.items() if name != "tables"}
        rule = TableRule.read(rest, "database")
        stated = options.get("tables")
        if stated is None:
            return cls(None, rule)
        if not isinstance(stated, Mapping) or not stated:
            raise SuiteError("option 'tables'", found=repr(stated)[:200], expected="{table: [columns] or null}")
        return cls(
            {str(name): None if columns is None else _columns(name, columns) for name, columns in stated.items()}, rule
        )


def _columns(table: str, columns: object) -> tuple[str, ...]:
    return TableRule.read({"columns": columns}, f"database (table {table})").columns


class DatabaseScorer:
    """Compares the tables of a database file; with several golds the best one counts."""

    name = "database"
    version = 1

    def score(self, submission: Submission, expected: Expected) -> Score:
        """The mean over the gold's tables that count; one that is missing is 0, and stays in the mean."""
        check = expected.check
        rule = DatabaseRule.read(check.options)
        names = check.golds or expected.gold.files
        if not names:
            return Unscored(reason="suite: no gold database", details={"gold": "missing"})
        golds: list[dict[str, Table]] = []
        for name in names:
            try:
                golds.append(_gold_tables(expected.files / Path(name).name, rule))
            except UnreadableTable as error:
                return Unscored(
                    reason=f"suite: the gold database {name} cannot be used: {error}", details={"gold": "unreadable"}
                )
        path = submission.files.get(check.output)
        if path is None:
            return Scored(value=0.0, reason=f"no file {check.output}")
        try:
            with open_database(path) as found:
                return max((_score(gold, found, rule) for gold in golds), key=lambda score: score.value)
        except UnreadableTable as error:
            return Scored(value=0.0, reason=f"unreadable {check.output}: {error}")


def _gold_tables(path: Path, rule: DatabaseRule) -> dict[str, Table]:
    with open_database(path) as gold:
        there = gold.names()
        wanted = there if rule.tables is None else list(rule.tables)
        if not wanted:
            raise UnreadableTable("no tables")
        lost = [name for name in wanted if _place(name, there) is None]
        if lost:
            raise UnreadableTable(f"no table {lost[0]!r}")
        return {name: gold.table(_place(name, there) or name) for name in wanted}


def _place(name: str, there: object) -> str | None:
    """The table of that name: spelled the same, else in another case, as SQL does not tell them apart."""
    names = list(there) if isinstance(there, (list, tuple)) else []
    return next((other for other in (name, *names) if other in names and other.casefold() == name.casefold()), None)


def _score(gold: Mapping[str, Table], found: Database, rule: DatabaseRule) -> Scored:
    there = found.names()
    verdicts = {name: _verdict(name, table, found, _place(name, there), rule) for name, table in gold.items()}
    values = {name: verdict.values[rule.table.credit] for name, verdict in verdicts.items()}
    evidence: list[Evidence] = [
        item.model_copy(update={"part": f"table {name}: {item.part}".removesuffix(": ")})
        for name, verdict in verdicts.items()
        for item in verdict.evidence
    ]
    reasons = [f"table {name}: {verdict.reason}" for name, verdict in verdicts.items() if verdict.reason]
    more = len(set(there) - set(gold))
    notes = [f"table {name}: {note}" for name, verdict in verdicts.items() for note in verdict.notes]
    return Scored(
        value=min(1.0, fsum(values.values()) / len(values)),
        reason="; ".join(reasons)[:2000] or "right",
        evidence=tuple(evidence[: 2 * SHOWN]),
        details={
            "tables": values,
            "notes": [*([f"{more} more tables, not compared"] if more > 0 else []), *notes[:SHOWN]],
        },
    )


def _verdict(name: str, gold: Table, found: Database, place: str | None, rule: DatabaseRule) -> TableVerdict:
    if place is None:
        return TableVerdict(
            reason="no such table", evidence=(Evidence(part="", verdict="wrong", reason="no such table"),)
        )
    columns = rule.tables[name] if rule.tables else None
    try:
        table = found.table(place)
    except UnreadableTable as error:
        return TableVerdict(reason=str(error), evidence=(Evidence(part="", verdict="wrong", reason=str(error)),))
    return compare_tables(
        gold, table, replace(rule.table, columns=columns if columns is not None else rule.table.columns)
    )
