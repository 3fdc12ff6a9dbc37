"""The database scorer: an SQLite or DuckDB file against a gold one, table by table as the table scorer compares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from pathlib import Path
from typing import Any

from benchwright.errors import SuiteError
from benchwright.score import Evidence, Score, Scored
from benchwright.scorers.base import Expected
from benchwright.scorers.compare.databases import open_database
from benchwright.scorers.compare.table_comparison import compare_tables
from benchwright.scorers.compare.table_credit import SHOWN, TableVerdict
from benchwright.scorers.compare.table_rule import TableRule
from benchwright.scorers.compare.tables import Table, UnreadableTable
from benchwright.scorers.options import known_options
from benchwright.scorers.outputs import judge_output
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
        given = known_options("database", options, ("tables", *TableRule.__dataclass_fields__))
        rule = TableRule.read({name: value for name, value in given.items() if name != "tables"}, "database")
        stated = given.get("tables")
        if stated is None:
            return cls(None, rule)
        if not isinstance(stated, Mapping) or not stated:
            raise SuiteError("option 'tables'", found=repr(stated)[:200], expected="{table: [columns] or null}")
        return cls(
            {str(name): None if columns is None else _columns(name, columns) for name, columns in stated.items()}, rule
        )


def _columns(table: str, columns: object) -> tuple[str, ...]:
    return TableRule.read({"columns": columns}, f"database (table {table})").columns


@dataclass(frozen=True, slots=True)
class _Tables:
    """The tables that count of a database, by the names that the check or the gold gives them.

    `unreadable`: why tables that are there cannot be read. `more`: how many others there are.
    """

    by_name: Mapping[str, Table]
    unreadable: Mapping[str, str] = field(default_factory=dict)
    more: int = 0


class DatabaseScorer:
    """Compares the tables of a database file; with several golds the best one counts."""

    name = "database"
    version = 4

    def score(self, submission: Submission, expected: Expected) -> Score:
        """The mean over the gold's tables that count; one that is missing is 0, and stays in the mean."""
        rule = DatabaseRule.read(expected.check.options)
        return judge_output(
            submission,
            expected,
            lambda path, _: _gold_tables(path, rule),
            lambda gold, found: _compare(gold, found, rule),
            _found_tables,
        )


def _gold_tables(path: Path, rule: DatabaseRule) -> _Tables:
    """The tables of a gold that count; all of them are there and can be read."""
    with open_database(path) as gold:
        there = gold.names()
        wanted = there if rule.tables is None else list(rule.tables)
        if not wanted:
            raise UnreadableTable("no tables")
        places = {name: _place(name, there) for name in wanted}
        lost = [name for name, place in places.items() if place is None]
        if lost:
            raise UnreadableTable(f"no table {lost[0]!r}")
        return _Tables({name: gold.table(place) for name, place in places.items() if place is not None})


def _found_tables(path: Path, _: str, golds: Sequence[_Tables]) -> _Tables:
    """The tables of an output that stand for tables of the golds."""
    tables: dict[str, Table] = {}
    unreadable: dict[str, str] = {}
    with open_database(path) as found:
        there = found.names()
        for name in dict.fromkeys(name for gold in golds for name in gold.by_name):
            if (place := _place(name, there)) is None:
                continue
            try:
                tables[name] = found.table(place)
            except UnreadableTable as error:
                unreadable[name] = str(error)
    return _Tables(tables, unreadable, len(there) - len(tables) - len(unreadable))


def _place(name: str, there: Sequence[str]) -> str | None:
    """The table of that name: spelled the same, else in another case, as SQL does not tell them apart."""
    alike = (other for other in there if other.casefold() == name.casefold())
    return name if name in there else next(alike, None)


def _compare(gold: _Tables, found: _Tables, rule: DatabaseRule) -> Scored:
    verdicts = {name: _verdict(name, table, found, rule) for name, table in gold.by_name.items()}
    values = {name: verdict.values[rule.table.credit] for name, verdict in verdicts.items()}
    evidence: list[Evidence] = [
        item.model_copy(update={"part": f"table {name}: {item.part}".removesuffix(": ")})
        for name, verdict in verdicts.items()
        for item in verdict.evidence
    ]
    reasons = [f"table {name}: {verdict.reason}" for name, verdict in verdicts.items() if verdict.reason]
    notes = [f"table {name}: {note}" for name, verdict in verdicts.items() for note in verdict.notes]
    return Scored(
        value=min(1.0, fsum(values.values()) / len(values)),
        reason="; ".join(reasons)[:2000] or "right",
        evidence=tuple(evidence[: 2 * SHOWN]),
        details={
            "tables": values,
            "notes": [*([f"{found.more} more tables, not compared"] if found.more > 0 else []), *notes[:SHOWN]],
        },
    )


def _verdict(name: str, gold: Table, found: _Tables, rule: DatabaseRule) -> TableVerdict:
    own = (rule.tables or {}).get(name)
    stated = replace(rule.table, columns=rule.table.columns if own is None else own)
    if name in found.by_name:
        return compare_tables(gold, found.by_name[name], stated)
    compare_tables(gold, gold, stated)  # a rule that does not fit the gold is the suite's fault, whatever was found
    reason = found.unreadable.get(name, "no such table")
    return TableVerdict(reason=reason, evidence=(Evidence(part="", verdict="wrong", reason=reason),))
