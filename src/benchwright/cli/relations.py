"""`benchwright profile --relations`: how data files belong together, for people and for review."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from benchwright.cli.output import print_json, print_table

if TYPE_CHECKING:
    from benchwright.profiles.relations import Join, Relation


def relate(paths: Sequence[Path], out: Path | None, reviewed: Path | None, *, as_json: bool) -> None:
    """Find the relations of the tables in these files and folders; write them for review; print them.

    What stands in a `reviewed` file is honoured.
    """
    from benchwright.files import write_jsonl
    from benchwright.profiles.relations import find_relations, read_tables

    tables = read_tables(paths)
    for complaint in tables.unread.values():
        typer.echo(f"passed over: {complaint}", err=True)
    found = find_relations(tables.read)
    if reviewed is not None:
        from benchwright.profiles.reviewed import honoured, read_review

        found = honoured(tables.read, found, read_review(reviewed))
    if out is not None:
        write_jsonl(out, found)
    if as_json:
        print_json([each.to_json() for each in found])
    else:
        _print(len(tables.read), found)


def _print(tables: int, found: Sequence[Relation]) -> None:
    from benchwright.profiles.relations import Join, Overlap, Repeat, UnitGap

    joins = [
        (
            f"{j.left}: {j.left_column}",
            f"{j.right}: {j.right_column}",
            _share(j.contained, j.exact),
            *_doubts(j),
            _SAID[j.accepted],
        )
        for j in found
        if isinstance(j, Join)
    ]
    title = f"{tables} tables: columns that may join"
    print_table(
        title, ("column", "its values are in", "share", "by chance", "names", "score", "shape", "reviewer"), joins
    )
    repeats = [
        (r.left, r.right, _share(r.left_in_right, r.exact), _share(r.right_in_left, r.exact))
        for r in found
        if isinstance(r, Repeat)
    ]
    print_table("Files with rows in common", ("file", "other file", "its rows there", "and back"), repeats)
    times = [
        (
            f"{t.left}: {t.left_column}",
            f"{t.right}: {t.right_column}",
            t.start,
            t.end,
            f"{t.left_step:g} / {t.right_step:g}",
        )
        for t in found
        if isinstance(t, Overlap)
    ]
    print_table("Times that overlap", ("column", "column", "from", "to", "days a step"), times)
    units = [
        (f"{u.left}: {u.left_column}", f"{u.right}: {u.right_column}", f"{u.left_unit}, {u.right_unit}")
        for u in found
        if isinstance(u, UnitGap)
    ]
    print_table("One quantity in two units", ("column", "column", "units"), units)


_SAID = {None: "", True: "accepted", False: "refused"}


def _share(share: float, exact: bool) -> str:
    return f"{share:.3f}" if exact else f"about {share:.2f}"


def _doubts(join: Join) -> tuple[str, ...]:
    return (f"{join.chance:.2f}", f"{join.names:.2f}", f"{join.score:.2f}", join.shape)
