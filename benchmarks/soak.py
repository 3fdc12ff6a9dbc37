"""Whether a long run stays as it began: memory, descriptors, threads, processes and mounts over many sandboxed attempts.

    python benchmarks/soak.py [--attempts 10000] [--record]

One process runs the attempts (each runs a command in a sandbox of its own and submits); this one looks at it once a second. The
table has one row a tenth of the attempts, and one of the time after the last, in which all are judged and the tables are made: that
takes memory by the number of verdicts. The attempts are flat where their last fifth holds at most 5 % more memory than their third,
and no more than eight more descriptors, threads, processes or mounts. Exit code 1 where they are not, or where something is left.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
import ratios
import scripted_attempts

RECORD = ratios.RECORD.with_name("soak.json")
COUNTED = ("descriptors", "threads", "processes", "mounts")


def run(folder: Path, attempts: int) -> None:
    """The run itself, in this process."""
    from benchwright.live.planning import RunRequest, resolve
    from benchwright.live.prompts import Prompts
    from benchwright.live.runner import run as start

    suite, script = scripted_attempts.prepare(folder, "sandboxed", attempts)
    spec = resolve(RunRequest(agents=("react",), models=(f"scripted/{script}",)), suite, Prompts())
    assert start(spec, folder / "run").done == attempts


def mounts() -> int:
    return Path("/proc/self/mountinfo").read_text().count("\n")


def looked_at(process: psutil.Process, folder: Path) -> dict[str, Any]:
    """What the process holds now, and how many attempts it has made."""
    with process.oneshot():
        return {
            "made": made(folder),
            "mb": process.memory_info().rss >> 20,
            "descriptors": process.num_fds(),
            "threads": process.num_threads(),
            "processes": len(process.children(recursive=True)),
            "mounts": mounts(),
        }


def made(folder: Path) -> int:
    """Attempts that the journal of the run holds."""
    events = folder / "run" / "events.jsonl"
    return events.read_bytes().count(b'"event":"attempt"') if events.is_file() else 0


def watched(folder: Path, attempts: int) -> list[dict[str, Any]]:
    command = [sys.executable, __file__, "--run", str(folder), "--attempts", str(attempts)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        process, seen = psutil.Process(child.pid), []
        while child.poll() is None:
            try:
                seen.append(looked_at(process, folder))
            except psutil.Error:
                break
            time.sleep(1)
        if child.wait() != 0:
            sys.exit("the run failed")
    return seen


def most(looks: list[dict[str, Any]]) -> dict[str, int]:
    """The most of everything that some looks saw."""
    return {name: max(look[name] for look in looks) for name in ("mb", *COUNTED)}


def tenths(seen: list[dict[str, Any]], attempts: int) -> list[dict[str, Any]]:
    """The most that was held while each tenth of the attempts was made; tenths that passed between two looks are missing."""
    parts = [(tenth, [look for look in seen if look["made"] * 10 // attempts == tenth]) for tenth in range(10)]
    return [{"share": (tenth + 1) / 10, **most(part)} for tenth, part in parts if part]


def ending(seen: list[dict[str, Any]], attempts: int) -> dict[str, Any] | None:
    """The most that was held after the last attempt; None where no look fell there."""
    part = [look for look in seen if look["made"] >= attempts]
    return most(part) if part else None


def grown(rows: list[dict[str, Any]]) -> list[str]:
    """What the last attempts held more than those after the start, in words."""
    early = [row for row in rows if 0.4 < row["share"] < 0.65]
    late = [row for row in rows if row["share"] > 0.85]
    if not early or not late:
        return ["too few looks to say anything"]
    then, last = most(early), most(late)
    found = [f"{name}: {then[name]} then, {last[name]} at the end" for name in COUNTED if last[name] > then[name] + 8]
    one, two = then["mb"], last["mb"]
    return [*found, *([f"memory: {one} MB then, {two} MB at the end"] if two > one * 1.05 else [])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attempts", type=int, default=10_000)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run(options.run, options.attempts)
        return
    with tempfile.TemporaryDirectory(prefix="benchwright-soak-", dir="/var/tmp") as place:
        folder, before, began = Path(place), mounts(), time.monotonic()
        seen = watched(folder, options.attempts)
        seconds = time.monotonic() - began
        size = sum(path.stat().st_size for path in (folder / "run").rglob("*") if path.is_file())
        left = mounts() - before
    rows = tenths(seen, options.attempts)
    end = ending(seen, options.attempts)
    for row in (*rows, *([{"share": "after", **end}] if end else [])):
        print(json.dumps(row))
    wrong = [*grown(rows), *([f"{left} mounts are left"] if left else [])]
    told = {
        "attempts": options.attempts,
        "seconds": round(seconds),
        "kb_an_attempt": round(size / options.attempts / 1024, 1),
        "tenths": rows,
        "ending": end,
        "grown": wrong,
        "machine": ratios.machine(),
    }
    print(json.dumps({name: told[name] for name in ("attempts", "seconds", "kb_an_attempt", "grown")}))
    if options.record:
        RECORD.write_text(json.dumps(told, indent=1) + "\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
