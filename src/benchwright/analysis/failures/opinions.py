"""What a model said of failures, kept in the run folder: class, step and quote, and no word that may hold gold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from benchwright.errors import InputError
from benchwright.files import Record, read_jsonl, write_jsonl
from benchwright.run import Key, RunFolder

_FILE = "failures.jsonl"


class Opinion(Record):
    """A model's class for one attempt (`uuid`) under one mode's verdict; `quote` is text of that step's transcript.

    `prompt` is the SHA-256 of what it was asked by.
    """

    cell: str
    task_id: str
    epoch: int
    uuid: str = ""
    mode: str
    model: str
    prompt: str
    failure: str
    step: int | None = None
    quote: str = ""

    @property
    def key(self) -> Key:
        """What the attempt is known by."""
        return Key(self.cell, self.task_id, self.epoch)


def kept(run: RunFolder, mode: str) -> Mapping[Key, Opinion]:
    """The opinions on a run's attempts under one mode. Errors: InputError where the file is not ours."""
    path = _path(run)
    lines = read_jsonl(path) if path.exists() else ()
    found = [Opinion.from_json(value, f"{path}, line {line}") for line, value in lines]
    return {opinion.key: opinion for opinion in found if opinion.mode == mode}


def keep(run: RunFolder, opinions: Iterable[Opinion]) -> None:
    """Write opinions down; each takes the place of an earlier one on the same attempt and mode."""
    found = {(each.mode, each.key): each for mode in ("reference", "sound") for each in _readable(run, mode).values()}
    found |= {(each.mode, each.key): each for each in opinions}
    write_jsonl(_path(run), (found[place] for place in sorted(found)))


def _readable(run: RunFolder, mode: str) -> Mapping[Key, Opinion]:
    """The kept ones; none where they cannot be read: they are asked for anew."""
    try:
        return kept(run, mode)
    except InputError:
        return {}


def _path(run: RunFolder) -> Path:
    return run.path / "analysis" / _FILE
