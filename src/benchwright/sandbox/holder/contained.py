"""The first process of a container: finds what the engine mounted, and serves as any other first process does."""

from __future__ import annotations

import json
import os
import socket
import sys
from dataclasses import replace
from typing import Any, Final

from benchwright.sandbox.holder import cgroups, first, system
from benchwright.sandbox.holder.plan import Plan
from benchwright.sandbox.holder.tree import WORKSPACE, Mounted

_LONGEST_REQUEST: Final = 192 * 1024
_PATIENCE_SECONDS: Final = 60.0
_NO_POWER: Final = ("CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1")
SHARED_USER: Final = "no user namespace of its own: the engine's stands alone"


def main() -> None:
    """Argument: the path of the runner's socket, which answers with the plan."""
    path = sys.argv[1]
    system.hide_arguments()
    system.name_process(cgroups.PROCESS_NAME)
    os.umask(0o022)
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    control.settimeout(_PATIENCE_SECONDS)  # a runner that was killed meanwhile never answers
    control.connect(path)
    request: dict[str, Any] = json.loads(control.recv(_LONGEST_REQUEST))
    control.settimeout(None)
    plan, notes = _possible(Plan.from_json(request["plan"]))
    lifeline, _never_closed = os.pipe2(os.O_CLOEXEC)
    task = first.Task(plan, control.detach(), lifeline, report=-1, uid_lock=-1)
    first.begin(task, first.filter_for(plan), lambda plan: _find(plan, tuple(request["overlays"]), notes))


def _find(plan: Plan, overlays: tuple[bool, ...], notes: tuple[str, ...]) -> Mounted:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    os.chdir(f"/{WORKSPACE}")
    rooms = tuple(os.open(room.target, flags) for room in plan.rooms)
    return Mounted(rooms, overlays, os.open(f"/{WORKSPACE}", flags), notes=notes)


def _possible(plan: Plan) -> tuple[Plan, tuple[str, ...]]:
    """The plan, without a user namespace where the kernel refuses one; then the engine must have taken all power."""
    kept = plan.protections
    if kept.own_user and _may_make_user_namespace():
        return plan, ()
    with open("/proc/self/status", encoding="utf-8") as stream:
        status = stream.read()
    if kept.capabilities and not all(line in status for line in _NO_POWER):
        raise PermissionError("the engine left capabilities to the container, and no user namespace can be made")
    return replace(plan, protections=replace(kept, own_user=False, capabilities=False)), (SHARED_USER,)


def _may_make_user_namespace() -> bool:
    child = os.fork()
    if child == 0:
        try:
            system.unshare(system.CLONE_NEWUSER)
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0
