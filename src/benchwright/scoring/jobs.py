"""What is to be judged, and how: one submission as a value, and as the line by which it goes to another process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import TypeAdapter

from benchwright.files import canonical_json
from benchwright.score import Score
from benchwright.scoring.verdicts import BOTH, Mode, Step
from benchwright.trajectory import Submission

_NOTHING: Mapping[Step, Score] = MappingProxyType({})
_SCORE: TypeAdapter[Score] = TypeAdapter(Score)


@dataclass(frozen=True, slots=True)
class Job:
    """One submission to judge; `claimed` is what its agent says it has read, `finished` whether it ended by itself.

    `suite` is the folder of the task's suite where that is not the worker's own.
    """

    task_id: str
    submission: Submission
    claimed: tuple[str, ...] | None = None
    modes: tuple[Mode, ...] = BOTH
    finished: bool = True
    suite: Path | None = None

    def line(self, known: Mapping[Step, Score] = _NOTHING) -> bytes:
        """The job as the worker reads it, with the verdicts that are known already."""
        values = {
            "task_id": self.task_id,
            "submission": self.submission.model_dump(mode="json"),
            "claimed": self.claimed,
            "modes": self.modes,
            "finished": self.finished,
            "suite": "" if self.suite is None else str(self.suite.absolute()),
            "known": [
                {"check": check, "mode": mode, "score": score.model_dump(mode="json")}
                for (check, mode), score in known.items()
            ],
        }
        return canonical_json(values).encode("utf-8", "replace") + b"\n"

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Job:
        """A job from what its line holds."""
        return cls(
            task_id=values["task_id"],
            submission=Submission.model_validate(values["submission"]),
            claimed=None if values["claimed"] is None else tuple(values["claimed"]),
            modes=tuple(values["modes"]),
            finished=values["finished"],
            suite=Path(values["suite"]) if values["suite"] else None,
        )


def known_in(values: Mapping[str, Any]) -> dict[Step, Score]:
    """The verdicts that are known already, by what a job's line holds."""
    return {(known["check"], known["mode"]): _SCORE.validate_python(known["score"]) for known in values["known"]}
