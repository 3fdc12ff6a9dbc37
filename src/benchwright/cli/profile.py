"""`benchwright profile`: what data files hold, as a table for people or as a structure for prompts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchwright.cli.app import app
from benchwright.cli.clusters import RayOption, spread_of
from benchwright.cli.output import print_json, print_table
from benchwright.cli.profile_folders import Form, show_entries
from benchwright.cli.relations import Aids, relate
from benchwright.errors import InputError

if TYPE_CHECKING:
    from benchwright.profiles import Column, Profile

Structure = Literal["full", "prompt", "dsbc-paper", "dsbc-code"]


@app.command("profile")
def profile(  # noqa: PLR0913, PLR0917 - one parameter an option
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Data files, or folders of them.")],
    structure: Annotated[
        Structure,
        typer.Option(help="Everything that was measured, all of it short for a prompt, or one of DSBC's structures."),
    ] = "full",
    sample: Annotated[
        bool, typer.Option("--sample/--no-sample", help="With rows of the data; leave them out for private data.")
    ] = True,
    relations: Annotated[
        bool, typer.Option("--relations", help="How the files belong together; folders are looked through.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="A page about all files (.html); with --relations a file for review (JSON Lines)."),
    ] = None,
    reviewed: Annotated[
        Path | None, typer.Option(help="With --relations: such a file as it came back; what people said is honoured.")
    ] = None,
    suggested_by: Annotated[
        str,
        typer.Option(help="With --relations: a model, which may suggest columns that join once values are rewritten."),
    ] = "",
    ray: RayOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Measure data files in one pass: columns, types, missing values, distributions, dates.

    Of a folder every file is listed with its format and what it holds; see docs/profiling.md. DSBC's structures are
    JSON, for one file or, by name, for several.
    """
    if relations:
        relate(paths, out, Aids(reviewed, suggested_by), ray, as_json=as_json)
        return
    if out is not None and out.suffix.lower() != ".html":
        raise InputError(
            "--out without --relations is for a page", found=str(out), expected="FILE.html", hint="redirect stdout"
        )
    from benchwright.profiles import READERS, STRUCTURES
    from benchwright.profiles.measuring import profile_each

    files = all(path.suffix.lower() in READERS and not path.is_dir() for path in paths)
    if structure == "prompt" or out is not None or (structure == "full" and not files):
        form: Form = "prompt" if structure == "prompt" else "json" if as_json else "table"
        show_entries(paths, form, out, ray, sample=sample)
        return
    _each_name_once(paths)
    with spread_of(ray) as spread:
        profiles = profile_each(paths, spread)
    if structure == "full" and not as_json:
        for each in profiles:
            _show(each)
        return
    written = partial(_whole, sample=sample) if structure == "full" else partial(STRUCTURES[structure], sample=sample)
    documents = [written(each) for each in profiles]
    names = [each.file for each in profiles]
    print_json(dict(zip(names, documents, strict=True)) if len(documents) > 1 else documents[0])


def _each_name_once(paths: Sequence[Path]) -> None:
    """A document holds profiles by the names of their files."""
    names = [path.name for path in paths]
    if len(set(names)) < len(names):
        raise InputError("two files of one name", found=", ".join(names), expected="each name once")


def _whole(profile: Profile, *, sample: bool) -> dict[str, Any]:
    return profile.model_dump(mode="json", exclude=None if sample else _VALUES)


_VALUES: Any = {"sample": True, "columns": {"__all__": {"first": True, "text_dates": {"unread"}}}}
"""What shows single values of the data; counts of columns with few values stay, as in DSBC's structures."""


def _show(profile: Profile) -> None:
    rows = ((column.name, column.kind, column.nulls, _distinct(column), _content(column)) for column in profile.columns)
    title = f"{profile.file}: {profile.rows:,} rows, {len(profile.columns)} columns"
    print_table(title, ("column", "kind", "missing", "different", "content"), rows)


def _distinct(column: Column) -> str:
    if column.kind == "nested":
        return "not counted"
    return f"{column.distinct:,}" if column.distinct_exact else f"about {column.distinct:,}"


def _content(column: Column) -> str:
    if column.numbers is not None:
        told = column.numbers
        mark = "" if told.exact else "about "
        return f"{told.min:g} to {told.max:g}, mean {told.mean:.4g}, median {mark}{told.median:.4g}"
    if column.dates is not None:
        return f"{column.dates.start} to {column.dates.end}{', even steps' if column.dates.uniform else ''}"
    if column.text_dates is not None:
        dates = column.text_dates
        unread = f", not {', '.join(dates.unread)}" if dates.unread else ""
        return f"dates as text: {dates.format} reads {dates.read:,} of {dates.of:,}{unread}"
    shown = [f"{value} ({count:,})" for value, count in (column.counts or ())[:3]]
    return ", ".join(shown or map(str, column.first[:3]))[:90]
