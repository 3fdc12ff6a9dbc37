"""What AgenticDataBench gives a program that reads no data, under its published rules and under the sound ones.

    python benchmarks/know_nothing_files.py SUITE [--figures docs/figures/know_nothing_files.json]

SUITE is the built suite `agentic_data_bench`. Two programs: `published attack` knows the checks, though no gold (a grid of
numbers for every compare_csv, the best value of every range that an agent reports about itself, one row of texts for every
compare_model, nothing else); `know_nothing` is the shipped baseline, which knows the question alone.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

from benchwright.baselines import KnowNothing
from benchwright.baselines.guess_files import number_grid
from benchwright.scoring import score_predictions
from benchwright.suite import Selection
from benchwright.suites import find

SUBSET = "gold_complete"


def best(rule):
    if isinstance(rule, dict):
        return {name: best(inner) for name, inner in rule.items()}
    return rule[1] if isinstance(rule, list) else 1


def attack(checks):
    files = {}
    for check in checks:
        published = check.options["published"]
        options = published["arguments"]
        if published["function"] == "compare_csv":
            files[check.output] = number_grid()
        elif published["function"] == "compare_json_normalized":
            files[check.output] = json.dumps(best(options["thresholds"])).encode()
        elif published["function"] == "compare_model":
            names = [name for name in options.get("calculate_columns") or () if isinstance(name, str)] or ["x"]
            files[check.output] = f"{','.join(names)}\n{','.join('text' for _ in names)}\n".encode()
    return files


def measure(suite, make):
    """The document over the tasks whose golds are here."""
    with tempfile.TemporaryDirectory() as name:
        for task_id in suite.subset(SUBSET):
            folder = Path(name) / task_id
            folder.mkdir()
            for output, data in make(task_id).items():
                (folder / output).write_bytes(data)
        start = time.perf_counter()
        document = score_predictions(suite, Path(name), selection=Selection(subset=SUBSET)).document()
        return document, time.perf_counter() - start


def figures(document, seconds):
    scores = {mode: [task[mode]["score"] or 0.0 for task in document["tasks"]] for mode in ("reference", "sound")}
    return {
        mode: {
            "mean": round(sum(values) / len(values), 4),
            "tasks": len(values),
            "at 1.0": sum(value == 1.0 for value in values),
            "at 0.5 or more": sum(value >= 0.5 for value in values),
            "at 0": sum(value == 0.0 for value in values),
        }
        for mode, values in scores.items()
    } | {"sound mean as reported": document["sound"]["mean"], "seconds": round(seconds, 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite")
    parser.add_argument("--figures", type=Path)
    options = parser.parse_args()
    suite = find(options.suite)
    ways = {
        "published attack": lambda name: attack(suite.golds[name].checks),
        "know_nothing": lambda name: KnowNothing().files(suite.tasks[name]),
    }
    found = {way: figures(*measure(suite, make)) for way, make in ways.items()}
    text = json.dumps(found, indent=2)
    print(text)
    if options.figures:
        options.figures.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
