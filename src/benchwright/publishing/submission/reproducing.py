"""What differs between a result and the same made again: versions, data, prompts, and what every task was worth."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from math import fsum
from pathlib import Path
from typing import Any, Literal

from benchwright import __version__
from benchwright.analysis.statistics.pairs import sign_flip
from benchwright.errors import InputError
from benchwright.files import read_text
from benchwright.publishing.submission.manifests import made_of
from benchwright.publishing.submission.package import Package, protocol_of
from benchwright.publishing.submission.parcel import opened
from benchwright.publishing.submission.records import DetailedForm, Manifest, Result, Rule, SuiteMade, TaskLine
from benchwright.publishing.submission.rescoring import rescored
from benchwright.publishing.submission.results import line_of, rule_of
from benchwright.publishing.submission.schema import packaged
from benchwright.publishing.submission.strict_json import parse
from benchwright.run import RunFolder, ScoreRow
from benchwright.score import Score
from benchwright.scoring import score_rows, score_run
from benchwright.scoring.predicted import require_gold
from benchwright.suite import Suite

Mode = Literal["rescore", "rerun"]
VERDICTS = ("reference", "numeric", "sound", "discovery")
_SAME = 1e-9
_SHOWN = 12
"""Digits of a digest that are shown."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a result stands on: the suite by its digests, versions of programs, prompts by hash."""

    suite: SuiteMade
    versions: Mapping[str, str] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, manifest: Manifest) -> Setup:
        """As a manifest has it; of several runs the first, whose settings are those of all."""
        return cls(manifest.suite, manifest.runs[0].versions, manifest.runs[0].prompts)


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that was otherwise: `kind` says what it is, empty text that it was not there."""

    kind: str
    name: str
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class TaskDifference:
    """One verdict on one attempt that is not the same; None: no verdict."""

    task: str
    verdict: str
    then: float | None
    now: float | None


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Both results side by side. `same` counts verdicts that agree; `p` is of "neither is better", over the tasks.

    `answers` says of how many tasks the same was handed in again, of how many; None where nothing was made again.
    """

    mode: Mode
    settings: tuple[Difference, ...]
    tasks: tuple[TaskDifference, ...]
    same: int
    means: tuple[float, float] | None
    p: float | None = None
    answers: tuple[int, int] | None = None
    left_out: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether any score differs, or could not be given again."""
        return bool(self.tasks or self.left_out)

    def document(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "mode": self.mode,
            "differs": self.differs,
            "settings": [
                {"kind": item.kind, "name": item.name, "then": item.then, "now": item.now} for item in self.settings
            ],
            "tasks": [
                {"task": item.task, "verdict": item.verdict, "then": item.then, "now": item.now} for item in self.tasks
            ],
            "same": self.same,
            "then": self.means[0] if self.means else None,
            "now": self.means[1] if self.means else None,
            "p": self.p,
            "same_answers": self.answers[0] if self.answers else None,
            "answers": self.answers[1] if self.answers else None,
            "left_out": list(self.left_out),
        }


@contextmanager
def package_at(path: Path) -> Iterator[Package]:
    """A submission, or a manifest alone without predictions. Errors: InputError where it is neither."""
    if path.suffix == ".json" and path.is_file():
        manifest = Manifest.from_json(parse(read_text(path), str(path)), str(path))
        yield of_manifest(manifest)
        return
    with opened(path) as parcel:
        package, findings = packaged(parcel)
        if package is None or package.manifest is None:
            why = findings[0].reason if findings else "no manifest.json: a claim alone cannot be made again"
            raise InputError(f"{path} cannot be made again", found=why)
        yield package


def of_manifest(manifest: Manifest) -> Package:
    """A submission of which nothing is known but how it was made."""
    results = {name: Result(execution_accuracy=None, n_tasks=count) for name, count in manifest.suite.subsets.items()}
    form = DetailedForm(
        submission_id="manifest", method=manifest.cell.agent, model=manifest.cell.model, results=results
    )
    return Package(form, protocol_of(form), manifest)


def versions_now(then: Mapping[str, str]) -> dict[str, str]:
    """The installed versions of what a manifest names; what is not a Python package here is left out."""
    found = {"benchwright": __version__, "python": ".".join(platform.python_version_tuple()[:2])}
    for name in set(then) - set(found):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return {name: found[name] for name in then if name in found}


# --- settings


def settings(then: Setup, now: Setup) -> tuple[Difference, ...]:
    """Everything in which two results do not stand on the same; versions that are not known now are not compared."""
    known = {name: told for name, told in then.versions.items() if name in now.versions}
    shown = {name: now.versions[name] for name in known}
    return (
        *_suite(then.suite, now.suite),
        *_differences("room", _short(then.suite.rooms), _short(now.suite.rooms)),
        *_differences("version", known, shown),
        *_differences("prompt", _short(then.prompts), _short(now.prompts)),
    )


def _suite(then: SuiteMade, now: SuiteMade) -> Iterator[Difference]:
    for name in ("name", "release", "digest", "gold_digest", "scorer_digest"):
        before, after = getattr(then, name), getattr(now, name)
        if before != after:
            digits = None if name in ("name", "release") else _SHOWN
            yield Difference("suite", name, before[:digits], after[:digits])


def _short(digests: Mapping[str, str]) -> dict[str, str]:
    return {name: digest[:_SHOWN] for name, digest in digests.items()}


def _differences(kind: str, then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Difference]:
    for name in sorted({*then, *now}):
        before, after = then.get(name, ""), now.get(name, "")
        if before != after:
            yield Difference(kind, name, before, after)


# --- scores


def compare_lines(
    mode: Mode, then: Sequence[TaskLine], now: Sequence[TaskLine], rule: Rule, changed: tuple[Difference, ...]
) -> Reproduction:
    """Two results task by task; tasks of the first that the second lacks are left out, and named."""
    after = {line.id: line for line in now}
    before = {line.id: line for line in then if line.id in after}
    differ = [found for name, line in before.items() for found in _line(line, after[name])]
    total = sum(getattr(line, verdict) is not None for line in before.values() for verdict in VERDICTS)
    pairs = [
        (float(getattr(line, rule) or 0.0), float(getattr(after[name], rule) or 0.0)) for name, line in before.items()
    ]
    return Reproduction(
        mode=mode,
        settings=changed,
        tasks=tuple(differ),
        same=total - sum(item.then is not None for item in differ),
        means=_means(pairs),
        p=sign_flip([second - first for first, second in pairs]) if pairs else None,
        left_out=tuple(line.id for line in then if line.id not in after),
    )


def _line(then: TaskLine, now: TaskLine) -> Iterator[TaskDifference]:
    for name in VERDICTS:
        before, after = getattr(then, name), getattr(now, name)
        if _apart(before, after):
            yield TaskDifference(then.id, name, before, after)


def _apart(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is not after
    return abs(before - after) > _SAME


def _means(pairs: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    if not pairs:
        return None
    return fsum(first for first, _ in pairs) / len(pairs), fsum(second for _, second in pairs) / len(pairs)


def rescored_package(package: Package, suite: Suite, prompts: Mapping[str, str]) -> Reproduction:
    """What a submission says of every task against what its predictions are given now.

    Errors: InputError where it has no manifest, where its scores were left open, or where the gold is not here.
    """
    manifest = package.manifest
    if manifest is None or not manifest.tasks:
        raise InputError("the submission tells no scores by task", hint="benchwright submission check scores it")
    require_gold(suite, list(suite.tasks))
    now = Setup(made_of(suite), versions_now(manifest.runs[0].versions), prompts)
    changed = settings(Setup.of(manifest), now)
    return compare_lines("rescore", manifest.tasks, rescored(suite, package), rule_of(suite), changed)


def compare_packages(then: Package, now: Package) -> Reproduction:
    """A submission and the one that was made again; without scores on either side by what was handed in alone."""
    first, second = then.manifest, now.manifest
    if first is None or second is None:
        raise InputError("a claim alone cannot be compared")
    changed = settings(Setup.of(first), Setup.of(second))
    found = compare_lines("rerun", first.tasks, second.tasks, first.measure.rule, changed)
    return replace(found, answers=same_answers(then, now) if then.predictions else None)


def same_answers(then: Package, now: Package) -> tuple[int, int]:
    """Of how many tasks the same answer and files were handed in, of those that both have."""
    after = {each.id: each for each in now.predictions}
    both = [(each, after[each.id]) for each in then.predictions if each.id in after]
    return sum((one.prediction, one.files) == (two.prediction, two.files) for one, two in both), len(both)


# --- a run by itself


def rescored_run(run: RunFolder, suite: Suite, prompts: Mapping[str, str]) -> Reproduction:
    """A run's kept scores against those that its attempts are given now. Nothing is written.

    Errors: InputError where the run was never scored, or was made with other questions or data.
    """
    rows, then = _kept(run, suite)
    now = Setup(made_of(suite), versions_now(run.spec.versions), prompts)
    lines = _lines(suite, list(score_rows(score_run(suite, run))))
    return compare_lines("rescore", _lines(suite, rows), lines, rule_of(suite), settings(then, now))


def compare_runs(first: RunFolder, second: RunFolder, suite: Suite) -> Reproduction:
    """Two runs of the same specification, by their kept scores and by what was handed in."""
    (rows, then), (others, now) = _kept(first, suite), _kept(second, suite)
    found = compare_lines("rerun", _lines(suite, rows), _lines(suite, others), rule_of(suite), settings(then, now))
    mine, theirs = first.attempts(), second.attempts()
    both = [(attempt, theirs[key]) for key, attempt in mine.items() if key in theirs]
    same = sum((one.answer, one.files) == (two.answer, two.files) for one, two in both)
    return replace(found, answers=(same, len(both)))


def _kept(run: RunFolder, suite: Suite) -> tuple[list[ScoreRow], Setup]:
    """The verdicts beside a run, and what they stand on."""
    kept: list[ScoreRow] = []
    stamp: dict[str, str] = {}
    for kind in ("reference", "sound", "discovery"):
        if run.has_scores(kind):
            rows, stamp = run.read_scores(kind)
            kept += rows
    if not kept:
        raise InputError(f"no scores are kept in {run.path}", hint=f"benchwright score {suite.folder} {run.path}")
    told = {"gold_digest": stamp.get("gold", ""), "scorer_digest": stamp.get("scorers", "")}
    made = made_of(suite).model_copy(update={**told, "digest": stamp.get("suite", "")})
    return kept, Setup(made, run.spec.versions, run.spec.prompts)


def _lines(suite: Suite, rows: Sequence[ScoreRow]) -> list[TaskLine]:
    """One line an attempt, under a name that says which."""
    single = len({(row.cell, row.epoch) for row in rows}) == 1
    by_attempt: dict[tuple[str, str, int], dict[str, Score]] = {}
    for row in rows:
        by_attempt.setdefault((row.task_id, row.cell, row.epoch), {})[row.name] = row.score
    found = []
    for (task, cell, epoch), scores in by_attempt.items():
        line = line_of(suite, task, scores)
        found.append(line if single else line.model_copy(update={"id": f"{task}/{epoch} {cell}"}))
    return found
