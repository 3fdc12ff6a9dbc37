"""`benchwright report`: runs as one page for people, or as tables for papers and programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchwright.cli.analyse import Verdict
from benchwright.cli.app import app
from benchwright.cli.output import progress


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders over one suite.")],
    out: Annotated[Path, typer.Option(help="The file to write.")],
    mode: Annotated[Verdict, typer.Option(help="The sound verdict, or the published rule's.")] = Verdict.SOUND,
) -> None:
    """Write a report of scored runs over one suite: one HTML file that works offline."""
    from benchwright.files import write_atomic
    from benchwright.proving import read_kept
    from benchwright.publishing.report.gather import gather, source
    from benchwright.publishing.report.html import html
    from benchwright.run import RunFolder
    from benchwright.suite import Suite

    opened = [RunFolder.open(path) for path in runs]
    suite = Suite.open(Path(opened[0].spec.suite_folder))
    kept = read_kept(suite)
    faulty = frozenset(kept.faulty.get(mode.value, ())) if kept.is_of(suite) else None
    write_atomic(out, html(gather(source(suite, opened, mode.value, faulty, [run.path.name for run in opened]))))
    progress(f"the report is in {out}")
