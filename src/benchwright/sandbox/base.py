"""What every sandbox offers: run a command, read and write a file, and say which data files were read."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Literal, Protocol, Self

from benchwright.errors import BenchwrightError
from benchwright.task import Limits
from benchwright.trajectory import Accesses

Tracing = Literal["auto", "fanotify", "strace", "off"]


class OutputsTooLarge(BenchwrightError):
    """What an attempt left in its workspace is more than may be kept; nothing of it was copied."""


class Spent(BenchwrightError):
    """A limit ended the whole sandbox, its first process included; `limit` names it. Nothing can be run any more."""

    def __init__(self, limit: str) -> None:
        super().__init__(f"the attempt ran into its {limit} limit, and its whole sandbox was ended by that")
        self.limit = limit


@dataclass(frozen=True, slots=True)
class Room:
    """A folder of data on the host, where the agent finds it, and whether it may write there (into a layer).

    `sha256` is the digest of the folder's content (as a suite states it); a provider checks it before the room is
    first mounted. Empty: not checked.
    """

    name: str
    path: Path
    target: str = "/data"
    writable: bool = False
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """What one attempt's sandbox holds. `environment` is all that its processes see of variables."""

    rooms: tuple[Room, ...] = ()
    limits: Limits = field(default_factory=Limits)
    toolbox: Path | None = None
    """The root of a toolbox environment; None: no Python data stack inside."""
    tracing: Tracing = "auto"
    environment: Mapping[str, str] = field(default_factory=dict)
    programs: tuple[Path, ...] = ()
    """Further host folders that appear read-only at their own paths: programs that attempts may start."""
    wheelhouse: Path | None = None
    """The folder of packages that pip may install inside; None: no package can be installed."""
    hidden: tuple[Path, ...] = ()
    """Host folders that must not show, e.g. the suite's: they are blotted out where they lie in /usr or the like."""


@dataclass(frozen=True, slots=True)
class Exec:
    """One program, started afresh in `cwd` with its arguments; no shell."""

    argv: tuple[str, ...]
    input: bytes = b""
    cwd: str = "/workspace"
    environment: Mapping[str, str] = field(default_factory=dict)
    seconds: float | None = None
    """Time limit; None: the limits' step_seconds."""


@dataclass(frozen=True, slots=True)
class Shell:
    """Text for the attempt's persistent shell: variables and the working directory live on."""

    text: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Python:
    """Code for the attempt's persistent Python: variables live on; the last expression is shown."""

    code: str
    seconds: float | None = None


Command = Exec | Shell | Python


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command did.

    `limit` names the limit that it ran into: "step", "wall", "memory", "processes", "disk" or "output", else it is
    empty. `truncated` says that the middle of stdout or stderr was left out (a line in it says how much).
    """

    exit_code: int
    stdout: bytes
    stderr: bytes
    limit: str = ""
    truncated: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Isolation:
    """Which protections were in force; written into every record.

    `limits` maps each limit to how it is enforced: "cgroup", "rlimit", "affinity", "quota", "polled" (looked at several
    times a second) or "unlimited".
    """

    provider: str
    level: str
    network: str
    tracer: str
    seccomp: bool
    limits: Mapping[str, str]
    notes: tuple[str, ...] = ()


class Sandbox(Protocol):
    """One attempt's machine. Errors of the sandbox itself raise `Broken(Fault.SANDBOX)`; a limit that ended all of it,
    first process included, raises `Spent`.

    Every method may be called from any thread; `run` calls may overlap, but there is one shell and one Python.
    `close` may be called at any time: a running command ends at once.
    """

    @property
    def isolation(self) -> Isolation:
        """What protects the host and the gold from this attempt."""

    @property
    def limits_hit(self) -> tuple[str, ...]:
        """The limits that this attempt ran into so far, in the order they were first hit."""

    def run(self, command: Command) -> Outcome:
        """Run one command to its end or to its limit; everything it started is then gone, but for the
        persistent shell and Python themselves.
        """

    def read(self, path: str) -> bytes:
        """A file as the agent would read it, by its path inside; links lead where they lead inside.

        Errors: FileNotFoundError, IsADirectoryError, PermissionError or another OSError, as the agent would get it.
        """

    def write(self, path: str, data: bytes) -> None:
        """Write a file inside, making its folders; PermissionError outside what the agent may write."""

    def listen(self) -> socket.socket:
        """A socket that listens on a free port of the sandbox's own loopback: programs inside can call it, and whoever
        holds it answers from outside. It opens no way to anything else, in neither direction. Close it after use.
        """

    def accessed(self) -> Accesses:
        """The data files read so far, or why that is not known."""

    def mark(self, step: int) -> None:
        """Say that what is read from now on belongs to this step."""

    def collect(self, into: Path, limit_mb: int) -> tuple[Path, ...]:
        """Copy the workspace's regular files (no links, no special files) into a host folder; raises
        `OutputsTooLarge` past the limit. Returns the copied paths relative to `into`.
        """

    def close(self) -> None:
        """End every process, remove every mount and folder. Idempotent."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Provider(Protocol):
    """Makes sandboxes; one a run, used from any thread."""

    @property
    def name(self) -> str:
        """The word that chooses it: "namespace", "podman", "docker"."""

    def open(self, spec: SandboxSpec) -> Sandbox:
        """Start one attempt's sandbox. Errors: EnvironmentFault where this machine cannot, Broken otherwise."""

    def close(self) -> None:
        """End every sandbox that is still open. Idempotent."""
