"""`benchwright skills review`: skills to people as a spreadsheet, and their decisions back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchwright.cli.app import group
from benchwright.cli.output import print_json, print_table, shortened
from benchwright.cli.skills import skills
from benchwright.cli.skills_opening import open_skills
from benchwright.cli.suites import JsonOption
from benchwright.errors import InputError

if TYPE_CHECKING:
    from benchwright.skills.review import Plan
    from benchwright.skills.review.applying import Logged

review = group("review", "Skills to people as a spreadsheet, and their decisions back.", skills)
SkillsArgument = Annotated[Path, typer.Argument(metavar="SKILLS", help="A folder of `skills cluster`, or its file.")]


@review.command("export")
def export(
    skills: SkillsArgument,
    out: Annotated[list[Path], typer.Option(help="The sheet, .xlsx or .csv; may be given twice.")],
) -> None:
    """Write one row a skill: what it is called, examples, what is above and below, and what might be done.

    People write keep, rename, merge, split or drop into `action`, and the new name, the other skill or the parts into
    `into`; an empty action means keep.
    """
    from benchwright.skills.review import write_sheet

    hierarchy = open_skills(skills)
    for path in out:
        write_sheet(path, hierarchy)
    typer.echo(f"{len(hierarchy.tops)} skills written to {', '.join(map(str, out))}")


@review.command("apply")
def apply(  # noqa: PLR0913, PLR0917 - one parameter an option
    skills: SkillsArgument,
    sheet: Annotated[Path, typer.Argument(metavar="SHEET", help="The sheet that came back, .xlsx or .csv.")],
    out: Annotated[Path | None, typer.Option(help="The new folder of skills; the old one stays as it is.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave bad rows out, and apply the others.")] = False,
    reviewer: Annotated[str, typer.Option(help="Who decided, for the log.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Check what people decided, show what it changes, and write the hierarchy after it.

    One bad row, and nothing is applied (exit code 2, each bad row with its reason), unless --skip-bad leaves such
    rows out (exit code 1).
    """
    from benchwright.files import sha256_file
    from benchwright.skills.review import apply as applied
    from benchwright.skills.review import plan, read_sheet
    from benchwright.skills.review.applying import write_reviewed
    from benchwright.skills.review.suggesting import general_names

    if bool(out) == dry_run:
        raise InputError("review apply needs --out FOLDER, or --dry-run; not both")
    hierarchy = open_skills(skills)
    decided = plan(hierarchy, read_sheet(sheet))
    if decided.problems and not (skip_bad or dry_run):
        raise _refusal(sheet, decided)
    made = applied(hierarchy, decided, sha256_file(sheet), reviewer)
    if out is not None:
        write_reviewed(skills, out, made)
    counts = {
        "skills_before": len(hierarchy.tops),
        "skills_after": len(made.hierarchy.tops),
        "unassigned_before": len(hierarchy.unassigned),
        "unassigned_after": len(made.hierarchy.unassigned),
        "without_row": len(decided.unmentioned),
    }
    general = general_names(made.hierarchy.tops)
    if as_json:
        print_json({"written": str(out) if out else None, **counts, **_changes(made.log, decided), "general": general})
    else:
        _print(made.log, decided, counts)
        if general:
            print_table("Names that say less than another", ("name", "other"), general)
        typer.echo(f"written to {out}" if out else "nothing written")
    if decided.problems:
        raise typer.Exit(1)


def _changes(log: Sequence[Logged], decided: Plan) -> dict[str, Any]:
    """What was done, and the rows with which nothing could be."""
    problems = [{"row": each.row, "id": each.id, "message": each.message} for each in decided.problems]
    return {"changes": [entry.to_json() for entry in log], "bad_rows": problems}


def _refusal(sheet: Path, decided: Plan) -> InputError:
    told = [f"row {each.row}: {each.message}" for each in decided.problems]
    return InputError(
        f"{sheet}: {len(told)} of its rows cannot be applied, and nothing was",
        found="\n    ".join(["", *told]),
        hint="mend them, or leave them out with --skip-bad",
    )


def _print(log: Sequence[Logged], decided: Plan, counts: dict[str, int]) -> None:
    rows = [(entry.row, entry.skill, _done(entry), shortened(entry.note)) for entry in log]
    print_table("Changes", ("row", "skill", "what", "note"), rows)
    if decided.problems:
        bad = [(each.row, each.id, each.message) for each in decided.problems]
        print_table("Rows that cannot be applied", ("row", "id", "why"), bad)
    print_table("", ("what", "how many"), [(name.replace("_", " "), value) for name, value in counts.items()])


def _done(entry: Logged) -> str:
    what = f"{entry.action} -> {', '.join(entry.into)}" if entry.into else entry.action
    return what if entry.category is None else f"{what}, category {entry.category or '(none)'}"
