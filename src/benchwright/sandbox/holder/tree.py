"""The folders that a sandbox sees: built from mounts in a private mount namespace, then made its root."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from benchwright.sandbox.holder import system
from benchwright.sandbox.holder.plan import Plan, RoomPlan

STAGE: Final = "/tmp"  # noqa: S108 - covered by a mount in a private namespace, never written to
HIDDEN_STORE: Final = ".store"
WORKSPACE: Final = "workspace"
INSIDE_UID: Final = 1000

_INTERPRETER: Final = Path(__file__).with_name("interpreter.py").read_text(encoding="utf-8")
_CAPTURE: Final = {
    str(file.relative_to(Path(__file__).parent)): file.read_text(encoding="utf-8")
    for file in sorted(Path(__file__).with_name("capture").rglob("*.py"))
}
"""Read while the host's folders are still there: the interpreter, and what goes on the path of every Python."""
_ROOT_MB: Final = 16
_UNLIMITED_DISK: Final = "50%"
_INODES_PER_MB: Final = 64
_FEWEST_INODES: Final = 4096
_SEALED: Final = system.MOUNT_ATTR_NOSUID | system.MOUNT_ATTR_NODEV
_MOST_TERMINALS: Final = 64
_DEVICES: Final = ("null", "zero", "full", "random", "urandom")
_LINKS: Final = (
    ("usr/bin", "bin"),
    ("usr/sbin", "sbin"),
    ("usr/lib", "lib"),
    ("usr/lib64", "lib64"),
    ("usr/lib32", "lib32"),
    ("/proc/self/fd", "dev/fd"),
    ("/proc/self/fd/0", "dev/stdin"),
    ("/proc/self/fd/1", "dev/stdout"),
    ("/proc/self/fd/2", "dev/stderr"),
    ("/tmp", "var/tmp"),  # noqa: S108 - the sandbox's own
)
_HOST_ETC: Final = ("alternatives", "ld.so.cache", "fonts", "mime.types")
"""Parts of the host's /etc that programs under /usr do not work without; none names a user or a secret."""
_MASKED_PROC: Final = (
    "kcore",
    "keys",
    "key-users",
    "timer_list",
    "sched_debug",
    "sysrq-trigger",
    "cmdline",
    "config.gz",
)
_READ_ONLY_PROC: Final = ("bus", "fs", "irq", "sys")
_ETC: Final = {
    "passwd": f"agent:x:{INSIDE_UID}:{INSIDE_UID}:agent:/workspace:/bin/bash\n"
    "nobody:x:65534:65534:nobody:/:/bin/false\n",
    "group": f"agent:x:{INSIDE_UID}:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost sandbox\n::1 localhost sandbox\n",
    "hostname": "sandbox\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files\n",
    "resolv.conf": "",
    "shells": "/bin/sh\n/bin/bash\n",
    "profile": "",
}


@dataclass(frozen=True, slots=True)
class Mounted:
    """Open folders of the finished tree: each room's, in the plan's order, and the workspace."""

    rooms: tuple[int, ...]
    overlays: tuple[bool, ...]
    workspace: int
    proc: int = -1
    """A writable /proc that is attached nowhere; -1 where there is none to be had."""
    notes: tuple[str, ...] = ()
    """What the record should say of how it was built."""


