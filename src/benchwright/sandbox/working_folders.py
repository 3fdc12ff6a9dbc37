"""The working folder of each traced thread, as far as its calls have shown it."""

from __future__ import annotations


class _Place:
    """Where one or several threads are: those of one program share a working folder."""

    def __init__(self, path: str = "") -> None:
        self.path = path


class WorkingFolders:
    """Working folders by thread; "" where nothing has shown one."""

    def __init__(self) -> None:
        self._places: dict[int, _Place] = {}

    def of(self, thread: int) -> str:
        """The thread's working folder."""
        place = self._places.get(thread)
        return place.path if place else ""

    def entered(self, thread: int, path: str) -> None:
        """A thread is in that folder now, and all that share its working folder with it."""
        self._places.setdefault(thread, _Place()).path = path

    def shared(self, parent: int, child: int) -> None:
        """A new thread shares its parent's working folder."""
        place = self._places.setdefault(parent, _Place())
        place.path = place.path or self.of(child)
        self._places[child] = place

    def copied(self, parent: int, child: int) -> None:
        """A new process begins where its parent is, unless its own calls have shown where it went since."""
        if not self.of(child):
            self._places[child] = _Place(self.of(parent))

    def renamed(self, old: str, new: str) -> None:
        """A folder has another name."""
        for place in self._places.values():
            if place.path == old or place.path.startswith(old + "/"):
                place.path = new + place.path[len(old) :]

    def ended(self, thread: int) -> None:
        """A thread is gone; its number may be given to another."""
        self._places.pop(thread, None)
