"""The words that start one attempt's container: its mounts, its user, its limits, and nothing that leads out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchwright.errors import InputError
from benchwright.sandbox import toolbox
from benchwright.sandbox.container_engine import LABEL, Engine, run_options
from benchwright.sandbox.holder import first, launcher
from benchwright.sandbox.holder.plan import Plan, Protections

_MADE_UP: Final = ("hosts", "hostname", "resolv.conf")
"""Files that engines write into /etc, from the host's, unless something is mounted there."""
_USERS: Final = ("passwd", "group")
_MASKED: Final = "/sys:/proc/cmdline:/proc/key-users:/proc/config.gz:/proc/sched_debug"
_SOCKETS: Final = (
    "/run/docker.sock",
    "/var/run/docker.sock",
    "/run/podman/podman.sock",
    "/run/containerd/containerd.sock",
)


@dataclass(frozen=True, slots=True)
class Container:
    """One container to start: the engine, the image, and whether that is the user's own with its own /usr."""

    engine: Engine
    image: str
    own_image: bool
    name: str
    stage: str


def interpreter() -> Path:
    """The Python that runs this program, free of links and of virtual environments."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


def own_folders() -> tuple[Path, ...]:
    """What our own Python needs to be visible of the host: the container's first process is written in it."""
    return tuple(folder for folder in toolbox.folders_of(interpreter()) if not folder.is_relative_to("/usr"))


def check(plan: Plan) -> None:
    """Refuse what an engine cannot mount, and what would hand the engine itself to the agent."""
    for path in (*plan.visible, *(room.target for room in plan.rooms)):
        if ":" in path or "\n" in path:
            raise InputError("a container engine cannot mount at this path", found=path, expected="a path without ':'")
    for room in plan.rooms:
        for place in _engine_sockets():
            if place.is_relative_to(room.path):
                raise InputError("this room holds the socket of a container engine", found=str(place))


def _engine_sockets() -> Iterator[Path]:
    named = os.environ.get("DOCKER_HOST", "").removeprefix("unix://")
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    own = [f"{runtime}/podman/podman.sock", f"{runtime}/docker.sock"] if runtime else []
    for path in (*_SOCKETS, *own, *([named] if named.startswith("/") else [])):
        yield Path(path).resolve()


def command(container: Container, plan: Plan) -> tuple[str, ...]:
    """The whole command; it returns when the container runs."""
    kept = plan.protections
    return (
        *container.engine.command,
        *run_options(container.engine),
        *("--detach", "--name", container.name, "--label", LABEL),
        *_isolation(container, kept),
        *("--user", _user(plan), "--workdir", "/"),
        *(_limits(plan) if kept.limits else ()),
        *_mounts(container, plan),
        *("--entrypoint", "python3" if container.own_image else str(interpreter()), container.image),
        *("-I", "-S", "-c", first.bootstrap("contained", ["/opt", f"/{launcher.CODE}"]), f"/{launcher.DOOR}"),
    )


def _user(plan: Plan) -> str:
    uid = 0 if plan.uid is None else plan.uid
    return f"{uid}:{uid}"


def _isolation(container: Container, kept: Protections) -> Iterator[str]:
    yield from ("--network", "none" if kept.own_network else "host")
    yield from ("--hostname", "sandbox")
    yield from ("--ipc", "private" if kept.own_ipc else "host")
    if not kept.own_processes:
        yield from ("--pid", "host")
    if kept.read_only:
        yield "--read-only"
    if kept.capabilities:
        yield from ("--cap-drop", "all", "--security-opt", "no-new-privileges")
    else:
        yield from ("--cap-add", "all")
    profile = f"{container.stage}/{launcher.PROFILE}" if kept.seccomp else "unconfined"
    yield from ("--security-opt", f"seccomp={profile}")
    if container.engine.serves_alone and kept.own_tree:
        yield from ("--security-opt", f"mask={_MASKED}")


def _limits(plan: Plan) -> Iterator[str]:
    if plan.memory_mb is not None:
        yield from ("--memory", f"{plan.memory_mb}m", "--memory-swap", f"{plan.memory_mb}m")
    if plan.processes is not None:
        yield from ("--pids-limit", str(plan.processes))
    if plan.cpus is not None:
        yield from ("--cpus", str(plan.cpus))


def _mounts(container: Container, plan: Plan) -> Iterator[str]:
    read_only = plan.protections.read_only
    for path in _shown(container, plan):
        yield from _mount(container, path, read_only=read_only)
    for room in plan.rooms:
        yield from _mount(container, room.target, read_only=read_only and not room.writable)
    for path in ("/workspace", "/tmp", "/dev/shm"):  # noqa: S108 - the container's own
        yield from _mount(container, path, read_only=False)
    if not plan.protections.own_tree:
        yield from ("-v", "/:/host:dev", "--device-cgroup-rule", "c *:* rwm")


def _shown(container: Container, plan: Plan) -> Iterator[str]:
    """The folders and files of the stage that are seen at the same path."""
    yield f"/{launcher.CODE}"
    yield from (f"/etc/{name}" for name in _MADE_UP)
    if container.own_image:
        return
    yield from ("/usr", "/etc", *(f"/etc/{name}" for name in _USERS), *plan.visible)
    yield from dict.fromkeys(os.path.dirname(path) for path, _ in plan.links)  # on the stage, they hold nothing else


def _mount(container: Container, path: str, *, read_only: bool) -> tuple[str, str]:
    options = ["ro"] if read_only else ["rw"]
    if container.engine.serves_alone:
        options += ["nosuid", "nodev"]
    return "-v", f"{container.stage}{path}:{path}:{','.join(options)}"
