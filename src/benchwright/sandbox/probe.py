"""What this machine can do for sandboxes: tried out, not guessed."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final, Literal

from benchwright.errors import BenchwrightError
from benchwright.files import home
from benchwright.sandbox import access, toolbox
from benchwright.sandbox.base import Exec, Room, Sandbox, SandboxSpec, Tracing
from benchwright.sandbox.building import find_uv
from benchwright.sandbox.choice import OWN_IMAGE
from benchwright.sandbox.container import ContainerProvider
from benchwright.sandbox.container_engine import EngineName
from benchwright.sandbox.held import HeldSandbox
from benchwright.sandbox.holder import cgroups
from benchwright.sandbox.holder.seccomp import ARCHITECTURES
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.sandbox.supervision import UID_RANGE
from benchwright.trajectory import Measured

State = Literal["ok", "limited", "missing"]

OLDEST_KERNEL: Final = (5, 14)
_LEAST_FREE_GB: Final = 5.0
_ORDINARY_USER: Final = 65534
_EVERY_UID: Final = "4294967295"
_PACKAGES: Final = ("benchwright", "inspect-ai", "openai", "anthropic", "polars", "pyarrow", "scipy", "pydantic")

_BLOCKS: Final = (
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor lets ordinary users make no namespaces"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "the kernel lets ordinary users make no namespaces"),
    ("/proc/sys/user/max_user_namespaces", "0", "the limit of user namespaces is 0"),
)
"""Settings that keep ordinary users from making namespaces: file, blocking value, what it means."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One ability of the machine: what was found, what it costs to be without, and how to have it."""

    name: str
    state: State
    found: str
    costs: str = ""
    fix: str = ""


def findings() -> Iterator[Finding]:
    """Everything that matters to attempts, as it is for whoever asks. Starts sandboxes of every kind to see."""
    yield from _system()
    with _folder() as folder:
        yield from _namespaces(folder)
        for name in _ENGINES:
            yield _engine(name, folder)
    yield from _toolboxes()


def isolating(found: list[Finding]) -> str:
    """The kind of sandbox that `--sandbox auto` takes; empty where attempts cannot be isolated."""
    working = {finding.name for finding in found if finding.state != "missing"}
    return next((kind for kind in ("namespace", *_ENGINES) if f"{kind} sandboxes" in working), "")


_ENGINES: Final[tuple[EngineName, ...]] = ("podman", "docker")
NAMESPACES: Final = "namespace sandboxes"


def _system() -> Iterator[Finding]:
    release = os.uname().release
    version = tuple(int(part) for part in release.split("-")[0].split(".")[:2] if part.isdigit())
    old = version < OLDEST_KERNEL
    costs = "namespace sandboxes do not start" if old else ""
    yield Finding("kernel", "missing" if old else "ok", release, costs, "Linux 5.14 or newer is needed" if old else "")
    machine = os.uname().machine
    known = machine in ARCHITECTURES
    fix = "" if known else f"use one of: {', '.join(ARCHITECTURES)}"
    yield Finding("machine type", "ok" if known else "missing", machine, "" if known else "no sandbox starts", fix)
    yield Finding("Python", "ok", f"{platform.python_version()} in {sys.prefix}")
    yield _packages()
    yield _disk()


def _packages() -> Finding:
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = ""
    text = ", ".join(f"{name} {version or 'missing'}" for name, version in found.items())
    if all(found.values()):
        return Finding("packages", "ok", text)
    return Finding("packages", "missing", text, "some commands do not work", "install Benchwright anew: pip install .")


def _disk() -> Finding:
    place = home()
    existing = next(folder for folder in (place, *place.parents) if folder.exists())
    free = shutil.disk_usage(existing).free / 1e9
    found = f"{free:.0f} GB free in {place}"
    if free >= _LEAST_FREE_GB:
        return Finding("disk space", "ok", found)
    return Finding(
        "disk space", "limited", found, "suites or a toolbox may not fit", "free some, or set BENCHWRIGHT_HOME"
    )


