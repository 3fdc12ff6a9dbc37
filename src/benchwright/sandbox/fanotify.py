"""File access by fanotify: the kernel reports every open on the superblocks of a sandbox's own rooms."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from benchwright.errors import Broken, Fault
from benchwright.sandbox import opening
from benchwright.sandbox.reads import Ledger, Lost, Watch
from benchwright.sandbox.room_files import Inode, RoomView, count_files, inode, path_text
from benchwright.sandbox.tracing import MountedRoom
from benchwright.trajectory import Accesses

# include/uapi/linux/fanotify.h
_CLOEXEC, _NONBLOCK, _CLASS_CONTENT, _UNLIMITED_QUEUE, _REPORT_TID = 0x1, 0x2, 0x4, 0x10, 0x100
_MARK_ADD, _MARK_FILESYSTEM = 0x1, 0x100
_OPEN, _Q_OVERFLOW, _OPEN_PERM = 0x20, 0x4000, 0x10000
_ALLOW = 0x1
_EVENT = struct.Struct("=IBBHQii")  # length, version, reserved, length of the metadata, mask, descriptor, thread
_VERSION = 3

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def open_group(*, unlimited: bool, permission: bool) -> int:
    """A fanotify group's descriptor. Raises OSError (EPERM without CAP_SYS_ADMIN, EMFILE past the limit of groups)."""
    flags = _CLOEXEC | _NONBLOCK | _REPORT_TID
    flags |= (_UNLIMITED_QUEUE if unlimited else 0) | (_CLASS_CONTENT if permission else 0)
    # O_NONBLOCK: the kernel opens the reported file for us, and a FIFO must not make that wait.
    return _checked(_libc.fanotify_init(flags, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "fanotify_init")


def watch_file_system(group: int, folder: int, mask: int = _OPEN) -> None:
    """Report every open on the file system that holds an open folder, through whatever mount."""
    flags = ctypes.c_uint(_MARK_ADD | _MARK_FILESYSTEM)
    result = _libc.fanotify_mark(group, flags, ctypes.c_uint64(mask), folder, ctypes.c_char_p(b"."))
    _checked(result, "fanotify_mark")


def unavailable() -> str:
    """Why this process cannot use fanotify on whole file systems; empty where it can."""
    try:
        group = open_group(unlimited=True, permission=False)
    except OSError as error:
        return "" if error.errno == errno.EMFILE else str(error)
    root = os.open("/", os.O_PATH | os.O_CLOEXEC)
    try:
        watch_file_system(group, root)
    except OSError as error:
        return str(error)
    finally:
        os.close(root)
        os.close(group)
    return ""


@dataclass(frozen=True, slots=True)
class _Event:
    mask: int
    file: int
    thread: int


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a thread asked permission for: to open this file with these flags."""

    inode: Inode
    seen: str
    flags: int


class _FixedFiles:
    """The files of a read-only room: a path is an identity, once the inode behind it agrees."""

    def __init__(self, view: RoomView) -> None:
        self.view = view
        self._by_inode: dict[Inode, tuple[str, ...]] | None = None

    @property
    def count(self) -> int:
        return count_files(self.view.source)

    def find(self, seen: str, status: os.stat_result) -> str | None:
        relative = self.view.relative(seen)
        there = self.view.regular(relative) if relative is not None else None
        if there is not None and inode(there) == inode(status):
            return relative
        return self._find_elsewhere(status)

    def _find_elsewhere(self, status: os.stat_result) -> str | None:
        """A file that was opened through another mount of the same room has another path, but one inode."""
        if self._by_inode is None:
            self._by_inode = self.view.index()
        return next(iter(self._by_inode.get(inode(status), ())), None)


class _MovingFiles:
    """The files of a writable room, as shipped: an inode is an identity, whatever its name is now."""

    def __init__(self, view: RoomView, holder: int) -> None:
        self.view = view
        self._by_inode = view.index()
        self.count = sum(map(len, self._by_inode.values()))
        self._check_that_inodes_last(holder)

    def _check_that_inodes_last(self, holder: int) -> None:
        """An overlay keeps a file's number when it copies the file up, but for hard links (see docs/file-access.md)."""
        linked = any(len(names) > 1 for names in self._by_inode.values())
        if linked and "index=on" not in _mount_options(self.view.device, holder):
            raise Lost(f"room {self.view.name} is writable and has hard links, which part on writing")

    def find(self, seen: str, status: os.stat_result) -> str | None:
        names = self._by_inode.get(inode(status), ())
        relative = self.view.relative(seen)
        return relative if relative in names else next(iter(names), None)

    def emptied(self, status: os.stat_result) -> None:
        """The file's shipped content is gone: what it holds from now on is the agent's."""
        self._by_inode.pop(inode(status), None)


def _mount_options(device: int, holder: int) -> str:
    """The options of a file system that is mounted in the sandbox."""
    number = f"{os.major(device)}:{os.minor(device)}"
    lines = (line.split() for line in Path(f"/proc/{holder}/mountinfo").read_text(errors="replace").splitlines())
    return next((words[-1] for words in lines if words[2] == number), "")


class FanotifyTracer:
    """Traces a sandbox's rooms as root. `unlimited` and `attended` exist to test a full queue.

    In a read-only room every open is a reading one (the kernel refuses the others before it reports them). In a
    writable room each open waits until the thread's system call has been looked at: a few dozen microseconds.
    """

    name = "fanotify"
    prefix: tuple[str, ...] = ()

    def __init__(self, *, demanded: bool = False, unlimited: bool = True, attended: bool = True) -> None:
        self._demanded, self._unlimited, self._attended = demanded, unlimited, attended
        self._ledger = Ledger()
        self._views: list[RoomView] = []
        self._files: list[_FixedFiles | _MovingFiles] = []
        self._fixed: list[_FixedFiles] = []
        self._moving: list[_MovingFiles] = []
        self._settled: set[Inode] = set()
        self._asked: dict[int, _Asked] = {}
        self._holder = 0
        self._group = -1
        self._watch: Watch | None = None
        self._answer: Accesses | None = None

    def start(self, rooms: Sequence[MountedRoom], holder: int) -> None:
        """Trace from now on. Raises Broken(SANDBOX) where the kernel gives no further group, or where tracing was
        demanded and cannot be had.
        """
        self._holder = holder
        try:
            self._open_queue(rooms)
            self._know_rooms(rooms, holder)
        except (Lost, OSError) as error:
            self._refuse(error)
            return
        assert self._watch is not None
        self._ledger.begin()
        if self._attended:
            self._watch.start()

    def _open_queue(self, rooms: Sequence[MountedRoom]) -> None:
        permission = any(mounted.room.writable for mounted in rooms)
        if permission and not opening.supported():
            raise Lost("the system calls of this architecture are not known, so writable rooms cannot be traced")
        self._group = open_group(unlimited=self._unlimited, permission=permission)
        self._watch = Watch(self._group, self._drain, self._lose)
        for mounted in rooms:
            if not mounted.own_filesystem:
                raise Lost(f"room {mounted.room.name} is on a shared file system: others' reads cannot be told apart")
            watch_file_system(self._group, mounted.descriptor, _OPEN | (_OPEN_PERM if mounted.room.writable else 0))

    def _know_rooms(self, rooms: Sequence[MountedRoom], holder: int) -> None:
        for mounted in rooms:
            view = RoomView(mounted)
            self._views.append(view)
            if view.writable:
                self._moving.append(_MovingFiles(view, holder))
            else:
                self._fixed.append(_FixedFiles(view))
        self._files = [*self._fixed, *self._moving]

    def _refuse(self, error: Lost | OSError) -> None:
        self._lose(str(error))
        self._close()
        if isinstance(error, OSError) and error.errno == errno.EMFILE:
            raise Broken(
                Fault.SANDBOX,
                "file access cannot be traced: the kernel gives no further fanotify group",
                found=str(error),
                expected="fewer running sandboxes than fs.fanotify.max_user_groups, and free file descriptors",
                hint="run fewer attempts in parallel, or raise fs.fanotify.max_user_groups and ulimit -n",
            ) from error
        if self._demanded:
            raise Broken(Fault.SANDBOX, "file access cannot be traced by fanotify", found=str(error)) from error

    def touched(self, path: str, *, written: bool) -> None:
        """The kernel has told that the file was opened, but not that it was emptied."""
        for room in self._moving if written else ():
            relative = room.view.relative(path)
            status = room.view.regular(relative) if relative else None
            if status is not None:
                with self._caught_up():
                    room.emptied(status)

    def mark(self, step: int) -> None:
        """What is opened from now on belongs to this step: the kernel queues an open before it returns."""
        with self._caught_up():
            self._ledger.mark(step, self._holder)

    def accesses(self) -> Accesses:
        """All that was opened for reading up to now."""
        if self._answer is not None:
            return self._answer
        with self._caught_up():
            return self._ledger.accesses("fanotify", sum(files.count for files in self._files))

    def finish(self) -> Accesses:
        """All that was opened for reading; nothing is traced any more. Idempotent."""
        self._answer = self.accesses()
        self._close()
        return self._answer

    def _caught_up(self) -> AbstractContextManager[None]:
        return self._watch.caught_up() if self._watch is not None else nullcontext()

    def _lose(self, reason: str) -> None:
        self._ledger.lose(reason)
        self._release()

    def _release(self) -> None:
        """Close the group: every open that waits for permission is then allowed. Takes the kernel some 15 ms."""
        if self._group >= 0:
            os.close(self._group)
            self._group = -1

    def _close(self) -> None:
        if self._watch is not None:
            self._watch.stop()
            self._watch = None
        self._release()
        for view in self._views:
            view.close()

    def _drain(self, size: int) -> bool:
        for _ in range(0, size, _EVENT.size):
            event = self._next_event()
            if event is None:
                break
            try:
                self._take(event)
            finally:
                os.close(event.file)
        return True

    def _next_event(self) -> _Event | None:
        """One event. One at a time: read together, an event that the kernel fails to deliver would vanish silently."""
        try:
            data = os.read(self._group, _EVENT.size)
        except BlockingIOError:
            return None
        except OSError as error:
            raise Lost(f"an event could not be read: {error}") from error
        _, version, _, _, mask, file, thread = _EVENT.unpack(data)
        if mask & _Q_OVERFLOW:
            raise Lost("the kernel's event queue was full, so opens are missing")
        if version != _VERSION or file < 0:
            raise Lost(f"an event of version {version} without a file")
        return _Event(mask, file, thread)

    def _take(self, event: _Event) -> None:
        status = os.fstat(event.file)
        if inode(status) in self._settled:
            return
        seen = os.readlink(f"/proc/self/fd/{event.file}").removesuffix(" (deleted)")
        if event.mask & _OPEN_PERM:
            self._ask(event, seen, status)
        elif stat.S_ISREG(status.st_mode):
            self._opened(event, seen, status)

    def _ask(self, event: _Event, seen: str, status: os.stat_result) -> None:
        try:
            flags = opening.flags_of(event.thread)
            if flags is not None:
                self._asked[event.thread] = _Asked(inode(status), seen, flags)
        finally:
            os.write(self._group, struct.pack("=iI", event.file, _ALLOW))

    def _opened(self, event: _Event, seen: str, status: os.stat_result) -> None:
        asked = self._asked.pop(event.thread, None)
        if asked is not None and asked.inode == inode(status):
            self._opened_moving(event, seen, status, asked.flags)
        elif asked is not None and asked.seen == seen:
            raise Lost(f"opening {path_text(seen)} changed its inode number, so identities are uncertain")
        else:
            self._opened_fixed(event, seen, status)

    def _opened_moving(self, event: _Event, seen: str, status: os.stat_result, flags: int) -> None:
        for room in self._moving:
            path = room.find(seen, status)
            if path is None:
                continue  # another room's, or the agent's own file
            if opening.reads_content(flags):
                self._ledger.read(room.view.name, path_text(path), event.thread)
            if flags & os.O_TRUNC:
                room.emptied(status)

    def _opened_fixed(self, event: _Event, seen: str, status: os.stat_result) -> None:
        for files in self._fixed:
            path = files.find(seen, status)
            if path is not None:
                self._ledger.read(files.view.name, path_text(path), event.thread)
                if status.st_nlink == 1:
                    self._settled.add(inode(status))
                return
        raise Lost(f"an opened file is in no room: {path_text(seen)}")
