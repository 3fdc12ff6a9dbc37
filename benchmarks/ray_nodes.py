"""A run of scripted attempts over three Ray nodes on this machine, two of which are killed on the way, beside one process.

Every attempt must be there exactly once. Both runs make the same attempts; the nodes share this machine's processors, so that
the rate says what the cluster costs, not what more machines bring.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchwright.run import RunFolder
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "live" / "cluster"))
from nodes import Nodes, nodes

TASKS, ROOMS = 100, 5
SCRIPT = [{"calls": [{"tool": "submit", "arguments": {"answer": "42"}}]}]
LONGEST = 3600.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=2, help="how many of the three nodes are killed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--alone", action="store_true", help="one process too, for its rate")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchwright-ray-") as name:
        outcome = measure(Path(name), options)
    print(json.dumps(outcome, indent=2))
    sys.exit(0 if outcome["lost"] == outcome["twice"] == 0 else 1)


def measure(folder: Path, options: argparse.Namespace) -> dict[str, object]:
    command = prepare(folder, options.attempts // TASKS)
    load = os.getloadavg()[0]
    found: dict[str, object] = {"attempts": options.attempts, "load_before": round(load, 1)}
    if options.alone:
        began = time.monotonic()
        subprocess.run([*command, "--out", folder / "alone"], check=True, capture_output=True, timeout=LONGEST)
        found["attempts_a_second_alone"] = round(options.attempts / (time.monotonic() - began), 2)
    with nodes(folder, (1, 1, 1), 26400 + options.seed) as cluster:
        began = time.monotonic()
        with (folder / "said.txt").open("wb") as said:
            over = [*command, "--out", folder / "out", "--ray", cluster.address]
            process = subprocess.Popen(over, stdout=subprocess.DEVNULL, stderr=said)
            killed = kill_on_the_way(process, cluster, folder, options)
            code = process.wait(LONGEST)
        seconds = time.monotonic() - began
    if code:
        sys.exit(f"the run ended with {code}\n{(folder / 'said.txt').read_text()[-4000:]}")
    return {
        **found,
        **faults(folder / "out", options.attempts),
        "killed_at": killed,
        "attempts_a_second": round(options.attempts / seconds, 2),
    }


def kill_on_the_way(
    process: subprocess.Popen[bytes], cluster: Nodes, folder: Path, options: argparse.Namespace
) -> list[int]:
    """Kill nodes when so many attempts are done; which, and at how many, is drawn."""
    draw = random.Random(options.seed)
    due = sorted(draw.randrange(options.attempts // 20, options.attempts * 3 // 4) for _ in range(options.kills))
    killed = []
    while len(killed) < options.kills and process.poll() is None:
        done = sum(path.read_bytes().count(b'"event":"attempt"') for path in journals(folder / "out"))
        if done >= due[len(killed)]:
            cluster.kill(len(killed) + 1)
            killed.append(done)
        time.sleep(0.5)
    return killed


def journals(out: Path) -> list[Path]:
    """The whole's own journal holds what was taken in, with a note from where; the parts' hold what they do."""
    return list(out.glob("parts/*/events.jsonl"))


def faults(out: Path, planned: int) -> dict[str, int]:
    made = Counter(
        (event["attempt"]["task_id"], event["attempt"].get("epoch", 1))
        for event in RunFolder.open(out).events("attempt")
    )
    return {"records": made.total(), "lost": planned - len(made), "twice": made.total() - len(made)}


def prepare(folder: Path, epochs: int) -> list[str | Path]:
    for room in range(ROOMS):
        (folder / "suite" / "data" / f"r{room}").mkdir(parents=True)
        (folder / "suite" / "data" / f"r{room}" / "sales.csv").write_text(f"month,amount\njan,{room}\n")
    tasks = [Task(id=f"t{n}", question=f"How many {n}?", data=(DataMount(room=f"r{n % ROOMS}"),)) for n in range(TASKS)]
    rooms = {f"r{room}": RoomInfo.of(folder / "suite" / "data" / f"r{room}") for room in range(ROOMS)}
    Suite.write(folder / "suite", SuiteInfo(name="nodes", rooms=rooms), tasks)
    (folder / "script.jsonl").write_text("".join(json.dumps(line) + "\n" for line in SCRIPT))
    program = [sys.executable, "-c", "from benchwright.cli import main; main()", "run"]
    model = f"scripted/{folder / 'script.jsonl'}"
    return [*program, folder / "suite", "--agent", "react", "--model", model, "--epochs", str(epochs)]


if __name__ == "__main__":
    main()
