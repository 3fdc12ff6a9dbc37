"""From runs to a submission: the same cell's attempts at every task of a subset, and how they came about; no gold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from benchwright.errors import InputError
from benchwright.publishing.submission.choosing import attempts_of, files_of, one_cell, require_same
from benchwright.publishing.submission.manifests import manifest_of
from benchwright.publishing.submission.package import Package, handed_in, predictions_text, protocol_of
from benchwright.publishing.submission.predictions import prediction_of
from benchwright.publishing.submission.records import DetailedForm, Manifest, Measure, Metadata, Result
from benchwright.publishing.submission.results import complete, is_partial, results_of, rule_of
from benchwright.publishing.submission.verdicts import lines_of
from benchwright.run import Cell, RunFolder
from benchwright.suite import Suite

_SAID = "what the submission is to say"


@dataclass(frozen=True, slots=True)
class About:
    """What a submission says of whoever makes it; what is empty comes from the run.

    `anonymous` leaves people out, and asks leaderboards to hide agent and model, too.
    """

    submission_id: str = ""
    method: str = ""
    model: str = ""
    organization: str = ""
    contact: str = ""
    paper: str = ""
    code: str = ""
    notes: str = ""
    date: str = ""
    anonymous: bool = False


def make(
    suite: Suite, runs: Sequence[RunFolder], cell: str = "", epoch: int = 1, about: About | None = None
) -> Package:
    """The submission of one cell of these runs, named by its id or title; of several epochs one.

    Errors: InputError where the runs are of different cells or settings, repeat a task, hold no whole subset, or have
    attempts that are still to be made; where the suite holds the gold, also where scores are stale.
    """
    chosen = one_cell(runs, cell)
    require_same(suite, runs, chosen)
    attempts = attempts_of(suite, runs, chosen, epoch)
    subsets = complete(suite, attempts)
    if not subsets:
        raise InputError(
            f"the runs hold no whole subset of {suite.name}",
            found=f"{len(attempts)} tasks",
            expected=", ".join(f"{name} ({len(suite.subset(name))} tasks)" for name in suite.subsets),
            hint="a submission of chosen tasks says nothing; run without --limit and --ids",
        )
    inside = [task for task in suite.tasks if any(task in suite.subset(name) for name in subsets) and task in attempts]
    kept = {task: attempts[task] for task in inside}
    lines = lines_of(suite, runs, chosen, epoch, kept) if suite.has_gold else ()
    files = files_of(runs, kept)
    predictions = tuple(prediction_of(suite, task, attempt, files) for task, attempt in kept.items())
    named = {item.sha256 for each in predictions for item in each.files.values()}
    manifest = manifest_of(suite, runs, chosen, epoch, list(kept.values()))
    rule = rule_of(suite)
    manifest = manifest.model_copy(
        update={
            "predictions": handed_in(predictions_text(predictions)),
            "measure": Measure(rule=rule, partial=is_partial(lines, rule)),
            "anonymous": about is not None and about.anonymous,
            "tasks": lines,
        }
    )
    results = results_of(suite, lines, rule, subsets) if lines else _unscored(suite, subsets)
    form = _form(chosen, manifest, results, about or About())
    sent = {digest: place for digest, place in files.items() if digest in named}
    return Package(form, protocol_of(form), manifest, predictions, sent)


def _unscored(suite: Suite, subsets: Iterable[str]) -> dict[str, Result]:
    return {name: Result(execution_accuracy=None, n_tasks=len(suite.subset(name))) for name in subsets}


def _form(cell: Cell, manifest: Manifest, results: Mapping[str, Result], about: About) -> DetailedForm:
    told = replace(about, organization="", contact="", paper="", code="", notes="") if about.anonymous else about
    about_it = {name: getattr(told, name) for name in ("paper", "code", "contact", "notes")}
    date = told.date or manifest.ended[:10] or datetime.now(UTC).date().isoformat()
    metadata = Metadata.from_json({"date": date, **about_it}, _SAID)
    method, model = told.method or _method(cell), told.model or cell.model
    digest = manifest.predictions.sha256
    slug = re.sub(r"[^a-z0-9]+", "-", f"{method} {model}".lower()).strip("-")[:80] or "agent"
    own = f"anonymous-{digest[:12]}" if about.anonymous else f"{slug}-{metadata.date}-{digest[:8]}"
    words = {
        "submission_id": told.submission_id or own,
        "method": method[:120],
        "model": model[:300],
        "organization": told.organization,
        "results": {name: result.model_dump() for name, result in results.items()},
        "metadata": metadata.model_dump(),
    }
    return DetailedForm.from_json(words, _SAID)


def _method(cell: Cell) -> str:
    settings = ",".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in sorted(cell.generation.items())
    )
    return " ".join(part for part in (cell.agent, cell.preset, cell.variant, settings) if part)
