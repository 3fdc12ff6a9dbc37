"""Podman or Docker, as this machine has it: how to call it, and whether it can run a container."""

from __future__ import annotations

import os
import resource
import secrets
import shutil
import subprocess
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from benchwright.errors import EnvironmentFault
from benchwright.sandbox import image
from benchwright.sandbox.holder import owner
from benchwright.sandbox.holder.tree import INSIDE_UID

EngineName = Literal["podman", "docker"]
LABEL: Final = "benchwright"
"""The label by which our containers are known; whose they are is in their names."""
_PREFIX: Final = "benchwright-"
_CALL_SECONDS: Final = 120
_WAKE: Final = {"docker": "start the daemon (systemctl start docker)", "podman": "see whether its storage is whole"}
_RUNTIMES: Final = ((), ("--runtime", "runc"), ("--runtime", "crun"))
"""Options to try: an engine's own choice of runtime may refuse this machine's control groups."""
_IDS: Final = "{{{{range .Host.IDMappings.{}Map}}}}{{{{.Size}}}} {{{{end}}}}"
_OPEN_FILES, _PROCESSES = 1 << 17, 4096
_OLDEST_PYTHON: Final = "import sys, ctypes; sys.exit(sys.version_info < (3, 11))"


@dataclass(frozen=True, slots=True)
class Engine:
    """A container engine that answers. `options` go before every command."""

    name: EngineName
    program: str
    options: tuple[str, ...] = ()

    @property
    def command(self) -> tuple[str, ...]:
        """The words that every call begins with."""
        return (self.program, *self.options)

    @property
    def serves_alone(self) -> bool:
        """Whether the program itself starts containers; otherwise a daemon does, in the host's mount namespace."""
        return self.name == "podman"

    def call(self, *words: str, given: bytes = b"") -> str:
        """Run one command of the engine; its output. Errors: EnvironmentFault with what the engine said."""
        done = self._run(words, given)
        if done.returncode:
            said = (done.stderr or done.stdout).decode(errors="replace").strip()
            raise EnvironmentFault(f"{self.name} {words[0]} failed", found=said[-1000:] or f"exit {done.returncode}")
        return done.stdout.decode(errors="replace")

    def succeeds(self, *words: str) -> bool:
        """Whether a command of the engine ends without an error."""
        return self._run(words, b"").returncode == 0

    def _run(self, words: tuple[str, ...], given: bytes) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(
                [*self.command, *words],
                input=given,
                capture_output=True,
                env=environment(),
                timeout=_CALL_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EnvironmentFault(f"{self.name} {words[0]} failed", found=str(error)) from error


def environment() -> Mapping[str, str]:
    """What an engine sees of our variables: where it keeps its things and how to reach it, and no key."""
    kept = ("PATH", "HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "CONTAINERS_CONF")
    docker = ("DOCKER_HOST", "DOCKER_CONFIG", "DOCKER_CONTEXT", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY")
    return {name: os.environ[name] for name in (*kept, *docker) if name in os.environ}


def find(name: EngineName) -> Engine:
    """The engine, if it is installed and answers. Errors: EnvironmentFault with what is missing."""
    program = shutil.which(name)
    if program is None:
        raise EnvironmentFault(f"{name} is not installed", hint=f"install {name}, or use --sandbox namespace")
    engine = Engine(name, program)
    if name == "docker" and os.geteuid() != 0:
        raise EnvironmentFault(
            "docker sandboxes need a runner that is root",
            found=f"user {os.geteuid()}",
            hint="use podman, which serves ordinary users, or --sandbox namespace",
        )
    try:
        engine.call("info")
    except EnvironmentFault as error:
        raise EnvironmentFault(
            f"{name} does not answer",
            found=error.found,
            expected="a running daemon" if name == "docker" else "",
            hint=f"{_WAKE[name]}; `{name} info` says more",
        ) from error
    if engine.serves_alone and os.geteuid() != 0:
        _refuse_few_users(engine)
    return engine


def _refuse_few_users(engine: Engine) -> None:
    """An ordinary user's containers have the users that this one was given; one of them is an attempt's."""
    given = {kind: engine.call("info", "--format", _IDS.format(kind)).split() for kind in ("UID", "GID")}
    few = [kind for kind, sizes in given.items() if sum(map(int, sizes)) <= INSIDE_UID]
    if few:
        raise EnvironmentFault(
            f"{engine.name} has too few users for a container here",
            found=f"user {os.geteuid()} has no subordinate {' and '.join(kind.lower() + 's' for kind in few)}",
            expected="a range of them in /etc/subuid and /etc/subgid, and the programs newuidmap and newgidmap",
            hint="an administrator: apt-get install uidmap; usermod --add-subuids 100000-165535 "
            f"--add-subgids 100000-165535 USER; then `{engine.name} system migrate`. Or use --sandbox namespace",
        )


def run_options(engine: Engine) -> tuple[str, ...]:
    """What every container of ours is started with, trials as well."""
    files, processes = (
        min(wanted, _hard(which))
        for wanted, which in ((_OPEN_FILES, resource.RLIMIT_NOFILE), (_PROCESSES, resource.RLIMIT_NPROC))
    )
    own = ("--read-only-tmpfs=false", "--systemd=false", "--http-proxy=false") if engine.serves_alone else ()
    return (
        *("run", "--rm", "--pull", "never", "--log-driver", "none", "--security-opt", "label=disable", *own),
        *("--ulimit", f"nofile={files}:{files}", "--ulimit", f"nproc={processes}:{processes}"),
    )


def _hard(which: int) -> int:
    most = resource.getrlimit(which)[1]
    return 1 << 20 if most == resource.RLIM_INFINITY else most


def usable(name: EngineName, own_image: str = "") -> tuple[Engine, str]:
    """An engine that has just run a container here, and the image to start from.

    `own_image` is a user's image, which must have a Python 3.11 or newer. Errors: EnvironmentFault with the reason.
    """
    engine = find(name)
    base = own_image or image.ensure(engine)
    if own_image and not engine.succeeds("image", "inspect", own_image):
        raise EnvironmentFault(f"{name} has no image {own_image}", hint=f"pull or build it: {name} pull {own_image}")
    trial = ("python3", "-I", "-c", _OLDEST_PYTHON) if own_image else ("/usr/bin/true",)
    folders = () if own_image else ("-v", "/usr:/usr:ro")
    failed: EnvironmentFault | None = None
    for runtime in _RUNTIMES:
        candidate = replace(engine, options=runtime)
        try:
            candidate.call(*run_options(candidate), "--network", "none", *folders, base, *trial)
        except EnvironmentFault as error:
            failed = failed or error
            continue
        return candidate, base
    raise _cannot_run(name, own_image, failed)


def _cannot_run(name: EngineName, own_image: str, failed: EnvironmentFault | None) -> EnvironmentFault:
    expected = "an image with python3, 3.11 or newer" if own_image else ""
    found = failed.found if failed else ""
    hint = f"`{name} info` says more; --sandbox namespace needs no engine"
    return EnvironmentFault(f"{name} cannot run a container here", found=found, expected=expected, hint=hint)


def fresh_name() -> str:
    """A name for a new container, which says whose it is."""
    return f"{_PREFIX}{owner.identity()}-{secrets.token_hex(4)}"


def is_stale(name: str) -> bool:
    """Whether this is the name of a container of ours whose runner is gone."""
    return name.startswith(_PREFIX) and owner.fate(name.removeprefix(_PREFIX).rpartition("-")[0]) == "gone"


def remove_stale(engine: Engine) -> tuple[str, ...]:
    """Remove containers whose runner is gone; their names. They end by themselves, so this finds records only."""
    return remove(engine, [name for name in _listed(engine) if is_stale(name)])


def remove(engine: Engine, names: Collection[str]) -> tuple[str, ...]:
    """Remove those of the named containers that the engine still has on record; their names."""
    if not names:
        return ()
    there = tuple(name for name in _listed(engine) if name in names)
    words = ("rm", "--force", "--volumes", *there)
    if there and not engine.succeeds(*words):  # podman gives up on a container whose guardian was killed, but notes it
        engine.call(*words)
    return there


def _listed(engine: Engine) -> list[str]:
    return engine.call("ps", "--all", "--filter", f"label={LABEL}", "--format", "{{.Names}}").split()
