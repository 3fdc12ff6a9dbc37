"""From verdicts to numbers: fixed denominators, and an interval beside every share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import median
from typing import Any

from benchwright.labels import Labels
from benchwright.run import Key
from benchwright.score import Score, Scored, Unscored, unscorable
from benchwright.scoring.grouping import clusters
from benchwright.scoring.intervals import score_interval, wilson
from benchwright.scoring.verdicts import Discovery, TaskScores


@dataclass(frozen=True, slots=True)
class Judged:
    """One attempt and its verdicts; `broke` names whose fault ended it, `epoch` counts from 1.

    `present` is whether there is an attempt (or a prediction) at all.
    """

    scores: TaskScores
    cell: str = ""
    epoch: int = 1
    present: bool = True
    broke: str = ""

    @property
    def key(self) -> Key:
        """What the attempt is known by; of a prediction, which no cell made, with an empty one."""
        return Key(self.cell, self.scores.task_id, self.epoch)


Labelled = Mapping[str, Labels]
"""Labels by task, which say which tasks belong together."""
_NONE: Labelled = {}


def accuracy(
    rows: Sequence[Judged],
    verdict: Callable[[Judged], Score | None],
    whole: bool = False,
    labels: Labelled = _NONE,
) -> dict[str, Any]:
    """The share of right attempts among the `n` that can be judged: one without a score counts 0, and is shown.

    Attempts at a task that the suite itself leaves without a verdict (no gold, or a broken one) are counted apart as
    `unscorable`, for whichever agent, and not in `n`; `whole` keeps them in. `incomplete` ones have a value in which
    checks without a verdict count 0. `mean_scored` leaves out those without a value; `mean_all` has them all in.
    The interval takes attempts at one task for one (n = `tasks`), and goes over the `clusters` of tasks that `labels`
    tell (`cluster_by`).
    """
    found = [(row, score) for row in rows if (score := verdict(row)) is not None]
    counted = [(row, score) for row, score in found if whole or not unscorable(score)]
    values = [score.value for _, score in counted if isinstance(score, Scored)]
    mean = fsum(values) / len(counted) if counted else None
    return {
        "mean": mean,
        **_interval([(row, score.value if isinstance(score, Scored) else 0.0) for row, score in counted], labels),
        "n": len(counted),
        "scored": len(values),
        "unscored": len(found) - len(values),
        "unscorable": sum(unscorable(score) for _, score in found),
        "incomplete": sum("unscored_checks" in score.details for _, score in counted),
        "broke": sum(bool(row.broke) for row in rows),
        "mean_scored": fsum(values) / len(values) if values else None,
        "mean_all": fsum(values) / len(found) if found else None,
    }


def _interval(found: Sequence[tuple[Judged, float]], labels: Labelled) -> dict[str, Any]:
    """The interval of a mean over attempts, and over how many tasks and clusters of tasks it goes."""
    by_task: dict[str, list[float]] = {}
    for row, value in found:
        by_task.setdefault(row.scores.task_id, []).append(value)
    kind, groups = clusters(list(by_task), labels)
    about = {"tasks": len(by_task), "cluster_by": kind, "clusters": len(set(groups or by_task))}
    if groups is None:
        mean = fsum(value for _, value in found) / len(found) if found else 0.0
        return {"ci95": _listed(wilson(min(1.0, mean), len(by_task))), **about}
    over = score_interval([fsum(values) / len(values) for values in by_task.values()], groups)
    return {"ci95": [over.low, over.high], **about}


def reference_accuracy(rows: Sequence[Judged], absent_leave: bool = False, labels: Labelled = _NONE) -> dict[str, Any]:
    """The published rule's accuracy over all attempts; where it tells exact from numeric matches, both.

    `absent_leave`: the published mean leaves out tasks without a result, and so does this one, which counts them as
    `left_out`; `mean_all` is over all attempts.
    """
    found = [row for row in rows if row.present and not row.broke] if absent_leave else rows
    summary = accuracy(found, lambda row: row.scores.reference, whole=True, labels=labels)
    if absent_leave:
        everything = accuracy(rows, lambda row: row.scores.reference, whole=True)
        summary |= {"left_out": len(rows) - len(found), "mean_all": everything["mean"]}
    for name in ("exact", "numeric"):
        if summary["n"] and any(detail(row.scores.reference, name) is not None for row in found):
            correct = sum(_correct(row.scores.reference, name) for row in found)
            summary |= {f"{name}_correct": correct, f"{name}_accuracy": correct / summary["n"]}
    return summary


def _correct(score: Score | None, name: str) -> bool:
    """Whether a match of that kind was found; for outputs that are no answers, whether they are right."""
    told = detail(score, name)
    return bool(told) if told is not None else isinstance(score, Scored) and score.value == 1.0


def sound_accuracy(rows: Sequence[Judged], labels: Labelled = _NONE) -> dict[str, Any]:
    """The sound scorers' accuracy."""
    return accuracy(rows, lambda row: row.scores.sound, labels=labels)


