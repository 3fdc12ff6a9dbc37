"""What people would use instead, beside ours, in one run: one table of ratios.

    python benchmarks/ratios.py [--only NAME,...] [--rounds 5] [--record | --check]

Each side of a pair runs in a process of its own, in turns, so that a busy machine is unfair to both; a ratio is the median of
the rounds' own ratios, and says how many times as long the other way takes. Inputs are made once and are equal for both.
`--record` keeps ratios and machine facts in docs/figures/ratios.json; `--check` measures again and ends with exit code 1 where
a ratio is below 60 % of the recorded one. A pair that this machine cannot measure is left out with the reason.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
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

import prepare_room
import profile_speed
import scripted_attempts
import skill_clustering
import table_scoring

from benchwright.sandbox.base import Tracing

RECORD = Path(__file__).resolve().parents[1] / "docs" / "figures" / "ratios.json"
LOWEST = 0.6
_SECONDS = 600


class NotHere(Exception):
    """This machine lacks something that a pair needs."""


Work = Callable[[], Any]


@dataclass(frozen=True)
class Pair:
    """Ours and what would be used instead: each gets the folder that `prepare` filled, and gives the work to be timed.

    `clock` says which seconds count, cpu or wall.
    """

    title: str
    instead: str
    clock: str
    prepare: Callable[[Path], None]
    theirs: Callable[[Path], Work]
    ours: Callable[[Path], Work]


def nothing(_: Path) -> None:
    """There is nothing to prepare."""


def podman_start(_: Path) -> Work:
    from benchwright.errors import EnvironmentFault
    from benchwright.sandbox import container_engine

    try:
        engine, base = container_engine.usable("podman")
    except EnvironmentFault as error:
        raise NotHere(str(error)) from error
    limits = ("--network", "none", "--memory", "4096m", "--pids-limit", "256", "--cpus", "2", "-v", "/usr:/usr:ro")
    words = [*engine.command, *container_engine.run_options(engine), *limits, base, "/usr/bin/true"]
    return lambda: subprocess.run(words, check=True, capture_output=True)


def namespace_start(folder: Path) -> Work:
    from benchwright.sandbox.base import Exec, Room, SandboxSpec
    from benchwright.sandbox.namespace import NamespaceProvider

    provider = NamespaceProvider()

    def start() -> None:
        with provider.open(SandboxSpec(rooms=(Room("room", folder),))) as sandbox:
            assert sandbox.run(Exec(("/usr/bin/true",))).exit_code == 0

    start()
    return start


def large_room(folder: Path) -> None:
    (folder / "room").mkdir()
    prepare_room.make_room(folder / "room", 300, 100)
    prepare_room.pack(folder / "room", folder / "room.tar.zst")


def extract_room(folder: Path) -> Work:
    return lambda: prepare_room.extract(folder / "room.tar.zst", folder)


def mount_room(folder: Path) -> Work:
    from benchwright.sandbox.namespace import NamespaceProvider

    provider = NamespaceProvider()
    return lambda: prepare_room.mount(provider, folder / "room")


PANDAS = """
import pandas as pd
tables = [pd.read_csv(f'/data/part0{number}/table{number * 50:04}.csv') for number in range(6)]
pd.concat(tables).groupby('region')['value'].agg(['mean', 'std', 'count']).sort_values('mean')
"""


def pandas_job(folder: Path, tracing: Tracing) -> Work:
    from benchwright.sandbox import toolbox
    from benchwright.sandbox.base import Exec, Room, SandboxSpec
    from benchwright.sandbox.namespace import NamespaceProvider

    spec = SandboxSpec(rooms=(Room("room", folder / "room"),), tracing=tracing, toolbox=toolbox.ensure("core"))
    provider = NamespaceProvider()

    def job() -> None:
        with provider.open(spec) as sandbox:
            done = sandbox.run(Exec(("python", "-c", PANDAS)))
            assert done.exit_code == 0, done.stderr

    job()
    return job


def rows_as_csv(folder: Path) -> None:
    profile_speed.write(folder / "rows.csv", 0, 200_000)


def described(folder: Path) -> Work:
    import pandas as pd

    def describe() -> None:
        frame = pd.read_csv(folder / "rows.csv")
        for name in frame.columns:
            column = frame[name]
            _ = column.isna().sum(), column.nunique(), column.value_counts().head(10), column.describe()

    return describe


def profiled(folder: Path) -> Work:
    from benchwright.profiles import profile_file

    (folder / "two.csv").write_text("a,b\n1,2\n")
    profile_file(folder / "two.csv")  # what is imported late
    return lambda: profile_file(folder / "rows.csv")


def two_tables(folder: Path) -> None:
    table_scoring.make_tables(folder, 100_000)


def drawn_plainly(_: Path) -> Work:
    nodes, edges = a_graph()
    return lambda: plain_paths(nodes, edges)


def plain_paths(nodes: dict[str, float], edges: dict[tuple[str, str], float]) -> None:
    """The published way: all weights are normalised anew for each path, and every path divides them again."""
    draw = random.Random(0)
    for _ in range(30):
        top, strongest = max(nodes.values()), max(edges.values())
        shares = {name: weight / top for name, weight in nodes.items()}
        ways = {pair: weight / strongest for pair, weight in edges.items()}
        path = draw.choices(list(nodes), list(shares.values()))
        while len(path) < 10:
            after = {b: shares[b] + way for (a, b), way in ways.items() if a == path[-1] and b not in path}
            path += draw.choices(list(after), list(after.values()))
        for name in path:
            nodes[name] /= 2


def drawn(_: Path) -> Work:
    from benchwright.generation.paths import PathRule, PathSampler
    from benchwright.skills.graph import SkillGraph

    nodes, edges = a_graph()

    def draw() -> None:
        sampler = PathSampler(SkillGraph(nodes, edges), list(nodes), PathRule(length=10))
        for number in range(30):
            sampler.accept(sampler.draw(number))

    return draw


def a_graph() -> tuple[dict[str, float], dict[tuple[str, str], float]]:
    """As many skills and ways as the published ones, at random."""
    draw = random.Random(1)
    names = [f"skill {number:03}" for number in range(433)]
    pairs = {(a, b) for a in names for b in names if a != b and draw.random() < 0.138}
    return {name: draw.paretovariate(1) for name in names}, {pair: draw.paretovariate(1) for pair in sorted(pairs)}


ROWS = 4_000


def joined_by_matrix(_: Path) -> Work:
    from sklearn.cluster import DBSCAN
    from sklearn.metrics.pairwise import cosine_distances

    vectors, _ = skill_clustering.planted(ROWS, ROWS * 2 // 3, noise=0.2)
    method = DBSCAN(eps=0.05, min_samples=2, metric="precomputed")
    return lambda: method.fit(cosine_distances(vectors).clip(min=0))


def joined(_: Path) -> Work:
    from benchwright.skills.rounds.synonyms import synonyms

    vectors, _ = skill_clustering.planted(ROWS, ROWS * 2 // 3, noise=0.2)
    synonyms(vectors[:10])
    return lambda: synonyms(vectors)


SAMPLES = 100


def inspect_alone(folder: Path) -> Work:
    """Inspect by itself: a model that answers at once, no sandbox, a scorer of one comparison."""
    import inspect_ai
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import match
    from inspect_ai.solver import generate

    samples = [Sample(input=f"How many {number}?", target="42", id=f"t{number}") for number in range(SAMPLES)]
    task = inspect_ai.Task(dataset=samples, solver=generate(), scorer=match())
    return lambda: inspect_ai.eval(task, model="mockllm/model", log_dir=str(folder / "alone"), display="none")


def ours_on_inspect(folder: Path) -> Work:
    from benchwright.live.planning import RunRequest, resolve
    from benchwright.live.prompts import Prompts
    from benchwright.live.runner import run

    place = Path(tempfile.mkdtemp(dir=folder))
    suite, script = scripted_attempts.prepare(place, "plain", SAMPLES)
    spec = resolve(RunRequest(agents=("react",), models=(f"scripted/{script}",)), suite, Prompts())
    return lambda: run(spec, place / "run")


def many_sets() -> list[frozenset[int]]:
    draw = random.Random(2)
    weights = [1 / (1 + place) ** 0.7 for place in range(433)]
    return [frozenset(draw.choices(range(433), weights, k=draw.randint(10, 39))) for _ in range(10_000)]


def covered_plainly(_: Path) -> Work:
    sets = many_sets()

    def cover() -> None:
        left = frozenset().union(*sets)
        while left:
            left -= max(sets, key=lambda each: len(each & left))

    return cover


def covered(_: Path) -> Work:
    from benchwright.selection.cover import Cover, greedy, items_of

    items = items_of({str(number): set(map(str, each)) for number, each in enumerate(many_sets())})
    greedy(Cover(items[:2]))  # what is imported late
    return lambda: greedy(Cover(items))


PAIRS = {
    "start": Pair("start of a traced sandbox", "`podman run`", "wall", nothing, podman_start, namespace_start),
    "room": Pair("an attempt on a room of 300 files, 100 MB", "extracting its archive", "wall", large_room, extract_room, mount_room),
    "tracing": Pair("a pandas job, its reads measured", "the same unmeasured", "wall", large_room, lambda f: pandas_job(f, "off"), lambda f: pandas_job(f, "fanotify")),
    "profile": Pair("all statistics of 200,000 rows", "pandas, column by column", "cpu", rows_as_csv, described, profiled),
    "table": Pair("two shuffled tables of 100,000 rows compared", "the published rule, written straight down", "cpu", two_tables, lambda f: lambda: table_scoring.plainly(f, "any"), lambda f: lambda: table_scoring.sound(f, "any")),
    "sampling": Pair("30 paths over 433 skills", "weights normalised at each draw", "cpu", nothing, drawn_plainly, drawn),
    "synonyms": Pair("4,000 names joined at cosine 0.95", "a matrix of distances and DBSCAN", "cpu", nothing, joined_by_matrix, joined),
    "cover": Pair("433 skills covered from 10,000 tasks", "plain greedy", "cpu", nothing, covered_plainly, covered),
    "harness": Pair("100 scripted attempts, journalled and judged", "Inspect alone, no sandbox", "cpu", nothing, inspect_alone, ours_on_inspect),
}  # fmt: skip


def one(name: str, side: str, folder: Path) -> None:
    """One side in this process, as a line of JSON."""
    try:
        work = getattr(PAIRS[name], side)(folder)
    except NotHere as error:
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
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=_SECONDS)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def measured(name: str, rounds: int) -> dict[str, Any]:
    """The median ratio of a pair, with the seconds of both; or why there is none."""
    pair = PAIRS[name]
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
    return {
        "ratio": round(median(theirs / ours for theirs, ours in found), 2),
        "lowest": round(min(theirs / ours for theirs, ours in found), 2),
        "highest": round(max(theirs / ours for theirs, ours in found), 2),
        "theirs": round(median(theirs for theirs, _ in found), 3),
        "ours": round(median(ours for _, ours in found), 3),
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
    kept = json.loads(RECORD.read_text()) if RECORD.is_file() else {"pairs": {}}
    if options.record:
        pairs = {**kept["pairs"], **found}
        RECORD.write_text(json.dumps({"machine": facts, "rounds": options.rounds, "pairs": pairs}, indent=1) + "\n")
    if options.check and (worse := fallen(found, kept["pairs"])):
        print("\n".join(["below 60 % of what was recorded:", *worse]), file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
