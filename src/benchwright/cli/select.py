"""`benchwright select`: few tasks that cover many skills, as a new suite."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchwright.cli.app import app
from benchwright.cli.output import print_json, print_table
from benchwright.cli.suites import JsonOption, SuiteArgument, find_suite
from benchwright.errors import InputError

if TYPE_CHECKING:
    from benchwright.selection.suites import Choice, Wish

By = Literal["skills", "categories"]


@app.command()
def select(  # noqa: PLR0913, PLR0917 - one parameter an option
    suite: SuiteArgument,
    out: Annotated[Path | None, typer.Option(help="The new suite's folder; without it, only the report.")] = None,
    tasks: Annotated[int | None, typer.Option(help="At most so many tasks [default: as many as are needed].")] = None,
    by: Annotated[By, typer.Option(help="The labels to cover.")] = "skills",
    demand: Annotated[int, typer.Option(help="Each skill in at least so many tasks, where it has them.")] = 1,
    at_least: Annotated[list[str] | None, typer.Option(metavar="DOMAIN=N", help="Tasks of a domain.")] = None,
    at_most: Annotated[list[str] | None, typer.Option(metavar="DOMAIN=N", help="Tasks of a domain.")] = None,
    skills: Annotated[Path | None, typer.Option(help="All skills that count: a JSONL or text file.")] = None,
    weights: Annotated[str, typer.Option(help="equal, frequency, or a JSON file {skill: number}.")] = "equal",
    exact: Annotated[bool, typer.Option("--exact", help="The best choice there is, by integer programming.")] = False,
    seconds: Annotated[float, typer.Option(help="Time for --exact.")] = 60.0,
    name: Annotated[str, typer.Option(help="The new suite's name.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Choose few tasks that cover many skills, and write them as a new suite (the old one stays as it is)."""
    from benchwright.selection.cover import Bounds
    from benchwright.selection.suites import Wish, choose, write_selected

    bounds = Bounds(tasks, _quotas("--at-least", at_least), _quotas("--at-most", at_most))
    wish = Wish(
        by=by,
        demand=demand,
        bounds=bounds,
        universe=_listed(skills),
        weights=_weights(weights),
        frequent=weights == "frequency",
        best=exact,
        seconds=seconds,
    )
    found = find_suite(suite)
    choice = choose(found, wish)
    made = write_selected(found, choice, out, name) if out else None
    document = {"suite": found.name, "written": str(out) if made else None, **choice.document()}
    print_json(document) if as_json else _print(choice, wish, document)


def _quotas(flag: str, pairs: Sequence[str] | None) -> dict[str, int]:
    found = {}
    for pair in pairs or ():
        domain, _, number = pair.rpartition("=")
        if not domain or not number.isdecimal():
            raise InputError(flag, found=pair, expected="DOMAIN=N, for instance energy=5")
        found[domain] = int(number)
    return found


def _listed(path: Path | None) -> tuple[str, ...]:
    """Names from a text file, one a line, or from the field `name` or `skill` of JSON Lines."""
    from benchwright.files import read_jsonl, read_text

    if path is None:
        return ()
    if not path.is_file():
        raise InputError("--skills", found=f"no file {path}", expected="a JSONL or text file")
    if path.suffix not in (".jsonl", ".json"):
        names = [line.strip() for line in read_text(path).splitlines()]
        return tuple(dict.fromkeys(filter(None, names)))
    rows = [(number, row) for number, row in read_jsonl(path)]
    named = [(number, _name(row)) for number, row in rows]
    missing = [number for number, skill in named if not skill]
    if missing:
        raise InputError("--skills", found=f"{path}, line {missing[0]}", expected='a "name" or "skill" in each line')
    return tuple(dict.fromkeys(skill for _, skill in named))


def _name(row: Any) -> str:
    """The name in a line, which may be all of it; empty where there is none."""
    value = row.get("name") or row.get("skill") if isinstance(row, dict) else row
    return value if isinstance(value, str) else ""


def _weights(text: str) -> dict[str, float]:
    import json

    if text in ("equal", "frequency"):
        return {}
    expected = "equal, frequency, or a JSON file {skill: number}"
    try:
        value = json.loads(Path(text).read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise InputError("--weights", found=f"{text}: {error}", expected=expected) from error
    if not isinstance(value, dict) or not all(type(number) in (int, float) for number in value.values()):
        raise InputError("--weights", found=text, expected=expected)
    try:
        return {skill: float(number) for skill, number in value.items()}
    except OverflowError as error:
        raise InputError("--weights", found=f"{text}: {error}", expected=expected) from error


def _print(choice: Choice, wish: Wish, document: dict[str, Any]) -> None:
    rows = [
        (label, each["tasks"], f"{each['covered']} of {each['wanted']}", f"{each['share']:.1%}", each["in_3_or_more"])
        for label, each in (("before", choice.before), ("after", choice.after))
    ]
    print_table("", ("", "tasks", f"{wish.by} covered", "share", "in 3 tasks or more"), rows)
    groups = [
        (name or "(none)", count, choice.after["groups"].get(name, 0))
        for name, count in choice.before["groups"].items()
    ]
    print_table("Domains", ("domain", "before", "after"), groups)
    how = "no smaller or better choice exists" if choice.proven else "no better one was found in time"
    typer.echo(f"{choice.method}{f': {how}' if wish.best else ''}")
    if choice.after["missing"]:
        typer.echo(f"not covered: {', '.join(choice.after['missing'])}")
    typer.echo(f"written to {document['written']}" if document["written"] else f"tasks: {', '.join(choice.tasks)}")
