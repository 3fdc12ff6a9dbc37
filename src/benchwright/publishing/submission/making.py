"""From runs to a submission: the same cell's attempts at every task of a subset, and how they came about; no gold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from benchwright import __version__
from benchwright.errors import InputError
from benchwright.files import canonical_json
from benchwright.publishing.submission.moments import ends
from benchwright.publishing.submission.names import fit
from benchwright.publishing.submission.package import Package, handed_in, predictions_text, protocol_of
from benchwright.publishing.submission.records import (
    ANSWER_CHARACTERS,
    MOST_FILES,
    DetailedForm,
    HandedIn,
    Manifest,
    Measure,
    Metadata,
    Prediction,
    ReadFiles,
    Result,
    SuiteMade,
    TaskLine,
)
from benchwright.publishing.submission.results import complete, is_partial, line_of, results_of, rule_of
from benchwright.run import Attempt, Cell, Key, RunFolder, RunSpec
from benchwright.run.effort import effort
from benchwright.run.limits import counted
from benchwright.run.secrecy import cleared_values
from benchwright.score import Score
from benchwright.scoring.attempt import scorer_digest
from benchwright.suite import Selection, Suite
from benchwright.trajectory import Estimated, Measured

_LARGEST = 100 << 20
"""Bytes of a file that goes into a submission."""
_MAY_DIFFER = ("subset", "ids", "limit", "seed")
"""What runs that are put together may differ in, beside their budgets: which tasks they are about."""

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
    _same(suite, runs, chosen)
    attempts = _attempts(suite, runs, chosen, epoch)
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
    lines = _lines(suite, runs, chosen, epoch, kept) if suite.has_gold else ()
    files = _files(runs, kept)
    predictions = tuple(_prediction(suite, task, attempt, files) for task, attempt in kept.items())
    named = {item.sha256 for each in predictions for item in each.files.values()}
    manifest = _manifest(suite, runs, chosen, epoch, list(kept.values()))
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


# --- which cell, and whether the runs go together


def one_cell(runs: Sequence[RunFolder], wanted: str) -> Cell:
    """The cell of the runs that is called so, by id or title; empty: the only one."""
    every = {cell.id: cell for run in runs for cell in run.spec.cells}
    named = [cell for cell in every.values() if not wanted or wanted in (cell.id, cell.title)]
    if len(named) == 1:
        return named[0]
    raise InputError(
        f"no single cell {wanted!r} in the runs" if wanted else f"the runs have {len(every)} cells",
        found="; ".join(f"{cell.id} {cell.title}" for cell in every.values()),
        expected="one: a submission is of one agent",
        hint="name it with --cell, or make one submission each with --each",
    )


def _same(suite: Suite, runs: Sequence[RunFolder], cell: Cell) -> None:
    first = _bare(runs[0].spec, cell)
    for run in runs:
        if run.spec.suite_digest != suite.digest:
            raise InputError(
                f"the run in {run.path} was made with other questions or data",
                found=f"{run.spec.suite} {run.spec.suite_digest[:12]}",
                expected=f"{suite.name} {suite.digest[:12]}",
            )
        if run.spec.only:
            raise InputError(
                f"the run in {run.path} repeats chosen attempts of another", hint="hand in the run that it repeats"
            )
        if cell.id not in {each.id for each in run.spec.cells}:
            raise InputError(f"the run in {run.path} has no cell {cell.title}")
        same = dict.fromkeys(_MAY_DIFFER)
        told = _bare(run.spec, cell).differences(first)
        if told := tuple(line for line in told if line.partition(":")[0] not in same):
            raise InputError(
                f"the run in {run.path} has other settings than {runs[0].path}",
                found="; ".join(told)[:500],
                expected="runs that differ in their tasks alone",
            )


def _bare(spec: RunSpec, cell: Cell) -> RunSpec:
    """A specification of that cell alone, without where things lie on this machine, and what it might have cost."""
    limits = {name: limit for name, limit in spec.cell_limits.items() if name == cell.id}
    kept = {"cells": (cell,), "cell_limits": limits, "suite_folder": "", "secret_args": {}}
    return spec.model_copy(update={**kept, "budget_usd": None, "budget_minutes": None})


# --- attempts and their files


def _attempts(suite: Suite, runs: Sequence[RunFolder], cell: Cell, epoch: int) -> dict[str, Attempt]:
    """The attempt at each planned task, each task once; none is missing."""
    found: dict[str, Attempt] = {}
    for run in runs:
        if not 1 <= epoch <= run.spec.epochs:
            raise InputError(f"no epoch {epoch} in {run.path}", expected=f"1 to {run.spec.epochs}")
        made = run.attempts()
        for task in suite.select(Selection(run.spec.subset, run.spec.ids, run.spec.limit)):
            attempt = made.get(Key(cell.id, task.id, epoch))
            if attempt is None or attempt.runs_again:
                raise InputError(
                    f"the attempt at {task.id} is still to be made in {run.path}",
                    found="nothing" if attempt is None else f"it broke: {attempt.error[:200]}",
                    hint="give the run's command again: it makes what is missing",
                )
            if task.id in found:
                raise InputError(f"more than one run holds task {task.id}", hint="hand in one run for each task")
            found[task.id] = attempt
    return found


def _files(runs: Sequence[RunFolder], attempts: Mapping[str, Attempt]) -> dict[str, Path]:
    wanted = {item.sha256 for attempt in attempts.values() for item in attempt.files.values() if item.bytes <= _LARGEST}
    found = {digest: run.artifacts.locate(digest) for run in runs for digest in wanted}
    here = {digest: place for digest in wanted for run in runs if (place := run.artifacts.locate(digest)).is_file()}
    if gone := sorted(set(found) - set(here)):
        raise InputError(f"the runs no longer hold {len(gone)} files that were handed in", found=gone[0])
    return here


def _prediction(suite: Suite, task_id: str, attempt: Attempt, files: Mapping[str, Path]) -> Prediction:
    number = task_id.isascii() and task_id.isdigit() and str(int(task_id)) == task_id
    answer = (attempt.answer or "").encode("utf-8", "replace").decode()
    task = suite.tasks[task_id]
    here = (name for name, item in attempt.files.items() if item.sha256 in files)
    names = fit(here, (output.name for output in task.outputs))[:MOST_FILES]
    gone = len(attempt.files) - len(names) + (len(answer) > ANSWER_CHARACTERS)
    return Prediction(
        instance_id=int(task_id) if number else None,
        task_id=None if number else task_id,
        prediction=answer[:ANSWER_CHARACTERS],
        files={name: HandedIn(sha256=attempt.files[name].sha256, bytes=attempt.files[name].bytes) for name in names},
        metadata=_read(attempt, several=len(task.data) > 1).model_copy(update={"left_out": gone}),
    )


def _read(attempt: Attempt, *, several: bool) -> ReadFiles:
    seen, usage = attempt.accesses, attempt.usage
    ending = attempt.ending.model_dump(mode="json")
    which = ending.get("which") or ending.get("fault")
    told = ReadFiles(
        ending=f"{ending['kind']}:{which}" if which else ending["kind"],
        steps=attempt.steps,
        seconds=round(attempt.wall_seconds, 3),
        cost_usd=usage.cost_usd,
    )
    if not isinstance(seen, Measured | Estimated):
        return told
    files = sorted(seen.files, key=lambda file: (file.room, file.path))
    return told.model_copy(
        update={
            "files_accessed": tuple(file.path for file in files),
            "rooms": tuple(file.room for file in files) if several else (),
            "tracer": seen.tracer if isinstance(seen, Measured) else "",
            "estimated": isinstance(seen, Estimated),
            "room_files": seen.room_files if isinstance(seen, Measured) else None,
        }
    )


# --- verdicts


def _lines(
    suite: Suite, runs: Sequence[RunFolder], cell: Cell, epoch: int, attempts: Mapping[str, Attempt]
) -> tuple[TaskLine, ...]:
    """What every task was worth, by the verdicts that lie beside the runs; stale ones are refused."""
    verdicts: dict[str, dict[str, Score]] = {task: {} for task in attempts}
    for run in runs:
        for name, task, score in _kept(suite, run, cell, epoch):
            if task in verdicts:
                verdicts[task][name] = score
    if bare := [task for task, found in verdicts.items() if rule_of(suite) not in found]:
        raise InputError(f"{len(bare)} tasks have no verdict beside the runs", hint=_again(suite, runs[0]))
    return tuple(line_of(suite, task, found) for task, found in verdicts.items())


def _kept(suite: Suite, run: RunFolder, cell: Cell, epoch: int) -> Iterator[tuple[str, str, Score]]:
    now = {"suite": suite.digest, "gold": suite.gold_digest, "scorers": scorer_digest(suite)}
    for kind in ("reference", "sound", "discovery"):
        if not run.has_scores(kind):
            raise InputError(f"no {kind} scores in {run.path}", hint=_again(suite, run))
        rows, stamp = run.read_scores(kind)
        if stale := [name for name, digest in now.items() if stamp.get(name) != digest]:
            raise InputError(f"the scores in {run.path} are of another {', '.join(stale)}", hint=_again(suite, run))
        yield from ((row.name, row.task_id, row.score) for row in rows if (row.cell, row.epoch) == (cell.id, epoch))


def _again(suite: Suite, run: RunFolder) -> str:
    return f"benchwright score {suite.folder} {run.path}"


def _unscored(suite: Suite, subsets: Iterable[str]) -> dict[str, Result]:
    return {name: Result(execution_accuracy=None, n_tasks=len(suite.subset(name))) for name in subsets}


# --- the manifest and the form


def _manifest(suite: Suite, runs: Sequence[RunFolder], cell: Cell, epoch: int, attempts: Sequence[Attempt]) -> Manifest:
    started, ended = ends((attempt.started, attempt.wall_seconds) for attempt in attempts)
    return Manifest(
        benchwright=__version__,
        suite=made_of(suite),
        measure=Measure(rule=rule_of(suite)),
        cell=cell,
        epoch=epoch,
        runs=tuple(_bare(run.spec, cell) for run in runs),
        models_served=tuple(sorted({attempt.model for attempt in attempts if attempt.model})),
        started=started,
        ended=ended,
        limits=_limits(suite, runs, cell, attempts),
        isolation=_counted(canonical_json(cleared_values(_settings(attempt))) for attempt in attempts),
        tracers=_counted(_read(attempt, several=False).told_by for attempt in attempts),
        endings=_counted(_read(attempt, several=False).ending for attempt in attempts),
        effort=effort(attempts),
        predictions=handed_in(""),
    )


def _limits(
    suite: Suite, runs: Sequence[RunFolder], cell: Cell, attempts: Sequence[Attempt]
) -> dict[str, dict[str, int]]:
    """By limit, how many of these attempts were under which value; limits of machines only where there was one."""
    found: dict[str, Counter[str]] = {}
    mine = {attempt.task_id for attempt in attempts}
    for run in runs:
        spec = run.spec
        tasks = [task for task in suite.select(Selection(spec.subset, spec.ids, spec.limit)) if task.id in mine]
        for name, values in counted(tasks, spec, cell).items():
            found.setdefault(name, Counter()).update(values)
    return {name: dict(sorted(values.items())) for name, values in found.items()}


def made_of(suite: Suite) -> SuiteMade:
    """A suite by its digests."""
    return SuiteMade(
        name=suite.name,
        release=suite.info.release,
        digest=suite.digest,
        reference=suite.info.reference,
        rooms={name: info.sha256 for name, info in suite.info.rooms.items()},
        subsets={name: len(suite.subset(name)) for name in suite.subsets},
        gold_digest=suite.gold_digest,
        scorer_digest=scorer_digest(suite) if suite.has_gold else "",
    )


def _settings(attempt: Attempt) -> dict[str, object]:
    """What kept the attempt in, without what is true of one machine alone (paths)."""
    plain = {name: value for name, value in attempt.isolation.items() if isinstance(value, str | int | float | bool)}
    told: dict[str, object] = {name: value for name, value in plain.items() if not str(value).startswith("/")}
    limits = attempt.isolation.get("limits")
    return {**told, "limits": limits} if isinstance(limits, dict) and limits else told


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


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
