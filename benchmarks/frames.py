"""How long the tables of a large run take: attempts, verdicts and files read of a million attempts, joined and grouped.

    python benchmarks/frames.py [--attempts 1000000]

Prints the CPU seconds and the peak of memory of the analysis alone, which runs in a process of its own.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

from benchwright.analysis.frames import Frames
from benchwright.run import Cell, RunFolder, RunSpec

AGENTS, TASKS = 10, 1000
ACCESSES = json.dumps(
    {
        "kind": "measured",
        "tracer": "fanotify",
        "room_files": 1000,
        "files": [
            {
                "path": f"set{n}/source/table.csv",
                "room": "r",
                "step": n,
                "certain": True,
                "bytes_read": 1,
                "sha256": "0" * 64,
            }
            for n in range(3)
        ],
    }
)


def make(folder: Path, attempts: int) -> None:
    """A run folder of so many attempts, as the runner would have left it."""
    cells = tuple(Cell(agent=f"agent{n}", model="m") for n in range(AGENTS))
    spec = RunSpec(
        suite="s", suite_folder="s", suite_digest="0" * 64, cells=cells, epochs=max(1, attempts // TASKS // AGENTS)
    )
    run = RunFolder.create(folder, spec)
    number = pl.int_range(0, attempts, eager=True).alias("n")
    key = pl.DataFrame(number).select(
        pl.col("n").mod(AGENTS).replace_strict(dict(enumerate(cell.id for cell in cells))).alias("cell"),
        pl.format("t{}", (pl.col("n") // AGENTS) % TASKS).alias("task_id"),
        (pl.col("n") // AGENTS // TASKS + 1).alias("epoch"),
        pl.format("agent{}", pl.col("n") % AGENTS).alias("agent"),
    )
    key.with_columns(
        pl.lit("m").alias("model"),
        pl.lit("answered").alias("ending"),
        pl.lit("5").alias("answer"),
        pl.lit(1000).alias("input_tokens"),
        pl.lit(0.01).alias("cost_usd"),
        pl.lit(ACCESSES).alias("accesses"),
    ).write_parquet(run.attempts_path, compression="zstd")
    (run.path / "scores").mkdir()
    verdicts = key.drop("agent").with_columns(pl.lit("sound").alias("name"), pl.lit("").alias("reason"))
    value = (pl.int_range(pl.len()) * 7919 % 100 < 40).cast(pl.Float64).alias("value")
    verdicts.with_columns(value).write_parquet(run.path / "scores" / "sound.parquet", compression="zstd")


def analyse(folder: Path) -> dict[str, float]:
    """Accuracy and cost by agent, and files read by path; what it took."""
    frames = Frames.of([folder])
    on = ["run", "cell", "task_id", "epoch"]
    joined = frames.scores().join(frames.attempts(), on=on)
    means = joined.group_by("agent", "task_id").agg(pl.col("value").mean(), pl.col("cost_usd").sum())
    by_agent = means.group_by("agent").agg(pl.col("value").mean(), pl.col("cost_usd").sum()).sort("agent")
    by_file = frames.accesses().group_by("basis", "path").len()
    began = time.monotonic()
    first, second = pl.collect_all([by_agent, by_file], engine="streaming")
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "agents": first.height,
        "mean": float(first["value"].mean()),
        "files": int(second["len"].sum()),
        "seconds": round(time.monotonic() - began, 1),
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 1),
        "peak_mib": used.ru_maxrss >> 10,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=1_000_000)
    parser.add_argument("--analyse", type=Path)
    given = parser.parse_args()
    if given.analyse:
        print(json.dumps(analyse(given.analyse)))
        return
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder, "run"), given.attempts)
        subprocess.run([sys.executable, __file__, "--analyse", str(Path(folder, "run"))], check=True)


if __name__ == "__main__":
    main()
