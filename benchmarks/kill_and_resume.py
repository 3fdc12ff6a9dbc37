"""Kill a running `benchwright run` with -9 at random moments, run the same command again, and count the attempts.

Every (cell, task, epoch) must be there exactly once, none lost, none run twice to its end, with its transcript; and
no process of the killed runs may be left.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchwright.gold import Gold
from benchwright.run import RunFolder
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task

SCRIPT = [
    {"calls": [{"tool": "bash", "arguments": {"command": "cat /data/sales.csv; sleep 0.2"}}], "seconds": 0.1},
    {"calls": [{"tool": "submit", "arguments": {"answer": "42"}}], "seconds": 0.1},
]
LONGEST = 300.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=20, help="how many runs are killed")
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchwright-kill-") as name:
        outcome = measure(Path(name), options)
    print(json.dumps(outcome, indent=2))
    sys.exit(
        0 if outcome["lost"] == outcome["twice"] == outcome["without_transcript"] == outcome["left_over"] == 0 else 1
    )


def measure(folder: Path, options: argparse.Namespace) -> dict[str, float]:
    draw = random.Random(options.seed)
    command = prepare(folder, options)
    began = time.monotonic()
    subprocess.run([*command, "--out", folder / "undisturbed"], check=True, capture_output=True, timeout=LONGEST)
    whole = time.monotonic() - began
    totals: Counter[str] = Counter()
    while totals["kills"] < options.moments:
        out = folder / f"run{totals['runs']}"
        totals["kills"] += kill_until_done([*command, "--out", out], draw, whole, options.moments - totals["kills"])
        totals["runs"] += 1
        totals.update(faults(out, options.tasks * options.epochs))
    names = ("kills", "runs", "attempts", "lost", "twice", "without_transcript")
    return {
        **{name: totals[name] for name in names},
        "left_over": left_over(folder),
        "seconds_undisturbed": round(whole, 1),
    }


def prepare(folder: Path, options: argparse.Namespace) -> list[str | Path]:
    room = folder / "suite" / "data" / "shop"
    room.mkdir(parents=True)
    (room / "sales.csv").write_text("month,amount\njan,10\nfeb,32\n")
    tasks = [Task(id=f"t{n}", question=f"How many {n}?", data=(DataMount(room="shop"),)) for n in range(options.tasks)]
    golds = [Gold(task_id=task.id, answer="42") for task in tasks]
    Suite.write(folder / "suite", SuiteInfo(name="killed", rooms={"shop": RoomInfo(files=1)}), tasks, golds=golds)
    script = folder / "script.jsonl"
    script.write_text("".join(json.dumps(line) + "\n" for line in SCRIPT))
    program = [sys.executable, "-c", "from benchwright.cli import main; main()", "run"]
    return [
        *program,
        folder / "suite",
        "--agent",
        "react",
        "--model",
        f"scripted/{script}",
        "--epochs",
        str(options.epochs),
    ]


def kill_until_done(command: list[str | Path], draw: random.Random, whole: float, most: int) -> int:
    """Start the command again and again, each time killed at a random moment, until it ends by itself."""
    kills = 0
    while True:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            code = process.wait(draw.uniform(0.5, whole) if kills < most else LONGEST)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
        else:
            assert code == 0, f"exit code {code}"
            return kills


def faults(out: Path, planned: int) -> dict[str, int]:
    """What is wrong with a finished run. An attempt that a kill cut off has no record; a recorded one is never redone."""
    import polars as pl
    from inspect_ai.log import read_eval_log

    run = RunFolder.open(out)
    recorded = Counter(
        (event["attempt"]["cell"], event["attempt"]["task_id"], event["attempt"].get("epoch", 1))
        for event in run.events("attempt")
    )
    table = pl.read_parquet(out / "attempts.parquet")
    samples = [sample.uuid for log in run.logs.glob("*.eval") for sample in read_eval_log(str(log)).samples or ()]
    uuids = set(table["uuid"])
    return {
        "attempts": len(table),
        "lost": planned - len(set(recorded)) + (planned - len(table)),
        "twice": sum(count - 1 for count in recorded.values())
        + len(table)
        - len(table.unique(["cell", "task_id", "epoch"])),
        "without_transcript": len(uuids - set(samples)),
    }


def left_over(folder: Path) -> int:
    """Processes of killed runs that are still there, a moment after the last one ended."""
    deadline = time.monotonic() + 10
    while True:
        found = [path for path in Path("/proc").glob("[0-9]*/cmdline") if names(path, str(folder))]
        if not found or time.monotonic() > deadline:
            return len(found)
        time.sleep(0.2)


def names(path: Path, text: str) -> bool:
    try:
        return text in path.read_bytes().decode(errors="replace") and path.parent.name != str(os.getpid())
    except OSError:
        return False


if __name__ == "__main__":
    main()
