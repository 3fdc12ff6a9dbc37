"""Reading and writing files for the runner, with the eyes and the rights of the sandbox."""

from __future__ import annotations

import errno
import os
import stat
from typing import Any, Final

from benchwright.sandbox.holder.plan import Plan

_MOST_READ: Final = 256 << 20
_FORBIDDEN_TO_READ: Final = ("/proc/", "/sys/")
"""The first process would answer for itself there, not for the agent."""


def read(_plan: Plan, header: dict[str, Any], _body: bytes) -> tuple[dict[str, Any], bytes]:
    """One regular file; links lead where they lead inside. `real` is its path without them."""
    path = _absolute(header["path"])
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        real = os.readlink(f"/proc/self/fd/{descriptor}")
        if not stat.S_ISREG(status.st_mode) or real.startswith(_FORBIDDEN_TO_READ):
            raise PermissionError(errno.EACCES, "not a regular file", path)
        data = stream.read(_MOST_READ + 1)
    if len(data) > _MOST_READ:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
    return {"real": real}, data


def write(plan: Plan, header: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
    """Write one file, making its folders, in a place that the agent may write to."""
    path = _absolute(header["path"])
    folder, name = os.path.split(path)
    real = os.path.realpath(folder)
    allowed = ("/workspace", "/tmp", *(room.target for room in plan.rooms if room.writable))  # noqa: S108 - inside
    if not name or not any(real == place or real.startswith(f"{place}/") for place in allowed):
        raise PermissionError(errno.EACCES, "outside what may be written", path)
    os.makedirs(real, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(os.path.join(real, name), flags, 0o644), "wb") as stream:
        stream.write(body)
    return {"real": os.path.join(real, name)}, b""


def _absolute(path: str) -> str:
    return os.path.normpath(os.path.join("/workspace", path)) if not path.startswith("/") else path
