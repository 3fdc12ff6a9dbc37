"""The baselines over the whole lake: what a program without a model scores, and what it opens.

    python benchmarks/baselines_on_lake.py [--subset demo] [--json]

Prints one row a baseline: attempts, sound and reference Execution Accuracy with 95 % intervals, Discovery Accuracy,
files opened, precision, swept, and median seconds. Needs the extra `lake` and, for the explorer, a sandbox.
"""

import argparse
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median

from benchwright.baselines import BASELINES
from benchwright.errors import Broken
from benchwright.sandbox import toolbox
from benchwright.sandbox.base import Room, SandboxSpec
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.scoring import Job, Judged, score_jobs
from benchwright.scoring.aggregate import discovery_accuracy, reference_accuracy, sound_accuracy
from benchwright.suites import find
from benchwright.trajectory import NotMeasured, Submission


def attempt(suite, task, baseline, provider, tools, folder):
    start = time.perf_counter()
    try:
        if not baseline.needs_sandbox:
            submission = baseline.attempt(task, None, 0)
        else:
            rooms = tuple(Room(mount.room, suite.room_path(mount.room), mount.target) for mount in task.data)
            with provider.open(SandboxSpec(rooms=rooms, limits=task.limits, toolbox=tools)) as sandbox:
                submission = baseline.attempt(task, sandbox, 0)
                into = folder / task.id
                into.mkdir(parents=True)
                files = {str(path): into / path for path in sandbox.collect(into, task.limits.artifacts_mb)}
                submission = submission.model_copy(update={"files": files})
    except Broken as error:
        print(f"{task.id}: {error}", file=sys.stderr)
        submission = Submission(accesses=NotMeasured(reason=str(error.what)))
    return submission, time.perf_counter() - start


def measure(suite, tasks, baseline, provider, tools):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as threads:
        done = list(threads.map(lambda task: attempt(suite, task, baseline, provider, tools, Path(folder)), tasks))
        jobs = [Job(task.id, submission) for task, (submission, _) in zip(tasks, done, strict=True)]
        rows = [Judged(scores) for scores in score_jobs(suite.folder, jobs)]
    return {
        "baseline": baseline.name,
        "sound": sound_accuracy(rows),
        "reference": reference_accuracy(rows),
        "discovery": discovery_accuracy(rows),
        "median_seconds": median(seconds for _, seconds in done),
        "right": [row.scores.task_id for row in rows if getattr(row.scores.sound, "value", 0) == 1],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--subset", default="full")
    parser.add_argument("--baselines", default=",".join(BASELINES))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    suite = find("lake", lambda text: print(text, file=sys.stderr))
    tasks = [suite.tasks[name] for name in suite.subset(options.subset)]
    tools = toolbox.ensure("core", lambda text: print(text, file=sys.stderr))
    with NamespaceProvider() as provider:
        for name in options.baselines.split(","):
            result = measure(suite, tasks, BASELINES[name], provider, tools)
            show(result, as_json=options.json)


def show(result, *, as_json):
    if as_json:
        print(json.dumps(result))
        return
    sound, discovery = result["sound"], result["discovery"]
    found, (low, high) = discovery["sound"], sound["ci95"]
    precision = "-" if discovery["precision"] is None else f"{discovery['precision']:.3f}"
    print(
        f"{result['baseline']:13} n={sound['n']:3}  EA sound {sound['mean']:.3f} [{low:.3f}, {high:.3f}]"
        f"  EA reference {result['reference']['mean']:.3f}"
        f"  DA {found['found']}/{found['n']} ({found['measured']} measured), files {discovery['files_opened']},"
        f" precision {precision}, swept {discovery['swept']}  {result['median_seconds']:.2f} s"
    )
    print("   right:", ", ".join(result["right"]))


if __name__ == "__main__":
    main()
