"""Kill a running `benchwright run`, what holds its sandboxes, one sandbox or a judging worker with -9; run it again.

Every (cell, task, epoch) must be there exactly once, none lost, none run twice to its end, with its transcript; and no
process, mount, control group or temporary folder may be left. Whatever the runs start becomes a child of this process when
its parent dies, so that none can hide; temporary folders go to a place of their own. A start that takes too long is ended by
SIGABRT, and where its threads stood is shown; a run that does not end whole in a few starts is an error too.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
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

import psutil

from benchwright.gold import Gold
from benchwright.run import RunFolder
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task

SCRIPT = [
    {"calls": [{"tool": "bash", "arguments": {"command": "cat /data/sales.csv; sleep 0.2"}}], "seconds": 0.1},
    {"calls": [{"tool": "submit", "arguments": {"answer": "42"}}], "seconds": 0.1},
]
LONGEST = 120.0
"""Seconds that one start may take."""
STARTS = 8
"""Starts of one run in which nothing is killed, until it must be whole."""
SHOWN = 12_000
"""Characters of what a run said that are shown of its end."""
VICTIMS = ("runner", "supervisor", "worker", "sandbox")
"""The run itself, the process that holds its sandboxes, the one that judges, and the first process of one sandbox."""
LEFT = ("processes", "mounts", "groups", "folders")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=20, help="how many runs are killed")
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--undisturbed", type=int, default=2, help="runs that are timed first; the quickest counts")
    parser.add_argument(
        "--victims",
        nargs="+",
        choices=VICTIMS,
        default=VICTIMS,
        help="what is killed, in turn; `runner`: the run itself, `supervisor`: what holds its sandboxes",
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchwright-kill-") as name:
        outcome = measure(Path(name), options)
    print(json.dumps(outcome, indent=2))
    sys.exit(
        0 if outcome["lost"] == outcome["twice"] == outcome["without_transcript"] == outcome["left_over"] == 0 else 1
    )


def measure(folder: Path, options: argparse.Namespace) -> dict[str, object]:
    adopt_orphans()
    draw = random.Random(options.seed)
    command = prepare(folder, options)
    seen = Seen()
    alone = [[*command, "--out", folder / f"undisturbed{number}"] for number in range(options.undisturbed)]
    whole = min(undisturbed(each, seen) for each in alone)
    totals: Counter[str] = Counter()
    while totals["kills"] < options.moments:
        if totals["runs"] > options.moments + STARTS:
            sys.exit(f"only {totals['kills']} of {totals['runs']} runs had a process to be killed")
        out = folder / f"run{totals['runs']}"
        turns = range(totals["kills"], options.moments)
        due = [options.victims[turn % len(options.victims)] for turn in turns]
        totals.update(kill_until_done([*command, "--out", out], draw, whole, due, seen))
        totals["runs"] += 1
        totals.update(faults(out, options.tasks * options.epochs))
    names = ("kills", *VICTIMS, "runs", "attempts", "lost", "twice", "without_transcript")
    left = left_over(folder, seen)
    return {
        **{name: totals[name] for name in names},
        **{f"left_{name}": left[name] for name in LEFT},
        "left_over": sum(map(len, left.values())),
        "groups_seen": len(seen.groups),
        "seconds_undisturbed": round(whole, 1),
    }


def undisturbed(command: list[str | Path], seen: Seen) -> float:
    """Seconds of a run in which nothing is killed; the first on a machine also compiles and reads what later ones find."""
    began, told = time.monotonic(), Path(f"{command[-1]}.txt")
    if code := ended(start(command, told), told, seen):
        sys.exit(f"the run that nothing disturbed ended with {code}\n{end_of(told)}")
    return time.monotonic() - began


class Seen:
    """What runs were seen to have: their own children, of which supervisors make control groups, and those groups."""

    def __init__(self) -> None:
        self.owners: set[int] = set()
        self.groups: set[str] = set()

    def look(self, runner: int) -> None:
        """Note what a run has now."""
        with contextlib.suppress(psutil.Error):
            self.owners.update(child.pid for child in psutil.Process(runner).children())
        self.groups.update(self.left())

    def left(self) -> list[str]:
        """The groups that are there now: their names hold the number of the supervisor that made them."""
        return [path for path in groups() if any(f".{pid}." in path for pid in self.owners)]


def adopt_orphans() -> None:
    """Make this process the parent of all that its descendants leave behind (PR_SET_CHILD_SUBREAPER)."""
    ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0)


def prepare(folder: Path, options: argparse.Namespace) -> list[str | Path]:
    (folder / "tmp").mkdir()
    os.environ["TMPDIR"] = str(folder / "tmp")
    room = folder / "suite" / "data" / "shop"
    room.mkdir(parents=True)
    (room / "sales.csv").write_text("month,amount\njan,10\nfeb,32\n")
    tasks = [Task(id=f"t{n}", question=f"How many {n}?", data=(DataMount(room="shop"),)) for n in range(options.tasks)]
    golds = [Gold(task_id=task.id, answer="42") for task in tasks]
    Suite.write(folder / "suite", SuiteInfo(name="killed", rooms={"shop": RoomInfo(files=1)}), tasks, golds=golds)
    script = folder / "script.jsonl"
    script.write_text("".join(json.dumps(line) + "\n" for line in SCRIPT))
    program = [sys.executable, "-X", "faulthandler", "-c", "from benchwright.cli import main; main()", "run"]
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


def kill_until_done(
    command: list[str | Path], draw: random.Random, whole: float, due: list[str], seen: Seen
) -> Counter[str]:
    """Start the command again and again, each time with one of its processes killed, until it ends whole by itself."""
    kills: Counter[str] = Counter()
    told = Path(f"{command[-1]}.txt")
    alone = 0
    while alone < STARTS:
        process = start(command, told)
        victim = due[kills["kills"]] if kills["kills"] < len(due) else ""
        killed = bool(victim) and kill_one(process, victim, time.monotonic() + draw.uniform(0.5, whole), seen)
        if killed:
            kills.update(("kills", victim))
        alone += not killed
        code = ended(process, told, seen)
        reap()
        if code == 0:
            return kills
        if code not in (1, -signal.SIGKILL):
            sys.exit(f"exit code {code}\n{end_of(told)}")
    sys.exit(f"{command[-1]} was not whole after {STARTS} starts in which nothing was killed\n{end_of(told)}")


def start(command: list[str | Path], told: Path) -> subprocess.Popen[bytes]:
    """Start a run; what it says goes into a file."""
    with told.open("wb") as stream:
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stream)


def ended(process: subprocess.Popen[bytes], told: Path, seen: Seen) -> int:
    """The exit code of a run. One that hangs is ended, and where it stood is said: its threads and its processes."""
    try:
        latest = time.monotonic() + LONGEST
        while process.poll() is None and time.monotonic() < latest:
            seen.look(process.pid)
            time.sleep(0.2)
        return process.wait(max(0.0, latest - time.monotonic()))
    except subprocess.TimeoutExpired:
        below = [
            f"{child.pid} {child.status()} {child.cmdline()}"
            for child in psutil.Process(process.pid).children(recursive=True)
        ]
        process.send_signal(signal.SIGABRT)
        process.wait(LONGEST)
        sys.exit(f"a run did not end within {LONGEST:g} s; its processes:\n" + "\n".join(below) + f"\n{end_of(told)}")


def end_of(told: Path) -> str:
    return told.read_text(errors="replace")[-SHOWN:]


def kill_one(process: subprocess.Popen[bytes], victim: str, moment: float, seen: Seen) -> bool:
    """Kill one of a run's processes at a moment, or as soon after it as there is one; False where the run ended before."""
    latest = time.monotonic() + LONGEST
    while process.poll() is None and time.monotonic() < latest:
        found = victims(process.pid, victim) if time.monotonic() >= moment else []
        if found:
            seen.look(process.pid)
            with contextlib.suppress(psutil.Error):
                found[0].kill()
                return True
        time.sleep(0.02)
    return False


def victims(runner: int, kind: str) -> list[psutil.Process]:
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(runner)
        if kind == "runner":
            return [process]
        found = [child for child in process.children() if (kind == "worker") is is_worker(child)]
        return [inside for child in found for inside in child.children()] if kind == "sandbox" else found
    return []


def is_worker(process: psutil.Process) -> bool:
    return "benchwright.scoring.worker" in process.cmdline()


def reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


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


def left_over(folder: Path, seen: Seen) -> dict[str, list[str]]:
    """What the runs have left on this machine, a moment after the last one ended."""
    deadline = time.monotonic() + 100
    while True:
        reap()
        left = {
            "processes": [str(child) for child in psutil.Process().children(recursive=True)],
            "mounts": [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if str(folder) in line],
            "groups": seen.left(),
            "folders": [path.name for path in (folder / "tmp").iterdir()],
        }
        if not any(left.values()) or time.monotonic() > deadline:
            return left
        time.sleep(0.2)


def groups() -> list[str]:
    return [path for path, _, _ in os.walk("/sys/fs/cgroup") if "/benchwright-" in path]


if __name__ == "__main__":
    main()
