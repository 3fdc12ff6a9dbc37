"""File access by strace: for ordinary users, and where fanotify is missing."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from benchwright.errors import Broken, Fault
from benchwright.sandbox.reads import Ledger, Lost, Watch
from benchwright.sandbox.strace_calls import CALLS, CallReading
from benchwright.sandbox.tracing import MountedRoom
from benchwright.trajectory import Accesses

_OPTIONS = (
    "-DDD",  # strace in a session of its own: the traced program keeps its parent, its process id and its signals
    "-f",
    "-y",
    "-q",
    "--pidns-translation",
    "--seccomp-bpf",  # also what makes it sound: without strace, the calls below fail instead of passing untraced
    "-s4096",
    "--signal=!CHLD",  # with no signals, strace would not say either that one killed a process
    "--trace=" + ",".join(f"?{call}" for call in CALLS),
)
_PIPE_BYTES = 1 << 20
_CHUNK = 1 << 16
_LAST_WORDS_SECONDS = 10.0


def unavailable() -> str:
    """Why strace cannot trace here; empty where it can."""
    program = shutil.which("strace")
    if program is None:
        return "strace is not installed"
    options = [option for option in _OPTIONS if option != "-DDD"]
    try:
        command = [program, *options, "-o/dev/null", "--", "true"]
        done = subprocess.run(command, capture_output=True, check=False, timeout=60)
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
        self._reading: CallReading | None = None
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
            self._reading = CallReading(self._ledger, holder)
            self._ledger.begin()
            with self._whole():
                self._reading.know_rooms(rooms)
                self._reading.follow(self._early, agents=False)

    def touched(self, path: str, *, written: bool) -> None:
        """The sandbox's first process opened a file for the runner; an ordinary user's strace cannot see which."""
        with self._watch.caught_up(), self._whole():
            if self._reading is not None:
                self._reading.touched(path, written=written)

    def mark(self, step: int) -> None:
        """What is opened from now on belongs to this step."""
        with self._watch.caught_up():
            self._ledger.mark(step, self._reading.holder if self._reading else 0)

    def accesses(self) -> Accesses:
        """All that was opened for reading up to now."""
        if self._answer is not None:
            return self._answer
        with self._watch.caught_up():
            return self._ledger.accesses("strace", self._reading.room_files() if self._reading else None)

    def finish(self) -> Accesses:
        """All that was opened for reading. What still runs inside can open nothing any more. Idempotent."""
        if self._answer is None:
            if self._reading is not None and _gone(self._reading.holder):
                self._watch.wait(_LAST_WORDS_SECONDS)
            self._answer = self.accesses()
            self._close()
        return self._answer

    def _close(self) -> None:
        self._watch.stop()
        for descriptor in (self._output, self._input):
            if descriptor >= 0:
                os.close(descriptor)
        if self._reading is not None:
            self._reading.close()

    def _drain(self, size: int) -> bool:
        """Take what strace wrote; after a loss as well, or strace and with it the sandbox would wait for ever."""
        while True:
            try:
                data = os.read(self._output, min(max(size, 1), _CHUNK))
            except BlockingIOError:
                return True
            with self._whole():
                self._understand(data)
            size -= len(data)
            if not data or size <= 0:
                return bool(data)

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """What goes wrong inside makes the set of files incomplete."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever went wrong, something was not understood
            self._ledger.lose(str(error) if isinstance(error, Lost) else f"the tracer failed: {error!r}")

    def _understand(self, data: bytes) -> None:
        if self._ledger.reason:
            return
        if self._reading is None:
            self._early += data
        elif data:
            self._reading.follow(data)
        else:
            self._reading.check_end()


def _gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0] in {b"Z", b"X"}
    except OSError:
        return True
