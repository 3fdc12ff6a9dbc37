"""The names of a writable room's shipped files, followed through renames, links and removals."""

from __future__ import annotations

from typing import NamedTuple

from benchwright.sandbox.reads import Lost
from benchwright.sandbox.room_files import Inode, RoomView, inode


class Shipped(NamedTuple):
    """A file as shipped: its path relative to the room, and its inode (several paths may share one)."""

    path: str
    inode: Inode


class ShippedNames:
    """Which shipped file stands behind which name now. Names are whole paths, as the kernel gives them.

    `when` and `since` are places in the order of events: an event may be told of after others that it preceded.
    """

    def __init__(self, view: RoomView) -> None:
        self.view = view
        self._now = {view.prefix + path: Shipped(path, inode(status)) for path, status in view.files()}
        self._removed: dict[str, Shipped] = {}
        self._strangers: dict[str, int] = {}
        self.count = len(self._now)

    def opened(self, seen: str, when: int, *, deleted: bool) -> Shipped | None:
        """The shipped file behind a name; None for the agent's own files."""
        found = self._now.get(seen) or (self._removed.get(seen) if deleted else None)
        if found is None:
            self._strangers[seen] = when
        return found

    def emptied(self, file: Shipped) -> None:
        """The file's shipped content is gone: what it holds from now on is the agent's."""
        self._now = {name: there for name, there in self._now.items() if there.inode != file.inode}

    def removed(self, seen: str) -> None:
        """A name was removed."""
        if seen in self._now:
            self._removed[seen] = self._now.pop(seen)

    def linked(self, old: str, new: str, since: int) -> None:
        """A file has another name besides."""
        if old in self._now:
            self._name(new, self._now[old], since)

    def renamed(self, old: str, new: str, since: int) -> None:
        """A file or a whole folder has another name; what had that name is gone."""
        if old == new or self._same_file(old, new):
            return
        moved = self._take(old)
        self._take(new)
        for rest, file in moved.items():
            self._name(new + rest, file, since)

    def exchanged(self, one: str, other: str, since: int) -> None:
        """Two files or folders have changed places."""
        first, second = self._take(one), self._take(other)
        for rest, file in first.items():
            self._name(other + rest, file, since)
        for rest, file in second.items():
            self._name(one + rest, file, since)

    def _same_file(self, old: str, new: str) -> bool:
        """Renaming a hard link onto another of the same file does nothing."""
        return old in self._now and new in self._now and self._now[old].inode == self._now[new].inode

    def _take(self, name: str) -> dict[str, Shipped]:
        """Everything at or under a name, by what follows it."""
        inside = [there for there in self._now if there == name or there.startswith(name + "/")]
        return {there[len(name) :]: self._now.pop(there) for there in inside}

    def _name(self, name: str, file: Shipped, since: int) -> None:
        """Two threads' calls may overlap: the open of a new name is then told before the renaming that made it."""
        if self._strangers.pop(name, -1) >= since:
            raise Lost("a file was renamed while another thread opened it, so its identity is uncertain")
        self._now[name] = file
