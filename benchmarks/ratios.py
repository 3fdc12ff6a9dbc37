"""What people would use instead, beside ours, in one run: one table of ratios.

    python benchmarks/ratios.py [--only NAME,...] [--rounds 5] [--record | --check] [--recorded FILE]

Each side of a pair runs in a process of its own, in turns, so that a busy machine is unfair to both; a ratio is the median of
the rounds' own ratios, and says how many times as long the other way takes. Inputs are made once and are equal for both.
`--record` keeps ratios and machine facts in docs/figures/ratios.json; `--check` measures again and ends with exit code 1 where
a ratio is below 60 % of the recorded one. A pair that this machine cannot measure is left out with the reason. Peers that are
packages of their own, and large, are measured where the folder `.peers` holds them:

    python3 -m venv .peers && .peers/bin/pip install -r benchmarks/peers/requirements.txt
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import _ratio_attempts as attempts
import _ratio_sides as sides

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "docs" / "figures" / "ratios.json"
PEERS = ROOT / ".peers" / "bin" / "python"
LOWEST = 0.6
_SECONDS = 600


@dataclass(frozen=True)
class Pair:
    """Ours and what would be used instead: each gets the folder that `prepare` filled, and gives the work to be timed.

    `clock` says which seconds count, cpu or wall. With `peer` theirs is that script in `benchmarks/peers`, which gets the
    folder as its argument, in the interpreter of the peers.
    """

    title: str
    instead: str
    clock: str
    prepare: Callable[[Path], None]
    theirs: Callable[[Path], sides.Work]
    ours: Callable[[Path], sides.Work]
    peer: str = ""


PAIRS = {
    "start": Pair("5 starts of a traced sandbox", "`podman run`", "wall", sides.nothing, sides.podman_start, sides.namespace_start),
    "room": Pair("an attempt on a room of 300 files, 100 MB", "extracting its archive", "wall", sides.large_room, sides.extract_room, sides.mount_room),
    "tracing": Pair("a pandas job, its reads measured", "the same unmeasured", "wall", sides.large_room, lambda f: sides.traced_job(f, "off"), lambda f: sides.traced_job(f, "fanotify")),
    "strace": Pair("the same job, its reads measured by strace", "the same unmeasured", "wall", sides.large_room, lambda f: sides.traced_job(f, "off"), lambda f: sides.traced_job(f, "strace")),
    "duckdb": Pair("a duckdb job over 300 files, its reads measured", "the same unmeasured", "wall", sides.large_room, lambda f: sides.traced_job(f, "off", sides.DUCKDB), lambda f: sides.traced_job(f, "fanotify", sides.DUCKDB)),
    "reports": Pair("all statistics of 50,000 rows", "fg-data-profiling (ydata-profiling), minimal", "cpu", sides.fewer_rows, sides.by_a_peer, sides.profiled, "data_profiling_minimal.py"),
    "profile": Pair("all statistics of 200,000 rows", "pandas, column by column", "cpu", sides.rows_as_csv, sides.described, sides.profiled),
    "table": Pair("two shuffled tables of 100,000 rows compared", "the published rule, written straight down", "cpu", sides.two_tables, lambda f: sides.compared(f, "plain"), lambda f: sides.compared(f, "sound")),
    "sampling": Pair("30 paths over 433 skills", "weights normalised at each draw", "cpu", sides.nothing, sides.drawn_plainly, sides.drawn),
    "clustering": Pair("1,000 vectors clustered", "the paper's UMAP and mixtures", "cpu", sides.nothing, lambda _: sides.clustered("paper"), lambda _: sides.clustered("fast")),
    "synonyms": Pair("4,000 names joined at cosine 0.95", "a matrix of distances and DBSCAN", "cpu", sides.nothing, sides.joined_by_matrix, sides.joined),
    "cover": Pair("433 skills covered from 10,000 tasks", "plain greedy", "cpu", sides.nothing, sides.covered_plainly, sides.covered),
    "harness": Pair("100 scripted attempts, journalled and judged", "Inspect alone, no sandbox", "cpu", sides.nothing, attempts.inspect_alone, attempts.ours("plain", attempts.SAMPLES)),
    "turns": Pair("5 attempts of 20 commands, traced and journalled", "Inspect's agent, its local sandbox", "cpu", sides.nothing, attempts.turns_of_inspect, attempts.ours("turns", attempts.TURNING)),
    "loop": Pair("5 attempts of 20 commands, traced and journalled", "a bare loop over the same sandbox", "cpu", sides.nothing, attempts.turns_of_a_loop, attempts.ours("turns", attempts.TURNING)),
    "attempts": Pair("300,000 attempts with their reads analysed", "pandas and json", "cpu", sides.many_attempts, sides.analysed_by_pandas, lambda f: lambda: sides.frames.analyse(f / "run")),
    "answers": Pair("1,009 answers judged soundly and by the published rule", "the published rule alone, in a loop", "cpu", sides.many_answers, sides.judged_plainly, sides.judged),
}  # fmt: skip


def one(name: str, side: str, folder: Path) -> None:
    """One side in this process, as a line of JSON."""
    try:
        work = getattr(PAIRS[name], side)(folder)
    except sides.NotHere as error:
        print(json.dumps({"left_out": str(error)}))
        return
    before = time.perf_counter(), spent()
    work()
    print(json.dumps({"wall": time.perf_counter() - before[0], "cpu": spent() - before[1]}))


def spent() -> float:
    """Processor seconds of this process and of its children that ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def asked(name: str, side: str, folder: Path) -> dict[str, Any]:
    command = [sys.executable, __file__, "--one", name, side, str(folder)]
    if side == "theirs" and PAIRS[name].peer:
        if not PEERS.is_file():
            return {"left_out": "no .peers"}
        command = [str(PEERS), str(Path(__file__).with_name("peers") / PAIRS[name].peer), str(folder)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=_SECONDS)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def measured(name: str, rounds: int) -> dict[str, Any]:
    """The median ratio of a pair, with the seconds of both; or why there is none."""
    pair, load = PAIRS[name], round(os.getloadavg()[0], 1)
    with tempfile.TemporaryDirectory(prefix="benchwright-ratios-", dir="/var/tmp") as place:
        folder = Path(place)
        folder.chmod(0o755)
        pair.prepare(folder)
        asked(name, "ours", folder)  # what is built or compiled once
        found = []
        for turn in range(rounds):
            sides = ("theirs", "ours") if turn % 2 else ("ours", "theirs")
            told = {side: asked(name, side, folder) for side in sides}
            if reason := told["theirs"].get("left_out"):
                return {"left_out": reason}
            found.append((told["theirs"][pair.clock], told["ours"][pair.clock]))
    ratios = sorted(theirs / ours for theirs, ours in found)
    named = {"ratio": median(ratios), "lowest": ratios[0], "highest": ratios[-1]}
    return {
        **{name: float(f"{ratio:.3g}") for name, ratio in named.items()},
        "theirs": round(median(theirs for theirs, _ in found), 3),
        "ours": round(median(ours for _, ours in found), 3),
        "load": load,
    }


