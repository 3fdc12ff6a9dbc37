"""Check AgenticDataBench's published tasks: what their golds score under both verdicts, and which tasks are faulty, and why.

    python benchmarks/check_agentic_data_bench.py path/to/tasks.jsonl path/to/gold [--json docs/figures/agentic_data_bench_checks.json]

The golds are scored twice: by the check itself, and once more by themselves for the time that it takes.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

from benchwright.cli.output import print_table, progress
from benchwright.proving import CheckOptions, Kept, ProofOptions, check, read_kept
from benchwright.proving.gold_outputs import as_handed_in
from benchwright.score import Score, Scored
from benchwright.scoring.jobs import Job
from benchwright.scoring.verdicts import TaskScores
from benchwright.scoring.workers import score_jobs
from benchwright.suite import Suite
from benchwright.suites.base import BuildRequest
from benchwright.suites.registry import loader
from benchwright.trajectory import Submission

MODES = ("reference", "sound")
BY_DESIGN = ("prompt-names-path", "prompt-names-required-file", "prompt-names-dataset", "rooms-absent")
"""What the suite's authors accept, or is a matter of this machine."""


def main() -> None:
    """Build, score the golds, check, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", type=Path)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sources = {"tasks": arguments.tasks, "gold": arguments.gold}
        suite = loader("agentic_data_bench").load(BuildRequest(Path(folder) / "suite", sources, progress=progress))
        figures = measure(suite)
    show(figures)
    if arguments.json:
        for each in figures["rules"]:
            each["tasks"] = list(each["tasks"])  # evidence quotes golds, which are not ours to publish
        arguments.json.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")


def measure(suite: Suite) -> dict[str, Any]:
    """All figures of one suite."""
    jobs = [
        Job(name, Submission(files=as_handed_in(suite, task, suite.golds[name]))) for name, task in suite.tasks.items()
    ]
    started = time.monotonic()
    scores = list(score_jobs(suite.folder, jobs))
    seconds = time.monotonic() - started
    check(suite, CheckOptions(proofs=ProofOptions(), privacy=None), progress)
    kept = read_kept(suite)
    return {
        "tasks": len(suite.tasks),
        "calls": sum(len(gold.checks) for gold in suite.golds.values()),
        "scoring_s": round(seconds, 1),
        "golds": {mode: _standing([getattr(each, mode) for each in scores]) for mode in MODES},
        "by_scorer": _by_scorer(scores),
        "rules": _rules(kept),
        "faulty": {mode: _reasons(kept, mode) for mode in MODES},
        "unexplained": [
            each.task_id for each in scores if not _is_one(each.sound) and each.task_id not in kept.faulty["sound"]
        ],
    }


def _is_one(score: Score | None) -> bool:
    return isinstance(score, Scored) and score.value == 1.0


def _standing(scores: list[Score]) -> dict[str, Any]:
    values = [score.value for score in scores if isinstance(score, Scored)]
    return {
        "one": sum(map(_is_one, scores)),
        "below_one": sum(value < 1.0 for value in values),
        "unscored": len(scores) - len(values),
        "mean_over_all": round(fmean([*values, *[0.0] * (len(scores) - len(values))]), 4),
    }


def _by_scorer(scores: list[TaskScores]) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for each in scores:
        for one in each.checks:
            found[one.scorer]["calls"] += 1
            for mode in MODES:
                found[one.scorer][mode] += _is_one(getattr(one, mode))
    return {name: dict(counts) for name, counts in sorted(found.items())}


def _rules(kept: Kept) -> list[dict[str, Any]]:
    """Tasks with their evidence by rule, severity and the verdicts that are concerned; errors first."""
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for finding in kept.findings:
        if finding.rule not in BY_DESIGN and finding.task_id:
            key = finding.severity.value, finding.rule, ", ".join(finding.modes or MODES)
            found.setdefault(key, {}).setdefault(finding.task_id, " ".join(finding.evidence.split())[:300])
    order = {"error": 0, "warning": 1, "note": 2}
    return [
        {"rule": rule, "severity": severity, "modes": modes, "tasks": tasks}
        for (severity, rule, modes), tasks in sorted(found.items(), key=lambda each: (order[each[0][0]], each[0]))
    ]


def _reasons(kept: Kept, mode: str) -> dict[str, list[str]]:
    return {name: sorted({reason.rule for reason in kept.reasons(name, mode)}) for name in kept.faulty[mode]}


def show(figures: dict[str, Any]) -> None:
    """The figures as tables."""
    print(f"{figures['tasks']} tasks, {figures['calls']} calls; all golds in both verdicts: {figures['scoring_s']} s")
    rows = [(mode, *figures["golds"][mode].values(), len(figures["faulty"][mode])) for mode in MODES]
    print_table("What the golds score", ("verdict", "1", "below 1", "unscored", "mean over all", "faulty"), rows)
    counts = [(name, *each.values()) for name, each in figures["by_scorer"].items()]
    print_table("Calls whose gold scores 1", ("scorer", "calls", *MODES), counts)
    rules = [(each["rule"], each["modes"], each["severity"], len(each["tasks"])) for each in figures["rules"]]
    print_table("Tasks by rule", ("rule", "verdict", "severity", "tasks"), rules)
    for each in figures["rules"]:
        for task_id, evidence in each["tasks"].items():
            print(f"{task_id}  {each['rule']}: {evidence}")
    print(f"golds below 1 in the sound verdict that no error names: {', '.join(figures['unexplained']) or 'none'}")


if __name__ == "__main__":
    main()
