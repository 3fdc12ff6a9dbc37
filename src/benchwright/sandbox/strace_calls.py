"""What the system calls of a sandbox's programs open for reading, by room and by file as shipped."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from errno import errorcode

from benchwright.sandbox.executing import MISSING, MOST_OPENED, Executed, look, was_opened
from benchwright.sandbox.inside import open_root, resolve
from benchwright.sandbox.reads import Ledger, Lost, Unfollowable
from benchwright.sandbox.room_files import RoomView, count_files, path_text
from benchwright.sandbox.shipped_names import ShippedNames
from benchwright.sandbox.strace_lines import DELETED, EXECUTIONS, Call, Ended, Folder, Lines, Text
from benchwright.sandbox.tracing import MountedRoom
from benchwright.sandbox.working_folders import WorkingFolders

_OPENS = ("open", "openat", "openat2", "open_by_handle_at", "creat")
_ENTRIES = ("chdir", "fchdir")
_NAMINGS = ("rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat")
_FORKS = ("clone", "clone3", "fork", "vfork")
_BLIND = ("io_uring_setup",)
"""What would open files behind strace's back; the sandbox refuses it as well."""
_GUARDS = ("prctl",)
"""What keeps an ordinary user's strace from looking into a program."""
CALLS = (*_OPENS, *EXECUTIONS, *_ENTRIES, *_NAMINGS, *_FORKS, *_GUARDS, *_BLIND)
_AT_FDCWD = -100
_BEFORE_OPENING = {"EAGAIN"}
"""An execve that fails so has opened nothing: the user has too many processes."""


