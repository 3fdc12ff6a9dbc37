"""How what ours takes grows: rows of a profile, files of a folder, attempts made and analysed, sandboxes side by side.

    python benchmarks/growth.py [--only rows,files,made,sandboxed,resumed,analysed,sandboxes] [--most 100000] [--record]
    python benchmarks/growth.py --only made --least 100000 --most 100000 --record      # one size more of a curve

Each size is measured in a process of its own: seconds, processor seconds, the most memory it held, and what it left on disk.
The exponent is that of the power law through the larger sizes (those that take over twice the first size's seconds, by the curve's
clock): 1 grows as its input does, 2 as the square. `--record` keeps the figures in docs/figures/growth.json, beside those of other sizes. Files
lie in /var/tmp for as long as a size is measured; a size that would not find room there is left out, and it is said.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
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


def made(folder: Path, size: int, kind: str = "plain") -> Work:
    from benchwright.live.planning import RunRequest, resolve
    from benchwright.live.prompts import Prompts
    from benchwright.live.runner import run

    suite, script = scripted_attempts.prepare(folder, kind, size)
    spec = resolve(RunRequest(agents=("react",), models=(f"scripted/{script}",)), suite, Prompts())

    def work() -> None:
        assert run(spec, folder / "run").done == size

    return work


def sandboxed(folder: Path, size: int) -> Work:
    return made(folder, size, "sandboxed")


def resumed(folder: Path, size: int) -> Work:
    """The same command once more, when every attempt but one is there."""
    from benchwright.run import RunFolder

    work = made(folder, size)
    work()
    journal = RunFolder.open(folder / "run").events_path
    lines = journal.read_bytes().splitlines(keepends=True)
    last = max(place for place, line in enumerate(lines) if b'"event":"attempt"' in line)
    journal.write_bytes(b"".join(lines[:last] + lines[last + 1 :]))
    return work


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
    "rows": ("a profile, by rows", "cpu", rows, (1_000, 10_000, 100_000, 1_000_000, 10_000_000)),
    "files": ("the profile of a folder, by its files", "cpu", files, (100, 1_000, 10_000, 100_000)),
    "made": ("a run, by scripted attempts", "cpu", made, (100, 1_000, 10_000, 100_000)),
    "sandboxed": ("a run, by attempts with a sandbox each", "cpu", sandboxed, (100, 1_000, 10_000)),
    "resumed": ("a resume with all done but one, by attempts", "cpu", resumed, (100, 1_000, 10_000, 100_000)),
    "analysed": ("an analysis, by attempts", "cpu", analysed, (100, 1_000, 10_000, 100_000, 1_000_000)),
    "sandboxes": ("64 sandboxes, by how many at a time", "seconds", sandboxes, (1, 4, 16, 64)),
}
"""What is measured, its clock (a busy machine distorts seconds more than processor seconds), how, and for which sizes."""
NEEDED = {"rows": 120, "files": 5_000, "made": 40_000, "sandboxed": 60_000, "resumed": 60_000, "analysed": 2_000}
"""Bytes on disk, an item of each curve, rounded up."""
PLACE = Path("/var/tmp")


def one(name: str, size: int) -> None:
    """One size in this process, as a line of JSON."""
    with tempfile.TemporaryDirectory(prefix="benchwright-growth-", dir=PLACE) as place:
        work = CURVES[name][2](Path(place), size)
        before = time.perf_counter(), ratios.spent()
        work()
        seconds, cpu = time.perf_counter() - before[0], ratios.spent() - before[1]
        disk = sum(path.lstat().st_size for path in Path(place).rglob("*") if path.is_file()) >> 20
    held = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) >> 10
    point = {"size": size, "seconds": round(seconds, 3), "cpu": round(cpu, 3), "mb": held, "disk_mb": disk}
    print(json.dumps(point))


def points_of(name: str, sizes: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Each of these sizes in a process of its own."""
    for size in sizes:
        if (needed := size * NEEDED.get(name, 0)) > shutil.disk_usage(PLACE).free:
            print(f"{name} {size}: left out, needs {needed >> 20} MB in {PLACE}", flush=True)
            continue
        command = [sys.executable, __file__, "--one", name, str(size)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        point = {**json.loads(done.stdout.splitlines()[-1]), "load": round(os.getloadavg()[0], 1)}
        print(name, point, flush=True)
        yield point


def exponent(points: list[dict[str, Any]], clock: str) -> float | None:
    """Of the power law through the points that are slow enough to say anything; None for fewer than two."""
    slow = [point for point in points if point[clock] > 2 * points[0][clock]]
    if len(slow) < 2:
        return None
    sizes, seconds = (np.log([point[name] for point in slow]) for name in ("size", clock))
    return round(float(np.polyfit(sizes, seconds, 1)[0]), 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(CURVES))
    parser.add_argument("--least", type=int, default=1)
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
        sizes = [size for size in CURVES[name][3] if options.least <= size <= options.most]
        known = {point["size"]: point for point in kept["curves"].get(name, {"points": []})["points"]}
        known |= {point["size"]: point for point in points_of(name, sizes)}
        points = [known[size] for size in sorted(known)]
        kept["curves"][name] = {"points": points, "exponent": exponent(points, CURVES[name][1])}
        print(name, "exponent", kept["curves"][name]["exponent"], flush=True)
        if options.record:  # each curve as soon as it is there: the last sizes take long
            RECORD.write_text(json.dumps({**kept, "machine": facts}, indent=1) + "\n")


if __name__ == "__main__":
    main()
