"""How long it takes to score the whole of CoDA-Bench in both modes, and where the two verdicts differ.

    python benchmarks/scoring_speed.py SUITE [--conformance coda_expected.jsonl]

SUITE is the built suite `coda_bench`. With the recorded perturbations the script also prints, by perturbation, how many
predictions the published rule (exact, numeric) and the sound scorer accept.
"""

import argparse
import json
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from benchwright.scoring import Job, score_jobs, score_predictions
from benchwright.suites import find
from benchwright.trajectory import Submission


def golds_as_predictions(suite, folder):
    path = Path(folder) / "predictions.jsonl"
    lines = (json.dumps({"instance_id": name, "prediction": gold.answer}) for name, gold in suite.golds.items())
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def speed(suite):
    with tempfile.TemporaryDirectory() as folder:
        path = golds_as_predictions(suite, folder)
        start = time.perf_counter()
        document = score_predictions(suite, path).document()
        seconds = time.perf_counter() - start
    print(
        f"{document['n_tasks']} predictions, both modes: {seconds:.2f} s, {document['sound']['unscorable']} unscorable"
    )


def verdicts(suite, recorded):
    rows = [json.loads(line) for line in recorded.read_text(encoding="utf-8").splitlines()]
    jobs = [Job(str(row["instance_id"]), Submission(answer=row["prediction"])) for row in rows]
    start = time.perf_counter()
    counts = defaultdict(lambda: [0, 0, 0, 0, 0])
    differing = 0
    for row, scores in zip(rows, score_jobs(suite.folder, jobs), strict=True):
        count = counts[row["perturbation"]]
        exact, numeric = scores.reference.details["exact"], scores.reference.details["numeric"]
        differing += (exact, numeric) != (row["exact"], row["exact"] or row["numeric"])
        sound = scores.sound.kind == "scored" and scores.sound.value == 1
        for place, one in enumerate((True, exact, numeric, sound, scores.sound.kind == "unscored")):
            count[place] += one
    print(f"{len(rows)} recorded rows in {time.perf_counter() - start:.1f} s, {differing} reference verdicts differ")
    print(f"{'perturbation':24} {'rows':>6} {'exact':>6} {'numeric':>8} {'sound':>6} {'unscorable':>10}")
    for name, (total, exact, numeric, sound, unscored) in sorted(counts.items()):
        print(f"{name:24} {total:6} {exact:6} {numeric:8} {sound:6} {unscored:10}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite")
    parser.add_argument("--conformance", type=Path)
    options = parser.parse_args()
    suite = find(options.suite)
    speed(suite)
    if options.conformance:
        verdicts(suite, options.conformance)


if __name__ == "__main__":
    main()
