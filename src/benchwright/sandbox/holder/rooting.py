"""Leaving a chroot without seeing more than it: in one, the kernel makes no user namespaces and changes no root."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

from benchwright.sandbox.holder import system

_OWN_NAMESPACE: Final = "/proc/self/ns/mnt"
_CHANGED: Final = 1


def settle() -> None:
    """Where this process runs in a chroot, make that folder the root of a mount namespace of its own.

    Paths mean what they meant before. Root only; where the kernel does not let it happen, all stays as it was.
    """
    if os.geteuid() != 0 or not in_chroot():
        return
    system.unshare(system.CLONE_NEWNS)
    folder = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _make_root(folder)
    except OSError:
        os.fchdir(folder)  # the outer tree must not stay in sight
        os.chroot(".")
    finally:
        os.close(folder)


def _make_root(folder: int) -> None:
    """Put a copy of what lies below the folder in the place of the namespace's root."""
    tree = system.clone_tree(folder)
    try:
        _enter_own_namespace()
        system.mount(None, "/", None, system.MS_REC | system.MS_PRIVATE)
        os.fchdir(folder)
        system.attach_tree(tree, ".")
        os.fchdir(tree)
        system.pivot_root(".", ".")
        system.umount(".", system.MNT_DETACH)
        os.chdir("/")
    finally:
        os.close(tree)


def _enter_own_namespace() -> None:
    """Go to the root that the mount namespace has, whatever this process's own root is."""
    descriptor = os.open(_OWN_NAMESPACE, os.O_RDONLY | os.O_CLOEXEC)
    try:
        system.setns(descriptor, system.CLONE_NEWNS)
    finally:
        os.close(descriptor)


def in_chroot() -> bool:
    """Whether the root of this process is another than that of its mount namespace; a child goes and looks."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == _CHANGED
    with suppress(OSError):
        tables = os.open("/proc/self/fdinfo", os.O_RDONLY | os.O_DIRECTORY)  # the outer tree may lack /proc
        before = _root_identity(tables)
        _enter_own_namespace()
        if _root_identity(tables) != before:
            os._exit(_CHANGED)
    os._exit(0)


def _root_identity(tables: int) -> tuple[bytes, int]:
    """Which folder of which mount the root is; `tables` is this process's open /proc/self/fdinfo."""
    root = os.open("/", os.O_PATH | os.O_DIRECTORY)
    table = os.open(str(root), os.O_RDONLY, dir_fd=tables)
    with os.fdopen(table, "rb") as stream:
        mount = next((line for line in stream if line.startswith(b"mnt_id:")), b"")
    return mount, os.fstat(root).st_ino
