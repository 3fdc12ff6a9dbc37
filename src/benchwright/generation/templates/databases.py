"""Tasks in databases: tables that are linked, rows beside the mean of their group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from benchwright.generation.templates.base import Template, one, unrivalled
from benchwright.generation.templates.drafting import Move, Sketch, answer, result, rounded
from benchwright.generation.templates.tables import Field, Source
from benchwright.generation.workflow import Material


@dataclass(frozen=True, slots=True)
class Linked:
    """Two tables of one database, and the columns of equal name that link them: a key of the second one."""

    many: Source
    single: Source
    key: Field

    def __str__(self) -> str:
        return f"{self.many}|{self.key.name}|{self.single}"


def linked_tables(_: Material, sources: Sequence[Source]) -> list[Linked]:
    """Tables of one SQLite file whose rows refer to each other."""
    found = []
    files = defaultdict(list)
    for source in sources:
        if source.profile.format == "sqlite" and source.several:
            files[source.path].append(source)
    for tables in files.values():
        for many in tables:
            for single in tables:
                key = _key(many, single) if single is not many else None
                if key is not None:
                    found.append(Linked(many, single, key))
    return found


def _key(many: Source, single: Source) -> Field | None:
    mine = {field.name: field for field in many.fields}
    for field in single.fields:
        column = field.column
        if field.name in mine and column.distinct == single.rows and not column.nulls:
            return field
    return None


def _connect(source: Source, query: str) -> str:
    return (
        f"query = {query!r}\nwith sqlite3.connect({source.literal}) as base:\n    rows = base.execute(query).fetchall()"
    )


def _name(text: str) -> str:
    """A name as SQL writes it."""
    return '"' + text.replace('"', '""') + '"'


def linked_average(linked: Linked, rng: Random) -> Sketch | None:
    """Groups of one table, measures of the other, in SQL."""
    shared = {column.name for column in linked.many.table.columns}
    groups = [field for field in linked.single.groups if field.name not in shared]
    values = [field for field in linked.many.measures if field.name != linked.key.name]
    if not groups or not values:
        return None
    group, value = one(rng, groups), one(rng, values)
    a, b, k = _name(linked.many.table.name), _name(linked.single.table.name), _name(linked.key.name)
    g, v = _name(group.name), _name(value.name)
    joined = (
        f"SELECT s.{g} AS g, m.{v} AS v FROM {a} m JOIN {b} s ON m.{k} = s.{k} WHERE m.{v} IS NOT NULL AND "  # noqa: S608 - names are quoted; only the sandbox runs it
        f"s.{g} IS NOT NULL"
    )
    crossed = (
        f"SELECT s.{g} AS g, m.{v} AS v FROM {a} m JOIN {b} s ON m.rowid = s.rowid WHERE m.{v} IS NOT NULL "  # noqa: S608 - names are quoted; only the sandbox runs it
        f"AND s.{g} IS NOT NULL"
    )
    moves = (
        Move(
            ("Database Interaction and SQL", "Database Management and Querying"),
            "Join the two tables of the database by what they share.",
            _connect(linked.many, joined),
            _connect(linked.many, crossed),
        ),
        Move(
            ("Database Querying and Custom Aggregation", "Data Aggregation and Grouping"),
            "Average by group.",
            "means = pd.DataFrame(rows, columns=['g', 'v']).groupby('g')['v'].agg(['size', 'mean'])",
        ),
        Move(
            ("Sorting, Limiting, and Ranking", "Ranking and Top N Logic"),
            "Take the highest mean.",
            unrivalled("means['mean']")
            + f"best = means['mean'].idxmax()\nprint(f\"{{best}}; {{means.loc[best, 'mean']:.{value.decimals}f}}; "
            f"{{means.loc[best, 'size']}}\")",
            f"best = means.index[0]\nprint(f\"{{best}}; {{means.loc[best, 'mean']:.{value.decimals}f}}; "
            f"{{means.loc[best, 'size']}}\")",
        ),
    )
    question = (
        f"In the database with the tables on {linked.many.about} ({linked.many.rows:,} rows) and "
        f"{linked.single.about} ({linked.single.rows:,} rows), for which {group.shown} is the mean of "
        f"{value.shown} over all rows of the former highest, what is it, and on "
        "how many rows does it rest?"
    )
    form = f"Answer as: {group.name}; mean; number of rows. The mean{rounded(value.decimals)}."
    return Sketch((linked.many, linked.single), question, moves, answer(form, value.decimals))


def in_sql(source: Source, rng: Random) -> Sketch | None:
    """Rows above their group's mean, in a database."""
    values = source.complete_measures
    groups = [field for field in source.groups if not field.column.nulls]
    if source.profile.format != "sqlite" or not values or not groups:
        return None
    group, value = one(rng, groups), one(rng, values)
    t, g, v = _name(source.table.name), _name(group.name), _name(value.name)
    means = f"WITH means AS (SELECT {g} AS g, AVG({v}) AS mean FROM {t} GROUP BY {g}) "  # noqa: S608 - names are quoted; only the sandbox runs it
    asked = means + (  # noqa: S608 - names are quoted; only the sandbox runs it
        f"SELECT m.g, SUM(r.{v} > m.mean), COUNT(*), m.mean FROM {t} r JOIN means m ON r.{g} = m.g "  # noqa: S608 - names are quoted; only the sandbox runs it
        "GROUP BY m.g ORDER BY m.g"
    )
    plain = f"SELECT {g}, SUM({v} > (SELECT AVG({v}) FROM {t})), COUNT(*), AVG({v}) FROM {t} GROUP BY {g} ORDER BY {g}"  # noqa: S608 - names are quoted; only the sandbox runs it
    moves = (
        Move(
            ("CTE and View Construction in SQL", "CTEs and Subqueries", "Subqueries and Complex Query Structures"),
            "Compare each row with its group's mean within the database.",
            _connect(source, asked),
            _connect(source, plain),
        ),
        Move(
            ("Percentage and Variation Calculations",),
            "Turn the rows into a table with percentages.",
            f"table = pd.DataFrame([(g, round(100 * above / n, 3), round(mean, {max(3, value.decimals)})) for g, "
            f"above, n, mean in rows], columns=[{group.q}, 'percent_above', 'mean'])",
            f"table = pd.DataFrame([(g, above, round(mean, {max(3, value.decimals)})) for g, above, n, mean in "
            f"rows], columns=[{group.q}, 'percent_above', 'mean'])",
        ),
        Move(
            ("Data Export and Output Processing", "Formatting and Output Organization"),
            "Write it.",
            "table.to_csv('result.csv', index=False)",
        ),
    )
    question = (
        f"The database on {source.about} ({source.rows:,} rows): for each {group.shown}, what percentage (0 to "
        f"100) of its rows lie above the {group.shown}'s own mean of {value.shown} (percent_above), and what is "
        "that mean (mean)?"
    )
    answer = result((group.name, "percent_above", "mean"), max(3, value.decimals), [group.name])
    return Sketch((source,), question, moves, answer)


TEMPLATES = (
    Template("linked_average", linked_average, linked_tables),
    Template("above_own_mean_in_sql", in_sql),
)
