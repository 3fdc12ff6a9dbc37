"""What the harness itself costs: many attempts of a scripted agent, in wall time, processor time and memory.

`plain` attempts submit at once and use no sandbox; `sandboxed` ones run one shell command in their own sandbox first, `turns`
twenty.
Processor time of this process (scheduling, logs, journal) and of its children (judging, sandboxes) are told apart.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchwright.gold import Gold
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task

SUBMIT = {"calls": [{"tool": "submit", "arguments": {"answer": "42"}}]}
LOOK = {"calls": [{"tool": "bash", "arguments": {"command": "head -2 /data/sales.csv"}}]}
TURNS = 20
KINDS = {"plain": [SUBMIT], "sandboxed": [LOOK, SUBMIT], "turns": [LOOK] * TURNS + [SUBMIT]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=1000)
    parser.add_argument(
        "--kind", choices=KINDS, help="measure one kind in this process; default: both, each in its own"
    )
    options = parser.parse_args()
    if options.kind:
        with tempfile.TemporaryDirectory(prefix="benchwright-scripted-") as name:
            print(json.dumps(measure(Path(name), options.kind, options.attempts)))
        return
    for kind in KINDS:
        arguments = [sys.executable, __file__, "--kind", kind, "--attempts", str(options.attempts)]
        subprocess.run(arguments, check=True)


def measure(folder: Path, kind: str, attempts: int) -> dict[str, object]:
    from benchwright.live.planning import RunRequest, resolve
    from benchwright.live.prompts import Prompts
    from benchwright.live.runner import run

    suite, script = prepare(folder, kind, attempts)
    spec = resolve(RunRequest(agents=("react",), models=(f"scripted/{script}",)), suite, Prompts())
    ready, began = time.process_time(), time.monotonic()
    outcome = run(spec, folder / "run")
    wall, own = time.monotonic() - began, time.process_time() - ready
    assert outcome.done == attempts
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "kind": kind,
        "attempts": attempts,
        "wall_seconds": round(wall, 1),
        "harness_cpu_ms_per_attempt": round(own / attempts * 1000, 1),
        "children_cpu_ms_per_attempt": round((children.ru_utime + children.ru_stime) / attempts * 1000, 1),
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "log_kb": round(sum(path.stat().st_size for path in outcome.folder.logs.glob("*.eval")) / 1024),
    }


def prepare(folder: Path, kind: str, attempts: int) -> tuple[Suite, Path]:
    room = folder / "suite" / "data" / "shop"
    room.mkdir(parents=True)
    (room / "sales.csv").write_text("month,amount\njan,10\nfeb,32\n")
    tasks = [Task(id=f"t{n}", question=f"How many {n}?", data=(DataMount(room="shop"),)) for n in range(attempts)]
    golds = [Gold(task_id=task.id, answer="42") for task in tasks]
    suite = Suite.write(
        folder / "suite", SuiteInfo(name="scripted", rooms={"shop": RoomInfo(files=1)}), tasks, golds=golds
    )
    script = folder / "script.jsonl"
    script.write_text("".join(json.dumps(line) + "\n" for line in KINDS[kind]))
    return suite, script


if __name__ == "__main__":
    main()
