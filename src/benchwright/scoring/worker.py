"""The program that judges hostile output files: jobs come in on stdin, verdicts go out on stdout.

A job is one line of JSON. What comes back are lines, too: `judging` before each verdict is looked for and `judged` with
it, so that a death or a hang costs that verdict alone, and in the end `scores`. Nothing is ever unpickled. Run it as a
child of `Worker`.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

from benchwright.scoring.attempt import Evaluation
from benchwright.scoring.jobs import Job, known_in
from benchwright.serving import Tell, serve
from benchwright.suite import Suite


def main(folder: str, memory_mb: str, seconds: str) -> None:
    """Judge until stdin ends, at most `seconds` a verdict and `memory_mb` of data in all; "" where jobs name suites."""
    serve(lambda: partial(judge, Suite.open(Path(folder)) if folder else None), int(memory_mb), float(seconds))


def judge(own: Suite | None, line: dict[str, Any], tell: Tell) -> None:
    """Find the verdicts on one job that are not known yet, and tell each."""
    job, verdicts = Job.read(line), known_in(line)
    suite = own if own is not None and job.suite is None else Suite.open(job.suite or Path())
    evaluation = Evaluation(suite, job)
    for step in evaluation.steps():
        if step in verdicts:
            continue
        place = {"check": step[0], "mode": step[1]}
        tell({"judging": place})
        verdicts[step] = score = evaluation.verdict(step)
        tell({"judged": {**place, "score": score.model_dump(mode="json")}})
    tell({"scores": evaluation.scores(verdicts).model_dump(mode="json", exclude_none=True)})


if __name__ == "__main__":
    main(*sys.argv[1:])
