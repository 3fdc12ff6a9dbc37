"""File access by strace: for ordinary users, and where fanotify is missing."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from benchwright.errors import Broken, Fault
from benchwright.sandbox.inside import open_root, resolve
from benchwright.sandbox.reads import Ledger, Lost, Watch
from benchwright.sandbox.room_files import RoomView, count_files, path_text
from benchwright.sandbox.shipped_names import ShippedNames
from benchwright.sandbox.strace_lines import Call, Ended, Folder, Lines, Text
from benchwright.sandbox.tracing import MountedRoom
from benchwright.sandbox.working_folders import WorkingFolders
from benchwright.trajectory import Accesses

_OPENS = ("open", "openat", "openat2", "open_by_handle_at")
_EXECUTIONS = ("execve", "execveat")
_NAMINGS = ("rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "chdir", "fchdir")
_FORKS = ("clone", "clone3", "fork", "vfork")
_BLIND = ("io_uring_setup",)
"""What would open files behind strace's back; the sandbox refuses it as well."""
_CALLS = (*_OPENS, "creat", *_EXECUTIONS, *_NAMINGS, *_FORKS, *_BLIND)
_OPTIONS = (
    "-DDD",  # strace in a session of its own: the traced program keeps its parent, its process id and its signals
    "-f",
    "-y",
    "-q",
    "--pidns-translation",
    "--seccomp-bpf",  # also what makes it sound: without strace, the calls below fail instead of passing untraced
    "-s4096",
    "--signal=!CHLD",  # with no signals, strace would not say either that one killed a process
    "--trace=" + ",".join(f"?{call}" for call in _CALLS),
)
_AT_FDCWD = -100
_PIPE_BYTES = 1 << 20
_CHUNK = 1 << 16
_LAST_WORDS_SECONDS = 1.0


def unavailable() -> str:
    """Why strace cannot trace here; empty where it can."""
    program = shutil.which("strace")
    if program is None:
        return "strace is not installed"
    try:
        command = [
            program,
            "-f",
            "-q",
            "--seccomp-bpf",
            "--pidns-translation",
            "--trace=?open,openat",
            "-o/dev/null",
            "--",
            "true",
        ]
        done = subprocess.run(command, capture_output=True, check=False, timeout=20)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"strace does not run: {error}"
    said = done.stderr.decode(errors="replace").strip()
    return said or (f"strace ends with {done.returncode}" if done.returncode else "")


