"""Lays out a container's folders on a stage, and has the engine start the container that mounts them."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchwright.sandbox.holder import system
from benchwright.sandbox.holder.plan import Plan
from benchwright.sandbox.holder.tree import Tree

CODE: Final = "opt/benchwright"
DOOR: Final = f"{CODE}/door"
PROFILE: Final = ".profile.json"
_STAGE_MB: Final = 16
_ENGINE_SECONDS: Final = 120


@dataclass(frozen=True, slots=True)
class Launch:
    """What the launcher is asked to do.

    `stage` is the folder that the tree is laid out over. `private` says that the engine runs in a mount namespace of
    the launcher's: nothing of the stage is then ever seen by the host. Otherwise (the engine is a daemon) it is taken
    away as soon as the container has it. `profile` is the engine's filter of system calls. `command` starts the
    container and returns.
    """

    plan: Plan
    stage: str
    private: bool
    profile: str
    command: tuple[str, ...]

    def to_json(self) -> str:
        """One JSON document."""
        return json.dumps(
            {
                "plan": self.plan.to_json(),
                "stage": self.stage,
                "private": self.private,
                "profile": self.profile,
                "command": self.command,
            }
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> Launch:
        """The launch that `to_json` wrote."""
        values: dict[str, Any] = json.loads(text)
        values["plan"] = Plan.from_json(values["plan"])
        values["command"] = tuple(values["command"])
        return cls(**values)


def lay_out(launch: Launch, door: socket.socket) -> tuple[bool, ...]:
    """Mount the stage and everything on it; for each room, whether it is an overlay."""
    if launch.private:
        system.unshare(system.CLONE_NEWNS)
        system.mount(None, "/", None, system.MS_REC | system.MS_PRIVATE)
    tree = Tree(launch.plan)
    flags = system.MS_NOSUID | system.MS_NODEV
    system.mount("tmpfs", launch.stage, "tmpfs", flags, f"mode=755,size={_STAGE_MB}m")
    os.chdir(launch.stage)
    overlays = tree.furnish()
    source = Path(__file__).parent
    shutil.copytree(source, f"{CODE}/{source.name}")  # with compiled files, which hold as long as times are kept
    _open_to_all(f"{CODE}/{source.name}")
    Path(PROFILE).write_text(launch.profile, encoding="utf-8")
    _hang(door, launch.plan.uid)
    return overlays


def _open_to_all(folder: str) -> None:
    for place, _, names in os.walk(folder):
        os.chmod(place, 0o755)  # noqa: S103 - the container's user must read it, and nobody may write
        for name in names:
            os.chmod(f"{place}/{name}", 0o644)


def _hang(door: socket.socket, uid: int | None) -> None:
    """Give the runner's socket its name; only the container's user may knock."""
    door.bind(DOOR)
    os.chmod(DOOR, 0o600)
    if uid is not None:
        os.chown(DOOR, uid, uid)
    door.listen(1)


def clear(stage: str) -> None:
    """Take a stage away; what a container mounted of it stays with the container."""
    with suppress(OSError):
        system.umount(stage)
    with suppress(OSError):
        os.rmdir(stage)


def _start(command: tuple[str, ...]) -> dict[str, Any]:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, cwd="/", timeout=_ENGINE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"error": str(error)}
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()
        return {"error": said[-2000:] or f"exit code {done.returncode}"}
    return {}


def _say(answer: dict[str, Any]) -> None:
    os.write(1, json.dumps(answer).encode() + b"\n")


def main() -> None:
    """Argument: the descriptor of the runner's socket. The launch comes on stdin.

    Two lines of JSON go out: the overlays once everything is laid out, and an empty object once the container runs;
    or {"error"} instead.
    """
    system.hide_arguments()
    os.umask(0o022)
    launch = Launch.from_json(sys.stdin.buffer.read())
    try:
        with socket.socket(fileno=int(sys.argv[1])) as door:
            overlays = lay_out(launch, door)
        _say({"overlays": overlays})
        _say(_start(launch.command))
    except OSError as error:
        _say({"error": str(error)})
    finally:
        if not launch.private:
            os.chdir("/")  # out of it, where it was laid out
            clear(launch.stage)