def discovery_accuracy(rows: Sequence[Judged], labels: Labelled = _NONE) -> dict[str, Any]:
    """Discovery Accuracy under both denominators, its variants, and what was opened beside it.

    `reference` divides by all attempts, as the published protocol says: unknown or not measured is not found.
    `sound` divides by those of tasks whose required files are known; None where nothing was measured.
    Estimates from logs are in neither, but in `estimated`.
    """
    known = [row for row in rows if row.scores.discovery.known]
    measured = [row.scores.discovery for row in known if row.scores.discovery.measured]
    seen = [row.scores.discovery for row in rows if row.scores.discovery.measured]
    found = sum(_value(item) == 1.0 for item in measured)
    share = _share(known, _found, labels)
    return {
        "reference": _share(rows, lambda row: row.scores.discovery.known and _found(row), labels),
        "sound": {
            **(share if measured else {**share, "mean": None, "ci95": None}),
            "measured": len(measured),
            "not_measured": len(known) - len(measured),
            "mean_measured": found / len(measured) if measured else None,
        },
        "variants": {name: _variant(measured, name, len(known)) for name in ("strict", "content", "basename")},
        "precision": _mean(detail(item.score, "precision") for item in measured),
        "files_opened": median([item.opened or 0 for item in seen]) if seen else None,
        "swept": sum(bool(item.swept) for item in seen) if seen else None,
        **_claimed(rows),
        **_estimated(known, labels),
    }


def detail(score: Score | None, name: str) -> Any:
    """One of a score's details, None where there is none."""
    return None if score is None else score.details.get(name)


def _variant(measured: Sequence[Discovery], name: str, known: int) -> dict[str, Any]:
    verdicts = [detail(item.score, name) for item in measured]
    told = [bool(verdict) for verdict in verdicts if verdict is not None]
    return {"mean": sum(told) / known if told else None, "found": sum(told), "told": len(told)}


def _found(row: Judged) -> bool:
    """Whether a tracer saw that every required file was read."""
    return row.scores.discovery.measured and _value(row.scores.discovery) == 1.0


def _share(rows: Sequence[Judged], holds: Callable[[Judged], bool], labels: Labelled) -> dict[str, Any]:
    """The share of attempts of which something holds, with its interval over tasks."""
    truths = [(row, float(holds(row))) for row in rows]
    found, interval = sum(value == 1.0 for _, value in truths), _interval(truths, labels)
    return {"mean": found / len(rows) if rows else None, "ci95": interval["ci95"], "found": found, "n": len(rows)}


def _claimed(rows: Sequence[Judged]) -> dict[str, Any]:
    """What agents say of themselves: never mixed with what was measured."""
    claims = [row.scores.claimed for row in rows if row.scores.claimed is not None]
    if not claims:
        return {}
    found = sum(_value(item) == 1.0 for item in claims)
    return {"claimed": {"mean": found / len(rows), "found": found, "n": len(rows), "told": len(claims)}}


def _estimated(known: Sequence[Judged], labels: Labelled) -> dict[str, Any]:
    """What the commands of logs let one estimate, over the tasks whose required files are known."""
    told = [row.scores.discovery for row in known if row.scores.discovery.estimated]
    if not told:
        return {}
    share = _share(known, lambda row: row.scores.discovery.estimated and _value(row.scores.discovery) == 1.0, labels)
    return {"estimated": {**share, "told": len(told), "mean_told": share["found"] / len(told)}}


def _value(discovery: Discovery) -> float | None:
    return None if isinstance(discovery.score, Unscored) else discovery.score.value


def _mean(values: Iterable[Any]) -> float | None:
    told = [float(value) for value in values if value is not None]
    return fsum(told) / len(told) if told else None


def _listed(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)