def machine() -> dict[str, Any]:
    model = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "processors": len(os.sched_getaffinity(0)),
        "processor": model[0].partition(":")[2].strip() if model else platform.machine(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 1),
        "day": datetime.now(UTC).date().isoformat(),
    }


def fallen(found: dict[str, dict[str, Any]], recorded: dict[str, dict[str, Any]]) -> list[str]:
    """Pairs whose ratio is below 60 % of the recorded one, in words."""
    known = [name for name in found if "ratio" in found[name] and "ratio" in recorded.get(name, {})]
    return [
        f"{name}: {found[name]['ratio']} now, {recorded[name]['ratio']} recorded"
        for name in known
        if found[name]["ratio"] < LOWEST * recorded[name]["ratio"]
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PAIRS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--recorded", type=Path, default=RECORD, help="where the ratios are kept")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one(options.one[0], options.one[1], Path(options.one[2]))
        return
    found, facts = {}, machine()
    for name in options.only.split(","):
        found[name] = measured(name, options.rounds)
        shown = found[name].get("left_out") or "{ratio} ({lowest} to {highest}); {theirs} s against {ours} s".format(
            **found[name]
        )
        print(f"{name:10} {shown}", flush=True)
    kept = json.loads(options.recorded.read_text()) if options.recorded.is_file() else {"pairs": {}}
    if options.record:
        pairs = {**kept["pairs"], **found}
        options.recorded.write_text(
            json.dumps({"machine": facts, "rounds": options.rounds, "pairs": pairs}, indent=1) + "\n"
        )
    if options.check and (worse := fallen(found, kept["pairs"])):
        print("\n".join(["below 60 % of what was recorded:", *worse]), file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