class Tree:
    """The tree while it is being built; the stage is the working folder, so that paths here are relative."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._host = _open_sources(plan)
        self._overlays: list[bool] = []
        self._loose_proc = -1
        self._everything = -1

    def build(self) -> Mounted:
        """Build everything, make it the root, and let go of the host's tree."""
        system.mount(None, "/", None, system.MS_REC | system.MS_PRIVATE)
        if not self.plan.protections.own_tree:
            with _opened("/") as root:
                self._everything = system.clone_tree(root)
        system.mount("tmpfs", STAGE, "tmpfs", system.MS_NOSUID | system.MS_NODEV, f"mode=755,size={_ROOT_MB}m")
        os.chdir(STAGE)
        self.furnish()
        self._devices()
        self._terminals()
        self._proc()
        if self.plan.protections.own_tree:
            self._close_store()
        else:
            self._show_host()
        mounted = self._open_results()
        self._become_root()
        return mounted

    def furnish(self) -> tuple[bool, ...]:
        """Everything but devices and processes, below the working folder; for each room, whether it is an overlay."""
        self._skeleton()
        self._quota()
        for path in self.plan.visible:
            self._bind_host(path, path)
        for path, target in self.plan.links:
            _link(target, _inside(path))
        for room in self.plan.rooms:
            self._overlays.append(self._room(room))
        self._hide()
        return tuple(self._overlays)

    def _skeleton(self) -> None:
        for folder in ("usr", "etc", "proc", "dev", "tmp", "var", "run", "opt", WORKSPACE, HIDDEN_STORE, ".empty"):
            os.mkdir(folder, 0o755)
        self._bind_host("/usr", "/usr")
        for target, name in _LINKS:
            if target.startswith("/") or os.path.isdir(target):
                os.symlink(target, name)
        for name, text in _ETC.items():
            _write(f"etc/{name}", text)
        _make_folders("opt/benchwright")
        _write("opt/benchwright/interpreter.py", _INTERPRETER)
        for name, text in _CAPTURE.items():
            _make_folders(f"opt/benchwright/{PurePosixPath(name).parent}")
            _write(f"opt/benchwright/{name}", text)
        for name in _HOST_ETC:
            if f"/etc/{name}" in self._host:
                self._bind_host(f"/etc/{name}", f"/etc/{name}")

    def _quota(self) -> None:
        """One filesystem of limited size holds all that an attempt may write."""
        limit = self.plan.files_mb if self.plan.protections.limits else None
        size = _UNLIMITED_DISK if limit is None else f"{limit}m"
        inodes = "" if limit is None else f",nr_inodes={max(_FEWEST_INODES, limit * _INODES_PER_MB)}"
        flags = system.MS_NOSUID | system.MS_NODEV
        system.mount("tmpfs", HIDDEN_STORE, "tmpfs", flags, f"mode=711,size={size}{inodes}")
        for name, mode, place in ((WORKSPACE, 0o755, WORKSPACE), ("tmp", 0o1777, "tmp"), ("shm", 0o1777, "dev/shm")):
            folder = f"{HIDDEN_STORE}/{name}"
            os.mkdir(folder)
            os.chmod(folder, mode)
            self._give(folder)
            os.makedirs(place, exist_ok=True)
            _bind(folder, place, 0)

    def _close_store(self) -> None:
        """Cover what everything was made of: a writable room's layer could be read there, unseen by any tracer."""
        _bind(".empty", HIDDEN_STORE, _SEALED | system.MOUNT_ATTR_RDONLY)

    def _give(self, path: str) -> None:
        if self.plan.uid is not None:
            os.chown(path, self.plan.uid, self.plan.uid)

    def _devices(self) -> None:
        for name in _DEVICES:
            _write(f"dev/{name}", "")
            tree = system.clone_tree(self._host[f"/dev/{name}"])
            system.set_mount_attributes(tree, system.MOUNT_ATTR_NOSUID)
            _attach(tree, f"dev/{name}")

    def _terminals(self) -> None:
        """Pseudo-terminals of the sandbox's own, which no other sees; none where the kernel refuses them.

        Keys cannot be put into one from inside: the filter refuses that request.
        """
        most = f",max={_MOST_TERMINALS}" if self.plan.protections.limits else ""
        os.mkdir("dev/pts")
        try:
            flags = system.MS_NOSUID | system.MS_NOEXEC
            system.mount("devpts", "dev/pts", "devpts", flags, f"newinstance,ptmxmode=0666,mode=0620{most}")
        except OSError:
            os.rmdir("dev/pts")
            return
        os.symlink("pts/ptmx", "dev/ptmx")

    def _room(self, room: RoomPlan) -> bool:
        """Mount one data room; whether it is an overlay, a filesystem of this sandbox alone."""
        target = _inside(room.target)
        _make_folders(target)
        try:
            self._overlay(room, target)
        except OSError:
            if room.writable:
                raise
            self._bind_host(room.path, room.target)
            return False
        return True

    def _overlay(self, room: RoomPlan, target: str) -> None:
        lower = f"/proc/self/fd/{self._host[room.path]}"  # hides the host path, and needs no quoting
        flags = system.MS_NOSUID | system.MS_NODEV
        as_user = ",userxattr" if _in_user_namespace() else ""
        writable = room.writable or not self.plan.protections.read_only
        if writable:
            upper = f"{HIDDEN_STORE}/layer{len(self._overlays)}"
            for folder in (upper, f"{upper}/upper", f"{upper}/work"):
                os.mkdir(folder)
            data = f"lowerdir={lower},upperdir={upper}/upper,workdir={upper}/work{as_user or ',metacopy=on'}"
        else:
            flags |= system.MS_RDONLY
            data = f"lowerdir={lower}:.empty{as_user}"
        system.mount("overlay", target, "overlay", flags, data)
        if writable:
            self._give_all(target)

    def _give_all(self, target: str) -> None:
        """Everything in a writable room belongs to the agent; the layer takes the change, without the content."""
        if self.plan.uid is None:
            return
        for folder, _, names, descriptor in os.fwalk(target):
            self._give(folder)
            for name in names:
                os.chown(name, self.plan.uid, self.plan.uid, dir_fd=descriptor, follow_symlinks=False)

    def _hide(self) -> None:
        for path in self.plan.hidden:
            target = _inside(path)
            if os.path.isdir(target):
                _bind(".empty", target, _SEALED | system.MOUNT_ATTR_RDONLY)

    def _proc(self) -> None:
        if not self.plan.protections.own_processes:
            _bind("/proc", "proc", 0)
            return
        system.mount("proc", "proc", "proc", system.MS_NOSUID | system.MS_NODEV | system.MS_NOEXEC)
        with _opened("proc") as descriptor:
            self._loose_proc = system.clone_tree(descriptor)
        if self.plan.protections.sealed_holder:  # a program could ask to be spared when memory runs out
            with _opened("proc") as descriptor:
                system.set_mount_attributes(descriptor, system.MOUNT_ATTR_RDONLY, recursive=False)
        for name in _READ_ONLY_PROC:
            if os.path.isdir(f"proc/{name}"):
                _bind(f"proc/{name}", f"proc/{name}", system.MOUNT_ATTR_RDONLY)
        for name in _MASKED_PROC:
            if os.path.exists(f"proc/{name}"):
                _bind("dev/null", f"proc/{name}", system.MOUNT_ATTR_RDONLY)

    def _show_host(self) -> None:
        os.mkdir("host")
        _attach(self._everything, "host")

    def _bind_host(self, path: str, place: str) -> None:
        """A host file or folder at `place`, read-only."""
        target = _inside(place)
        descriptor = self._host[path]
        _make_place(target, folder=os.path.isdir(f"/proc/self/fd/{descriptor}"))
        tree = system.clone_tree(descriptor)
        read_only = system.MOUNT_ATTR_RDONLY if self.plan.protections.read_only else 0
        system.set_mount_attributes(tree, _SEALED | read_only)
        _attach(tree, target)

    def _open_results(self) -> Mounted:
        rooms = tuple(_open_folder(_inside(room.target)) for room in self.plan.rooms)
        return Mounted(rooms, tuple(self._overlays), _open_folder(WORKSPACE), self._loose_proc)

    def _become_root(self) -> None:
        """Swap the host's tree for the stage, drop it, and seal the new root."""
        for descriptor in set(self._host.values()):
            os.close(descriptor)
        system.pivot_root(".", ".")
        system.umount(".", system.MNT_DETACH)
        os.chdir("/")
        with _opened("/") as root:
            read_only = system.MOUNT_ATTR_RDONLY if self.plan.protections.read_only else 0
            system.set_mount_attributes(root, read_only, recursive=False)
        os.chdir(f"/{WORKSPACE}")


