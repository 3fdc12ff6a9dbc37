"""`benchwright profile --relations`: how data files belong together, for people and for review."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from benchwright.cli.clusters import spread_of
from benchwright.cli.output import print_json, print_table
from benchwright.errors import InputError

if TYPE_CHECKING:
    from benchwright.profiles.finding_relations import Tables
    from benchwright.profiles.folders import Looking
    from benchwright.profiles.fuzzy import Fuzzy
    from benchwright.profiles.relations import Join, Overlap, Relation, UnitGap


@dataclass(frozen=True, slots=True)
class Aids:
    """What helps to find relations: a `reviewed` file, which is honoured, and a model, by name, that suggests some."""

    reviewed: Path | None = None
    suggested_by: str = ""


def relate(paths: Sequence[Path], out: Path | None, aids: Aids, ray: str, *, as_json: bool) -> None:
    """Find the relations of the tables in these files and folders; write them for review; print them."""
    from benchwright.files import write_jsonl
    from benchwright.profiles.folders import Looking
    from benchwright.profiles.sound import read_sound_tables

    with spread_of(ray) as spread:
        looking = Looking(spread=spread)
        tables = read_sound_tables(paths, looking)
        for complaint in tables.unread.values():
            typer.echo(f"passed over: {complaint}", err=True)
        found = _found(paths, tables, aids, looking)
    if out is not None:
        write_jsonl(out, found)
    if as_json:
        print_json([each.to_json() for each in found])
    else:
        _print(len(tables.read), found)


def _found(paths: Sequence[Path], tables: Tables, aids: Aids, looking: Looking) -> Sequence[Relation]:
    from benchwright.profiles.finding_relations import find_relations

    found = find_relations(tables.read)
    if aids.suggested_by:
        found = (*found, *_suggested(paths, found, aids.suggested_by, looking))
    if aids.reviewed is None:
        return found
    from benchwright.profiles.reviewed import honoured, read_review

    return honoured(tables.read, found, read_review(aids.reviewed))


def _suggested(paths: Sequence[Path], found: Sequence[Relation], name: str, looking: Looking) -> Sequence[Relation]:
    """What a model suggests and the data bear out; the rest is told on stderr with what was measured."""
    import asyncio

    from benchwright.chat.asking import Limits
    from benchwright.cli.asking import asked_model
    from benchwright.generation.relating.suggesting import kept, suggest
    from benchwright.profiles.folders import profile_paths

    if len(paths) != 1 or not paths[0].is_dir():
        raise InputError("a model suggests relations of one folder", found=", ".join(map(str, paths)))
    entries = tuple(profile_paths(paths, looking))
    told = asyncio.run(suggest(paths[0], entries, found, asked_model(name, None, Limits())))
    for each in told:
        if each.refused:
            pair = each.pair
            sides = f"{pair.left}: {pair.left_column}, {pair.right}: {pair.right_column}"
            typer.echo(f"suggested and refused ({pair.way}): {sides}: {each.refused}", err=True)
    return kept(told)


def _print(tables: int, found: Sequence[Relation]) -> None:
    from benchwright.profiles.fuzzy import Fuzzy
    from benchwright.profiles.relations import Join, Overlap, Repeat, UnitGap

    joins = [
        (*_columns(j), _share(j.contained, j.exact), *_doubts(j), _SAID[j.accepted])
        for j in found
        if isinstance(j, Join)
    ]
    heads = ("column", "its values are in", "share", "by chance", "names", "score", "shape", "reviewer")
    print_table(f"{tables} tables: columns that may join", heads, joins)
    repeats = [
        (r.left, r.right, _share(r.left_in_right, r.exact), _share(r.right_in_left, r.exact))
        for r in found
        if isinstance(r, Repeat)
    ]
    print_table("Files with rows in common", ("file", "other file", "its rows there", "and back"), repeats)
    times = [
        (*_columns(t), t.start, t.end, f"{t.left_step:g} / {t.right_step:g}") for t in found if isinstance(t, Overlap)
    ]
    print_table("Times that overlap", ("column", "column", "from", "to", "days a step"), times)
    units = [(*_columns(u), f"{u.left_unit}, {u.right_unit}") for u in found if isinstance(u, UnitGap)]
    print_table("One quantity in two units", ("column", "column", "units"), units)
    fuzzy = [
        (*_columns(f), f.way, _share(f.contained, f.exact), _SAID[f.accepted]) for f in found if isinstance(f, Fuzzy)
    ]
    if fuzzy:
        columns = ("column", "its values are in", "rewritten", "share", "reviewer")
        print_table("Columns that join once rewritten", columns, fuzzy)


def _columns(pair: Join | Overlap | UnitGap | Fuzzy) -> tuple[str, str]:
    return (f"{pair.left}: {pair.left_column}", f"{pair.right}: {pair.right_column}")


_SAID = {None: "", True: "accepted", False: "refused"}


def _share(share: float, exact: bool) -> str:
    return f"{share:.3f}" if exact else f"about {share:.2f}"


def _doubts(join: Join) -> tuple[str, ...]:
    return (f"{join.chance:.2f}", f"{join.names:.2f}", f"{join.score:.2f}", join.shape)
