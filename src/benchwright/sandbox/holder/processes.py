"""Which processes live in the sandbox, and how to end them so that none escapes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

_CALM_ROUNDS: Final = 3
_PATIENCE_SECONDS: Final = 10.0
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_DEAD: Final = frozenset(b"ZX")


@dataclass(frozen=True, slots=True)
class Process:
    """One living process (not a zombie; a zombie whose other threads run on is alive)."""

    pid: int
    parent: int
    threads: int
    resident: int
    """Bytes in memory; pages that are shared count in full."""


def alone() -> bool:
    """Whether this process is the first of its namespace: anywhere else, a sweep would hit the host's processes."""
    return os.getpid() == 1


def listed() -> dict[int, Process]:
    """Every living process of the namespace but the first."""
    found = (_look(name) for name in os.listdir("/proc") if name.isdigit() and name != "1")
    return {process.pid: process for process in found if process is not None}


def _look(pid: str) -> Process | None:
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as stream:
            fields = stream.read(4096).rpartition(b") ")[2].split()
    except OSError:
        return None  # gone meanwhile
    if len(fields) < 22 or (fields[0][0] in _DEAD and int(fields[17]) < 2):
        return None
    resident = int(fields[21]) or _resident_of_threads(pid)
    return Process(int(pid), int(fields[1]), int(fields[17]), resident * _PAGE)


def _resident_of_threads(pid: str) -> int:
    """Pages of a process whose first thread has ended: the others still have its memory, itself shows none."""
    pages = 0
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{thread}/stat", "rb", buffering=0) as stream:
                pages = max(pages, int(stream.read(4096).rpartition(b") ")[2].split()[21]))
    return pages


def _last_pid() -> bytes:
    """The newest process number of this namespace: unchanged means that nothing was started meanwhile."""
    with open("/proc/loadavg", "rb", buffering=0) as stream:
        return stream.read(128).split()[-1]


def descendants(root: int, table: dict[int, Process]) -> set[int]:
    """Everything below `root`, without itself."""
    children: dict[int, list[int]] = {}
    for process in table.values():
        children.setdefault(process.parent, []).append(process.pid)
    found: set[int] = set()
    front = [root]
    while front:
        below = [child for child in children.get(front.pop(), ()) if child not in found]
        found.update(below)
        front += below
    return found


def leftovers(root: int, kept: Collection[int], table: dict[int, Process], *, orphans_too: bool) -> set[int]:
    """What a call left: all below its process and, where no other call runs that they may belong to, all orphans."""
    found = descendants(root, table)
    if orphans_too:
        orphans = {process.pid for process in table.values() if process.parent == 1 and process.pid not in kept}
        found |= orphans.union(*(descendants(orphan, table) for orphan in orphans))
    return found - set(kept)


class Family:
    """The children of the first process: those that calls and sessions stand for, and orphans that came to it."""

    def __init__(self) -> None:
        self.exits: dict[int, int] = {}
        """Exit codes of adopted processes that ended; a signal counts as 128 and its number, as shells have it."""
        self._kept: set[int] = set()

    def adopt(self, pid: int) -> None:
        """Keep this process when others are swept, and remember how it ends."""
        self._kept.add(pid)

    def disown(self, pid: int) -> None:
        """Stop keeping it: from now on it is an orphan like others."""
        self._kept.discard(pid)
        self.exits.pop(pid, None)

    def reap(self) -> None:
        """Take the exit status of all that ended."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self._kept:
                self.exits[pid] = _exit_code(status)

    def sweep(self, root: int, *, orphans_too: bool) -> bool:
        """Kill whatever the call of process `root` left; False if only killing every process helped.

        A process that forks faster than it is found is frozen first, with everything else in the namespace: the
        kernel stops all processes in one step, and a stopped process cannot fork.
        """
        if not alone():
            return True
        deadline = time.monotonic() + _PATIENCE_SECONDS
        rounds = 0
        while time.monotonic() < deadline:
            before = _last_pid()
            targets = leftovers(root, self._kept, listed(), orphans_too=orphans_too)
            if not targets and before == _last_pid():
                return True
            rounds += 1
            if rounds > _CALM_ROUNDS:
                self._kill_frozen(root, orphans_too=orphans_too)
            else:
                kill(targets)
            self.reap()
        kill_all()
        return False

    def _kill_frozen(self, root: int, *, orphans_too: bool) -> None:
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGSTOP)
        kill(leftovers(root, self._kept, listed(), orphans_too=orphans_too))
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGCONT)


def _exit_code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def kill(pids: Iterable[int]) -> None:
    """Kill these processes; those that are gone already are passed over."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def kill_tree(root: int) -> None:
    """Kill a process and all below it, before its death makes orphans of them."""
    below = descendants(root, listed())
    kill([root, *below])


def kill_all() -> None:
    """Kill every process of the namespace but the first, in one step of the kernel."""
    if not alone():
        raise RuntimeError("only the first process of a namespace may kill all others")
    with suppress(ProcessLookupError, PermissionError):
        os.kill(-1, signal.SIGKILL)


def proportional(process: Process) -> int:
    """Bytes in memory of one process: shared pages count in part, in full where it may not be looked at."""
    try:
        with open(f"/proc/{process.pid}/smaps_rollup", "rb") as stream:
            return next((int(line.split()[1]) << 10 for line in stream if line.startswith(b"Pss:")), process.resident)
    except FileNotFoundError:
        return 0  # gone
    except OSError:
        return process.resident