def _open_sources(plan: Plan) -> dict[str, int]:
    """Every host path that the tree shows, opened before anything covers it."""
    required = ["/usr", *plan.visible, *(room.path for room in plan.rooms), *(f"/dev/{name}" for name in _DEVICES)]
    sources = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in required}
    for name in _HOST_ETC:
        try:
            sources[f"/etc/{name}"] = os.open(f"/etc/{name}", os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # not every host has it
    return sources


def _in_user_namespace() -> bool:
    with open("/proc/self/uid_map", encoding="utf-8") as stream:
        return stream.read().split() != ["0", "0", "4294967295"]


def _inside(path: str) -> str:
    """A path of the sandbox, relative to the stage."""
    parts = PurePosixPath(path).parts
    if ".." in parts:
        raise ValueError(f"not a plain path: {path}")
    return "/".join(part for part in parts if part != "/") or "."


def _make_folders(path: str) -> None:
    os.makedirs(path, 0o755, exist_ok=True)


def _make_place(path: str, *, folder: bool) -> None:
    if folder:
        _make_folders(path)
    elif not os.path.lexists(path):
        _make_folders(os.path.dirname(path) or ".")
        _write(path, "")


def _link(target: str, path: str) -> None:
    if not os.path.lexists(path):
        _make_folders(os.path.dirname(path) or ".")
        os.symlink(target, path)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.chmod(path, 0o644)


@contextmanager
def _opened(path: str) -> Iterator[int]:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _attach(tree: int, target: str) -> None:
    try:
        system.attach_tree(tree, target)
    finally:
        os.close(tree)


def _bind(source: str, target: str, attributes: int) -> None:
    with _opened(source) as descriptor:
        tree = system.clone_tree(descriptor)
    if attributes:
        system.set_mount_attributes(tree, attributes)
    _attach(tree, target)


def _open_folder(path: str) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
