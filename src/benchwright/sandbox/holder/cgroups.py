"""Control groups of both versions: memory, processes and CPU time of one sandbox, where they can be written."""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from benchwright.sandbox.holder import owner
from benchwright.sandbox.holder.plan import Plan

CONTROLLERS: Final = ("memory", "pids", "cpu")
_DYING_SECONDS: Final = 0.5
"""How long a group of processes that have ended may stay in use."""
_PAUSE_SECONDS: Final = 0.005
PROCESS_NAME: Final = "sandbox"
"""What supervisors, and the first processes that they fork, are called in lists of processes."""
_PERIOD_US: Final = 100_000
_NAME: Final = re.compile(rf"benchwright-({owner.PATTERN})-[0-9]+")
_LONGEST_EMPTY_SECONDS: Final = 3600.0
"""A group is made moments before its first process enters, so one that stayed empty for this long waits for none."""


@dataclass(frozen=True, slots=True)
class Parent:
    """A folder in which groups with this controller can be made."""

    version: int
    controller: str
    folder: str


def parents() -> dict[str, Parent]:
    """For each controller that this process may use, where its groups go."""
    found: dict[str, Parent] = {}
    for version, controllers, folder in _own_folders():
        for controller in controllers & set(CONTROLLERS) - found.keys():
            if _usable(folder):
                found[controller] = Parent(version, controller, folder)
    return found


def _own_folders() -> Iterator[tuple[int, set[str], str]]:
    """Every hierarchy: version, controllers that a child of the folder would have, and the folder of this process."""
    own = _memberships("self")
    for kind, options, root, place in _mounts():
        for _, names, path in own:
            if kind == "cgroup" and names and set(names.split(",")) <= options:
                yield 1, set(names.split(",")), _under(place, root, path)
            elif kind == "cgroup2" and not names:
                for folder in (_under(place, root, path), place):
                    yield 2, _enabled(folder), folder


def _memberships(process: str) -> list[list[str]]:
    """The groups of a process: hierarchy number, controllers, path."""
    with open(f"/proc/{process}/cgroup", encoding="utf-8", errors="surrogateescape") as stream:
        return [line.rstrip("\n").split(":", 2) for line in stream]


def _mounts() -> Iterator[tuple[str, set[str], str, str]]:
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as stream:
        for line in stream:
            before, _, after = line.partition(" - ")
            kind, _, options = after.split(" ", 2)
            if kind in {"cgroup", "cgroup2"}:
                fields = before.split()
                yield kind, set(options.strip().split(",")), fields[3], fields[4]


def _under(place: str, root: str, path: str) -> str:
    relative = os.path.relpath(path, root)
    return place if relative.startswith("..") else os.path.normpath(os.path.join(place, relative))


def _enabled(folder: str) -> set[str]:
    """The controllers that children of a version 2 group have, after switching on what can be."""
    for controller in CONTROLLERS:
        with suppress(OSError):
            _put(f"{folder}/cgroup.subtree_control", f"+{controller}")
    try:
        with open(f"{folder}/cgroup.subtree_control", encoding="utf-8") as stream:
            return set(stream.read().split())
    except OSError:
        return set()


def _usable(folder: str) -> bool:
    return os.access(folder, os.W_OK) and os.access(f"{folder}/cgroup.procs", os.W_OK)


