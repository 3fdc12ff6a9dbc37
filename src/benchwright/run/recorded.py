"""What a folder says of the run in it, and whether a specification can be run there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchwright.errors import InputError
from benchwright.files import read_toml
from benchwright.run.journal import Journal
from benchwright.run.records import FORMAT, RunSpec
from benchwright.scratch import scratch_folder

SPECIFICATION = "run.toml"
DAMAGED = "damaged"
_SHOWN = 5
"""Names of things that lie where a run folder was wanted, as far as they are told."""
_OURS = frozenset(
    (
        "run.toml",
        "events.jsonl",
        "attempts.parquet",
        "artifacts",
        "logs",
        "transcripts",
        "buffer",
        "parts",
        "scores",
        DAMAGED,
    )
)
_EVENTS = ("session", "attempt", "usage", "end", "set_aside")
"""What only a run's journal tells."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a folder says of the run in it: its specification, its journal's, and what is wrong with `run.toml`."""

    spec: RunSpec | None
    journal: RunSpec | None
    trouble: InputError | None
    is_run: bool

    @property
    def nothing(self) -> bool:
        """Whether no run was ever started here."""
        return self.spec is None and self.trouble is None and not self.is_run


def recorded(path: Path) -> Recorded:
    """What lies in a folder, whatever of it is damaged. Errors: InputError for a run of another version."""
    events = path / "events.jsonl"
    is_run = events.is_file() or (path / "logs").is_dir()
    said = Journal(events).spec() if events.is_file() else None
    if not (path / SPECIFICATION).is_file():
        missing = InputError(f"{path} holds a run without its {SPECIFICATION}") if is_run else None
        return Recorded(said, said, missing, is_run)
    try:
        values = read_toml(path / SPECIFICATION)
    except InputError as error:
        return Recorded(said, said, error, is_run)
    try:
        return Recorded(_specification(path, values), said, None, is_run)
    except InputError as error:
        if said is None:  # as likely of another version as damaged
            raise
        return Recorded(said, said, error, is_run)


def fitting(path: Path, spec: RunSpec) -> Recorded:
    """What a folder says of the run in it, where this specification can be run there.

    Errors: InputError where it holds another run or other things, or no folder can be made there.
    """
    there = _told(path)  # before the run is looked for: one that begins meanwhile is found then
    said = recorded(path)
    if said.nothing and there:
        raise _other_things(path, there)
    if said.nothing:
        _require_room_for_a_run(path)
        return said
    if said.spec is None and not said.is_run:
        raise said.trouble or InputError(f"not a run folder: {path}")
    if said.spec is None and (foreign := sorted(_foreign(path))):
        raise _other_things(path, foreign)
    changed = said.spec.differences(spec) if said.spec else ()
    if changed and said.journal and not said.journal.differences(spec):
        return replace(said, trouble=InputError("it differs from what the journal says was run"))
    if changed:
        raise InputError(
            f"the run in {path} was started with another specification",
            found="\n    ".join(changed),
            expected="the same settings, to resume it",
            hint="give another --out to start a new run",
        )
    return said


def _require_room_for_a_run(path: Path) -> None:
    """That a new folder can be made and written here, or an empty one written, which only trying shows.

    It is tried with another one: what is removed again may be what a run that begins at this moment has just made.
    """
    there = next(folder for folder in (path, *path.parents) if os.path.lexists(folder))
    try:
        with scratch_folder("room", beside=there) as tried:
            (tried / path.relative_to(there)).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _no_room(path, error) from error


def _told(path: Path) -> list[str]:
    """What lies in a folder; hidden files are what a run that was killed at its first breath has left, or others'."""
    try:
        return sorted(name for name in os.listdir(path) if not name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _no_room(path, error) from error


def _no_room(path: Path, error: OSError) -> InputError:
    return InputError(
        f"no run folder can be made at {path}",
        found=error.strerror or str(error),
        expected="a new folder",
        hint="give another --out",
    )


def _foreign(path: Path) -> Iterator[str]:
    """What lies in a folder and is of no run, where neither `run.toml` nor the journal says that there is one."""
    logs, journal = path / "logs", path / "events.jsonl"
    yield from (name for name in os.listdir(path) if not name.startswith(".") and name not in _OURS)
    told = [name for name in os.listdir(logs) if not name.startswith(".")] if logs.is_dir() else []
    yield from (f"logs/{name}" for name in told if not name.endswith((".eval", ".json")))
    logged = any(name.endswith(".eval") for name in told)
    if journal.is_file() and journal.stat().st_size and not logged and not any(Journal(journal).events(*_EVENTS)):
        yield journal.name


def _other_things(path: Path, there: Sequence[str]) -> InputError:
    return InputError(
        f"{path} holds other things, and no run",
        found=", ".join(there[:_SHOWN]) + (f" and {len(there) - _SHOWN} more" if there[_SHOWN:] else ""),
        expected="a new or empty folder, or that of the run to go on with",
        hint="give another --out",
    )


def _specification(path: Path, values: dict[str, Any]) -> RunSpec:
    if values.get("format", FORMAT) != FORMAT:
        raise InputError(f"{path}: unknown run format", found=str(values["format"]), expected=str(FORMAT))
    return RunSpec.from_json(values, str(path / SPECIFICATION))
