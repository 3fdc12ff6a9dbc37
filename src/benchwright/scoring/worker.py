"""The program that judges hostile output files: jobs come in on stdin, verdicts go out on stdout.

A job and a verdict are one line of JSON each; nothing is ever unpickled. Run it as a child of `Worker`.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import sys
from pathlib import Path
from typing import Any, BinaryIO

from benchwright.files import canonical_json
from benchwright.scoring.attempt import score_attempt
from benchwright.suite import Suite
from benchwright.trajectory import Submission

READY = b'"ready"\n'
_FILE_BYTES = 1 << 30


def main(folder: str, memory_mb: str, seconds: str) -> None:
    """Judge until stdin ends, at most `seconds` a job and `memory_mb` of data in all."""
    verdicts = _own_stdout()
    suite = Suite.open(Path(folder))
    limit_memory(int(memory_mb))
    verdicts.write(READY)
    verdicts.flush()
    for line in sys.stdin.buffer:
        # The parent keeps the time; this watch ends a worker whose parent was killed.
        faulthandler.dump_traceback_later(float(seconds) + 10.0, exit=True)
        verdicts.write(canonical_json(judge(suite, json.loads(line))).encode("utf-8", "replace") + b"\n")
        verdicts.flush()
        faulthandler.cancel_dump_traceback_later()


def judge(suite: Suite, job: dict[str, Any]) -> dict[str, Any]:
    """The verdicts on one job, as JSON."""
    submission = Submission.model_validate(job["submission"])
    verdicts = score_attempt(suite, job["task_id"], submission, job["modes"], job["claimed"])
    return verdicts.model_dump(mode="json", exclude_none=True)


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
