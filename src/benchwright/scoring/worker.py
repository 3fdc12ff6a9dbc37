"""The program that judges hostile output files: jobs come in on stdin, verdicts go out on stdout.

A job is one line of JSON. What comes back are lines, too: `judging` before each verdict is looked for and `judged` with
it, so that a death or a hang costs that verdict alone, and in the end `scores`. Nothing is ever unpickled. Run it as a
child of `Worker`.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import TypeAdapter

from benchwright.files import canonical_json
from benchwright.score import Score
from benchwright.scoring.attempt import Judging
from benchwright.suite import Suite
from benchwright.trajectory import Submission

READY = b'"ready"\n'
_FILE_BYTES = 1 << 30
_SCORE: TypeAdapter[Score] = TypeAdapter(Score)
Tell = Callable[[dict[str, Any]], None]
"""What a job is answered with: one line of JSON at a time."""


def main(folder: str, memory_mb: str, seconds: str) -> None:
    """Judge until stdin ends, at most `seconds` a verdict and `memory_mb` of data in all."""
    serve(lambda: partial(judge, Suite.open(Path(folder))), int(memory_mb), float(seconds))


def serve(prepare: Callable[[], Callable[[dict[str, Any], Tell], None]], memory_mb: int, seconds: float) -> None:
    """Answer each job of stdin until it ends; what `prepare` makes answers one, within the limits."""
    pipe = _own_stdout()
    answer = prepare()
    limit_memory(memory_mb)
    faulthandler.enable()  # what a dying library was at goes to stderr, where the parent finds it
    pipe.write(READY)
    pipe.flush()

    def tell(line: dict[str, Any]) -> None:
        pipe.write(canonical_json(line).encode("utf-8", "replace") + b"\n")
        pipe.flush()
        # The parent keeps the time; this watch ends a worker whose parent was killed.
        faulthandler.dump_traceback_later(seconds + 10.0, exit=True)

    for line in sys.stdin.buffer:
        answer(json.loads(line), tell)
        faulthandler.cancel_dump_traceback_later()


def judge(suite: Suite, job: dict[str, Any], tell: Tell) -> None:
    """Find the verdicts on one job that are not known yet, and tell each."""
    submission = Submission.model_validate(job["submission"])
    judging = Judging(suite, job["task_id"], submission, job["modes"], job["claimed"], job["finished"])
    verdicts = {(known["check"], known["mode"]): _SCORE.validate_python(known["score"]) for known in job["known"]}
    for step in judging.steps():
        if step in verdicts:
            continue
        place = {"check": step[0], "mode": step[1]}
        tell({"judging": place})
        verdicts[step] = score = judging.verdict(step)
        tell({"judged": {**place, "score": score.model_dump(mode="json")}})
    tell({"scores": judging.scores(verdicts).model_dump(mode="json", exclude_none=True)})


def limit_memory(memory_mb: int) -> None:
    """Bound the data that this process may hold, and the files it may write.

    RLIMIT_DATA, not RLIMIT_AS: polars and pyarrow reserve address space that they never touch.
    """
    resource.setrlimit(resource.RLIMIT_DATA, (memory_mb << 20, memory_mb << 20))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _own_stdout() -> BinaryIO:
    """The pipe to the parent; whatever a library prints goes to stderr from now on."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return pipe


if __name__ == "__main__":
    main(*sys.argv[1:])
