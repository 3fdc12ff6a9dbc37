"""What a model said of attempts, kept in the run folder: values alone, and no word that may hold gold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from benchwright.errors import InputError
from benchwright.files import Record, read_jsonl, write_jsonl
from benchwright.run import Attempt, Key, RunFolder


class OfAttempt(Record):
    """Something that a model said of one attempt (`uuid`) under one mode's verdict, asked by a prompt (its SHA-256)."""

    cell: str
    task_id: str
    epoch: int
    uuid: str = ""
    mode: str
    model: str
    prompt: str

    @property
    def key(self) -> Key:
        """What the attempt is known by."""
        return Key(self.cell, self.task_id, self.epoch)


T = TypeVar("T", bound=OfAttempt)


@dataclass(frozen=True, slots=True)
class KeptFile(Generic[T]):
    """A file of the folder `analysis/` of a run."""

    name: str
    form: type[T]

    def read(self, run: RunFolder, mode: str, made: Mapping[Key, Attempt]) -> Mapping[Key, T]:
        """What was said under one mode, of attempts that are still the same. Errors: InputError for a file not ours."""
        found = (each for each in self._all(run) if each.mode == mode)
        return {each.key: each for each in found if each.key in made and made[each.key].uuid == each.uuid}

    def keep(self, run: RunFolder, said: Iterable[T]) -> None:
        """Write down; each takes the place of what was said before of the same attempt under the same mode."""
        try:
            before = self._all(run)
        except InputError:  # what cannot be read is asked for anew
            before = []
        found = {(each.mode, each.key): each for each in (*before, *said)}
        write_jsonl(self._path(run), (found[place] for place in sorted(found)))

    def _all(self, run: RunFolder) -> list[T]:
        path = self._path(run)
        lines = read_jsonl(path) if path.exists() else ()
        return [self.form.from_json(value, f"{path}, line {line}") for line, value in lines]

    def _path(self, run: RunFolder) -> Path:
        return run.path / "analysis" / self.name
