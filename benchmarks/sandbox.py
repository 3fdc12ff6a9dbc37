"""What a sandbox costs: its start, a large room, and tracing, each beside the usual way.

    python benchmarks/sandbox.py [--repeat 40] [--room-mb 1024] [--json]

Prints medians and 95th percentiles. `podman run` is measured where podman is installed and this user may use it;
"extract" unpacks the same room from a tar archive into a fresh folder, as the published protocol prepares an attempt.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchwright.sandbox import access, toolbox
from benchwright.sandbox.base import Exec, Room, SandboxSpec, Shell, Tracing
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.task import Limits

IMAGE = "localhost/benchwright-true"
PODMAN = ["podman", "run", "--rm", "--network=none", "--memory=1g", "--pids-limit=256", "--runtime=runc"]
PODMAN += ["--ulimit=nofile=1024:1024", "--ulimit=nproc=4096:4096"]
JOB = (
    "import glob, pandas\n"
    "frames = [pandas.read_csv(path) for path in sorted(glob.glob('/data/*.csv'))]\n"
    "print(pandas.concat(frames).groupby('key').value.sum().sum())"
)


def timed(work: Callable[[], object], repeat: int) -> list[float]:
    """Milliseconds of each repetition."""
    found = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        found.append((time.perf_counter() - start) * 1000)
    return found


def summary(name: str, milliseconds: list[float]) -> dict:
    ordered = sorted(milliseconds)
    return {
        "what": name,
        "p50_ms": round(median(ordered), 1),
        "p95_ms": round(ordered[int(0.95 * (len(ordered) - 1))], 1),
        "n": len(ordered),
    }


def start(repeat: int) -> list[dict]:
    """From nothing to the first command's answer; the room is small."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "a.csv").write_text("a\n1\n")
        users = {"as root": None, "as an ordinary user": 65534} if os.geteuid() == 0 else {"as an ordinary user": None}
        for label, user in users.items():
            rows += [
                _start(f"namespace {label}, tracing {tracing}", folder, user, tracing, repeat)
                for tracing in ("off", "auto")
            ]
    if (image := _image()) is not None:
        rows.append(summary("podman run", timed(lambda: subprocess.run([*PODMAN, image, "/true"], check=True), repeat)))
    return rows


def _start(name: str, folder: Path, user: int | None, tracing: Tracing, repeat: int) -> dict:
    with NamespaceProvider(user=user) as provider:
        spec = SandboxSpec(rooms=(Room("r", folder),), tracing=tracing)

        def once() -> None:
            began = time.perf_counter()
            with provider.open(spec) as sandbox:
                sandbox.run(Exec(("cat", "/data/a.csv")))
                first.append((time.perf_counter() - began) * 1000)

        first: list[float] = []
        once()
        first.clear()
        before = _processor_seconds()
        for _ in range(repeat):
            once()
        row = summary(name, first)
    return row | {"cpu_ms": round((_processor_seconds() - before) / repeat * 1000, 1)}


def _processor_seconds() -> float:
    """Of this process and of all its ended children."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _image() -> str | None:
    """An image of `true` and its libraries, without any registry; None where podman does not work."""
    if shutil.which("podman") is None:
        return None
    with tempfile.TemporaryDirectory() as name:
        archive = Path(name) / "root.tar"
        lines = subprocess.run(["ldd", "/usr/bin/true"], capture_output=True, text=True, check=True).stdout.split()
        with tarfile.open(archive, "w", dereference=True) as tar:
            tar.add("/usr/bin/true", "true")
            for word in lines:
                if word.startswith("/"):
                    tar.add(word, word.lstrip("/"))
        done = subprocess.run(["podman", "import", "--quiet", archive, IMAGE], capture_output=True, check=False)
        if done.returncode:
            return None
        tried = subprocess.run([*PODMAN, IMAGE, "/true"], capture_output=True, check=False)
    return IMAGE if tried.returncode == 0 else None


def large_room(megabytes: int, repeat: int) -> list[dict]:
    """1,000 files, mounted as they lie against unpacked for each attempt."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        room, archive = Path(name) / "room", Path(name) / "room.tar"
        room.mkdir(mode=0o755)
        for number in range(1000):
            (room / f"{number:04}.bin").write_bytes(os.urandom((megabytes << 20) // 1000))
        with tarfile.open(archive, "w") as tar:
            tar.add(room, "room")

        def extract() -> None:
            with tempfile.TemporaryDirectory(dir=name) as target, tarfile.open(archive) as tar:
                began = time.perf_counter()
                tar.extractall(target, filter="data")
                unpacked.append((time.perf_counter() - began) * 1000)

        unpacked: list[float] = []
        for _ in range(3):
            extract()
        with NamespaceProvider() as provider:
            spec = SandboxSpec(rooms=(Room("large", room),))
            mounted = []
            for _ in range(repeat):
                began = time.perf_counter()
                with provider.open(spec) as sandbox:
                    sandbox.run(Exec(("head", "-c1", "/data/0500.bin")))
                    mounted.append((time.perf_counter() - began) * 1000)
    return [summary("mount the room", mounted), summary("extract the room", unpacked)]


def tracing(repeat: int) -> list[dict]:
    """A pandas job over ten files, untraced and under each tracer that works here."""
    rows = []
    with tempfile.TemporaryDirectory() as name, NamespaceProvider() as provider:
        room = Path(name)
        room.chmod(0o755)
        for number in range(10):
            lines = "".join(f"{key % 97},{key}\n" for key in range(40_000))
            (room / f"{number}.csv").write_text(f"key,value\n{lines}")
        tools = toolbox.ensure("core", print)
        usable = [tracer for tracer, reason in access.missing().items() if not reason]
        command = Exec((str(tools / "bin" / "python"), "-c", JOB))
        for tracer in ("off", *usable):
            spec = SandboxSpec(rooms=(Room("r", room),), tracing=tracer, toolbox=tools, limits=Limits(cpus=None))
            with provider.open(spec) as sandbox:
                sandbox.run(command)
                rows.append(summary(f"pandas job, tracing {tracer}", timed(lambda: sandbox.run(command), repeat)))
    return rows


def calls(repeat: int) -> list[dict]:
    """One call in a sandbox that runs already."""
    with NamespaceProvider() as provider, provider.open(SandboxSpec(tracing="off")) as sandbox:
        sandbox.run(Shell("true"))
        return [
            summary("program in a running sandbox", timed(lambda: sandbox.run(Exec(("true",))), repeat)),
            summary("line for the running shell", timed(lambda: sandbox.run(Shell("true")), repeat)),
        ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=40)
    parser.add_argument("--room-mb", type=int, default=1024)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = [
        *start(options.repeat),
        *calls(options.repeat),
        *large_room(options.room_mb, max(5, options.repeat // 4)),
        *tracing(max(5, options.repeat // 4)),
    ]
    if options.json:
        print(json.dumps(rows))
        return
    print(f"{'what':44} {'p50 ms':>8} {'p95 ms':>8} {'CPU ms':>8} {'n':>4}")
    for row in rows:
        print(f"{row['what']:44} {row['p50_ms']:8} {row['p95_ms']:8} {row.get('cpu_ms', ''):>8} {row['n']:4}")


if __name__ == "__main__":
    main()
