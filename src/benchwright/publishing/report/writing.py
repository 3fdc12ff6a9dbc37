"""A report in the form that was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchwright.analysis.frames import Frames
from benchwright.files import write_atomic
from benchwright.publishing.report.attempts import MOST, parts
from benchwright.publishing.report.contents import Report
from benchwright.publishing.report.dsbc import attempts, is_dsbc
from benchwright.publishing.report.files import Form as Data
from benchwright.publishing.report.files import write_file, write_folder, write_frame
from benchwright.publishing.report.html import html
from benchwright.publishing.report.latex import latex
from benchwright.publishing.report.markdown import markdown
from benchwright.publishing.report.source import Source

Text = Literal["html", "md", "latex"]


@dataclass(frozen=True, slots=True)
class Detail:
    """How many attempts a page shows in detail, and whether with their golds."""

    most: int = MOST
    with_gold: bool = False


def text_of(source: Source, report: Report, form: Text, detail: Detail) -> str:
    """The report as one text."""
    match form:
        case "html":
            return html(report, source.mode, parts(source, most=detail.most, with_gold=detail.with_gold))
        case "md":
            return markdown(report)
        case "latex":
            return latex(report)


def write(source: Source, report: Report, out: Path, form: Text | Data, detail: Detail = Detail()) -> tuple[Path, ...]:
    """Write the report; returns what was written. Files are whole or not there.

    A folder of Parquet files also gets the tables of the runs themselves, from which the queries come to the report's.
    """
    if form == "html" or form == "md" or form == "latex":  # noqa: PLR1714 - by which the type is narrowed
        write_atomic(out, text_of(source, report, form, detail))
        return (out,)
    if out.suffix.lower() == f".{form}":
        write_file(report, out, form)
        return (out,)
    written = write_folder(report, out, form)
    if form == "parquet":
        runs = {source.names[str(run.path)]: run for run in source.runs}
        frames = Frames(runs, (source.overview.suite,), detail.with_gold)
        written += tuple(frames.write(out / "runs").values())
        if is_dsbc(source):
            written += (out / "runs" / "dsbc_attempts.parquet",)
            write_frame(attempts(source), written[-1], "parquet")
    return written