class StraceTracer:
    """Traces a sandbox from its first process on.

    strace writes each call into a pipe before the call returns to its program, so nothing can be read unseen: when
    strace dies, its programs' opens fail.
    """

    name = "strace"

    def __init__(self) -> None:
        self._ledger = Ledger()
        self._lines = Lines()
        self._folders = WorkingFolders()
        self._ended: set[int] = set()
        self._views: list[RoomView] = []
        self._names: dict[str, ShippedNames] = {}
        self._holder = 0
        self._root = -1
        self._root_seen = ""
        self._early = b""
        self._answer: Accesses | None = None
        self._output, self._input = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        with suppress(OSError):  # a larger pipe makes strace wait less; past the user's quota the small one does
            fcntl.fcntl(self._output, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        self._watch = Watch(self._output, self._drain, self._ledger.lose)
        self._watch.start()

    @property
    def prefix(self) -> tuple[str, ...]:
        """Strace and its options. It opens our pipe by way of /proc, so that the traced program inherits nothing."""
        return (shutil.which("strace") or "strace", *_OPTIONS, f"-o/proc/{os.getpid()}/fd/{self._input}", "--")

    def start(self, rooms: Sequence[MountedRoom], holder: int) -> None:
        """Count what is opened from now on. Raises Broken(SANDBOX) where strace does not trace the holder."""
        with self._watch.caught_up():
            if not self._early:
                raise Broken(
                    Fault.SANDBOX, "file access cannot be traced: strace wrote nothing", hint="is it installed?"
                )
            os.close(self._input)
            self._input = -1
            self._holder = holder
            self._ledger.begin()
            try:
                self._know_rooms(rooms)
                self._follow(self._early)
            except (Lost, OSError) as error:
                self._ledger.lose(str(error))

    def _know_rooms(self, rooms: Sequence[MountedRoom]) -> None:
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

    def mark(self, step: int) -> None:
        """What is opened from now on belongs to this step."""
        with self._watch.caught_up():
            self._ledger.mark(step, self._holder)

    def accesses(self) -> Accesses:
        """All that was opened for reading up to now."""
        if self._answer is not None:
            return self._answer
        with self._watch.caught_up():
            return self._ledger.accesses("strace", sum(map(self._count, self._views)))

    def finish(self) -> Accesses:
        """All that was opened for reading. What still runs inside can open nothing any more. Idempotent."""
        if self._answer is None:
            if self._holder and _gone(self._holder):
                self._watch.wait(_LAST_WORDS_SECONDS)
            self._answer = self.accesses()
            self._watch.stop()
            for descriptor in (self._output, self._input, self._root):
                if descriptor >= 0:
                    os.close(descriptor)
            for view in self._views:
                view.close()
        return self._answer

    def _count(self, view: RoomView) -> int:
        names = self._names.get(view.name)
        return count_files(view.source) if names is None else names.count

    def _drain(self) -> bool:
        while True:
            try:
                data = os.read(self._output, _CHUNK)
            except BlockingIOError:
                return True
            if not data:
                self._check_end()
                return False
            if self._holder:
                self._follow(data)
            else:
                self._early += data

    def _check_end(self) -> None:
        """Strace ends after the last process of the sandbox, and says so of each."""
        self._lines.end()
        if self._holder not in self._ended:
            raise Lost("strace ended before the sandbox did")

    def _follow(self, data: bytes) -> None:
        events = list(self._lines.feed(data))
        for event in events:
            if isinstance(event, Call) and event.name in _FORKS and "CLONE_FS" in event.flags():
                self._folders.shared(event.thread, event.result)  # the new thread's calls may be told of before it
        for event in events:
            if isinstance(event, Ended):
                self._ended.add(event.thread)
                self._folders.ended(event.thread)
            else:
                self._take(event)

    def _take(self, call: Call) -> None:
        if not self._views:
            return
        if call.name in _BLIND:
            raise Lost(f"{call.name} was used, which opens files unseen")
        if call.name in _OPENS or call.name == "creat":
            self._learn_folder(call)
            self._opened(call.path, call)
        elif call.name in _EXECUTIONS:
            self._executed(call)
        elif call.name in _FORKS:
            self._forked(call)
        elif call.name in {"chdir", "fchdir"}:
            self._entered(call)
        elif self._names:
            self._named(call)

    def _learn_folder(self, call: Call) -> None:
        if call.arguments.startswith(b"AT_FDCWD<"):
            first = call.items()[0]
            assert isinstance(first, Folder)
            self._folders.entered(call.thread, first.path)

    def _forked(self, call: Call) -> None:
        if "CLONE_FS" not in call.flags():
            self._folders.copied(call.thread, call.result)

    def _opened(self, seen: str, call: Call) -> None:
        for view in self._views:
            relative = view.relative(seen)
            if relative is None:
                continue
            names = self._names.get(view.name)
            if names is not None:
                self._opened_moving(names, seen, call)
            elif _reads_content(call) and view.regular(relative) is not None:
                self._ledger.read(view.name, path_text(relative), call.thread)

    def _opened_moving(self, names: ShippedNames, seen: str, call: Call) -> None:
        file = names.opened(seen, call.ended, deleted=call.deleted)
        if file is None:
            return
        if _reads_content(call):
            self._ledger.read(names.view.name, path_text(file.path), call.thread)
        if call.name == "creat" or "O_TRUNC" in call.flags():
            names.emptied(file)

    def _executed(self, call: Call) -> None:
        """Executing a file reads it. A script's interpreter opens it by name as well."""
        _, name = _named_path(call, 0)
        if name == "/proc/self/exe":
            return  # what runs already
        try:
            seen = self._path(call, 0, follow=True)
        except Lost:
            seen = _executable(call.thread)
        self._opened(seen, call)

    def _entered(self, call: Call) -> None:
        first = call.items()[0]
        path = first.path if isinstance(first, Folder) else self._path(call, 0, follow=True)
        self._folders.entered(call.thread, path)

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

    def _path(self, call: Call, which: int, *, follow: bool = False) -> str:
        """The path that the first (0) or second (1) name of a call stands for, as the kernel would give it."""
        base, name = _named_path(call, which)
        if name.startswith("/"):
            return self._root_seen + resolve(self._root, name, follow=follow)
        if base is not None and base.path:
            folder = base.path
        elif base is None or base.number == _AT_FDCWD:
            folder = self._working_folder(call.thread)
        else:
            raise Lost("a file was named relative to a folder that is not known")
        if not folder.startswith(self._root_seen):
            raise Lost("a file was named relative to a folder outside the sandbox")
        return self._root_seen + resolve(self._root, f"{folder.removeprefix(self._root_seen)}/{name}", follow=follow)

    def _working_folder(self, thread: int) -> str:
        try:
            return self._folders.of(thread) or os.readlink(f"/proc/{thread}/cwd")
        except OSError as error:
            raise Lost(f"a file was named relative to a folder that is not known: {error}") from error


def _executable(thread: int) -> str:
    try:
        return os.readlink(f"/proc/{thread}/exe")
    except OSError as error:
        raise Lost(f"a program was executed under a name that could not be followed: {error}") from error


def _gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0] in {b"Z", b"X"}
    except OSError:
        return True


def _reads_content(call: Call) -> bool:
    """Whether an open can read what the file held: see `opening.reads_content`."""
    flags = call.flags()
    if call.name in _EXECUTIONS:
        return True
    return bool(flags & {"O_RDONLY", "O_RDWR"}) and not flags & {"O_PATH", "O_TRUNC"}


def _named_path(call: Call, which: int) -> tuple[Folder | None, str]:
    """The folder (None: the working folder) and the name of a call's first or second path."""
    items = call.items()
    texts = [place for place, item in enumerate(items) if isinstance(item, Text)]
    place = texts[which]
    before = items[place - 1] if place else None
    text = items[place]
    assert isinstance(text, Text)
    return (before if isinstance(before, Folder) else None), text.value
