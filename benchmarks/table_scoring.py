"""How long the table scorer takes, all rows compared, beside a published algorithm and beside reading the files.

    python benchmarks/table_scoring.py [--rows 10000,100000,1000000] [--skip-published]

Tables of ten columns (id, name, category, date, count, five floats) are made in a temporary folder; the found table has its
floats off by up to 1e-9 of their size and, where order is free, its rows shuffled. Each measurement is a process of its own:
seconds of wall clock and of processor time, and the most memory it held. `reference` is AgenticDataBench's rule as the reference
scorer reproduces it, `plain` the same rule written straight down, as it was published; both look at 10,000 gold rows only.
"""

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CAP = 10_000
OPTIONS = {"absolute": 0.01, "scaled": True, "credit": "columns"}


def make_tables(folder, rows):
    import numpy as np
    import polars as pl

    chance = np.random.default_rng(rows)
    gold = pl.DataFrame(
        {
            "id": np.arange(rows),
            "name": [f"user {number * 7919 % rows:07d}" for number in range(rows)],
            "category": chance.choice(["north", "south", "east"], rows),
            "day": np.datetime64("2020-01-01") + chance.integers(0, 1000, rows).astype("timedelta64[D]"),
            "count": chance.integers(0, 1000, rows),
            **{f"value_{number}": chance.normal(0, 100, rows) for number in range(5)},
        }
    )
    noise = [
        (pl.col(name) * (1 + 1e-9 * pl.Series(chance.uniform(-1, 1, rows)))).alias(name)
        for name in gold.columns
        if name.startswith("value")
    ]
    gold.write_csv(folder / "gold.csv")
    found = gold.with_columns(noise)
    found.write_csv(folder / "given.csv")
    found.sample(fraction=1, shuffle=True, seed=1).write_csv(folder / "any.csv")


def sound(folder, order):
    from benchwright.scorers.compare.table_comparison import compare_tables
    from benchwright.scorers.compare.table_rule import TableRule
    from benchwright.scorers.compare.tables import read_table

    gold = read_table(folder / "gold.csv")
    found = read_table(folder / f"{order}.csv", gold.names)
    return compare_tables(gold, found, TableRule.read({**OPTIONS, "order": order})).values["columns"]


def reading(folder, order):
    import polars as pl

    return sum(pl.read_csv(folder / name).height for name in ("gold.csv", f"{order}.csv")) > 0


def reference(folder, order):
    from benchwright.gold import Check, Gold
    from benchwright.scorers.base import Expected
    from benchwright.scorers.registry import reference_scorer
    from benchwright.task import Task
    from benchwright.trajectory import Submission

    call = {"function": "compare_csv", "arguments": {"ignore_order": order == "any"}}
    check = Check(scorer="table", output="out.csv", golds=("gold.csv",), options={"published": call})
    expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), check, folder)
    submission = Submission(files={"out.csv": folder / f"{order}.csv"})
    return reference_scorer("agentic_data_bench", "table").score(submission, expected).value


def normalised(cell, tolerance=0.01):
    if isinstance(cell, float) and math.isnan(cell):
        return "__NA__"
    if isinstance(cell, (int, float)):
        return round(cell / tolerance) * tolerance
    return cell.lower().strip() if isinstance(cell, str) else cell


def plainly(folder, order):
    import pandas as pd

    limit = {} if order == "any" else {"nrows": CAP}
    output = pd.read_csv(folder / f"{order}.csv", low_memory=False, **limit)
    gold = pd.read_csv(folder / "gold.csv", nrows=CAP)
    golds, outputs = (frame.transpose().to_numpy().tolist() for frame in (gold, output))

    def hashed(column):
        cells = [normalised(cell) for cell in column]
        return hash(tuple(sorted(cells, key=lambda cell: (cell == "__NA__", str(cell))) if order == "any" else cells))

    hashes = {hashed(column) for column in outputs}
    matched = 0
    for column in golds:
        found = hashed(column) in hashes
        if not found and order == "any":
            wanted = {normalised(cell) for cell in column}
            found = any(wanted <= {normalised(cell) for cell in other} for other in outputs)
        elif not found:
            found = any(all(_close(*cells) for cells in zip(column, other, strict=True)) for other in outputs)
        matched += found
    return matched / len(golds)


def _close(left, right):
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return math.isclose(left, right, abs_tol=0.01)
    return left == right


WAYS = {"sound": sound, "reading": reading, "reference": reference, "plain": plainly}


def loaded():
    """The libraries of all ways are loaded: that is no part of a measurement."""
    import pandas  # noqa: F401, ICN001
    import polars  # noqa: F401, ICN001

    import benchwright.scorers.compare.table_comparison  # noqa: F401


def measure(way, folder, order):
    """One measurement in this process, as a line of JSON."""
    loaded()
    before = time.perf_counter(), time.process_time()
    value = WAYS[way](folder, order)
    seconds = time.perf_counter() - before[0], time.process_time() - before[1]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(json.dumps({"value": value, "wall": seconds[0], "cpu": seconds[1], "mb": memory}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="10000,100000,1000000")
    parser.add_argument("--skip-published", action="store_true")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        way, folder, order = arguments.one
        measure(way, Path(folder), order)
        return
    print(f"{'rows':>9} {'order':6} {'way':10} {'wall s':>8} {'cpu s':>8} {'MB':>6} value")
    for rows in map(int, arguments.rows.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            make_tables(Path(folder), rows)
            for order in ("any", "given"):
                for way in ("reading", "sound", *([] if arguments.skip_published else ["reference", "plain"])):
                    command = [sys.executable, __file__, "--one", way, folder, order]
                    done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                    print(
                        f"{rows:9} {order:6} {way:10} {done['wall']:8.2f} {done['cpu']:8.2f} {done['mb']:6} {done['value']:.4f}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
