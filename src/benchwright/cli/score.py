"""`benchwright score`: a predictions file or a run against a suite."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchwright.cli.app import app
from benchwright.cli.clusters import RayOption, spread_of
from benchwright.cli.output import NOT_MEASURED, print_json, print_table, progress
from benchwright.errors import InputError

if TYPE_CHECKING:
    from benchwright.scoring import Judging, Mode, Scoring, Ways
    from benchwright.suite import Suite

_SHOWN = 10


class ModeChoice(StrEnum):
    """Which verdicts to give."""

    REFERENCE = "reference"
    SOUND = "sound"
    BOTH = "both"


class DuplicateChoice(StrEnum):
    """Which of several predictions for one task counts."""

    LAST = "last"
    FIRST = "first"
    ERROR = "error"


@app.command()
def score(  # noqa: PLR0913, PLR0917 - one parameter an option
    suite: Annotated[str, typer.Argument(help="A suite's name or folder.")],
    predictions: Annotated[Path, typer.Argument(help="A JSON Lines file, a folder of outputs, or a run folder.")],
    mode: Annotated[ModeChoice, typer.Option(help="The published rule, the sound one, or both.")] = ModeChoice.BOTH,
    subset: Annotated[str, typer.Option(help="full, hard, or another subset of the suite.")] = "full",
    duplicates: Annotated[DuplicateChoice, typer.Option(help="Which prediction of a task counts.")] = (
        DuplicateChoice.LAST
    ),
    model_role: Annotated[
        list[str] | None, typer.Option(help="judge=MODEL decides where rules cannot tell, e.g. judge=openai/gpt-5.")
    ] = None,
    judge_times: Annotated[int, typer.Option(min=1, max=99, help="How often the judge is asked.")] = 1,
    ray: RayOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Score predictions, or a run, against a suite.

    A task without a prediction scores 0. Exit code 1: all is scored, but the file has bad lines, duplicate or
    unknown ids, an attempt could not be judged, or a run's scores could not be kept; 2: nothing to score.
    """
    from benchwright.proving import with_known_faults
    from benchwright.scoring import Ways, score_predictions
    from benchwright.suite import Selection
    from benchwright.suites import find

    opened, judge, kept = find(suite, progress), _judge(model_role, judge_times), True
    with spread_of(ray) as spread:
        ways = Ways(judge, spread)
        if any((predictions / name).is_file() for name in ("run.toml", "events.jsonl")):
            found, kept = _score_run(opened, predictions, mode, subset, ways)
        else:
            selection = Selection(subset=subset)
            found = score_predictions(opened, predictions, _modes(mode), selection, duplicates.value, ways)
    document = with_known_faults(found).document()
    if as_json:
        print_json(document)
    else:
        print_scores(document)
    raise typer.Exit(1 if found.flawed or not kept else 0)


def _score_run(suite: Suite, path: Path, mode: ModeChoice, subset: str, ways: Ways) -> tuple[Scoring, bool]:
    """The verdicts on a run, and whether they could be kept in its folder."""
    from benchwright.run import RunFolder
    from benchwright.scoring import keep_scores, score_run

    run = RunFolder.open(path)
    found = score_run(suite, run, _modes(mode), subset, ways)
    for note in run.damage() if found.flawed else ():
        progress(f"{note}; the `benchwright run` that made it finds again what is left of lost attempts")
    try:
        if subset == "full":
            keep_scores(found, run)
    except OSError as error:
        progress(f"the scores could not be kept in {path}: {error.strerror}")
        return found, False
    return found, True


def _modes(mode: ModeChoice) -> tuple[Mode, ...]:
    from benchwright.scoring import BOTH

    return BOTH if mode is ModeChoice.BOTH else tuple(each for each in BOTH if each == str(mode))


