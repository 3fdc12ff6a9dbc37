"""Who the processes of a sandbox are: a host uid of their own, a plain user inside, and no power at all."""

from __future__ import annotations

import os
import resource
import socket
import struct
from fcntl import ioctl
from typing import Final

from benchwright.sandbox.holder import system
from benchwright.sandbox.holder.plan import Plan
from benchwright.sandbox.holder.tree import INSIDE_UID

_SIOCGIFFLAGS: Final = 0x8913
_SIOCSIFFLAGS: Final = 0x8914
_IFF_UP: Final = 0x1
OPEN_FILES: Final = 4096
"""For each program; the first process may have more, so that no program can hold up what it sends (see `wire`)."""
_SEALED_CORE: Final = 1
"""A core limit of exactly one byte also stops handlers that /proc/sys/kernel/core_pattern pipes dumps into."""


def leave_namespaces(plan: Plan) -> None:
    """Leave the runner's namespaces; an ordinary user becomes root of a user namespace first."""
    kept = plan.protections
    flags = system.CLONE_NEWNS | system.CLONE_NEWUTS
    flags |= system.CLONE_NEWPID if kept.own_processes else 0
    flags |= system.CLONE_NEWNET if kept.own_network else 0
    flags |= system.CLONE_NEWIPC if kept.own_ipc else 0
    if plan.uid is None and os.geteuid() != 0:
        uid, gid = os.getuid(), os.getgid()
        system.unshare(flags | system.CLONE_NEWUSER)
        _map_ids(0, uid, gid)
    else:
        system.unshare(flags)


def _map_ids(inside: int, uid: int, gid: int, proc: int = -1) -> None:
    for name, text in (("setgroups", "deny"), ("uid_map", f"{inside} {uid} 1"), ("gid_map", f"{inside} {gid} 1")):
        _write_proc(proc, f"self/{name}", text)


def _write_proc(proc: int, name: str, text: str) -> None:
    """Write a file of an open /proc; of the one at its usual place if that is -1."""
    place = {"dir_fd": proc} if proc >= 0 else {}
    target = os.open(name if place else f"/proc/{name}", os.O_WRONLY | os.O_CLOEXEC, **place)
    with os.fdopen(target, "w", encoding="utf-8") as stream:
        stream.write(text)


def name_machine() -> None:
    """A fixed host name."""
    system.sethostname("sandbox")


def raise_loopback() -> None:
    """Bring up `lo`, the only interface there is."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as probe:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", ioctl(probe, _SIOCGIFFLAGS, request))[1]
        ioctl(probe, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))


def become_user(plan: Plan, proc: int) -> None:
    """Take the host uid, then a user namespace in which it is an ordinary user.

    `proc` is an open, writable /proc; -1: the one at its usual place is.
    """
    if not plan.protections.own_user:
        return
    if plan.uid is not None:
        os.setgroups([])
        os.setresgid(plan.uid, plan.uid, plan.uid)
        os.setresuid(plan.uid, plan.uid, plan.uid)
        system.prctl(system.PR_SET_DUMPABLE, 1)  # else /proc/self belongs to root and the map cannot be written
    uid, gid = os.getuid(), os.getgid()
    system.unshare(system.CLONE_NEWUSER)
    keeps_power = not plan.protections.capabilities  # only user 0 keeps capabilities when it starts a program
    _map_ids(0 if keeps_power else INSIDE_UID, uid, gid, proc)


def forbid_nesting(proc: int) -> None:
    """Set the kernel's limit on user namespaces below this one to none; `proc` is an open, writable /proc."""
    _write_proc(proc, "sys/user/max_user_namespaces", "0")


def set_limits(plan: Plan) -> None:
    """The limits that the kernel keeps for each process or for the user inside."""
    _lower(resource.RLIMIT_CORE, _SEALED_CORE)
    _lower(resource.RLIMIT_MEMLOCK, 64 * 1024)
    _lower(resource.RLIMIT_MSGQUEUE, 0)
    _lower(resource.RLIMIT_NICE, 0)
    _lower(resource.RLIMIT_RTPRIO, 0)
    # Where a control group counts processes, it alone does: it also says when the limit was hit.
    if plan.protections.limits and plan.processes is not None and "processes" in plan.polled:
        _lower(resource.RLIMIT_NPROC, plan.processes)
    if plan.protections.limits and plan.cpus is not None and "cpus" in plan.polled:
        allowed = sorted(os.sched_getaffinity(0))
        start = os.getpid() if plan.uid is None else plan.uid
        count = max(1, min(len(allowed), round(plan.cpus)))
        os.sched_setaffinity(0, {allowed[(start + index) % len(allowed)] for index in range(count)})


def limit_program() -> None:
    """The limits of a program alone, set between its fork and its start."""
    _lower(resource.RLIMIT_NOFILE, OPEN_FILES)


def _lower(which: int, value: int) -> None:
    _, most = resource.getrlimit(which)
    value = value if most == resource.RLIM_INFINITY else min(value, most)
    resource.setrlimit(which, (value, value))


def give_up_power(plan: Plan, program: bytes) -> None:
    """No capabilities, none to be gained, and the filter of system calls."""
    if plan.protections.capabilities:
        system.drop_capabilities()
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
    if plan.protections.sealed_holder:
        system.prctl(system.PR_SET_DUMPABLE, 0)
    if plan.protections.seccomp:
        system.install_filter(program)
