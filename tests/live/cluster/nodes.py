"""A Ray cluster of several nodes on this machine, each with processes of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from .hosts import LOCAL, Host

_STARTED = 400.0
_QUICK = '{"health_check_period_ms": 1000, "health_check_timeout_ms": 10000, "health_check_failure_threshold": 5}'


WORKERS = frozenset(
    {
        "benchwright.live.cluster.part_process",
        "benchwright.scoring.worker",
        "benchwright.profiles.worker",
    }
)


class Nodes:
    """The nodes by number; 0 holds the cluster's own services and makes attempts as well."""

    def __init__(self, folder: Path, address: str, keys: dict[str, str], places: Sequence[Host] = ()) -> None:
        self.folder, self.address, self.keys, self.places = folder, address, keys, places
        self.groups: dict[int, subprocess.Popen[bytes]] = {}
        self.options: dict[int, tuple] = {}
        self.own: dict[int, dict[str, str]] = {}

    def start(self, number: int, cpus: int, *more: str, keys: dict[str, str] | None = None) -> None:
        """Start a node, in whose environment stand these keys of models, and those that all nodes have."""
        command = [sys.executable, "-c", "from ray.scripts.scripts import main; main()", "start", "--block"]
        options = ["--num-cpus", str(cpus), "--disable-usage-stats", "--object-store-memory", "80000000"]
        self.own[number] = keys or {}
        variables = os.environ | self.keys | self.own[number] | {"RAY_USAGE_STATS_ENABLED": "0"}
        self.options[number] = (cpus, *more)
        place = self.places[number] if number < len(self.places) else LOCAL
        with (self.folder / f"node{number}.txt").open("wb") as said:
            self.groups[number] = subprocess.Popen(
                [*place.inside, *command, *options, "--node-ip-address", place.address, *more],
                stdout=said,
                stderr=said,
                env=variables,
                start_new_session=True,
            )

    def wait(self, number: int) -> None:
        """Until it has joined; Ray gives up a node that does not within 30 s, as on a busy machine: it is started again."""
        deadline = time.monotonic() + _STARTED
        while "block forever" not in (self.folder / f"node{number}.txt").read_text(errors="replace"):
            assert time.monotonic() < deadline, (self.folder / f"node{number}.txt").read_text(errors="replace")
            if self.groups[number].poll() is not None:
                self.start(number, *self.options[number], keys=self.own[number])
            time.sleep(0.2)

    def restart(self) -> None:
        """Start the nodes again that were killed, without waiting for them."""
        for number in [number for number, group in self.groups.items() if group.poll() is not None]:
            self.start(number, *self.options[number], keys=self.own[number])

    def all_there(self) -> None:
        """Wait until each test and each round finds all nodes, whatever the one before has killed."""
        self.restart()
        for number in self.groups:
            self.wait(number)

    @contextmanager
    def joined_by(self, number: int, *more: str, keys: dict[str, str] | None = None) -> Iterator[None]:
        """One more node, for a while."""
        self.start(number, 1, "--address", self.address, *more, keys=keys)
        try:
            self.wait(number)
            yield
        finally:
            group = self.groups.pop(number)
            for each in family(group.pid):
                with suppress(psutil.Error):
                    each.kill()
            group.wait()

    def port(self, service: str) -> int:
        """Where all nodes call a model of this service."""
        return urlsplit(self.keys[f"{service.upper()}_BASE_URL"]).port

    def parts(self, number: int) -> list[psutil.Process]:
        """The processes of a node that make attempts, or work on items."""
        return [process for process in family(self.groups[number].pid) if is_part(process)]

    def holds(self, number: int, process: psutil.Process) -> bool:
        """Whether a process is one of a node."""
        return process in family(self.groups[number].pid)

    def kill(self, number: int) -> list[psutil.Process]:
        """Ray's processes of a node end at once; those that make attempts have to notice. Returns the latter."""
        below = family(self.groups[number].pid)
        parts = [process for process in below if is_part(process)]
        for process in below:
            if process not in parts:
                with suppress(psutil.Error):
                    process.kill()
        self.groups[number].wait()
        return parts

    def end(self) -> None:
        left = [process for group in self.groups.values() if group.poll() is None for process in family(group.pid)]
        for process in left:
            with suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(left, timeout=100)
        for group in self.groups.values():
            group.wait(100)


def family(pid: int) -> list[psutil.Process]:
    """A process and all below it."""
    with suppress(psutil.Error):
        parent = psutil.Process(pid)
        return [*parent.children(recursive=True), parent]
    return []


@contextmanager
def nodes(
    folder: Path, cpus: tuple[int, ...], port: int, keys: dict[str, str] | None = None, places: Sequence[Host] = ()
) -> Iterator[Nodes]:
    """A cluster with a node for each of these numbers of processors, on hosts of its own or all on this one, and these
    keys in the environment of all."""
    address = f"{(*places, LOCAL)[0].address}:{port}"
    made = Nodes(folder, address, keys or {}, places)
    scratch = Path("/tmp") / f"br{os.getpid()}-{port}"  # Ray's sockets need a short path
    head = ["--head", "--port", str(port), "--include-dashboard", "false", "--temp-dir", str(scratch)]
    try:
        made.start(0, cpus[0], *head, "--system-config", _QUICK)
        made.wait(0)
        for number in range(1, len(cpus)):
            made.start(number, cpus[number], "--address", address)
        for number in range(len(cpus)):
            made.wait(number)
        yield made
    finally:
        made.end()
        shutil.rmtree(scratch, ignore_errors=True)


def is_part(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return not WORKERS.isdisjoint(process.cmdline())
    return False