def _put(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def make(plan: Plan, number: int, where: dict[str, Parent]) -> dict[str, str]:
    """Groups for one sandbox: controller -> folder. A controller whose limit cannot be set is left out."""
    made: dict[str, str] = {}
    wanted = {"memory": plan.memory_mb, "pids": plan.processes, "cpu": plan.cpus}
    for controller, parent in where.items():
        if wanted[controller] is None:
            continue
        folder = f"{parent.folder}/benchwright-{owner.identity()}-{number}"
        with suppress(OSError):
            with suppress(FileExistsError):
                os.mkdir(folder)
            _limit(parent, folder, plan)
            made[controller] = folder
    return made


def unkept(groups: Collection[str]) -> tuple[str, ...]:
    """The limits that no control group keeps; `groups` names the controllers that do."""
    names = {"memory": "memory", "pids": "processes", "cpu": "cpus"}
    return tuple(limit for controller, limit in names.items() if controller not in groups)


def _limit(parent: Parent, folder: str, plan: Plan) -> None:
    if parent.controller == "memory" and plan.memory_mb is not None:
        size = str(plan.memory_mb << 20)
        if parent.version == 1:
            _put(f"{folder}/memory.limit_in_bytes", size)
            with suppress(OSError):
                _put(f"{folder}/memory.memsw.limit_in_bytes", size)
        else:
            _put(f"{folder}/memory.max", size)
            with suppress(OSError):
                _put(f"{folder}/memory.swap.max", "0")
    elif parent.controller == "pids" and plan.processes is not None:
        _put(f"{folder}/pids.max", str(plan.processes))
    elif parent.controller == "cpu" and plan.cpus is not None:
        quota = round(plan.cpus * _PERIOD_US)
        if parent.version == 1:
            _put(f"{folder}/cpu.cfs_period_us", str(_PERIOD_US))
            _put(f"{folder}/cpu.cfs_quota_us", str(quota))
        else:
            _put(f"{folder}/cpu.max", f"{quota} {_PERIOD_US}")


def keeping(pid: int, plan: Plan) -> dict[str, str]:
    """The groups of another process that keep this plan's limits, whoever made them: controller -> folder."""
    wanted = {
        "memory": None if plan.memory_mb is None else plan.memory_mb << 20,
        "pids": plan.processes,
        "cpu": plan.cpus,
    }
    found: dict[str, str] = {}
    for kind, options, root, place in _mounts():
        for _, names, path in _memberships(str(pid)):
            v2 = kind == "cgroup2" and not names
            if v2 or (kind == "cgroup" and names and set(names.split(",")) <= options):
                folder = _under(place, root, path)
                for controller in set(CONTROLLERS) if v2 else set(names.split(",")) & set(CONTROLLERS):
                    kept, limit = _kept(folder, controller), wanted[controller]
                    if kept is not None and limit is not None and kept <= limit:
                        found[controller] = folder
    return found


def _kept(folder: str, controller: str) -> float | None:
    """The limit that a group sets: bytes, processes, or processors. None: it sets none."""
    files = {
        "memory": ("memory.max", "memory.limit_in_bytes"),
        "pids": ("pids.max",),
        "cpu": ("cpu.max", "cpu.cfs_quota_us"),
    }
    for name in files[controller]:
        with suppress(OSError, ValueError), open(f"{folder}/{name}", encoding="ascii") as stream:
            words = stream.read().split()
            if controller != "cpu":
                return int(words[0])
            period = words[1] if len(words) > 1 else _read_word(f"{folder}/cpu.cfs_period_us")
            quota = int(words[0])
            return quota / int(period) if quota > 0 else None
    return None


def _read_word(path: str) -> str:
    with open(path, encoding="ascii") as stream:
        return stream.read().strip()


def doors(folders: tuple[str, ...]) -> tuple[int, ...]:
    """Descriptors that a process number is written to, to put that process into the groups.

    They are opened early because the first process takes the host's tree away, from its parent as well.
    """
    return tuple(os.open(f"{folder}/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC) for folder in folders)


def remove(folders: tuple[str, ...]) -> None:
    """Remove groups. Newer kernels let a process leave its group some time after its parent has heard of its end:
    that is waited for; one that holds a process for longer is left to `remove_stale`.
    """
    deadline = time.monotonic() + _DYING_SECONDS
    for folder in folders:
        while not _removed(folder) and time.monotonic() < deadline:
            time.sleep(_PAUSE_SECONDS)


def _removed(folder: str) -> bool:
    """Remove a group; False where it holds a process, or what is left of one."""
    try:
        os.rmdir(folder)
    except OSError as error:
        return error.errno != errno.EBUSY
    return True


def remove_stale(where: dict[str, Parent]) -> tuple[str, ...]:
    """Remove groups whose supervisor is gone; the folders of those that are gone now.

    Supervisors of other containers, with process numbers of their own, may make groups in the same folders.
    """
    removed = []
    for folder in {parent.folder for parent in where.values()}:
        for name in os.listdir(folder):
            match = _NAME.fullmatch(name)
            if match and _stale(f"{folder}/{name}", owner.fate(match[1])):
                remove((f"{folder}/{name}",))
                removed.append(f"{folder}/{name}")
    return tuple(folder for folder in removed if not os.path.exists(folder))


def _stale(folder: str, fate: owner.Fate) -> bool:
    """Whether nobody will use a group again, given what became of its supervisor."""
    if fate != "unknown":
        return fate == "gone"
    try:
        empty_at_most = (
            time.time() - os.stat(folder).st_mtime
        )  # a group that the kernel forgot and found again is younger
        with open(f"{folder}/cgroup.procs", encoding="ascii") as stream:
            return not stream.read(1) and empty_at_most > _LONGEST_EMPTY_SECONDS
    except OSError:
        return False


def count(folder: str, controller: str) -> int:
    """How often the limit was hit: processes killed for memory, or forks refused."""
    names = ("memory.events", "memory.oom_control", "pids.events")
    words = {"memory": "oom_kill", "pids": "max"}
    for name in names:
        with suppress(OSError), open(f"{folder}/{name}", encoding="utf-8") as stream:
            for line in stream:
                word, _, value = line.partition(" ")
                if word == words[controller]:
                    return int(value)
    return 0
