"""`benchwright report`: runs as one page for people, or as tables for papers and programs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli.analyse import Verdict
from benchwright.cli.app import app
from benchwright.cli.output import progress
from benchwright.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchwright.suite import Suite


class Form(StrEnum):
    """What a report may be written as."""

    HTML = "html"
    MARKDOWN = "md"
    LATEX = "latex"
    CSV = "csv"
    PARQUET = "parquet"


_SUFFIXES = {
    ".html": Form.HTML,
    ".htm": Form.HTML,
    ".md": Form.MARKDOWN,
    ".tex": Form.LATEX,
    ".csv": Form.CSV,
    ".parquet": Form.PARQUET,
}


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders over one suite.")],
    out: Annotated[Path, typer.Option(help="The file to write; for csv and parquet also a folder, a file a table.")],
    form: Annotated[
        Form | None, typer.Option("--format", help="Default: by the file's suffix (.html, .md, .tex, .csv, .parquet).")
    ] = None,
    mode: Annotated[Verdict, typer.Option(help="The sound verdict, or the published rule's.")] = Verdict.SOUND,
    with_gold: Annotated[bool, typer.Option("--with-gold", help="Show golds beside what was handed in.")] = False,
    attempts: Annotated[int, typer.Option(min=0, help="Attempts that the page shows in detail, at most.")] = 150,
) -> None:
    """Write a report of scored runs over one suite: one HTML file that works offline, or its tables.

    Without --with-gold nothing of the gold is in it, so that it can be passed on.
    """
    from benchwright.analysis.frames import Frames
    from benchwright.publishing.report.gather import gather, source
    from benchwright.publishing.report.writing import Detail, write
    from benchwright.suite import Suite

    chosen = form or _SUFFIXES.get(out.suffix.lower())
    if chosen is None:
        raise InputError(
            f"what to write into {out} is not told", expected="--format html|md|latex|csv|parquet, or such a suffix"
        )
    frames = Frames.of(runs)
    opened = list(frames.runs.values())
    suite = Suite.open(Path(opened[0].spec.suite_folder))
    made = source(suite, opened, mode.value, _faulty(suite, mode.value), list(frames.runs))
    for written in write(made, gather(made), out, chosen.value, Detail(attempts, with_gold)):
        progress(f"written: {written}")


def _faulty(suite: Suite, mode: str) -> Mapping[str, str] | None:
    """Faulty tasks with the rules that found them, which quote no gold."""
    from benchwright.proving import read_kept

    kept = read_kept(suite)
    if not kept.is_of(suite):
        return None
    return {
        task: ", ".join(dict.fromkeys(finding.rule for finding in kept.findings if finding.task_id == task))
        for task in kept.faulty.get("sound" if mode == "sound" else "reference", ())
    }
