"""`benchwright analyse`: what the scores of run folders say, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchwright.cli.app import app
from benchwright.cli.output import print_json, print_table, progress

if TYPE_CHECKING:
    from benchwright.analysis.overview import Overview
    from benchwright.run import RunFolder
    from benchwright.suite import Suite

_DSBC = "dsbc"
_LEGEND = (
    "Accuracy in per cent of all planned attempts, [95 % interval] over questions; "
    "published: without attempts that have no verdict."
)


class Verdict(StrEnum):
    """Which verdicts are analysed; never both in one table."""

    SOUND = "sound"
    REFERENCE = "reference"


@app.command()
def analyse(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders over one suite.")],
    mode: Annotated[Verdict, typer.Option(help="The sound verdict, or the published rule's.")] = Verdict.SOUND,
    failures_model: Annotated[
        str, typer.Option(help="A model, by Inspect's name, for the failures that rules cannot decide.")
    ] = "",
    failures_sample: Annotated[
        int, typer.Option(min=0, help="How many failures that rules decide it is asked of as well, to compare.")
    ] = 20,
    skills_model: Annotated[
        str, typer.Option(help="A model, by Inspect's name, that scores how each skill was applied.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Analyse scored runs over one suite: accuracy by every label, ranks, skills, endings, costs.

    For DSBC: by setup, temperature, category and question, errors, costs. Several folders are analysed as one run; they
    must be over the same questions.
    """
    from benchwright.analysis.dsbc import analyse as analyse_dsbc
    from benchwright.cli.overview import print_overview
    from benchwright.run import RunFolder

    opened = [RunFolder.open(path) for path in runs]
    suite = _suite_of(opened)
    published = suite.info.reference == _DSBC
    if failures_model:
        _ask(opened, suite, mode, failures_model, failures_sample)
    if skills_model:
        _ask_skills(opened, suite, mode, skills_model)
    made = _overview(opened, suite, mode)
    for note in (note for run in opened for note in run.notes):
        progress(note)
    if published:
        told = {name: part for name, part in made.failures_document().items() if name != "attempts"}
        document = {**analyse_dsbc(opened, suite, mode.value), "failures": told}
        print_json(document) if as_json else _show(document)
    else:
        print_json(made.document()) if as_json else print_overview(made)


def _ask(runs: Sequence[RunFolder], suite: Suite, mode: Verdict, model: str, sample: int) -> None:
    """Ask a model of failures; what it says is kept, and read by every later analysis."""
    import asyncio

    from benchwright.analysis.failures.asking import Inquiry, inquire
    from benchwright.chat.asking import Ledger
    from benchwright.files import home
    from benchwright.live.asking import chat_named

    inquiry = Inquiry(chat_named(model), sample=sample)
    with Ledger.open(home() / "analysis" / "failures.sqlite") as ledger:
        for run in runs:
            found = asyncio.run(inquire(suite, run, mode.value, inquiry, ledger))
            unusable = f"; {found.failed} without a usable answer" if found.failed else ""
            progress(f"{run.path}: {model} was asked of {found.asked} failures{unusable}")


def _ask_skills(runs: Sequence[RunFolder], suite: Suite, mode: Verdict, model: str) -> None:
    """Ask a model how each skill was applied; kept as what is said of failures is."""
    import asyncio

    from benchwright.analysis.applications import score_applications
    from benchwright.chat.asking import Ledger
    from benchwright.files import home
    from benchwright.live.asking import chat_named

    chat = chat_named(model)
    with Ledger.open(home() / "analysis" / "skills.sqlite") as ledger:
        for run in runs:
            asked, failed = asyncio.run(score_applications(suite, run, mode.value, chat, ledger))
            unusable = f"; {failed} without a usable answer" if failed else ""
            progress(f"{run.path}: {model} scored the skills of {asked - failed} attempts{unusable}")


def _suite_of(runs: Sequence[RunFolder]) -> Suite:
    """The suite that the first run was made on."""
    from benchwright.suite import Suite

    return Suite.open(Path(runs[0].spec.suite_folder))


def _overview(runs: Sequence[RunFolder], suite: Suite, mode: Verdict) -> Overview:
    from benchwright.analysis.overview import overview
    from benchwright.proving import read_kept

    kept = read_kept(suite)
    faulty = frozenset(kept.faulty.get(mode.value, ())) if kept.is_of(suite) else None
    return overview(suite, runs, mode.value, faulty)


