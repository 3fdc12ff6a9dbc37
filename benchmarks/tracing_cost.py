"""What tracing costs: a pandas job, single opens, and the start of a sandbox, untraced, under fanotify and under strace.

The tracers take turns within each round, so that a busy machine is unfair to all alike; figures are medians, ratios
are medians of the rounds' own ratios. Needs root and the toolbox (`benchwright doctor`).

    python benchmarks/tracing_cost.py [--rounds 15] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

from benchwright.sandbox import toolbox
from benchwright.sandbox.access import choose
from benchwright.sandbox.base import Exec, Room, SandboxSpec, Tracing
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.trajectory import Measured

TRACERS: tuple[Tracing, ...] = ("off", "fanotify", "strace")
FILES, ROWS, OPENS = 10, 20_000, 2_000

PANDAS = f"""
import os, pandas as pd
tables = [pd.read_csv(f'/data/table{{number}}.csv') for number in range({FILES})]
whole = pd.concat(tables)
whole.groupby('key')['value'].agg(['mean', 'std', 'count']).sort_values('mean')
whole.merge(tables[0].groupby('key').sum(), on='key').describe()
print(sum(os.times()[:4]))
"""
OPENING = f"""
import os, time
begin = time.perf_counter()
for number in range({OPENS}):
    os.close(os.open(f'/data/table{{number % {FILES}}}.csv', os.O_RDONLY))
print((time.perf_counter() - begin) / {OPENS} * 1e6)
"""


def make_room(folder: Path) -> None:
    for number in range(FILES):
        rows = "".join(f"{row % 97},{row * 1.25 + number},name{row % 13}\n" for row in range(ROWS))
        (folder / f"table{number}.csv").write_text("key,value,name\n" + rows)
    folder.chmod(0o755)


def measure(
    provider: NamespaceProvider, room: Path, python: Path, tracing: Tracing, *, writable: bool
) -> dict[str, float]:
    """One sandbox: its start, the pandas job (wall and own CPU), and the cost of one open. All in milliseconds."""
    spec = SandboxSpec(rooms=(Room("room", room, "/data", writable),), toolbox=python.parent.parent)
    begin = time.perf_counter()
    with provider.open(spec, choose(tracing)) as sandbox:
        sandbox.run(Exec(("true",)))
        started = time.perf_counter()
        job = sandbox.run(Exec((str(python), "-c", PANDAS)))
        opens = sandbox.run(Exec((str(python), "-S", "-c", OPENING)))
        seen = sandbox.accessed()
        assert job.exit_code == opens.exit_code == 0, (job, opens)
        assert tracing == "off" or (isinstance(seen, Measured) and len(seen.files) == FILES), seen
        ended = time.perf_counter()
    return {
        "start and first command": (started - begin) * 1e3,
        "pandas job, wall": job.seconds * 1e3,
        "pandas job, own CPU": float(job.stdout) * 1e3,
        "one open": float(opens.stdout) / 1e3,
        "close": (time.perf_counter() - ended) * 1e3,
    }


def compare(
    provider: NamespaceProvider, room: Path, python: Path, rounds: int, *, writable: bool
) -> dict[str, dict[str, dict[str, float]]]:
    """measure -> tracer -> {"median_ms", "ratio"}; the ratio is to the untraced sandbox of the same round."""
    for tracing in TRACERS:
        measure(provider, room, python, tracing, writable=writable)  # warm: page cache, bytecode
    turns = [
        {tracing: measure(provider, room, python, tracing, writable=writable) for tracing in _rotated(turn)}
        for turn in range(rounds)
    ]
    return {
        what: {
            tracing: {
                "median_ms": statistics.median(turn[tracing][what] for turn in turns),
                "ratio": statistics.median(turn[tracing][what] / turn["off"][what] for turn in turns),
            }
            for tracing in TRACERS
        }
        for what in turns[0]["off"]
    }


def _rotated(turn: int) -> tuple[Tracing, ...]:
    cut = turn % len(TRACERS)
    return TRACERS[cut:] + TRACERS[:cut]


def show(title: str, found: dict[str, dict[str, dict[str, float]]]) -> None:
    print(f"\n{title}\n{'':26}" + "".join(f"{tracing:>22}" for tracing in TRACERS))
    for what, by_tracer in found.items():
        cells = (f"{cell['median_ms']:.3f} ms  x{cell['ratio']:.2f}" for cell in by_tracer.values())
        print(f"{what:26}" + "".join(f"{cell:>22}" for cell in cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    python = toolbox.ensure("core", print) / "bin" / "python"
    with tempfile.TemporaryDirectory() as name, NamespaceProvider() as provider:
        room = Path(name)
        make_room(room)
        found = {
            kind: compare(provider, room, python, arguments.rounds, writable=kind == "writable room")
            for kind in ("read-only room", "writable room")
        }
    for title, table in found.items():
        show(title, table)
    document = json.dumps({"rounds": arguments.rounds, "files": FILES, "rows": ROWS, "measures": found}, indent=1)
    if arguments.json:
        arguments.json.write_text(document + "\n")
    else:
        print("\n" + document)


if __name__ == "__main__":
    main()
