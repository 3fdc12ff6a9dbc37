"""All tables of some DSBC runs as one document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchwright.analysis.dsbc import tables
from benchwright.analysis.dsbc.frame import attempts_frame
from benchwright.analysis.dsbc.pairing import raw_against_clean
from benchwright.run import RunFolder
from benchwright.scoring.verdicts import Mode
from benchwright.suite import Suite

if TYPE_CHECKING:
    import polars as pl


def analyse(runs: Sequence[RunFolder], suite: Suite, mode: Mode) -> dict[str, Any]:
    """The tables of some runs under one verdict, with what they rest on; errors as in `attempts_frame`."""
    prompts = {name: run.spec.wording(name) for run in runs for name in run.spec.prompts}
    head = {"suite": suite.name, "release": suite.info.release, "mode": mode, "runs": [str(run.path) for run in runs]}
    return {**head, "prompts": prompts, **tables_of(attempts_frame(runs, suite, mode))}


def tables_of(frame: pl.DataFrame) -> dict[str, Any]:
    """The tables of a frame of attempts."""
    return {
        "n": frame.height,
        "overall": tables.shares(frame),
        "accuracy": tables.by_setup(frame),
        "raw_against_clean": raw_against_clean(frame),
        "categories": tables.by(frame, "category"),
        "categories_by_setup": tables.by(frame, *tables.SETUP, "category"),
        "categories_by_temperature": tables.by(frame, "category", "temperature"),
        "n_categories": tables.by(frame, "n_categories"),
        "datasets": tables.by(frame, "dataset"),
        "questions": tables.by_question(frame),
        "errors": tables.causes(frame, "approach"),
        "errors_by_temperature": tables.causes(frame, "approach", "temperature"),
        "costs": tables.costs(frame),
        "ignored_settings": tables.ignored_settings(frame),
    }