def _show(document: dict[str, Any]) -> None:
    title = f"{document['suite']} {document['release']}, {document['mode']} verdicts, {document['n']} attempts"
    print_table(f"{title}: accuracy by setup", _SETUP, map(_setup_row, document["accuracy"]))
    print_table("Raw against clean", _PAIRED, map(_paired_row, document["raw_against_clean"]))
    for name, what in (("categories", "category"), ("n_categories", "n_categories"), ("datasets", "dataset")):
        print_table(f"By {what.replace('n_', 'number of ')}", (what, *_SHARES), _share_rows(document[name], what))
    print_table("By category and temperature", *_matrix(document["categories_by_temperature"]))
    print_table("Questions", tuple(_QUESTIONS), [_question_row(document["questions"]["summary"])])
    print_table("What became of attempts", _causes_head(document), _cause_rows(document))
    print_table("Costs an attempt", _COSTS, map(_cost_row, document["costs"]))
    for row in document["ignored_settings"]:
        progress(f"{row['model']}: {row['setting']} was not sent by the provider ({row['attempts']} attempts)")
    own = {name: text for name, text in document["prompts"].items() if text != "reworded"}
    progress(f"prompts: {', '.join(f'{name} {text[:12]}' for name, text in own.items()) or 'reworded'}")
    progress(_LEGEND)


_SETUP = ("model", "approach", "variant", "highest", "at", "lowest", "at", "overall", "sd", "published", "n")
_SHARES = ("questions", "attempts", "right", "accuracy", "published")
_PAIRED = ("model", "approach", "pairs", "only\nraw", "only\nclean", "difference", "McNemar\np", "clustered\np")
_COSTS = ("approach", "dollars", "times\nsingle", "tokens", "times\nsingle")
_QUESTIONS = {
    "questions": "questions",
    "mean": "mean rate",
    "median": "median",
    "highest": "highest",
    "above_80": "above 80 %",
    "never_right": "never right",
    "always_right": "always right",
}


def _setup_row(row: dict[str, Any]) -> tuple[object, ...]:
    high, low = row["highest"], row["lowest"]
    ends = (_percent(high["accuracy"]), _number(high["temperature"]), _percent(low["accuracy"]))
    overall = (_number(low["temperature"]), _interval(row), _percent(row["sd"]), _percent(row["published"]), row["n"])
    return row["model"], row["approach"], row["variant"] or "-", *ends, *overall


def _paired_row(row: dict[str, Any]) -> tuple[object, ...]:
    low, high = row["ci95"]
    difference = f"{_percent(row['difference'])} [{_percent(low)}, {_percent(high)}]"
    tests = (_p(row["p_mcnemar"]), _p(row["p_clustered"]))
    return row["model"], row["approach"], row["pairs"], row["only_raw"], row["only_clean"], difference, *tests


def _share_rows(rows: Iterable[dict[str, Any]], name: str) -> Iterable[tuple[object, ...]]:
    for row in rows:
        yield row[name], row["questions"], row["n"], row["right"], _interval(row), _percent(row["published"])


def _matrix(rows: Sequence[dict[str, Any]]) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """A header, and a row a category with a column a temperature."""
    temperatures = list(dict.fromkeys(row["temperature"] for row in rows))
    found = {(row["category"], row["temperature"]): _percent(row["accuracy"]) for row in rows}
    categories = dict.fromkeys(row["category"] for row in rows)
    head = ("category", *(_number(value) or "default" for value in temperatures))
    return head, [(name, *(found.get((name, value)) for value in temperatures)) for name in categories]


def _question_row(summary: dict[str, Any]) -> tuple[object, ...]:
    rates = ("mean", "median", "highest")
    return tuple(_percent(summary[name]) if name in rates else summary[name] for name in _QUESTIONS)


def _causes_head(document: dict[str, Any]) -> tuple[str, ...]:
    """Only the outcomes that occur."""
    rows = document["errors"]
    outcomes = rows[0]["counts"] if rows else {}
    return ("approach", "n", *(name for name in outcomes if any(row["counts"][name] for row in rows)))


def _cause_rows(document: dict[str, Any]) -> Iterable[tuple[object, ...]]:
    shown = _causes_head(document)[2:]
    for row in document["errors"]:
        yield row["approach"], row["n"], *(row["counts"][name] for name in shown)


def _cost_row(row: dict[str, Any]) -> tuple[object, ...]:
    dollars = None if row["cost_usd"] is None else f"{row['cost_usd']:.5f}"
    tokens = None if row["tokens"] is None else f"{row['tokens']:.0f}"
    return row["approach"], dollars, _times(row["cost_usd_ratio"]), tokens, _times(row["tokens_ratio"])


def _percent(value: float | None) -> str | None:
    return None if value is None else f"{100 * value:.3f}"


def _interval(row: dict[str, Any]) -> str | None:
    if row["ci95"] is None:
        return _percent(row["accuracy"])
    low, high = row["ci95"]
    return f"{_percent(row['accuracy'])} [{100 * low:.1f}, {100 * high:.1f}]"


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:g}"


def _times(value: float | None) -> str | None:
    return None if value is None else f"{value:.2f}"


def _p(value: float | None) -> str | None:
    return None if value is None else f"{value:.3g}"