@contextmanager
def _folder() -> Iterator[Path]:
    """A room of one file that every user may read."""
    with tempfile.TemporaryDirectory(prefix="benchwright-probe-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "data.csv").write_text("a\n1\n", encoding="utf-8")
        yield folder


@dataclass(frozen=True, slots=True)
class _Trial:
    """A sandbox that started, and the milliseconds to the end of its first command."""

    sandbox: HeldSandbox
    milliseconds: float


@contextmanager
def _trial(provider: NamespaceProvider | ContainerProvider, folder: Path, tracing: Tracing) -> Iterator[_Trial]:
    started = time.perf_counter()
    with provider.open(SandboxSpec(rooms=(Room("probe", folder),), tracing=tracing)) as sandbox:
        sandbox.run(Exec(("true",)))
        yield _Trial(sandbox, (time.perf_counter() - started) * 1000)


def _namespaces(folder: Path) -> Iterator[Finding]:
    with NamespaceProvider() as provider:
        try:
            provider.open(SandboxSpec(tracing="off")).close()  # what starts once a run is not what an attempt waits for
            with _trial(provider, folder, "off") as trial:
                yield Finding(NAMESPACES, "ok", f"{trial.milliseconds:.0f} ms to the first command")
                yield from _what_holds(trial.sandbox)
        except BenchwrightError as error:
            yield Finding(NAMESPACES, "missing", error.found or error.what, "attempts need podman or docker", _mend())
        yield _ordinary_user(folder)
        for tracing in _TRACERS:
            yield _tracer(provider, folder, tracing)
    yield _groups()


def _mend() -> str:
    """How namespaces could be had, as far as that can be told."""
    if os.geteuid() == 0 and Path("/proc/self/uid_map").read_text(encoding="ascii").split()[2] != _EVERY_UID:
        return f"this root has few users to give: name some that it has in {UID_RANGE}, or be an ordinary user"
    return "see below whether ordinary users may make namespaces; --sandbox podman or docker may work"


def _what_holds(sandbox: HeldSandbox) -> Iterator[Finding]:
    own = sandbox.uid is not None
    yield Finding(
        "host user of attempts",
        "ok" if own else "limited",
        "one of its own for each" if own else "the runner's own",
        "" if own else "attempts share one user's quotas",
        "" if own else "start the runner as root",
    )
    yield _filter(sandbox)
    overlay = "" if sandbox.overlays else "fanotify cannot trace"
    fix = "" if sandbox.overlays else "start as root, or use Linux 5.11 or newer"
    found = "an overlay for each attempt" if sandbox.overlays else "read-only binds"
    yield Finding("data rooms", "ok" if sandbox.overlays else "limited", found, overlay, fix)
    outcome = sandbox.run(Exec(("bash", "--version")))
    version = outcome.stdout.decode(errors="replace").partition("\n")[0]
    there = outcome.exit_code == 0
    yield Finding("bash in /usr", "ok" if there else "missing", version, "" if there else "agents have no shell")
    yield from _limits(sandbox)


def _filter(sandbox: Sandbox) -> Finding:
    """Whether the kernel says that a program inside is under a filter."""
    status = sandbox.run(Exec(("grep", "-E", "^(Seccomp|NoNewPrivs):", "/proc/self/status"))).stdout.decode()
    if dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line) == {
        "Seccomp": "2",
        "NoNewPrivs": "1",
    }:
        return Finding("filter of system calls", "ok", "seccomp, and no new privileges")
    return Finding("filter of system calls", "missing", status, "an attempt can try the kernel's rarer calls", "")


def _limits(sandbox: Sandbox) -> Iterator[Finding]:
    fix = "start as root, or in a delegated control group (systemd-run --user --scope -p Delegate=yes)"
    costs = {"polled": "looked at ten times a second", "unlimited": "an attempt may take all there is"}
    for limit, way in sandbox.isolation.limits.items():
        cost = costs.get(way, "")
        yield Finding(f"limit of {limit}", "limited" if cost else "ok", way, cost, fix if cost else "")


def _ordinary_user(folder: Path) -> Finding:
    """Whether sandboxes start for a user who is not root: tried as one, whoever asks."""
    name = "namespaces of ordinary users"
    try:
        if os.geteuid() == 0:
            os.chown(folder, _ORDINARY_USER, _ORDINARY_USER)
        with NamespaceProvider(user=_ORDINARY_USER if os.geteuid() == 0 else None) as provider:
            provider.open(SandboxSpec(rooms=(Room("probe", folder),), tracing="off")).close()
    except (BenchwrightError, OSError) as error:
        reasons = [meaning for path, value, meaning in _BLOCKS if _reads(path, value)]
        return Finding(
            name,
            "missing",
            "; ".join(reasons) or getattr(error, "found", "") or str(error),
            "ordinary users have no namespace sandbox",
            "an administrator can allow it (sysctl), or start the runner as root, or use podman",
        )
    return Finding(name, "ok", "a sandbox starts")


