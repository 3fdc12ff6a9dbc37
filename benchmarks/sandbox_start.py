"""From nothing to the first command's answer: a namespace sandbox against `podman run`, in turns.

The ways take turns in each round, so that a busy machine is unfair to all alike: the namespace sandbox of root and of an
ordinary user, each without and with file-access tracing, `podman run` of `true` in a tiny image with the same limits and no
network, and our own Podman sandbox. Figures are percentiles; ratios are medians of the rounds' own ratios. Calls in a sandbox
that runs already stand below. Needs root and podman (`benchwright doctor`).

    python benchmarks/sandbox_start.py [--rounds 20] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

from benchwright.sandbox import container_engine, image
from benchwright.sandbox.base import Exec, Provider, Room, SandboxSpec, Shell
from benchwright.sandbox.container import ContainerProvider
from benchwright.sandbox.namespace import NamespaceProvider

BASE = "podman run"
ORDINARY_USER = 65534
LIMITS = ("--network", "none", "--memory", "4096m", "--pids-limit", "256", "--cpus", "2", "-v", "/usr:/usr:ro")


def ways(room: Path, namespace: Provider, ordinary: Provider, podman: Provider) -> dict[str, Callable[[], float]]:
    """Each way by its name: a call that gives the milliseconds to the answer of the first command."""
    engine, base = container_engine.usable("podman")
    words = [*engine.command, *container_engine.run_options(engine), *LIMITS, base, "/usr/bin/true"]

    def sandbox(provider: Provider, tracing: str) -> Callable[[], float]:
        spec = SandboxSpec(rooms=(Room("room", room),), tracing=tracing)

        def once() -> float:
            begin = time.perf_counter()
            with provider.open(spec) as opened:
                opened.run(Exec(("true",)))
                return (time.perf_counter() - begin) * 1000

        return once

    def bare() -> float:
        begin = time.perf_counter()
        subprocess.run(words, check=True, capture_output=True)
        return (time.perf_counter() - begin) * 1000

    return {
        "namespace": sandbox(namespace, "off"),
        "namespace, traced": sandbox(namespace, "auto"),
        "ordinary user": sandbox(ordinary, "off"),
        "ordinary user, traced": sandbox(ordinary, "auto"),
        BASE: bare,
        "podman sandbox, traced": sandbox(podman, "auto"),
    }


def measure(rounds: int) -> dict[str, list[float]]:
    with (
        tempfile.TemporaryDirectory(prefix="benchwright-room-") as name,
        NamespaceProvider() as namespace,
        NamespaceProvider(user=ORDINARY_USER) as ordinary,
        ContainerProvider("podman") as podman,
    ):
        room = Path(name)
        room.chmod(0o755)
        (room / "a.csv").write_text("a\n1\n")
        tried = ways(room, namespace, ordinary, podman)
        for once in tried.values():
            once()  # what happens once a run is not what an attempt waits for
        found: dict[str, list[float]] = {way: [] for way in tried}
        for _ in range(rounds):
            for way, once in tried.items():
                found[way].append(once())
    return found


def calls(rounds: int) -> dict[str, list[float]]:
    """Milliseconds of a call in a sandbox that runs already, by the kind of call."""
    kinds = {"program": Exec(("true",)), "line for the shell": Shell("true")}
    found: dict[str, list[float]] = {kind: [] for kind in kinds}
    with NamespaceProvider() as provider, provider.open(SandboxSpec(tracing="off")) as sandbox:
        for command in kinds.values():
            sandbox.run(command)
        for _ in range(rounds):
            for kind, command in kinds.items():
                begin = time.perf_counter()
                sandbox.run(command)
                found[kind].append((time.perf_counter() - begin) * 1000)
    return found


def percentiles(times: list[float]) -> dict[str, float]:
    p95 = quantiles(times, n=20, method="inclusive")[18] if len(times) > 1 else times[0]
    return {"p50_ms": round(median(times), 1), "p95_ms": round(p95, 1)}


def summary(found: dict[str, list[float]]) -> list[dict]:
    return [
        {
            "way": way,
            **percentiles(times),
            "podman_run_over_it": round(median(base / own for base, own in zip(found[BASE], times, strict=True)), 2),
        }
        for way, times in found.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    options = parser.parse_args()
    rows = summary(measure(options.rounds))
    inside = [{"call": kind, **percentiles(times)} for kind, times in calls(options.rounds).items()]
    print(f"{options.rounds} rounds, image {image.name()}")
    print(f"{'way':24} {'p50 ms':>8} {'p95 ms':>8} {'podman run / it':>16}")
    for row in rows:
        print(f"{row['way']:24} {row['p50_ms']:8} {row['p95_ms']:8} {row['podman_run_over_it']:16}")
    for row in inside:
        print(f"{'call: ' + row['call']:24} {row['p50_ms']:8} {row['p95_ms']:8}")
    if options.json:
        options.json.write_text(json.dumps({"rounds": options.rounds, "ways": rows, "calls": inside}, indent=2) + "\n")


if __name__ == "__main__":
    main()
