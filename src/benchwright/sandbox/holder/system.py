"""The kernel calls that Python does not offer: namespaces, mounts, capabilities, process attributes."""

from __future__ import annotations

import ctypes
import os
import struct
from typing import Final

CLONE_NEWNS: Final = 0x00020000
CLONE_NEWUTS: Final = 0x04000000
CLONE_NEWIPC: Final = 0x08000000
CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWPID: Final = 0x20000000
CLONE_NEWNET: Final = 0x40000000

MS_RDONLY: Final = 1
MS_NOSUID: Final = 2
MS_NODEV: Final = 4
MS_NOEXEC: Final = 8
MS_REC: Final = 0x4000
MS_PRIVATE: Final = 1 << 18
MNT_DETACH: Final = 2

MOUNT_ATTR_RDONLY: Final = 0x1
MOUNT_ATTR_NOSUID: Final = 0x2
MOUNT_ATTR_NODEV: Final = 0x4

PR_SET_PDEATHSIG: Final = 1
PR_SET_DUMPABLE: Final = 4
PR_SET_SECCOMP: Final = 22
PR_CAPBSET_DROP: Final = 24
PR_SET_SECUREBITS: Final = 28
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38
PR_CAP_AMBIENT: Final = 47
PR_CAP_AMBIENT_CLEAR_ALL: Final = 4
SECCOMP_MODE_FILTER: Final = 2
SECUREBITS_ALL_LOCKED: Final = 0b11101111
"""No root, no setuid fix-up, no ambient capabilities, each locked (KEEP_CAPS itself stays off and locked)."""

# The same numbers on every architecture (all calls since Linux 5.1).
_OPEN_TREE: Final = 428
_MOVE_MOUNT: Final = 429
_MOUNT_SETATTR: Final = 442
_OPEN_TREE_CLONE: Final = 1
_OPEN_TREE_CLOEXEC: Final = os.O_CLOEXEC
_AT_EMPTY_PATH: Final = 0x1000
_AT_RECURSIVE: Final = 0x8000
_MOVE_MOUNT_F_EMPTY_PATH: Final = 0x4

_LIBC: Final = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def _text(value: str | None) -> bytes | None:
    return None if value is None else os.fsencode(value)


def unshare(flags: int) -> None:
    """Leave the namespaces named by `flags` (CLONE_NEW...) for new ones."""
    _check(_LIBC.unshare(ctypes.c_int(flags)), "unshare")


def setns(descriptor: int, flags: int) -> None:
    """Enter the open namespace, which is of the kind that `flags` (CLONE_NEW...) names."""
    _check(_LIBC.setns(descriptor, ctypes.c_int(flags)), "setns")


def mount(source: str | None, target: str, kind: str | None, flags: int = 0, data: str = "") -> None:
    """Mount a filesystem, or change a mount."""
    options = _text(data) if data else None
    result = _LIBC.mount(_text(source), _text(target), _text(kind), ctypes.c_ulong(flags), options)
    _check(result, f"mount {kind or 'change'} on {target}")


def umount(target: str, flags: int = MNT_DETACH) -> None:
    """umount2(2)."""
    _check(_LIBC.umount2(_text(target), ctypes.c_int(flags)), f"umount {target}")


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root, and put the old root onto `old`."""
    _check(_LIBC.pivot_root(_text(new), _text(old)), "pivot_root")


def clone_tree(descriptor: int) -> int:
    """A detached copy of the mounts at and below an open file or folder, as a descriptor."""
    flags = _OPEN_TREE_CLONE | _OPEN_TREE_CLOEXEC | _AT_EMPTY_PATH | _AT_RECURSIVE
    return _check(_LIBC.syscall(_OPEN_TREE, descriptor, b"", ctypes.c_uint(flags)), "open_tree")


def attach_tree(tree: int, target: str) -> None:
    """Put a detached copy of mounts onto `target`."""
    at_cwd = -100
    result = _LIBC.syscall(_MOVE_MOUNT, tree, b"", at_cwd, _text(target), ctypes.c_uint(_MOVE_MOUNT_F_EMPTY_PATH))
    _check(result, f"move_mount to {target}")


def set_mount_attributes(descriptor: int, attributes: int, *, recursive: bool = True) -> None:
    """Switch on MOUNT_ATTR_... for an open mount, and for all below it."""
    flags = _AT_EMPTY_PATH | (_AT_RECURSIVE if recursive else 0)
    wanted = struct.pack("QQQQ", attributes, 0, 0, 0)
    result = _LIBC.syscall(_MOUNT_SETATTR, descriptor, b"", ctypes.c_uint(flags), wanted, ctypes.c_size_t(len(wanted)))
    _check(result, "mount_setattr")


def prctl(option: int, first: int = 0, second: int = 0) -> int:
    """Set or ask an attribute of this process (PR_...)."""
    zero = ctypes.c_ulong(0)
    result = _LIBC.prctl(ctypes.c_int(option), ctypes.c_ulong(first), ctypes.c_ulong(second), zero, zero)
    return _check(result, f"prctl {option}")


def sethostname(name: str) -> None:
    """Name the machine of this uts namespace."""
    raw = os.fsencode(name)
    _check(_LIBC.sethostname(raw, ctypes.c_size_t(len(raw))), "sethostname")


def drop_capabilities() -> None:
    """Give up every capability, for this process and for all it will ever start."""
    number = 0
    while True:
        try:
            prctl(PR_CAPBSET_DROP, number)
        except OSError:
            break  # past the last capability that this kernel knows
        number += 1
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    prctl(PR_SET_SECUREBITS, SECUREBITS_ALL_LOCKED)
    version_3 = 0x20080522
    header = struct.pack("Ii", version_3, 0)
    _check(_LIBC.capset(header, bytes(24)), "capset")


def install_filter(program: bytes) -> None:
    """Put a seccomp filter (BPF instructions of 8 bytes) over this process and all it will ever start."""
    buffer = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    described = Program(len(program) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    zero = ctypes.c_ulong(0)
    result = _LIBC.prctl(
        ctypes.c_int(PR_SET_SECCOMP), ctypes.c_ulong(SECCOMP_MODE_FILTER), ctypes.byref(described), zero, zero
    )
    _check(result, "seccomp filter")


def name_process(name: str) -> None:
    """Name this process, and those that it forks, in lists of processes (at most 15 bytes)."""
    with open("/proc/self/comm", "w", encoding="utf-8") as stream:
        stream.write(name)


def hide_arguments() -> None:
    """Overwrite this process's command line, which anyone may read, with zeros: it names host paths."""
    with open("/proc/self/stat", "rb") as stream:
        fields = stream.read().rpartition(b") ")[2].split()
    start, end = int(fields[45]), int(fields[46])
    if 0 < start < end:
        ctypes.memset(start, 0, end - start)