def _judge(roles: list[str] | None, times: int) -> Judging | None:
    """The judge of `--model-role judge=MODEL`; None where there is none."""
    if not roles:
        return None
    name, equals, model = roles[-1].partition("=")
    if len(roles) > 1 or name != "judge" or not equals or not model:
        raise InputError("--model-role takes judge=MODEL, once", found=", ".join(roles))
    from benchwright.live.judging import judging

    return judging(model, times)


def print_scores(document: dict[str, Any]) -> None:
    """The document as tables for people."""
    counts = ("tasks", "scored", "unscored")
    accuracies = ("EA\nreference", "EA\nnumeric", "EA\nsound", "DA\nreference", "DA\nsound")
    cells = document.get("cells") or [{"title": "", "subsets": document["subsets"]}]
    print_table(
        f"{document['suite']} {document['release']}",
        ("agent" if document.get("cells") else "", "subset", *counts, *accuracies),
        [row for cell in cells for row in _rows(cell)],
    )
    print_table("", ("what", "how many", "which"), list(_remarks(document)))


def _rows(cell: dict[str, Any]) -> Iterator[tuple[object, ...]]:
    """One row for each subset that has tasks here; of subsets with the same tasks here, the one that is complete."""
    shown: dict[str, tuple[str, dict[str, Any]]] = {}
    for name, part in sorted(cell["subsets"].items(), key=lambda item: item[1]["n_tasks"] == item[1]["of"]):
        if part["n_tasks"]:
            shown[json.dumps({**part, "of": None})] = name, part
    for name, part in reversed(shown.values()):
        yield cell["title"], name, *_row(part)


def _row(part: dict[str, Any]) -> tuple[object, ...]:
    reference, sound, discovery = part["reference"], part["sound"], part["discovery"]
    counted = sound or reference
    return (
        part["n_tasks"],
        counted["scored"],
        counted["unscored"],
        share(reference),
        f"{reference['numeric_accuracy']:.3f}" if reference and "numeric_accuracy" in reference else None,
        share(sound),
        share(discovery["reference"]),
        share(discovery["sound"]) or NOT_MEASURED,
    )


def share(summary: dict[str, Any] | None) -> str | None:
    """A mean, and its 95 % interval in a second line; None where there is none."""
    if not summary or summary["mean"] is None:
        return None
    low, high = summary["ci95"]
    return f"{summary['mean']:.3f}\n{low:.2f}-{high:.2f}"


def _faulty(document: dict[str, Any], mode: str) -> tuple[str, list[str]]:
    """The tasks that are known to be faulty under a verdict, which stay in its mean, and the mean without them."""
    without = document[mode]["without_faulty"]["mean"]
    told = "" if without is None else f", {mode} without them {without:.3f}"
    return f"faulty tasks under {mode}{told}", document["faulty_ids"][mode]


def _remarks(document: dict[str, Any]) -> Iterator[tuple[object, ...]]:
    """What is odd about what was scored; a duplicate, a bad line or an unknown id is never passed over."""
    yield "predictions", document["n_predictions"], ""
    if guess := document["discovery"].get("estimated"):
        yield (
            "DA, estimated from logs",
            f"{guess['mean']:.3f}",
            f"{guess['found']} of {guess['n']} tasks, {guess['told']} told",
        )
    bad = [f"line {item['line']}: {item['reason']}" for item in document["bad_lines"]]
    unscored = [
        f"{task['id']}: {task['sound']['reason']}"
        for task in document["tasks"]
        if task["sound"] and task["sound"]["score"] is None
    ]
    for name, items in (
        ("tasks without a prediction", document["missing_ids"]),
        ("unknown ids", document["extra_ids"]),
        (f"duplicate ids ({document['duplicates']} one counts)", document["duplicate_ids"]),
        ("bad lines", bad),
        ("unscored", unscored),
        *(_faulty(document, mode) for mode in document["faulty_ids"] or ()),
        ("notes", document["notes"]),
    ):
        if items:
            more = f", and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
            yield name, len(items), ", ".join(ascii(item)[1:-1] for item in items[:_SHOWN]) + more
