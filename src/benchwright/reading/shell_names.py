"""Commands that name files without reading them, for others to read: `ls`, `echo`, `find`."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from benchwright.reading.find_tests import Action, Candidate, Finds, finds
from benchwright.reading.shell_files import Files
from benchwright.reading.shell_state import FILES_A_COMMAND, MOST_WORDS, Names


@dataclass(slots=True)
class Naming(Files):
    """The part of a shell that names files."""

    @abstractmethod
    def _apply(self, words: list[str], names: Names | None, mark: str) -> None:
        """A command over file names."""

    def _listed(self, program: str, words: list[str]) -> Names:
        if program == "seq":
            return Names(_sequence(words))
        listed = [path for word in words for path in self.paths(word)]
        if program == "ls" and len(words) < 2 and listed == words:
            folder = self.absolute(words[0] if words else ".")
            below = self.places.named_below(folder) or ()
            self.budget -= len(below) // FILES_A_COMMAND
            inside = [path for _, path in below if "/" not in path]
            listed = inside or listed
        return Names(listed[:MOST_WORDS])

    def _find(self, words: list[str]) -> Names | None:
        told = finds(words)
        found: list[Candidate] | None = []
        for folder in told.folders:
            below = self._candidates(folder)
            found = None if below is None or found is None else found + below
        printed: list[Names | None] = [None]
        for action in told.actions:
            names = None if found is None else self._chosen(told, action, found)
            if action.words:
                self._apply(list(action.words), names, "{}")
            else:
                printed.append(names)
        return printed[-1]

    def _candidates(self, folder: str) -> list[Candidate] | None:
        """The files below a folder, as `find` prints them."""
        place = self.absolute(folder)
        if self.places.locate(place) is not None:
            return [Candidate(folder, 0)]
        found = self.places.named_below(place)
        if found is None:
            return None
        self.budget -= len(found) // FILES_A_COMMAND
        files = [Candidate(f"{folder.rstrip('/')}/{path}", path.count("/") + 1) for _, path in found]
        above = (outer for file in files for outer in file.above())
        return [*dict.fromkeys((Candidate(folder, 0, folder=True), *above)), *files]

    def _chosen(self, told: Finds, action: Action, found: list[Candidate]) -> Names:
        paths, sure = told.chosen(action, found)
        return Names(paths[:MOST_WORDS], sure)


def _sequence(words: list[str]) -> list[str]:
    """The numbers that `seq` prints; none where they are not whole, or not known."""
    try:
        numbers = [int(word) for word in words]
    except ValueError:
        return []
    if not 1 <= len(numbers) <= 3:
        return []
    first, last = numbers[0] if len(numbers) > 1 else 1, numbers[-1]
    step = numbers[1] if len(numbers) == 3 else 1
    return [str(place) for place in range(first, last + (1 if step > 0 else -1), step or 1)[:MOST_WORDS]]
