"""What this machine can do for sandboxes: tried out, not guessed."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from benchwright.errors import BenchwrightError
from benchwright.sandbox import access, toolbox
from benchwright.sandbox.base import Exec, Room, SandboxSpec
from benchwright.sandbox.held import HeldSandbox
from benchwright.sandbox.holder.seccomp import ARCHITECTURES
from benchwright.sandbox.namespace import NamespaceProvider

OLDEST_KERNEL: Final = (5, 14)
Weight = Literal["needed", "better", "info"]

_BLOCKS: Final = (
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor lets ordinary users make no namespaces"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "the kernel lets ordinary users make no namespaces"),
    ("/proc/sys/user/max_user_namespaces", "0", "the limit of user namespaces is 0"),
)
"""Settings that keep ordinary users from making namespaces: file, blocking value, what it means."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One ability: `weight` says whether sandboxes cannot start without it, or are better with it."""

    name: str
    ok: bool
    found: str
    weight: Weight = "needed"
    hint: str = ""


def findings() -> Iterator[Finding]:
    """Everything that matters to namespace sandboxes, as it is for whoever asks. Starts one sandbox to see."""
    yield _kernel()
    yield _machine()
    if os.geteuid() != 0:
        yield _ordinary_user()
    yield from _trial()
    for name, reason in access.missing().items():
        yield Finding(f"file access by {name}", not reason, reason or "can trace", "better", _TRACER_HINTS[name])
    for kind in toolbox.KINDS:
        root = toolbox.find(kind)
        hint = "built when it is first needed, from the package index"
        yield Finding(f"{kind} toolbox", root is not None, str(root or "not built yet"), "info", hint)
    yield _builder()


_TRACER_HINTS: Final = {
    "fanotify": "start the runner as root for it; without, strace does the same at some cost",
    "strace": "install strace 5.3 or newer",
}


def _kernel() -> Finding:
    release = os.uname().release
    parts = release.split("-")[0].split(".")[:2]
    version = tuple(int(part) for part in parts if part.isdigit())
    return Finding("kernel", version >= OLDEST_KERNEL, release, hint="Linux 5.14 or newer is needed")


def _machine() -> Finding:
    machine = os.uname().machine
    return Finding("machine type", machine in ARCHITECTURES, machine, hint=f"known: {', '.join(ARCHITECTURES)}")


def _ordinary_user() -> Finding:
    reasons = [meaning for path, value, meaning in _BLOCKS if _reads(path, value)]
    hint = "a system administrator can allow it (sysctl), or start the runner as root, or use --sandbox podman"
    return Finding("namespaces for ordinary users", not reasons, "; ".join(reasons) or "allowed", hint=hint)


def _reads(path: str, value: str) -> bool:
    try:
        return Path(path).read_text(encoding="utf-8").strip() == value
    except OSError:
        return False


def _trial() -> Iterator[Finding]:
    with tempfile.TemporaryDirectory(prefix="benchwright-probe-") as name, NamespaceProvider() as provider:
        folder = Path(name)
        folder.chmod(0o755)
        try:
            provider.open(SandboxSpec(tracing="off")).close()
            started = time.perf_counter()
            with provider.open(SandboxSpec(rooms=(Room("probe", folder),), tracing="off")) as sandbox:
                sandbox.run(Exec(("true",)))
                seconds = time.perf_counter() - started
                yield Finding("a sandbox starts", True, f"{seconds * 1000:.0f} ms to its first command")
                yield from _what_holds(sandbox)
        except BenchwrightError as error:
            yield Finding("a sandbox starts", False, error.found or error.what, hint=error.hint)


def _what_holds(sandbox: HeldSandbox) -> Iterator[Finding]:
    uid = "an own host user for each attempt" if sandbox.uid is not None else "the runner's own host user"
    yield Finding("user of the processes", True, uid, "info")
    yield Finding("data by overlay", sandbox.overlays, "overlay" if sandbox.overlays else "read-only bind", "better")
    outcome = sandbox.run(Exec(("bash", "--version")))
    yield Finding("bash in /usr", outcome.exit_code == 0, outcome.stdout.decode(errors="replace").partition("\n")[0])
    for limit, way in sandbox.isolation.limits.items():
        strong = way not in {"polled", "unlimited"}
        hint = "a control group keeps it exactly: start as root, or in a delegated group (systemd-run --user --scope)"
        yield Finding(f"limit of {limit}", strong, way, "better", "" if strong else hint)


def _builder() -> Finding:
    found = shutil.which("uv") or "pip"
    return Finding("builder of toolboxes", True, found, "info", "uv builds a toolbox in a fraction of pip's time")
