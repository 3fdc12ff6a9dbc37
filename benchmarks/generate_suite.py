"""A suite of generated tasks, without a model: how many are proved, which skills they need, and what they are worth.

    python benchmarks/generate_suite.py SKILLS.jsonl OUT [--data DIR ...] [--tasks 260] [--seed 0] [--json]

Rooms are those of the built-in lake, and each folder of `--data`. SKILLS.jsonl has a `skill` and a `description` a line.
Prints proved tasks, skills that a program without them answered wrongly, rejections by reason, near-duplicate questions,
the sound score of the baseline that reads nothing, what the suite's lint finds, and seconds.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from rapidfuzz import fuzz, process

from benchwright.baselines.guess import KnowNothing
from benchwright.files import read_jsonl
from benchwright.generation.executing import Machine
from benchwright.generation.pipeline import Request, generate
from benchwright.generation.rounds import Goal
from benchwright.generation.templates import TemplateWriter
from benchwright.live.opening import open_sandbox, toolbox_here
from benchwright.proving import CheckOptions, check
from benchwright.scoring import Job, Judged, score_jobs
from benchwright.scoring.aggregate import sound_accuracy
from benchwright.suites import find

ALIKE = 95
"""Questions of which rapidfuzz's ratio is at least this are near duplicates."""


def gather(folder, extra):
    """The lake's rooms and further folders, side by side."""
    lake = find("lake", lambda text: print(text, file=sys.stderr))
    for room in sorted((lake.folder / "data").iterdir()):
        shutil.copytree(room, folder / room.name, copy_function=shutil.copyfile)
    for path in extra:
        shutil.copytree(path, folder / path.name)
    return folder


def near_duplicates(questions):
    """Questions that an earlier one is nearly the same as."""
    found = process.cdist(questions, questions, scorer=fuzz.ratio, score_cutoff=ALIKE)
    return sum(bool(found[place, :place].max(initial=0)) for place in range(len(questions)))


def guessed(suite, folder):
    """The sound score of what the questions alone suggest."""
    jobs = []
    for task in suite.tasks.values():
        submission = KnowNothing().attempt(task, None, 0)
        files = {}
        for name, content in KnowNothing().files(task).items():
            files[name] = folder / f"{task.id}-{name}"
            files[name].write_bytes(content)
        jobs.append(Job(task.id, submission.model_copy(update={"files": files})))
    return sound_accuracy([Judged(scores) for scores in score_jobs(suite.folder, jobs)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("skills", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, action="append", default=[])
    parser.add_argument("--rooms", help="only these rooms of all, by name", nargs="*")
    parser.add_argument("--tasks", type=int, default=260)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    skills = {row["skill"]: row.get("description", "") for _, row in read_jsonl(given.skills)}
    with tempfile.TemporaryDirectory() as scratch:
        data = gather(Path(scratch, "data"), given.data)
        for room in data.iterdir():
            if given.rooms and room.name not in given.rooms:
                shutil.rmtree(room)
        started = time.perf_counter()
        told = lambda state: print(f"\r{state.proved} proved of {state.drafted}", end="", file=sys.stderr)  # noqa: E731
        machine = Machine(lambda spec: open_sandbox(spec, "auto"), toolbox_here())
        made = generate(
            Request(data, given.out, Goal(given.tasks, skills, given.seed)), TemplateWriter(), machine, told=told
        )
        seconds = time.perf_counter() - started
        report = check(made.suite, CheckOptions(proofs=None))
        result = {
            "tasks": len(made.suite.tasks),
            "skills": len(made.skills),
            "skills_in_three_tasks": sum(count >= 3 for count in made.skills.values()),
            "templates": len(
                {
                    entry.draft.writer
                    for entry in made.entries
                    if hasattr(entry, "draft") and hasattr(entry.draft, "writer")
                }
            ),
            "rejections": dict(made.rejections),
            "near_duplicates": near_duplicates([task.question for task in made.suite.tasks.values()]),
            "know_nothing_sound": str(guessed(made.suite, Path(scratch))),
            "faults": dict(Counter(finding.severity.name for finding in report.findings)),
            "seconds": round(seconds, 1),
            "load": os.getloadavg(),
            "why": made.why,
        }
    print(
        json.dumps(result, indent=2) if given.json else "\n".join(f"{name}: {value}" for name, value in result.items())
    )


if __name__ == "__main__":
    main()
