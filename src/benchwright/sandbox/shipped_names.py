"""The names of a writable room's shipped files, followed through renames, links and removals."""

from __future__ import annotations

from typing import NamedTuple

from benchwright.sandbox.reads import Lost
from benchwright.sandbox.room_files import Inode, RoomView, inode

_MOST_STRANGERS = 20_000
_MOST_GONE = 100_000
"""An agent can make up names for ever, and the runner remembers them."""


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
        self._gone: dict[str, set[Shipped]] = {}
        self._strangers: dict[str, int] = {}
        self._forgotten = -1
        self.count = len(self._now)

    def opened(self, seen: str, when: int, *, deleted: bool) -> Shipped | None:
        """The shipped file behind a name; None for the agent's own files.

        `deleted`: the file had that name last, and has none now. Raises Lost where several had.
        """
        if deleted and seen in self._gone:
            return self._opened_gone(seen)
        found = self._now.get(seen) if not deleted else None
        if found is None:
            self._note_stranger(seen, when)
        return found

    def _opened_gone(self, seen: str) -> Shipped | None:
        had_it = self._gone[seen]
        if len({file.inode for file in had_it}) > 1 or (had_it and seen in self._strangers):
            raise Lost("a file was opened that had lost its name, which others had as well")
        return next(iter(had_it), None)

    def _note_stranger(self, seen: str, when: int) -> None:
        self._strangers.pop(seen, None)  # the newest stay last
        self._strangers[seen] = when
        if len(self._strangers) > _MOST_STRANGERS:
            for oldest in list(self._strangers)[: _MOST_STRANGERS // 2]:
                self._forgotten = max(self._forgotten, self._strangers.pop(oldest))

    def knows(self, seen: str) -> bool:
        """Whether a shipped file has this name."""
        return seen in self._now

    def lost(self, seen: str) -> bool:
        """Whether a shipped file had this name last, and has none now."""
        return seen in self._gone

    def emptied(self, file: Shipped) -> None:
        """The file's shipped content is gone: what it holds from now on is the agent's."""
        self._now = {name: there for name, there in self._now.items() if there.inode != file.inode}
        for had_it in self._gone.values():
            had_it -= {there for there in had_it if there.inode == file.inode}

    def removed(self, seen: str) -> None:
        """A name was removed."""
        if seen in self._now:
            self._lose_name(seen, self._now.pop(seen))

    def _lose_name(self, seen: str, file: Shipped) -> None:
        self._gone.setdefault(seen, set()).add(file)
        if len(self._gone) > _MOST_GONE:
            raise Lost("the names of too many files were removed")

    def linked(self, old: str, new: str, since: int) -> None:
        """A file has another name besides."""
        if old in self._now:
            self._name(new, self._now[old], since)

    def renamed(self, old: str, new: str, since: int) -> None:
        """A file or a whole folder has another name; what had that name is gone."""
        if old == new or self._same_file(old, new):
            return
        moved = self._take(old)
        for rest, file in self._take(new).items():
            self._lose_name(new + rest, file)
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
        if max(self._strangers.get(name, -1), self._forgotten) >= since:
            raise Lost("a file was renamed while another thread opened it, so its identity is uncertain")
        self._now[name] = file
