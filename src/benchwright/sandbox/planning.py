"""From what an attempt needs to what the holder builds, and to the record of what protects it."""

from __future__ import annotations

import math
import os
from collections.abc import Collection
from pathlib import Path
from typing import Final

from benchwright.errors import EnvironmentFault, InputError
from benchwright.sandbox import hiding, toolbox, wheelhouse
from benchwright.sandbox.base import Isolation, Room, SandboxSpec
from benchwright.sandbox.holder.plan import Plan, Protections, RoomPlan

_THREAD_POOLS: Final = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_MAX_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
    "ARROW_NUM_THREADS",
)
_RESERVED: Final = ("/proc", "/dev", "/usr", "/etc", "/bin", "/sbin", "/lib", "/lib64", "/run", "/tmp", "/workspace")  # noqa: S108 - inside


def plan(
    spec: SandboxSpec, prefix: tuple[str, ...], protections: Protections, also_shown: tuple[Path, ...] = ()
) -> Plan:
    """Everything that the holder must know; `also_shown` are further host folders that appear at their own paths.

    Errors: InputError for a room that cannot be mounted as asked.
    """
    limits = spec.limits
    shown = [_shown(folder) for folder in (*spec.programs, *filter(None, [spec.wheelhouse]))]
    if spec.toolbox is not None:
        shown.insert(0, toolbox.shown(spec.toolbox))
    folders = tuple(dict.fromkeys((*(folder for part in shown for folder in part.folders), *also_shown)))
    links = dict.fromkeys(link for part in shown for link in part.links)
    environment = _environment(spec)
    if not protections.clean_environment:
        environment = {**os.environ, **environment}
    return Plan(
        rooms=tuple(_room(room) for room in spec.rooms),
        visible=tuple(str(folder) for folder in folders),
        links=tuple((str(path), target) for path, target in links),
        folders=() if spec.wheelhouse is None else (wheelhouse.SITE,),
        hidden=tuple(hiding.places(folders, hiding.secrets(spec))),
        environment=environment,
        python="" if spec.toolbox is None else str(spec.toolbox / "bin" / "python"),
        memory_mb=limits.memory_mb,
        processes=limits.processes,
        cpus=limits.cpus,
        disk_mb=limits.disk_mb,
        output_bytes=limits.output_kb * 1024,
        step_seconds=limits.step_seconds,
        wall_seconds=limits.wall_seconds,
        prefix=prefix,
        protections=protections,
    )


def _shown(folder: Path) -> toolbox.Shown:
    """What a program's folder needs: with a Python environment, that of its interpreter, too."""
    return toolbox.shown(folder) if (folder / "bin" / "python").exists() else toolbox.Shown((folder,))


def _room(room: Room) -> RoomPlan:
    target = os.path.normpath(room.target)
    if not target.startswith("/") or target == "/" or any(_within(target, place) for place in _RESERVED):
        raise InputError(f"room {room.name} cannot be mounted there", found=room.target, expected="a folder like /data")
    path = room.path.resolve()
    if not path.is_dir():
        raise InputError(f"room {room.name} is not there", found=str(path), expected="a folder")
    if os.geteuid() == 0 and path.stat().st_mode & 0o005 != 0o005:
        raise EnvironmentFault(
            f"room {room.name} is closed to the sandbox's user",
            found=f"{path} with mode {path.stat().st_mode & 0o777:o}",
            expected="a folder that everyone may read (its parents may stay closed)",
        )
    return RoomPlan(str(path), target, room.writable)


def _within(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")


def _environment(spec: SandboxSpec) -> dict[str, str]:
    plain = _plain_environment(spec)
    if spec.wheelhouse is not None:
        plain |= wheelhouse.variables(spec.wheelhouse, plain["PATH"], plain["PYTHONPATH"])
    return {**plain, **spec.environment}


def _plain_environment(spec: SandboxSpec) -> dict[str, str]:
    tools = [] if spec.toolbox is None else [str(spec.toolbox / "bin")]
    cores = len(os.sched_getaffinity(0))
    threads = cores if spec.limits.cpus is None else max(1, min(cores, math.ceil(spec.limits.cpus)))
    return {
        "PATH": ":".join([*tools, "/usr/local/bin", "/usr/bin", "/bin"]),
        "HOME": "/workspace",
        "USER": "agent",
        "LOGNAME": "agent",
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "TMPDIR": "/tmp",  # noqa: S108 - the sandbox's own
        "XDG_CACHE_HOME": "/tmp/.cache",  # noqa: S108
        "IPYTHONDIR": "/tmp/.ipython",  # noqa: S108
        "MPLCONFIGDIR": "/tmp/.matplotlib",  # noqa: S108
        "MPLBACKEND": "Agg",
        "PYTHONPATH": "/opt/benchwright/capture",
        "PYTHONDONTWRITEBYTECODE": "1",
        **dict.fromkeys(_THREAD_POOLS, str(threads)),
    }


def isolation(
    plan: Plan, groups: Collection[str], tracer: str, *, provider: str = "namespace", notes: tuple[str, ...] = ()
) -> Isolation:
    """What is in force, for the record. `groups` names the controllers whose control groups keep their limits."""
    kept = plan.protections
    return Isolation(
        provider=provider,
        level="namespaces" if provider == "namespace" else provider,
        network="loopback only" if kept.own_network else "host",
        tracer=tracer,
        seccomp=kept.seccomp,
        limits=_enforcement(plan, groups),
        notes=notes,
    )


def _enforcement(plan: Plan, groups: Collection[str]) -> dict[str, str]:
    if not plan.protections.limits:
        return dict.fromkeys(("wall", "step", "memory", "processes", "cpus", "disk", "output"), "unlimited")
    ways = {
        "wall": (plan.wall_seconds, "timer"),
        "step": (plan.step_seconds, "timer"),
        "memory": (plan.memory_mb, "cgroup" if "memory" in groups else "polled"),
        "processes": (plan.processes, "cgroup" if "pids" in groups else "rlimit"),
        "cpus": (plan.cpus, "cgroup" if "cpu" in groups else "affinity"),
        "disk": (plan.disk_mb, "quota"),
        "output": (plan.output_bytes, "quota"),
    }
    return {name: "unlimited" if value is None else way for name, (value, way) in ways.items()}
