"""How long it takes to score every gold of AgenticDataBench against itself in both modes, worker processes included.

    python benchmarks/scoring_speed_files.py SUITE [--figures docs/figures/scoring_speed_files.json]

SUITE is the built suite `agentic_data_bench`.
"""

import argparse
import json
import os
import resource
import shutil
import tempfile
import time
from pathlib import Path

from benchwright.proving.gold_outputs import as_handed_in
from benchwright.scoring import score_predictions
from benchwright.suites import find


def hand_in_golds(suite, folder):
    for name, gold in suite.golds.items():
        (folder / name).mkdir()
        for output, path in as_handed_in(suite, suite.tasks[name], gold).items():
            if path.is_file():
                shutil.copyfile(path, folder / name / output)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite")
    parser.add_argument("--figures", type=Path)
    options = parser.parse_args()
    suite = find(options.suite)
    found = {"tasks": len(suite.golds), "processors": os.cpu_count(), "load before": round(os.getloadavg()[0], 1)}
    with tempfile.TemporaryDirectory() as name:
        hand_in_golds(suite, Path(name))
        for modes in (("reference",), ("sound",), ("reference", "sound")):
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            document = score_predictions(suite, Path(name), modes).document()
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            found[" and ".join(modes)] = {
                "seconds": round(time.perf_counter() - start, 2),
                "processor seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2),
                **{mode: document[mode]["mean"] for mode in modes},
                **{f"{mode} at 1.0": sum(task[mode]["score"] == 1.0 for task in document["tasks"]) for mode in modes},
            }
    text = json.dumps(found, indent=2)
    print(text)
    if options.figures:
        options.figures.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
