"""How what ours takes grows: rows of a profile, files of a folder, attempts made and analysed, sandboxes side by side.

    python benchmarks/growth.py [--only rows,files,made,analysed,sandboxes] [--most 100000] [--record]

Each size is measured in a process of its own: seconds, processor seconds, and the most memory it held. The exponent is that of
the power law through the larger sizes (those whose seconds are over twice the first size's): 1 grows as its input does, 2 as the
square. `--record` keeps the figures in docs/figures/growth.json.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import frames
import numpy as np
import profile_speed
import ratios
import scripted_attempts

RECORD = ratios.RECORD.with_name("growth.json")
Work = Callable[[], Any]


def rows(folder: Path, size: int) -> Work:
    from benchwright.profiles import profile_file

    path = folder / "rows.csv"
    profile_speed.write(path, 0, size)
    return lambda: profile_file(path)


def files(folder: Path, size: int) -> Work:
    from benchwright.profiles.folders import Looking, profile_paths

    for number in range(size):
        place = folder / f"part{number // 1000:03}"
        place.mkdir(exist_ok=True)
        (place / f"file{number:06}.csv").write_text(f"a,b\n{number},x\n")
    return lambda: sum(1 for _ in profile_paths([folder], Looking(cache=None)))


def made(folder: Path, size: int) -> Work:
    from benchwright.live.planning import RunRequest, resolve
    from benchwright.live.prompts import Prompts
    from benchwright.live.runner import run

    suite, script = scripted_attempts.prepare(folder, "plain", size)
    spec = resolve(RunRequest(agents=("react",), models=(f"scripted/{script}",)), suite, Prompts())
    return lambda: run(spec, folder / "run")


def analysed(folder: Path, size: int) -> Work:
    frames.make(folder / "run", size)
    return lambda: frames.analyse(folder / "run")


def sandboxes(folder: Path, size: int) -> Work:
    """Sixty-four sandboxes, so many of them at a time."""
    from benchwright.sandbox.base import Exec, Room, SandboxSpec
    from benchwright.sandbox.namespace import NamespaceProvider

    folder.chmod(0o755)
    provider = NamespaceProvider()

    def one(_: int) -> None:
        with provider.open(SandboxSpec(rooms=(Room("room", folder),))) as sandbox:
            assert sandbox.run(Exec(("/usr/bin/true",))).exit_code == 0

    one(0)

    def work() -> None:
        with ThreadPoolExecutor(size) as pool:
            list(pool.map(one, range(64)))

    return work


CURVES = {
    "rows": ("a profile, by rows", rows, (1_000, 10_000, 100_000, 1_000_000, 10_000_000)),
    "files": ("the profile of a folder, by its files", files, (100, 1_000, 10_000, 100_000)),
    "made": ("a run, by scripted attempts", made, (100, 1_000, 10_000)),
    "analysed": ("an analysis, by attempts", analysed, (100, 1_000, 10_000, 100_000, 1_000_000)),
    "sandboxes": ("64 sandboxes, by how many at a time", sandboxes, (1, 4, 16, 64)),
}


def one(name: str, size: int) -> None:
    """One size in this process, as a line of JSON."""
    with tempfile.TemporaryDirectory(prefix="benchwright-growth-", dir="/var/tmp") as place:
        work = CURVES[name][1](Path(place), size)
        before = time.perf_counter(), ratios.spent()
        work()
        seconds, cpu = time.perf_counter() - before[0], ratios.spent() - before[1]
    held = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) >> 10
    print(json.dumps({"size": size, "seconds": round(seconds, 3), "cpu": round(cpu, 3), "mb": held}))


def exponent(points: list[dict[str, Any]]) -> float | None:
    """Of the power law through the points that are slow enough to say anything; None for fewer than two."""
    slow = [point for point in points if point["seconds"] > 2 * points[0]["seconds"]]
    if len(slow) < 2:
        return None
    sizes, seconds = (np.log([point[name] for point in slow]) for name in ("size", "seconds"))
    return round(float(np.polyfit(sizes, seconds, 1)[0]), 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(CURVES))
    parser.add_argument("--most", type=int, default=100_000)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one(options.one[0], int(options.one[1]))
        return
    kept = json.loads(RECORD.read_text()) if RECORD.is_file() else {"curves": {}}
    facts = ratios.machine()
    for name in options.only.split(","):
        points = []
        for size in CURVES[name][2]:
            if size <= options.most:
                command = [sys.executable, __file__, "--one", name, str(size)]
                done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                points.append(json.loads(done.stdout.splitlines()[-1]))
                print(name, points[-1], flush=True)
        kept["curves"][name] = {"points": points, "exponent": exponent(points)}
        print(name, "exponent", kept["curves"][name]["exponent"], flush=True)
    if options.record:
        RECORD.write_text(json.dumps({**kept, "machine": facts}, indent=1) + "\n")


if __name__ == "__main__":
    main()