class CallReading:
    """Follows the calls of one sandbox and tells the ledger what they read.

    `holder` is the sandbox's first process, as the host numbers it. Methods raise Lost where what they are told
    leaves a doubt about which files were read.
    """

    def __init__(self, ledger: Ledger, holder: int) -> None:
        self.holder = holder
        self._ledger = ledger
        self._lines = Lines()
        self._folders = WorkingFolders()
        self._ended: set[int] = set()
        self._views: list[RoomView] = []
        self._names: dict[str, ShippedNames] = {}
        self._guarded = False
        self._root = -1
        self._root_seen = ""

    def know_rooms(self, rooms: Sequence[MountedRoom]) -> None:
        """The rooms whose files count, before the first call."""
        for mounted in rooms:
            view = RoomView(mounted)
            self._views.append(view)
            if not view.prefix.endswith(mounted.room.target + "/"):
                raise Lost(f"room {view.name} is seen as {path_text(view.prefix)}, not as {mounted.room.target}")
            if self._root < 0:
                self._root_seen = view.prefix.removesuffix(mounted.room.target + "/")
                self._root = open_root(view.folder, mounted.room.target)
            if view.writable:
                self._names[view.name] = ShippedNames(view)

    def room_files(self) -> int:
        """How many regular files the rooms were shipped with."""
        return sum(map(self._count, self._views))

    def _count(self, view: RoomView) -> int:
        names = self._names.get(view.name)
        return count_files(view.source) if names is None else names.count

    def close(self) -> None:
        """Let the rooms go. Idempotent."""
        if self._root >= 0:
            os.close(self._root)
            self._root = -1
        for view in self._views:
            view.close()

    def check_end(self) -> None:
        """Strace ends after the last process of the sandbox, and says so of each."""
        self._lines.end()
        if self.holder not in self._ended:
            raise Lost("strace ended before the sandbox did")

    def follow(self, data: bytes, *, agents: bool = True) -> None:
        """A further piece of what strace wrote. What ran before the agent's programs lies outside of their tree."""
        events = list(self._lines.feed(data))
        for event in events:
            if isinstance(event, Call) and event.process is not None and "CLONE_FS" in event.flags():
                self._folders.shared(event.thread, event.process)  # the new thread's calls may be told of before it
        for event in events:
            if isinstance(event, Ended):
                self._ended.add(event.thread)
                self._folders.ended(event.thread)
            elif self._views and (agents or event.name not in (*EXECUTIONS, *_GUARDS)):
                self._take(event)

    def touched(self, path: str, *, written: bool) -> None:
        """The holder opened a file by its path inside."""
        flags = b"O_WRONLY|O_TRUNC" if written else b"O_RDONLY"
        self._opened(self._root_seen + path, Call(self.holder, "openat", flags))

    def _take(self, call: Call) -> None:
        if call.name in _OPENS:
            self._learn_folder(call)
            self._opened_somewhere(call)
        elif call.name in EXECUTIONS:
            self._executed(call)
        elif call.name in _FORKS:
            self._forked(call)
        elif call.name in _ENTRIES:
            self._entered(call)
        elif call.name in _GUARDS:
            self._guarded |= "SUID_DUMP_DISABLE" in call.flags()
        elif call.name in _BLIND:
            raise Lost(f"{call.name} was used, which opens files unseen")
        elif self._names and call.thread != self.holder:
            self._named(call)

    # opening

    def _opened_somewhere(self, call: Call) -> None:
        if call.path:
            self._opened(call.path, call)
        elif call.thread != self.holder:
            # It was just being killed, or it guards itself; in that case it hides its names as well, which is a loss.
            self._opened(self._path(call, 0, follow=True), call)

    def _opened(self, seen: str, call: Call) -> None:
        for view in self._views:
            relative = view.relative(seen)
            if relative is None:
                continue
            names = self._names.get(view.name)
            if names is not None:
                self._opened_moving(names, seen, call)
            elif _reads_content(call):
                # Nothing can be deleted here: the kernel's remark, which strace took off, is part of a file's name.
                relative += DELETED if call.deleted else ""
                if view.regular(relative) is not None:
                    self._ledger.read(view.name, path_text(relative), call.thread)

    def _opened_moving(self, names: ShippedNames, seen: str, call: Call) -> None:
        deleted = call.deleted
        if deleted and names.knows(seen + DELETED):
            if names.lost(seen):
                raise Lost("a file is named like another one that was deleted, so its identity is uncertain")
            seen, deleted = seen + DELETED, False
        file = names.opened(seen, call.ended, deleted=deleted)
        if file is None:
            return
        if _reads_content(call):
            self._ledger.read(names.view.name, path_text(file.path), call.thread)
        if call.name == "creat" or "O_TRUNC" in call.flags():
            names.emptied(file)

    # executing

    def _executed(self, call: Call) -> None:
        """The kernel opens what is executed, the interpreters that this names in turn, and a program's loader."""
        if call.error in _BEFORE_OPENING or not any(view.writable or view.may_be_executed() for view in self._views):
            return
        try:
            named = _named_path(call, 0)
            if named is None:
                self._executed_unseen(call)
            elif named[1] != "/proc/self/exe":  # what runs already
                self._opened_to_execute(self._path(call, 0, follow="AT_SYMLINK_NOFOLLOW" not in call.flags()), call)
        except Unfollowable:
            if not call.error:
                raise

    def _executed_unseen(self, call: Call) -> None:
        """The first process guards itself, and so does its child until that executes what the runner asked for.

        An agent's program that guards itself could execute anything unseen.
        """
        if self._guarded or call.error not in {"", "EACCES", *MISSING}:
            raise Lost("a program hides from strace which files it executes")
        seen = "" if call.error else _executable(call.thread)
        if seen:
            self._opened_to_execute(seen, call)

    def _opened_to_execute(self, seen: str, call: Call) -> None:
        loader = False
        for _ in range(MOST_OPENED):
            file = self._look(seen, call)
            if file is None or not self._opened_one(seen, file.mode, call, loader=loader):
                return
            if loader or file.names is None:
                return
            seen, loader = self._inside(call.thread, None, file.names.path), file.names.loader

    def _look(self, seen: str, call: Call) -> Executed | None:
        """A file that was to be executed; None where it is not there to be."""
        try:
            file = look(self._root, seen.removeprefix(self._root_seen))
        except OSError as error:
            if call.error in MISSING and errorcode.get(error.errno or 0) in MISSING:
                return None
        else:
            if call.error or (file is not None and file.mode & 0o111):
                return file
        if any(view.may_be_executed() for view in self._views):
            raise Lost("a program was gone before it could be looked at, and may have named a file of a room")
        return None

    def _opened_one(self, seen: str, mode: int, call: Call, *, loader: bool) -> bool:
        """Whether the kernel opened this file, which counts if it is a room's."""
        for view in self._views:
            relative = view.relative(seen)
            if relative is not None:
                everybody = view.for_everybody(relative)
                if not was_opened(call.error, mode, everybody=everybody, loader=loader):
                    return False
                self._opened(seen, call)
        return bool(mode & 0o111)

    # working folders

    def _learn_folder(self, call: Call) -> None:
        if call.arguments.startswith(b"AT_FDCWD<"):
            first = next(call.items())
            assert isinstance(first, Folder)
            self._folders.entered(call.thread, first.path)

    def _forked(self, call: Call) -> None:
        if call.process is not None and "CLONE_FS" not in call.flags():
            self._folders.copied(call.thread, call.process)

    def _entered(self, call: Call) -> None:
        try:
            first = next(call.items())
            path = first.path if isinstance(first, Folder) else self._path(call, 0, follow=True)
        except (Lost, StopIteration):
            path = ""
        self._folders.entered(call.thread, path)

    # names of writable rooms

    def _named(self, call: Call) -> None:
        if call.name in {"unlink", "unlinkat"}:
            self._each(lambda names: names.removed(self._path(call, 0)))
            return
        new = self._path(call, 1)
        if any(names.view.relative(new) for names in self._names.values()):  # neither links nor names leave a mount
            self._moved(call, self._path(call, 0), new)

    def _moved(self, call: Call, old: str, new: str) -> None:
        if call.name.startswith("link"):
            self._each(lambda names: names.linked(old, new, call.began))
        elif "RENAME_EXCHANGE" in call.flags():
            self._each(lambda names: names.exchanged(old, new, call.began))
        else:
            self._each(lambda names: names.renamed(old, new, call.began))
            self._folders.renamed(old, new)

    def _each(self, act: Callable[[ShippedNames], None]) -> None:
        for names in self._names.values():
            act(names)

    # paths

    def _path(self, call: Call, which: int, *, follow: bool = False) -> str:
        """The path that the first (0) or second (1) name of a call stands for, as the kernel would give it."""
        named = _named_path(call, which)
        if named is None:
            raise Lost("a program hides from strace which files it uses")
        return self._inside(call.thread, *named, follow=follow)

    def _inside(self, thread: int, base: Folder | None, name: str, *, follow: bool = True) -> str:
        if not name.startswith("/"):
            folder = self._base(thread, base)
            if not folder.startswith(self._root_seen):
                raise Lost("a file was named relative to a folder outside the sandbox")
            name = f"{folder.removeprefix(self._root_seen)}/{name}"
        return self._root_seen + resolve(self._root, name, follow=follow)

    def _base(self, thread: int, base: Folder | None) -> str:
        if base is not None and base.path:
            return base.path
        if base is not None and base.number != _AT_FDCWD:
            raise Lost("a file was named relative to a folder that is not known")
        try:
            return self._folders.of(thread) or os.readlink(f"/proc/{thread}/cwd")
        except OSError as error:
            raise Lost(f"a file was named relative to a folder that is not known: {error}") from error


def _executable(thread: int) -> str:
    """What a thread runs; "" where it has ended."""
    try:
        return os.readlink(f"/proc/{thread}/exe")
    except OSError:
        return ""


def _reads_content(call: Call) -> bool:
    """Whether an open can read what the file held: see `opening.reads_content`."""
    flags = call.flags()
    if call.name in EXECUTIONS:
        return True
    return bool(flags & {"O_RDONLY", "O_RDWR"}) and not flags & {"O_PATH", "O_TRUNC"}


def _named_path(call: Call, which: int) -> tuple[Folder | None, str] | None:
    """The folder (None: the working folder) and the name of a call's first or second path; None: not shown.

    strace may not look into the memory of a process that guards itself, unless it runs as root.
    """
    before: Text | Folder | None = None
    for item in call.items():
        if isinstance(item, Text):
            if not which:
                return (before if isinstance(before, Folder) else None), item.value
            which -= 1
        before = item
    return None
