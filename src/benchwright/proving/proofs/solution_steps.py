"""What the runs of a reference solution prove: the gold comes out, and the required files are what it reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from benchwright.files import sha256_file
from benchwright.proving.lint.base import Case, quoted
from benchwright.proving.lint.rooms import room_files
from benchwright.proving.proofs.records import Step
from benchwright.proving.proofs.self_scores import Judge
from benchwright.proving.proofs.solution_runs import Run
from benchwright.score import Scored
from benchwright.scoring.verdicts import TaskScores
from benchwright.suite import Suite
from benchwright.trajectory import FileAccess, Measured, NotMeasured

_SHOWN = 10


def solution_steps(suite: Suite, case: Case, runs: Sequence[Run], judge: Judge) -> Iterator[Step]:
    """The steps that the first run proves, and with a second one whether it comes out the same."""
    first = runs[0]
    if first.failure:
        yield Step(name="solution-runs", outcome="failed", evidence=first.failure)
        return
    yield Step(name="solution-runs", outcome="passed", evidence=f"{first.outcome.seconds:.1f} s")
    scores = _best(judge(submission) for submission in first.submissions())
    yield _reproduces(first, scores)
    yield from _discovery(suite, case, first, scores)
    if len(runs) > 1:
        yield _twice(first, runs[1])


def _best(verdicts: Iterable[TaskScores]) -> TaskScores:
    """The first verdict that is 1, else the first: what the whole output says, where the last line is no better."""
    found: list[TaskScores] = []
    for scores in verdicts:
        found.append(scores)
        if _value(scores) == 1.0:
            return scores
    return found[0]


def _value(scores: TaskScores) -> float | None:
    return scores.sound.value if isinstance(scores.sound, Scored) else None


def _reproduces(run: Run, scores: TaskScores) -> Step:
    value = _value(scores)
    if value == 1.0:
        return Step(name="solution-reproduces-gold", outcome="passed")
    reason = scores.sound.reason if scores.sound else "no sound verdict"
    verdict = "is not scored" if value is None else f"scores {value:g}"
    files = f", files {', '.join(sorted(run.files))}" if run.files else ""
    evidence = f"the solution {verdict} ({reason}); it printed {quoted(run.printed, 200)}{files}"
    return Step(name="solution-reproduces-gold", outcome="failed", evidence=evidence)


def _discovery(suite: Suite, case: Case, run: Run, scores: TaskScores) -> Iterator[Step]:
    """Required files against those that were opened; what is not known or not measured is not applicable."""
    if not isinstance(run.accesses, Measured):
        reason = run.accesses.reason if isinstance(run.accesses, NotMeasured) else "only an estimate"
        evidence = f"not measured: {reason}"
        yield Step(name="required-files-opened", outcome="not_applicable", evidence=evidence)
        return
    opened = run.accesses.files
    if not case.gold.discovery_known:
        if opened:
            evidence = (
                f"the required files are not known ({case.gold.required_files_status}); it read {_listed(opened)}"
            )
            yield Step(name="required-files-opened", outcome="noted", evidence=evidence)
        return
    verdict = scores.discovery.score
    missing = verdict.details.get("missing", ()) if isinstance(verdict, Scored) else ()
    passed = isinstance(verdict, Scored) and verdict.value == 1.0
    evidence = "" if passed else f"not read: {', '.join(map(str, missing)) or verdict.reason}; read: {_listed(opened)}"
    yield Step(name="required-files-opened", outcome="passed" if passed else "failed", evidence=evidence)
    surplus = _surplus(suite, case, run.accesses)
    evidence = f"read beside the required files: {_listed(surplus)}" if surplus else ""
    yield Step(name="no-other-files-opened", outcome="noted" if surplus else "passed", evidence=evidence)


def _surplus(suite: Suite, case: Case, seen: Measured) -> list[FileAccess]:
    """The files that were read and that no required file means."""
    rooms = room_files(suite)
    meant = {
        (room, path)
        for required in case.gold.required_files
        for room in ((required.room,) if required.room else tuple(mount.room for mount in case.task.data))
        for path in (*required.matches, *(rooms[room].meant(required) if room in rooms else ()), required.path)
    }
    only = case.task.data[0].room if len(case.task.data) == 1 else ""
    return [access for access in seen.files if (access.room or only, access.path) not in meant]


def _listed(files: Sequence[FileAccess]) -> str:
    names = [file.path for file in files[:_SHOWN]]
    more = f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else ""
    return ", ".join(names) + more if names else "nothing"


def _twice(first: Run, second: Run) -> Step:
    if second.failure:
        return Step(name="same-result-twice", outcome="failed", evidence=f"the second run failed: {second.failure}")
    if first.printed != second.printed:
        evidence = f"first {quoted(first.printed, 100)}, then {quoted(second.printed, 100)}"
        return Step(name="same-result-twice", outcome="failed", evidence=evidence)
    differing = sorted(name for name in first.files.keys() | second.files.keys() if not _equal(first, second, name))
    if differing:
        return Step(name="same-result-twice", outcome="failed", evidence=f"outputs differ: {', '.join(differing)}")
    return Step(name="same-result-twice", outcome="passed")


def _equal(first: Run, second: Run, name: str) -> bool:
    paths = first.files.get(name), second.files.get(name)
    return None not in paths and len({sha256_file(path) for path in paths if path}) == 1
