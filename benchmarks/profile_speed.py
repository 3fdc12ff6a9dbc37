"""Profiling a large csv against reading it with polars: seconds and memory, each in a process of its own, in turns.

    python benchmarks/profile_speed.py [--gigabytes 1 | --rows 1000000] [--runs 3]

The file has twelve columns: whole and decimal numbers, few and many different texts, and a date that is text.
"""

import argparse
import os
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

READ = "import polars as pl, sys; pl.read_csv(sys.argv[1], infer_schema_length=20000)"
PROFILE = "import sys; from pathlib import Path; from benchwright.profiles import profile_file; profile_file(Path(sys.argv[1]))"


def write(path, size, most=None):
    draw = np.random.default_rng(7)
    rows = 200_000 if most is None else min(most, 200_000)
    words = np.array([f"name_{number:05d}" for number in range(50_000)])
    days = np.datetime_as_string(np.datetime64("2015-01-01") + np.arange(3000))
    with path.open("wb") as stream:
        part = 0
        while stream.tell() < size if most is None else part * rows < most:
            block = pl.DataFrame(
                {
                    "id": np.arange(part * rows, (part + 1) * rows),
                    "day": days[draw.integers(0, 3000, rows)],
                    "name": words[draw.integers(0, 50_000, rows)],
                    "kind": draw.choice(["alpha", "beta", "gamma", "delta"], rows),
                    "flag": draw.integers(0, 2, rows),
                    "count": draw.poisson(30, rows),
                    **{f"x{number}": draw.normal(100, 15, rows).round(6) for number in range(6)},
                }
            )
            block.write_csv(stream, include_header=part == 0)
            part += 1


def measured(code, path):
    start = time.perf_counter()
    child = os.posix_spawn(sys.executable, [sys.executable, "-c", code, str(path)], os.environ)
    _, status, usage = os.wait4(child, 0)
    assert status == 0
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--gigabytes", type=float, default=1.0)
    arguments.add_argument("--rows", type=int, help="so many rows instead, a multiple of 200,000")
    arguments.add_argument("--runs", type=int, default=3)
    asked = arguments.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.csv"
        write(path, int(asked.gigabytes * (1 << 30)), asked.rows)
        pairs = [(measured(READ, path), measured(PROFILE, path)) for _ in range(asked.runs)]
    read, profile = ([pair[side] for pair in pairs] for side in (0, 1))
    for name, runs in (("polars reads it", read), ("profile", profile)):
        seconds, busy, memory = (statistics.median(column) for column in zip(*runs, strict=True))
        print(f"{name}: {seconds:.1f} s, {busy:.1f} s CPU, {memory:,.0f} MB")
    for place, what in enumerate(("seconds", "CPU")):
        ratios = [second[place] / first[place] for first, second in pairs]
        print(f"profile / reading, {what}: {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main()
