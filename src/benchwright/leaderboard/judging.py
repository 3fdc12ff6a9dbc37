"""A submission as the server judges it: checked, scored anew where the gold is, and rounded before anybody sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import floor
from pathlib import Path
from typing import Any

from benchwright.errors import InputError
from benchwright.leaderboard.limits import Limits
from benchwright.leaderboard.models import REFUSED, SCORED
from benchwright.leaderboard.queue import Outcome
from benchwright.leaderboard.store import SUBMISSION, TRAJECTORIES, Store
from benchwright.leaderboard.trajectories import keep
from benchwright.publishing.submission import Bounds, Parcel, Result, Verdict, check, opened
from benchwright.publishing.submission.parcel import MANIFEST
from benchwright.suite import Suite

_MOST_NOTES = 50
_SCORE = "score"
"""The code of findings that say what was scored: they would tell more of the gold than what is released."""


def judge(store: Store, suite: Suite, limits: Limits, entry: str) -> Outcome:
    """What becomes of an entry. Refusals say why, but never more of the gold than a rounded number does."""
    place = store.folder(entry) / SUBMISSION
    try:
        with opened(place, _bounds(limits)) as parcel:
            verdict = check(_without_verdicts(parcel), suite)
            reasons = [*_reasons(verdict), *_not_borne_out(verdict, limits.step)]
    except InputError as error:
        return Outcome(REFUSED, _about_the_upload(error.text(), place))
    named = dict(_named(verdict))
    if reasons:
        return Outcome(REFUSED, "\n".join(dict.fromkeys(reasons)), named)
    notes = [finding.reason for finding in verdict.findings if not finding.refused and finding.code != _SCORE]
    shown, more = _trajectories(store, suite, entry)
    values = {
        **named,
        "released": {name: released(result, limits.step) for name, result in verdict.results.items()},
        "exact": {name: result.model_dump(mode="json") for name, result in verdict.results.items()},
        "notes": [*notes, *more][:_MOST_NOTES],
        "trajectories": shown,
    }
    return Outcome(SCORED, "", values)


def released(result: Result, step: float) -> dict[str, Any]:
    """What may be shown of a subset's result."""
    return {
        "ea": rounded(result.execution_accuracy, step),
        "da": rounded(result.discovery_accuracy, step),
        "n_tasks": result.n_tasks,
    }


def rounded(value: float | None, step: float) -> float | None:
    """The nearest multiple of the step, halves up."""
    if value is None:
        return None
    steps = floor(round(value / step, 9) + 0.5)  # 0.295 / 0.01 is a little less than 29.5 to the machine
    return round(min(1.0, steps * step), 6)


def _bounds(limits: Limits) -> Bounds:
    return Bounds(archive_bytes=limits.bytes, text_bytes=limits.bytes, all_bytes=10 * limits.bytes)


def _without_verdicts(parcel: Parcel) -> Parcel:
    """The submission without what it says of single tasks: comparing that would tell which answers are right."""
    manifest = parcel.documents.get(MANIFEST)
    if not isinstance(manifest, dict):
        return parcel
    return replace(parcel, documents={**parcel.documents, MANIFEST: {**manifest, "tasks": []}})


def _reasons(verdict: Verdict) -> Iterator[str]:
    """Why it is refused, but for what scoring it again says."""
    yield from (finding.reason for finding in verdict.findings if finding.refused and finding.code != _SCORE)
    if not verdict.refused and not verdict.results:
        yield "it holds no predictions that could be scored here: hand in what `submission make` writes, whole"


def _not_borne_out(verdict: Verdict, step: float) -> Iterator[str]:
    """Claims that what was found does not bear out; by how much is not told."""
    if verdict.package is None:
        return
    for name, found in verdict.results.items():
        told = verdict.package.detailed.results[name]
        for what, claimed, is_ in (
            ("execution accuracy", told.execution_accuracy, found.execution_accuracy),
            ("discovery accuracy", told.discovery_accuracy, found.discovery_accuracy),
        ):
            if claimed is not None and not borne_out(claimed, is_, step):
                yield f"{what} ({name}) is said to be {float(claimed):g}, which scoring it again does not bear out"


def borne_out(claimed: float, found: float | None, step: float) -> bool:
    """Whether a claim is within a step of what was found, both rounded.

    Nothing but the rounded number decides: a row of claims, each a little higher, finds no more than is shown anyway.
    """
    told, shown = rounded(claimed, step), rounded(found, step)
    return told is not None and shown is not None and abs(told - shown) <= step + 1e-6


def _named(verdict: Verdict) -> Mapping[str, Any]:
    """What the submission calls itself, and that it wants to be anonymous."""
    if verdict.package is None:
        return {}
    form, manifest = verdict.package.detailed, verdict.package.manifest
    return {
        **({"anonymous": True} if manifest and manifest.anonymous else {}),
        "method": form.method[:200],
        "model": form.model[:200],
        "organization": form.organization[:200],
        "date": form.metadata.date[:40],
    }


def _trajectories(store: Store, suite: Suite, entry: str) -> tuple[list[str], list[str]]:
    archive = store.folder(entry) / TRAJECTORIES
    if not archive.is_file():
        return [], []
    try:
        return keep(store, entry, archive, frozenset(suite.tasks))
    except InputError as error:
        return [], [_about_the_upload(error.text(), archive)]


def _about_the_upload(text: str, place: Path) -> str:
    """A message without where things lie on this machine."""
    return text.replace(str(place), place.name).replace(str(place.parent), "")
