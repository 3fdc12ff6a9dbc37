"""Paths as a sandbox's programs mean them, followed through links from outside, without entering the sandbox."""

from __future__ import annotations

import errno
import os
from collections import deque

from benchwright.sandbox.reads import Lost, Unfollowable

_MOST_LINKS = 40
_NO_LINK = {errno.EINVAL, errno.ENOENT, errno.ENOTDIR}


def open_root(room: int, target: str) -> int:
    """The sandbox's root folder, reached from the open folder of a room that is mounted at `target`.

    /proc/PID/root would be simpler, but is closed to an ordinary user where the process guards itself.
    """
    upwards = "/".join(".." for part in target.split("/") if part)
    return os.open(upwards or ".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=room)


def resolve(root: int, path: str, *, follow: bool) -> str:
    """An absolute path without dots and links; the last part's link is followed only if `follow`.

    `root` is the open root folder. Raises Lost for links that only the process itself could follow (/proc/self), and
    Unfollowable for what the kernel refuses as well.
    """
    done: list[str] = []
    parts = deque(path.split("/"))
    links = 0
    while parts:
        part = parts.popleft()
        if part == "..":
            del done[-1:]
        elif part not in {"", "."}:
            target = _link(root, [*done, part]) if parts or follow else None
            if target is None:
                done.append(part)
                continue
            links += 1
            if links > _MOST_LINKS:
                raise Unfollowable("a path has too many links")
            done = [] if target.startswith("/") else done
            parts.extendleft(reversed(target.split("/")))
    if done[:1] == ["proc"]:
        raise Lost("a file was named through /proc, so its identity is uncertain")
    return "/" + "/".join(done)


def _link(root: int, parts: list[str]) -> str | None:
    """What a link leads to; None where it is none. Every part before the last is known to be no link."""
    try:
        return os.readlink("/".join(parts), dir_fd=root)
    except OSError as error:
        if error.errno in _NO_LINK:
            return None
        if error.errno == errno.ENAMETOOLONG:
            raise Unfollowable(f"a file's name is too long: {error.strerror}") from error
        raise Lost(f"a file's name could not be followed: {error.strerror}") from error
