"""`benchwright export`: runs in other programs' formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli.app import group
from benchwright.cli.output import progress

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchwright.run import RunFolder
    from benchwright.suite import Suite

export = group("export", "Write runs and suites in other programs' formats.")


@export.command("atif")
def export_atif(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    out: Annotated[Path, typer.Option(help="The folder for one ATIF document an attempt.")],
) -> None:
    """Write the trajectories of a run as ATIF documents, `<task>.<epoch>.<cell>.json`.

    Exit code 1: some attempts have no transcript that could be written.
    """
    from benchwright.files import write_atomic
    from benchwright.importers.atif import document_of
    from benchwright.run import RunFolder

    folder = RunFolder.open(run)
    written, without = 0, 0
    for key, attempt in folder.attempts().items():
        trajectory = folder.transcripts.read(attempt.uuid) if attempt.uuid else None
        if trajectory is None:
            without += 1
            continue
        text = json.dumps(document_of(trajectory, attempt.uuid), ensure_ascii=False, indent=1, allow_nan=False)
        write_atomic(out / f"{key.task_id}.{key.epoch}.{key.cell}.json", text.encode(errors="replace"))
        written += 1
    progress(f"{written} trajectories are in {out}")
    if without:
        progress(f"{without} attempts have no transcript in {folder.transcripts.path}")
    raise typer.Exit(1 if without else 0)


@export.command("tables")
def export_tables(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, live or imported.")],
    out: Annotated[Path, typer.Option(help="The folder for the Parquet files.")],
    with_gold: Annotated[bool, typer.Option(help="Tell which files are required, and what oracle did.")] = False,
) -> None:
    """Write attempts, scores, steps, calls, files read, skills, failures and searches as Parquet tables.

    Each table has one row a thing. What comes from transcripts is text of agents; files that attempts opened are named.
    """
    from benchwright.analysis.frames import Frames

    frames = Frames.of(runs)
    frames = Frames(frames.runs, tuple(_suites(frames.runs.values())), with_gold)
    for name, path in frames.write(out).items():
        progress(f"{name}: {path}")


def _suites(runs: Iterable[RunFolder]) -> Iterable[Suite]:
    """The suites of the runs, for their labels; one that is not here any more gives none."""
    from benchwright.suite import Suite

    for folder in dict.fromkeys(run.spec.suite_folder for run in runs):
        if (Path(folder) / "suite.toml").is_file():
            yield Suite.open(Path(folder))
        else:
            progress(f"the suite in {folder} is not here: its skills are left out")
