"""CoDA-Bench's published rule (evaluator of v1.0.0, unchanged in v1.0.1), to the letter, faults included.

Text is compared after white space is folded and lower-cased; numbers are compared one by one with an absolute
tolerance, and the words around them are not looked at. So `France; 12.5` matches `Germany; 12.5`, and `1234` does not
match `1,234`: scores compare with published ones, and `scorers.answer` says what is right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from benchwright.files import write_atomic
from benchwright.score import Score, Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.trajectory import Submission

TOLERANCE = 1e-6
_NUMBER = re.compile(r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?")
_SPACE = re.compile(r"\s+")
_LISTS = ("missing_ids", "extra_ids", "per_instance")


class GoldRow(Protocol):
    """A task as the evaluator reads it."""

    @property
    def instance_id(self) -> int:
        """Its number."""

    @property
    def answer(self) -> str:
        """Its gold."""

    @property
    def release_community(self) -> str:
        """Its room."""

    @property
    def dataset(self) -> str:
        """The dataset that its notebook was written for."""


class PredictionRow(Protocol):
    """A prediction as the evaluator reads it."""

    @property
    def instance_id(self) -> int:
        """The task's number."""

    @property
    def prediction(self) -> str:
        """The answer that was handed in."""


class Match(NamedTuple):
    """Both verdicts. `numeric` is what the evaluator reports under that name: exact, or the numbers agree."""

    exact: bool
    numeric: bool


def normalize(value: object) -> str:
    """Text without outer white space, inner white space as one space each, in lower case. Nothing else is folded."""
    return _SPACE.sub(" ", str(value).strip()).lower()


def exact_match(prediction: object, gold: object) -> bool:
    """Whether both texts are equal once normalised."""
    return normalize(prediction) == normalize(gold)


def numeric_match(prediction: object, gold: object) -> bool:
    """Whether both texts hold the same numbers in the same order, each within 1e-6; False where there is none."""
    ours, golds = _numbers(prediction), _numbers(gold)
    if not ours or len(ours) != len(golds):
        return False
    return all(abs(one - other) <= TOLERANCE for one, other in zip(ours, golds, strict=True))


def _numbers(value: object) -> list[float]:
    return [float(token) for token in _NUMBER.findall(str(value))]


def match(prediction: object, gold: object) -> Match:
    """Both verdicts on one prediction."""
    exact = exact_match(prediction, gold)
    return Match(exact, exact or numeric_match(prediction, gold))


@dataclass(frozen=True, slots=True)
class InstanceResult:
    """One prediction of a known task, judged."""

    instance_id: int
    prediction: str
    gold: str
    exact_match: bool
    numeric_match: bool
    release_community: str
    dataset: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the published evaluator reports. Both accuracies divide by `n_gold`: what is missing is wrong.

    `n_gold` and `n_pred` count rows, duplicates included; `n_scored` counts tasks that have a prediction.
    """

    n_gold: int
    n_pred: int
    n_scored: int
    exact_correct: int
    numeric_correct: int
    exact_accuracy: float
    numeric_accuracy: float
    missing_ids: list[int]
    extra_ids: list[int]
    per_instance: list[InstanceResult]

    def to_dict(self) -> dict[str, Any]:
        """The result under the published keys."""
        return asdict(self)

    def summary(self) -> dict[str, Any]:
        """The printed summary: the lists left out, two of them counted."""
        kept = {key: value for key, value in self.to_dict().items() if key not in _LISTS}
        return kept | {"missing_count": len(self.missing_ids), "extra_count": len(self.extra_ids)}

    def write(self, path: Path) -> None:
        """The result file as published: JSON, indent 2, UTF-8 kept, a final newline."""
        write_atomic(path, json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n")


def evaluate(tasks: Iterable[GoldRow], predictions: Iterable[PredictionRow]) -> Evaluation:
    """Judge predictions; of rows with one id the last counts, on both sides; unknown ids are ignored."""
    gold_rows, rows = list(tasks), list(predictions)
    golds = {task.instance_id: task for task in gold_rows}
    handed_in = {row.instance_id: row for row in rows}
    judged = [_judge(golds[number], handed_in[number]) for number in sorted(golds.keys() & handed_in.keys())]
    exact = sum(item.exact_match for item in judged)
    numeric = sum(item.numeric_match for item in judged)
    return Evaluation(
        n_gold=len(gold_rows),
        n_pred=len(rows),
        n_scored=len(judged),
        exact_correct=exact,
        numeric_correct=numeric,
        exact_accuracy=exact / len(gold_rows) if gold_rows else 0.0,
        numeric_accuracy=numeric / len(gold_rows) if gold_rows else 0.0,
        missing_ids=sorted(golds.keys() - handed_in.keys()),
        extra_ids=sorted(handed_in.keys() - golds.keys()),
        per_instance=judged,
    )


def _judge(task: GoldRow, row: PredictionRow) -> InstanceResult:
    exact, numeric = match(row.prediction, task.answer)
    return InstanceResult(
        instance_id=task.instance_id,
        prediction=row.prediction,
        gold=task.answer,
        exact_match=exact,
        numeric_match=numeric,
        release_community=task.release_community,
        dataset=task.dataset,
    )


class CodaBenchScorer:
    """The published rule for one answer. The value is the exact match, which the protocol's own program prints as
    Execution Accuracy; `details` holds both verdicts as `exact` and `numeric`.
    """

    name = "coda_bench"
    version = 1

    def score(self, submission: Submission, expected: Expected) -> Score:
        """1 or 0; nothing handed in is wrong."""
        if expected.gold.answer is None:
            return Unscored(reason="suite: no gold answer")
        if submission.answer is None:
            return Scored(value=0.0, reason="nothing was answered", details={"exact": False, "numeric": False})
        exact, numeric = match(submission.answer, expected.gold.answer)
        reason = "equal text" if exact else "equal numbers, other text" if numeric else "neither text nor numbers equal"
        return Scored(value=float(exact), reason=reason, details={"exact": exact, "numeric": numeric})
