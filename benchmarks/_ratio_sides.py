"""Both sides of each pair of ratios.py: what prepares their folder, and what gives the work to be timed."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import frames
import prepare_room
import profile_speed
import skill_clustering
import table_scoring

from benchwright.sandbox.base import Tracing


class NotHere(Exception):
    """This machine lacks something that a pair needs."""


Work = Callable[[], Any]


def nothing(_: Path) -> None:
    """There is nothing to prepare."""


STARTS = 5
"""One after the other: the median of single starts of tens of milliseconds says little on a busy machine."""


def podman_start(_: Path) -> Work:
    from benchwright.errors import EnvironmentFault
    from benchwright.sandbox import container_engine

    try:
        engine, base = container_engine.usable("podman")
    except EnvironmentFault as error:
        raise NotHere(str(error)) from error
    limits = ("--network", "none", "--memory", "4096m", "--pids-limit", "256", "--cpus", "2", "-v", "/usr:/usr:ro")
    words = [*engine.command, *container_engine.run_options(engine), *limits, base, "/usr/bin/true"]

    def start() -> None:
        for _ in range(STARTS):
            subprocess.run(words, check=True, capture_output=True)

    return start


def namespace_start(folder: Path) -> Work:
    from benchwright.sandbox.base import Exec, Room, SandboxSpec
    from benchwright.sandbox.namespace import NamespaceProvider

    provider = NamespaceProvider()

    def start(times: int = STARTS) -> None:
        for _ in range(times):
            with provider.open(SandboxSpec(rooms=(Room("room", folder),))) as sandbox:
                assert sandbox.run(Exec(("/usr/bin/true",))).exit_code == 0

    start(1)
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


DUCKDB = """
import duckdb
duckdb.sql("select region, avg(value), stddev(value), count(*) from read_csv('/data/part0*/table*.csv', ignore_errors=true) group by region").fetchall()
"""


def traced_job(folder: Path, tracing: Tracing, code: str = PANDAS) -> Work:
    from benchwright.sandbox import toolbox
    from benchwright.sandbox.base import Exec, Room, SandboxSpec
    from benchwright.sandbox.namespace import NamespaceProvider

    spec = SandboxSpec(rooms=(Room("room", folder / "room"),), tracing=tracing, toolbox=toolbox.ensure("core"))
    provider = NamespaceProvider()

    def job() -> None:
        with provider.open(spec) as sandbox:
            done = sandbox.run(Exec(("python", "-c", code)))
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


def fewer_rows(folder: Path) -> None:
    profile_speed.write(folder / "rows.csv", 0, 50_000)


def by_a_peer(_: Path) -> Work:
    raise NotHere("measured by a script of its own")


def two_tables(folder: Path) -> None:
    table_scoring.make_tables(folder, 100_000)


def compared(folder: Path, way: str) -> Work:
    """The tables compared, libraries loaded before."""
    table_scoring.loaded()
    return lambda: table_scoring.WAYS[way](folder, "any")


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


CLUSTERED = 1_000


def clustered(method: str) -> Work:
    from benchwright.skills.clustering import clustering_named

    vectors, _ = skill_clustering.planted(CLUSTERED, CLUSTERED * 720 // 30000)
    owners = [f"solution {row // 5}" for row in range(CLUSTERED)]
    clustering = clustering_named(method)
    clustering.cluster(vectors[:200], owners[:200])  # what is compiled at first use
    return lambda: clustering.cluster(vectors, owners)


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


ATTEMPTS = 300_000


def many_attempts(folder: Path) -> None:
    frames.make(folder / "run", ATTEMPTS)


def analysed_by_pandas(folder: Path) -> Work:
    """The tables themselves, joined and grouped; lists of files taken apart one by one."""
    import pandas as pd

    def work() -> None:
        attempts = pd.read_parquet(next((folder / "run").glob("attempts*.parquet")))
        scores = pd.read_parquet(folder / "run" / "scores" / "sound.parquet")
        joined = scores.merge(attempts, on=["cell", "task_id", "epoch"])
        means = joined.groupby(["agent", "task_id"]).agg({"value": "mean", "cost_usd": "sum"})
        means.groupby("agent").agg({"value": "mean", "cost_usd": "sum"}).sort_index()
        paths = [file["path"] for text in attempts["accesses"] for file in json.loads(text)["files"]]
        pd.Series(paths).value_counts()

    return work


ANSWERS = 1_009


def many_answers(folder: Path) -> None:
    from benchwright.gold import Gold
    from benchwright.suite import Suite, SuiteInfo
    from benchwright.task import Task

    draw = random.Random(3)
    golds = [Gold(task_id=f"t{number}", answer=f"{draw.uniform(0, 1e4):.2f}") for number in range(ANSWERS)]
    Suite.write(folder / "suite", SuiteInfo(name="answers"), [Task(id=each.task_id, question="How many?") for each in golds], golds=golds)  # fmt: skip
    lines = [{"instance_id": each.task_id, "prediction": each.answer} for each in golds]
    (folder / "predictions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def judged_plainly(folder: Path) -> Work:
    """The published rule: equal as text, or the numbers in it nearly equal."""
    from benchwright.scorers.reference.coda_bench import match
    from benchwright.suite import Suite

    suite = Suite.open(folder / "suite")

    def work() -> None:
        for line in (folder / "predictions.jsonl").read_text().splitlines():
            row = json.loads(line)
            match(row["prediction"], suite.golds[row["instance_id"]].answer)

    return work


def judged(folder: Path) -> Work:
    from benchwright.scoring import score_predictions
    from benchwright.suite import Suite

    suite = Suite.open(folder / "suite")
    return lambda: score_predictions(suite, folder / "predictions.jsonl")


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
