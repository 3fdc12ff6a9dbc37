"""From a fresh fork to the first process of a sandbox, step by step."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, NoReturn

from benchwright.sandbox.holder import cgroups, identity, seccomp, server, system, wire
from benchwright.sandbox.holder.plan import Plan
from benchwright.sandbox.holder.programs import OutOfMemoryOrder
from benchwright.sandbox.holder.tree import Mounted, Tree

_HIGHEST_DESCRIPTOR: Final = 1 << 16
_PACKAGES: Final = ("benchwright", "benchwright.sandbox")


@dataclass(frozen=True, slots=True)
class Task:
    """What the holder is given: the plan, and descriptors (-1: none).

    `control` leads to the runner, `lifeline` ends with the supervisor, `report` takes the first process's number, and
    `uid_lock` keeps the host uid taken for as long as any process of the sandbox's own code lives.
    """

    plan: Plan
    control: int
    lifeline: int
    report: int
    uid_lock: int


def filter_for(plan: Plan) -> bytes:
    """The filter of system calls, stricter where limits are not kept by control groups."""
    limits = {"memory": plan.memory_mb, "cpus": plan.cpus}
    set_here = plan.protections.limits
    polled = tuple(name for name, value in limits.items() if set_here and value is not None and name in plan.polled)
    return seccomp.program(os.uname().machine, polled)


def hold(task: Task, program: bytes) -> NoReturn:
    """Leave the runner's namespaces and fork the first process into the new ones; never returns."""
    try:
        _close_all_but({task.control, task.lifeline, task.report, task.uid_lock, 0, 1, 2})
        if task.plan.prefix:
            _pass_to_tracer(task)
        enter(task, program)
    except BaseException as error:  # noqa: BLE001 - the one place where a holder's failure can be told
        with suppress(OSError):  # nobody may listen any more; and nothing may go on in the supervisor's own code
            os.write(task.report, f"{type(error).__name__}: {error}\n".encode())
    os._exit(1)


def enter(task: Task, program: bytes) -> None:
    """The holder's own work; returns in neither process."""
    doors = cgroups.doors(task.plan.cgroups)
    identity.leave_namespaces(task.plan)
    pid = os.fork()
    if pid:
        _introduce(task, pid, doors)
    for door in doors:
        os.close(door)
    os.close(task.report)
    begin(task, program, _build)


def _introduce(task: Task, pid: int, doors: tuple[int, ...]) -> NoReturn:
    """The holder's last act: put the first process into its groups, tell the supervisor of it, end.

    The kernel takes some 10 ms to move a process; meanwhile the first process builds its tree.
    """
    try:
        for door in doors:
            os.write(door, b"%d" % pid)
        os.write(task.report, b"%d\n" % pid)
        os._exit(0)
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        raise


def _build(plan: Plan) -> Mounted:
    """The sandbox's own machine: its name, its network, its tree."""
    identity.name_machine()
    if plan.protections.own_network:
        identity.raise_loopback()
    return Tree(plan).build()


def begin(task: Task, program: bytes, build: Callable[[Plan], Mounted]) -> NoReturn:
    """The first process: build or find the tree, give up all power, tell the runner, serve."""
    control = socket.socket(fileno=task.control)
    try:
        server.prepare_signals()
        order = OutOfMemoryOrder()
        mounted = build(task.plan)
        identity.become_user(task.plan, mounted.proc)
        if task.plan.protections.nested and mounted.proc >= 0 and task.plan.protections.own_user:
            identity.forbid_nesting(mounted.proc)
        identity.set_limits(task.plan)
        identity.give_up_power(task.plan, program)
        for folder in task.plan.folders:
            os.makedirs(folder, 0o755, exist_ok=True)
        ready = json.dumps({"overlays": mounted.overlays, "notes": mounted.notes}).encode()
        wire.send_descriptors(control, ready, [*mounted.rooms, mounted.workspace])
        for descriptor in (*mounted.rooms, mounted.workspace, mounted.proc):
            if descriptor >= 0:
                os.close(descriptor)
        server.Server(task.plan, control, task.lifeline, order).serve()
    except BaseException as error:  # noqa: BLE001 - the runner must hear of whatever went wrong
        with suppress(OSError):  # unless it is gone
            control.send(json.dumps({"error": f"{type(error).__name__}: {error}"}).encode())
    os._exit(1)


def _close_all_but(kept: set[int]) -> None:
    start = 0
    for descriptor in sorted(kept - {-1}):
        if start < descriptor:  # an empty range starting at 0 would close everything
            os.closerange(start, descriptor)
        start = descriptor + 1
    os.closerange(start, _HIGHEST_DESCRIPTOR)


def _pass_to_tracer(task: Task) -> NoReturn:
    """Become the tracer, with the holder as the program that it starts."""
    plan = os.memfd_create("plan", 0)
    os.write(plan, task.plan.to_json().encode())
    numbers = (plan, task.control, task.lifeline, task.report, task.uid_lock)
    for descriptor in numbers:
        if descriptor >= 0:
            os.set_inheritable(descriptor, True)
    command = [*task.plan.prefix, *restart_command("first"), *(str(number) for number in numbers)]
    os.execvpe(command[0], command, dict(os.environ))  # noqa: S606 - no shell is the point


def restart_command(module: str) -> list[str]:
    """The words that start a module of this package in a fresh, bare interpreter."""
    folders = [sys.modules[name].__path__[0] for name in _PACKAGES]
    return [sys.executable, "-I", "-S", "-c", bootstrap(module, folders)]


def bootstrap(module: str, folders: Sequence[str]) -> str:
    """A program text that imports the module without running `benchwright/__init__.py` or site-packages.

    `folders`: where the two packages above this one lie.
    """
    return (
        "import sys, types\n"
        f"for name, folder in zip({_PACKAGES!r}, {folders!r}):\n"
        "    sys.modules[name] = types.ModuleType(name)\n"
        "    sys.modules[name].__path__ = [folder]\n"
        f"from benchwright.sandbox.holder import {module}\n"
        f"{module}.main()\n"
    )


def main() -> None:
    """The holder as a tracer starts it. Arguments: descriptors of the plan and of the task."""
    plan, control, lifeline, report, uid_lock = (int(word) for word in sys.argv[1:6])
    system.hide_arguments()
    system.name_process(cgroups.PROCESS_NAME)
    with os.fdopen(plan, "rb") as stream:
        stream.seek(0)
        task = Task(Plan.from_json(stream.read()), control, lifeline, report, uid_lock)
    for descriptor in (control, lifeline, report, uid_lock):
        if descriptor >= 0:
            os.set_inheritable(descriptor, False)
    try:
        enter(task, filter_for(task.plan))
    except BaseException as error:  # noqa: BLE001 - the one place where a holder's failure can be told
        with suppress(OSError):
            os.write(report, f"{type(error).__name__}: {error}\n".encode())
    os._exit(1)
