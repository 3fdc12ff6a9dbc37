"""The main job on the whole lake: every agent without a model, all tasks, and the same through `inspect eval`.

    python benchmarks/whole_lake.py [--out DIR] [--agents oracle,explorer,know_nothing,constant,random]

Prints the run's table, then whether each promise holds, with what was measured. Exit code 1 where one does not.
Run the same command again to go on with a run that was stopped.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from inspect_ai.log import list_eval_logs, read_eval_log

from benchwright.cli.run import print_outcome
from benchwright.live.planning import RunRequest, resolve
from benchwright.live.prompts import Prompts
from benchwright.live.runner import run
from benchwright.suites import find

AGENTS = "oracle,explorer,know_nothing,constant,random"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--agents", default=AGENTS)
    options = parser.parse_args()
    suite = find("lake", lambda text: print(text, file=sys.stderr))
    with tempfile.TemporaryDirectory(prefix="benchwright-lake-") as scratch:
        out = options.out or Path(scratch) / "run"
        outcome = run(resolve(RunRequest(agents=tuple(options.agents.split(","))), suite, Prompts()), out)
        print_outcome(outcome, as_json=False)
        document = outcome.scoring.document()
        promises = [*kept(document), same_as_inspect(document, Path(scratch))]
    for holds, text in promises:
        print(f"{'holds' if holds else 'FAILS'}  {text}")
    sys.exit(0 if all(holds for holds, _ in promises) else 1)


def kept(document):
    """What the lake promises of the agents that have no model."""
    cells = {cell["title"]: cell for cell in document["cells"]}
    for name, least_ea, most_ea, least_da in (
        ("oracle", 1.0, 1.0, 1.0),
        ("explorer", 0.15, 1.0, 0.30),
        ("know_nothing", 0.0, 0.03, None),
        ("random", 0.0, 0.03, None),
    ):
        if name not in cells:
            continue
        ea, da = cells[name]["sound"]["mean"], cells[name]["discovery"]["sound"]["mean"]
        yield least_ea <= ea <= most_ea, f"{name}: EA sound {ea:.3f}, from {least_ea} to {most_ea}"
        if least_da is not None:
            yield da is not None and da >= least_da, f"{name}: DA {da}, at least {least_da}"


def same_as_inspect(document, scratch):
    """`inspect eval benchwright/lake` with the oracle: the same three scores for every task."""
    variables = {**os.environ, "INSPECT_LOG_DIR": str(scratch / "logs"), "INSPECT_DISPLAY": "none"}
    command = [sys.executable, "-m", "inspect_ai", "eval", "benchwright/lake", "-T", "agent=oracle"]
    subprocess.run(command, cwd=scratch, env=variables, check=True, stdout=subprocess.DEVNULL)
    log = read_eval_log(list_eval_logs(str(scratch / "logs"))[0])
    theirs = {sample.id: {name: score.value for name, score in sample.scores.items()} for sample in log.samples}
    oracle = next(cell["cell"] for cell in document["cells"] if cell["title"] == "oracle")
    ours = {
        task["id"]: {name: task[name]["score"] for name in ("reference", "sound", "discovery")}
        for task in document["tasks"]
        if task["cell"] == oracle
    }
    same = sum(theirs.get(name) == scores for name, scores in ours.items())
    return same == len(ours) == len(theirs), f"inspect eval: {same} of {len(ours)} tasks with equal scores"


if __name__ == "__main__":
    main()
