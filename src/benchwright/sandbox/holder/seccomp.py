"""The filter of system calls: refuses what an escape needs, for x86-64 and 64-bit ARM."""

from __future__ import annotations

import errno
import struct
from dataclasses import dataclass
from functools import cache
from typing import Final

_LOAD: Final = 0x20
_JUMP_EQUAL: Final = 0x15
_JUMP_AT_LEAST: Final = 0x35
_JUMP_ANY_BIT: Final = 0x45
_RETURN: Final = 0x06

_NUMBER_AT: Final = 0
_ARCHITECTURE_AT: Final = 4
_ARGUMENTS_AT: Final = 16

_ALLOW: Final = 0x7FFF0000
_KILL: Final = 0x80000000
_ERROR: Final = 0x00050000

_X32_BIT: Final = 0x40000000
NAMESPACE_FLAGS: Final = 0x7E020080
"""CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""
_FIRST_UNKNOWN: Final = 450
"""Calls newer than the ones looked at here are answered "no such call", which the C library expects."""

_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_USUAL_PROTOCOLS: Final = (0, 1, 6, 17, 58)
"""Any, ICMP, TCP, UDP, ICMP for IPv6: asking for others makes the kernel load their modules."""
_UNUSUAL_TYPES: Final = 0xC
"""Bits of socket types but stream, datagram and raw."""
NEW_LISTENER: Final = 8
"""A filter whose supervisor is the program itself: it could let calls pass that a tracer waits for, unseen."""
_FIRST_PROCESS, _SIGSTOP, _F_SETSIG = 1, 19, 10
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
TERMINAL_REQUESTS: Final = (_TIOCSTI, _TIOCLINUX)
"""Typing into a terminal that others read."""
_HARMLESS_PERSONALITIES: Final = (0x0, 0x0008, 0x20000, 0x20008, 0xFFFFFFFF)


@dataclass(frozen=True, slots=True)
class Architecture:
    """One machine type: its AUDIT_ARCH word, the column of its numbers below, and calls looked at by argument."""

    audit: int
    column: int
    clone: int
    unshare: int
    socket: int
    socketpair: int
    ioctl: int
    personality: int
    seccomp: int


ARCHITECTURES: Final = {
    "x86_64": Architecture(
        *(0xC000003E, 0),
        clone=56,
        unshare=272,
        socket=41,
        socketpair=53,
        ioctl=16,
        personality=135,
        seccomp=317,
    ),
    "aarch64": Architecture(
        *(0xC00000B7, 1),
        clone=220,
        unshare=97,
        socket=198,
        socketpair=199,
        ioctl=29,
        personality=92,
        seccomp=277,
    ),
}

_MISSING: Final = -1
FORBIDDEN: Final[dict[str, tuple[int, int]]] = {
    # namespaces and mounts
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # keys, and wide kernel surfaces
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "fanotify_init": (300, 262),
    "memfd_secret": (447, 447),
    "lookup_dcookie": (212, 18),
    "syslog": (103, 116),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    # the machine
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "vhangup": (153, 58),
    "iopl": (172, _MISSING),
    "ioperm": (173, _MISSING),
    "modify_ldt": (154, _MISSING),
    "uselib": (134, _MISSING),
    "nfsservctl": (180, 42),
}
"""Refused with EPERM: (x86-64, 64-bit ARM)."""

ABSENT: Final[dict[str, tuple[int, int]]] = {
    "clone3": (435, 435),  # its flags lie in memory, where a filter cannot look; libraries fall back to clone
    "openat2": (437, 437),  # so do its, and a tracer that looks there may be deceived
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
}
"""Answered "no such call", so that libraries fall back."""

UNCOUNTED: Final[dict[str, dict[str, tuple[int, int]]]] = {
    "memory": {"memfd_create": (319, 279), "shmget": (29, 194)},  # of no process's size while none has it mapped
    "cpus": {"sched_setaffinity": (203, 122)},  # undoes the set of processors
}
"""By limit: calls that get round it where no control group keeps it. Refused with EPERM then."""


STOPPING: Final[dict[str, tuple[tuple[int, int], int | None, int]]] = {
    "kill": ((62, 129), 0, 1),
    "tkill": ((200, 130), 0, 1),
    "tgkill": ((234, 131), 0, 2),
    "rt_sigqueueinfo": ((129, 138), 0, 1),
    "rt_tgsigqueueinfo": ((297, 240), 0, 2),
    "pidfd_send_signal": ((424, 424), None, 1),
}
"""Calls that send signals: their numbers, which argument names the process (None: none that can be seen), and which
the signal. A tracer hands the first process a SIGSTOP that the kernel alone would keep from it.
"""
_FCNTL: Final = (72, 25)

REACHING: Final[dict[str, tuple[tuple[int, int], int, int | None]]] = {
    "prlimit64": ((302, 261), 0, None),
    "sched_setaffinity": ((203, 122), 0, None),
    "sched_setscheduler": ((144, 119), 0, None),
    "sched_setparam": ((142, 118), 0, None),
    "sched_setattr": ((314, 274), 0, None),
    "setpriority": ((141, 140), 1, 2),
    "ioprio_set": ((251, 30), 1, 3),
}
"""Calls that limit or slow another process of the same user: their numbers, which argument names the process, and the
first argument's value that means all processes of a user (None: there is none). The kernel compares users alone, so
that the first process, or all at once, would be within reach.
"""


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)


def _load(offset: int) -> bytes:
    return _step(_LOAD, offset)


def _answer(value: int) -> bytes:
    return _step(_RETURN, value)


def _refuse(number: int) -> bytes:
    return _answer(_ERROR | number)


def _argument(index: int) -> int:
    return _ARGUMENTS_AT + 8 * index  # both machines are little-endian: the low half comes first


def _when_equal(value: int, then: bytes) -> bytes:
    return _step(_JUMP_EQUAL, value, 0, len(then) // 8) + then


def _unless_one_of(values: tuple[int, ...], then: bytes) -> bytes:
    """`then` runs unless the loaded word is one of `values`; after it, or instead of it, the next instruction."""
    tests = b""
    for index, value in enumerate(values):
        tests += _step(_JUMP_EQUAL, value, len(values) - 1 - index + len(then) // 8, 0)
    return tests + then


def _by_argument(architecture: Architecture) -> bytes:
    """The calls that are refused for some arguments only. Each block ends in an answer."""
    allow, refuse = _answer(_ALLOW), _refuse(errno.EPERM)
    namespaces = _load(_argument(0)) + _step(_JUMP_ANY_BIT, NAMESPACE_FLAGS, 0, 1) + refuse + allow
    terminal = _load(_argument(1)) + _when_equal(_TIOCSTI, refuse) + _when_equal(_TIOCLINUX, refuse) + allow
    person = _load(_argument(0)) + _unless_one_of(_HARMLESS_PERSONALITIES, refuse) + allow
    no_protocol, no_family = _refuse(errno.EPROTONOSUPPORT), _refuse(errno.EAFNOSUPPORT)
    route_only = _load(_argument(2)) + _when_equal(0, allow) + no_protocol
    usual_only = (
        _load(_argument(1))
        + _step(_JUMP_ANY_BIT, _UNUSUAL_TYPES, 0, 1)
        + no_protocol
        + _load(_argument(2))
        + _unless_one_of(_USUAL_PROTOCOLS, no_protocol)
        + allow
    )
    sockets = (
        _load(_argument(0))
        + _when_equal(_AF_UNIX, allow)
        + b"".join(_when_equal(family, usual_only) for family in (_AF_INET, _AF_INET6))
        + _when_equal(_AF_NETLINK, route_only)
        + no_family
    )
    pairs = _load(_argument(0)) + _when_equal(_AF_UNIX, allow) + no_family
    listeners = _load(_argument(1)) + _step(_JUMP_ANY_BIT, NEW_LISTENER, 0, 1) + refuse + allow
    return (
        _against_stopping(architecture.column)
        + _against_reaching(architecture.column)
        + _when_equal(architecture.clone, namespaces)
        + _when_equal(architecture.unshare, namespaces)
        + _when_equal(architecture.ioctl, terminal)
        + _when_equal(architecture.personality, person)
        + _when_equal(architecture.socket, sockets)
        + _when_equal(architecture.socketpair, pairs)
        + _when_equal(architecture.seccomp, listeners)
    )


def _against_stopping(column: int) -> bytes:
    allow, refuse = _answer(_ALLOW), _refuse(errno.EPERM)
    blocks = b""
    for numbers, process, sent in STOPPING.values():
        by_signal = _load(_argument(sent)) + _when_equal(_SIGSTOP, refuse) + allow
        if process is not None:
            by_signal = _load(_argument(process)) + _when_equal(_FIRST_PROCESS, by_signal) + allow
        blocks += _when_equal(numbers[column], by_signal)
    chosen = _load(_argument(1)) + _when_equal(_F_SETSIG, _load(_argument(2)) + _when_equal(_SIGSTOP, refuse)) + allow
    return blocks + _when_equal(_FCNTL[column], chosen)


def _against_reaching(column: int) -> bytes:
    allow, refuse = _answer(_ALLOW), _refuse(errno.EPERM)
    blocks = b""
    for numbers, process, everyone in REACHING.values():
        check = _load(_argument(process)) + _when_equal(_FIRST_PROCESS, refuse)
        if everyone is not None:
            check += _load(_argument(0)) + _when_equal(everyone, refuse)
        blocks += _when_equal(numbers[column], check + allow)
    return blocks


@cache
def program(machine: str, polled: tuple[str, ...] = ()) -> bytes:
    """The filter for a machine type (as `os.uname().machine` names it): BPF instructions of 8 bytes each.

    `polled` names the limits that no control group keeps. Errors: KeyError for a machine whose numbers are not known.
    """
    architecture = ARCHITECTURES[machine]
    column = architecture.column
    parts = [_load(_ARCHITECTURE_AT), _unless_one_of((architecture.audit,), _answer(_KILL)), _load(_NUMBER_AT)]
    if machine == "x86_64":
        parts.append(_step(_JUMP_AT_LEAST, _X32_BIT, 0, 1) + _answer(_KILL))
    parts.append(_step(_JUMP_AT_LEAST, _FIRST_UNKNOWN, 0, 1) + _refuse(errno.ENOSYS))
    parts += [_when_equal(numbers[column], _refuse(errno.ENOSYS)) for numbers in ABSENT.values()]
    forbidden = [*FORBIDDEN.values(), *(numbers for limit in polled for numbers in UNCOUNTED.get(limit, {}).values())]
    known = (numbers[column] for numbers in forbidden if numbers[column] != _MISSING)
    parts += [_when_equal(number, _refuse(errno.EPERM)) for number in known]
    return b"".join(parts) + _by_argument(architecture) + _answer(_ALLOW)
