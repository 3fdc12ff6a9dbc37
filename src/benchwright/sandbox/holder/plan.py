"""What the runner asks for, as it crosses to the processes that build the sandbox."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

_RESERVED_MB: Final = 32
_FILES_IN_MEMORY: Final = (15, 16)
"""What the kernel keeps of every file besides its content takes the rest."""


@dataclass(frozen=True, slots=True)
class Protections:
    """Every protection, by the name under which a test can switch that one off; all are on otherwise."""

    own_user: bool = True
    """A host uid of its own and a user namespace; off: the processes keep the uid of whoever starts the runner."""
    own_tree: bool = True
    """A root of its own; off: the host's folders are visible as well."""
    read_only: bool = True
    """Data, /usr and the root cannot be written; off: they can."""
    own_processes: bool = True
    """A process namespace and its own /proc."""
    own_network: bool = True
    own_ipc: bool = True
    capabilities: bool = True
    """No capabilities and no way to gain any; off: those of the sandbox's user namespace stay."""
    seccomp: bool = True
    nested: bool = True
    """The kernel's own limit on further user namespaces."""
    clean_environment: bool = True
    limits: bool = True
    """Memory, processes, disk, output and time."""
    sweep: bool = True
    """What a call started is killed when it ends; the shell and the Python stand still until their next call."""
    sealed_holder: bool = True
    """The first process cannot be inspected or signalled by the others."""


@dataclass(frozen=True, slots=True)
class RoomPlan:
    """A data room: host folder, path inside, whether an upper layer takes writes, and whether to try an overlay."""

    path: str
    target: str
    writable: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """One attempt's sandbox; every path is absolute. Limits of None are not set."""

    rooms: tuple[RoomPlan, ...] = ()
    visible: tuple[str, ...] = ()
    """Host folders that appear read-only at the same path: the toolbox and the Python that it stands on."""
    links: tuple[tuple[str, str], ...] = ()
    """Symbolic links that appear at their host paths, with what they say."""
    folders: tuple[str, ...] = ()
    """Paths below /tmp at which an empty folder stands when the first program starts."""
    hidden: tuple[str, ...] = ()
    """Paths inside at which host folders would show that must not: they are blotted out."""
    environment: dict[str, str] = field(default_factory=dict)
    python: str = ""
    """The toolbox's interpreter; empty: no persistent Python."""
    uid: int | None = None
    """The host uid that root gives up its own for; None: the runner is an ordinary user."""
    memory_mb: int | None = None
    processes: int | None = None
    cpus: float | None = None
    disk_mb: int | None = None
    output_bytes: int = 256 * 1024
    step_seconds: float = 120.0
    wall_seconds: float | None = None
    prefix: tuple[str, ...] = ()
    """Words of a tracer that becomes the parent of the sandbox."""
    cgroups: tuple[str, ...] = ()
    """Folders of control groups that the sandbox joins; the supervisor fills them in."""
    polled: tuple[str, ...] = ()
    """The limits that the first process must look after by itself."""
    protections: Protections = Protections()

    @property
    def files_mb(self) -> int | None:
        """What all written files may take together.

        They lie in memory and outlive every program that could be killed for it: where a control group counts them,
        some memory must be left, or the first process would starve.
        """
        if self.memory_mb is None or "memory" in self.polled:
            return self.disk_mb
        part, whole = _FILES_IN_MEMORY
        most = max(1, self.memory_mb // 4, (self.memory_mb - _RESERVED_MB) * part // whole)
        return most if self.disk_mb is None else min(self.disk_mb, most)

    def to_json(self) -> str:
        """One JSON document."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> Plan:
        """The plan that `to_json` wrote."""
        values: dict[str, Any] = json.loads(text)
        values["rooms"] = tuple(RoomPlan(**room) for room in values["rooms"])
        values["protections"] = Protections(**values["protections"])
        values["links"] = tuple((path, target) for path, target in values["links"])
        for name in ("visible", "folders", "hidden", "prefix", "cgroups", "polled"):
            values[name] = tuple(values[name])
        return cls(**values)

    def with_uid(self, uid: int | None) -> Plan:
        """The same plan for another host uid."""
        return replace(self, uid=uid)
