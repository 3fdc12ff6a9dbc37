"""Whose a container or a control group is: one process among all that this machine has had, written as a name."""

from __future__ import annotations

import os
import re
from typing import Final, Literal

PATTERN: Final = r"[0-9a-f-]{36}\.[0-9]+\.[0-9]+\.[0-9]+"
"""What an identity looks like, as a regular expression."""
_IDENTITY: Final = re.compile(PATTERN)
Fate = Literal["living", "gone", "unknown"]


def identity() -> str:
    """This process: boot, process namespace, number in it, and time of start in ticks since boot."""
    pid = os.getpid()
    return f"{_boot()}.{_namespace()}.{pid}.{_started(pid)}"


def fate(owner: str) -> Fate:
    """What became of the process with that identity.

    Unknown are processes of other process namespaces, into which nothing here can look, and what is no identity.
    """
    if not _IDENTITY.fullmatch(owner):
        return "unknown"
    boot, namespace, pid, started = owner.split(".")
    if boot != _boot():
        return "gone"
    if namespace != _namespace():
        return "unknown"
    return "living" if _started(int(pid)) == started else "gone"


def _boot() -> str:
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as stream:
        return stream.read().strip()


def _namespace() -> str:
    return str(os.stat("/proc/self/ns/pid").st_ino)


def _started(pid: int) -> str:
    """When a process began; empty if there is none, or one that is dead and waits for its parent."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            fields = stream.read().rpartition(b") ")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in {b"Z", b"X"} else fields[19].decode()
