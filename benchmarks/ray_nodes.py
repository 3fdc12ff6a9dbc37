"""A run of scripted attempts over three Ray nodes on this machine, two of which are killed on the way, beside one process.

Every attempt must be there exactly once. Both runs make the same attempts; the nodes share this machine's processors, so that
the rate says what the cluster costs, not what more machines bring. With `--items` outputs are scored and files profiled instead,
by the command alone and over three nodes, one of which is killed; what is printed must be the same to the byte.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchwright.gold import Check, Gold
from benchwright.run import RunFolder
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, OutputSpec, Task

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "live"))
from cluster.nodes import Nodes, nodes

TASKS, ROOMS = 100, 5
SCRIPT = [{"calls": [{"tool": "submit", "arguments": {"answer": "42"}}]}]
LONGEST = 3600.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=2, help="how many of the three nodes are killed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--alone", action="store_true", help="one process too, for its rate")
    parser.add_argument("--items", type=int, default=0, help="so many outputs and files instead of attempts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchwright-ray-") as name:
        if options.items:
            found = measure_items(Path(name), options)
            print(json.dumps(found, indent=2))
            sys.exit(0 if all(each["same"] for each in found["work"].values()) else 1)
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


def measure_items(folder: Path, options: argparse.Namespace) -> dict[str, object]:
    """Each kind of work alone, over three nodes, and over three nodes of which one is killed."""
    program = [sys.executable, "-c", "from benchwright.cli import main; main()"]
    os.environ["BENCHWRIGHT_HOME"] = str(folder / "home")  # the nodes', too
    suite, outputs, files = prepare_items(folder, options.items)
    commands = {"scoring": ["score", suite, outputs, "--json"], "profiling": ["profile", files, "--json"]}
    load = round(os.getloadavg()[0], 1)
    work: dict[str, dict[str, object]] = {}
    with nodes(folder, (1, 1, 1), 26400 + options.seed) as cluster:
        for name, command in commands.items():
            alone, seconds = timed(folder, [*program, *command])
            over, spread = timed(folder, [*program, *command, "--ray", cluster.address])
            lost, killed = timed(folder, [*program, *command, "--ray", cluster.address], cluster)
            cluster.all_there()
            work[name] = {
                "items": options.items,
                "same": alone == over == lost,
                "a_second_alone": round(options.items / seconds, 1),
                "a_second_over_nodes": round(options.items / spread, 1),
                "a_second_with_a_node_killed": round(options.items / killed, 1),
            }
    return {"load_before": load, "work": work}


def timed(folder: Path, command: list[str | Path], cluster: Nodes | None = None) -> tuple[bytes, float]:
    """What a command prints, and its seconds from its start to its end; of a cluster node 1 is killed once it works.

    No file is in a cache beforehand.
    """
    shutil.rmtree(folder / "home" / "profiles", ignore_errors=True)
    with (folder / "printed").open("wb") as out:
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        while cluster is not None and process.poll() is None and not cluster.parts(1):
            time.sleep(0.1)
        if cluster is not None:
            cluster.kill(1)
        process.wait(LONGEST)
    return (folder / "printed").read_bytes(), time.monotonic() - began


def prepare_items(folder: Path, count: int) -> tuple[Path, Path, Path]:
    """Tasks that want a table of 200 rows, outputs of which every other is right, and as many files of 500 rows."""
    draw = random.Random(0)
    suite, outputs, files = folder / "suite", folder / "outputs", folder / "files"
    files.mkdir()
    checks = (Check(scorer="table", output="result.csv"),)
    tasks, golds = [], []
    for number in range(count):
        name = f"t{number}"
        right = "id,amount\n" + "".join(f"{row},{draw.random():.6f}\n" for row in range(200))
        for place, content in (
            (suite / "gold" / "files" / name, right),
            (outputs / name, right if number % 2 else right.replace("7", "8")),
        ):
            place.mkdir(parents=True)
            (place / "result.csv").write_text(content)
        rows = (f"{row},{draw.choice('abcd')},{draw.gauss(0, 1):.6f}\n" for row in range(500))
        (files / f"{number:05}.csv").write_text(f"row,kind,value\n{''.join(rows)}")
        tasks.append(Task(id=name, question="Which?", outputs=(OutputSpec(kind="table", name="result.csv"),)))
        golds.append(Gold(task_id=name, checks=checks, files=("result.csv",)))
    Suite.write(suite, SuiteInfo(name="items"), tasks, golds=golds)
    return suite, outputs, files


if __name__ == "__main__":
    main()