def _reads(path: str, value: str) -> bool:
    try:
        return Path(path).read_text(encoding="utf-8").strip() == value
    except OSError:
        return False


_TRACERS: Final[dict[Tracing, tuple[str, str]]] = {
    "fanotify": ("strace does the same and slows programs that open many files", "start the runner as root"),
    "strace": ("where fanotify is missing too, discovery is not measured", "install strace 5.3 or newer"),
}
"""What it costs to be without each tracer, and how to have it."""


def _tracer(provider: NamespaceProvider, folder: Path, tracing: Tracing) -> Finding:
    """Whether a file that is read is seen by this tracer, and one that is not read is not."""
    name, (costs, fix) = f"file access by {tracing}", _TRACERS[tracing]
    if reason := access.missing()[tracing]:
        return Finding(name, "missing", reason, costs, fix)
    try:
        with _trial(provider, folder, tracing) as trial:
            before = trial.sandbox.accessed()
            trial.sandbox.run(Exec(("cat", "/data/data.csv")))
            after = trial.sandbox.accessed()
    except BenchwrightError as error:
        return Finding(name, "missing", error.found or error.what, costs, fix)
    seen = [len(found.files) if isinstance(found, Measured) else -1 for found in (before, after)]
    if seen == [0, 1]:
        return Finding(name, "ok", f"sees what is read; {trial.milliseconds:.0f} ms to the first command")
    return Finding(name, "missing", f"a file was read, and {after} was seen", costs, fix)


def _groups() -> Finding:
    parents = cgroups.parents()
    absent = [controller for controller in cgroups.CONTROLLERS if controller not in parents]
    found = ", ".join(f"{name} (version {parent.version})" for name, parent in parents.items()) or "none can be written"
    if not absent:
        return Finding("control groups", "ok", found)
    costs = f"no exact limit of {', '.join(absent)}"
    fix = "start as root, or in a delegated group (systemd-run --user --scope -p Delegate=yes)"
    return Finding("control groups", "limited" if parents else "missing", found, costs, fix)


def _engine(name: EngineName, folder: Path) -> Finding:
    title = f"{name} sandboxes"
    costs = f"--sandbox {name} does not work; namespaces need no engine"
    with ContainerProvider(name, os.environ.get(OWN_IMAGE, "")) as provider:
        try:
            provider.open(SandboxSpec(tracing="off")).close()
            with _trial(provider, folder, "auto") as trial:
                return _of_container(title, trial)
        except BenchwrightError as error:
            return Finding(title, "missing", f"{error.what}: {error.found}".rstrip(": "), costs, error.hint)


def _of_container(title: str, trial: _Trial) -> Finding:
    isolation = trial.sandbox.isolation
    found = f"{trial.milliseconds:.0f} ms to the first command; file access by {isolation.tracer}"
    unkept = [limit for limit, way in isolation.limits.items() if way == "unlimited"]
    costs = [f"no limit of {', '.join(unkept)}"] if unkept else []
    costs += ["discovery is not measured"] if isolation.tracer == "none" else []
    costs += isolation.notes
    if costs:
        return Finding(title, "limited", found, "; ".join(costs), "start the runner as root, or use namespaces")
    return Finding(title, "ok", found)


def _toolboxes() -> Iterator[Finding]:
    builder = find_uv() or "pip"
    for kind in toolbox.KINDS:
        root = toolbox.find(kind)
        if root is not None:
            yield Finding(f"{kind} toolbox", "ok", str(root))
            continue
        costs = "the first run that needs it builds it: some minutes, 1.5 GB, a package index"
        yield Finding(f"{kind} toolbox", "missing", f"not built yet; {builder} would", costs, _BUILD_FIX)


_BUILD_FIX: Final = "it is built when first needed; uv on the PATH builds it in a fraction of pip's time"
