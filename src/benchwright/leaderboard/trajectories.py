"""Trajectories that come with a submission: unpacked within bounds, read in a process of their own, shown as steps."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchwright.closing import Closing
from benchwright.errors import InputError
from benchwright.files import canonical_json, parse_json, sha256
from benchwright.importers import IMPORTERS
from benchwright.leaderboard.store import Store
from benchwright.pipes import exit_text
from benchwright.process import Process, WorkLimits
from benchwright.publishing.pages.steps import MOST_STEPS, steps_shown
from benchwright.run.transcripts import Transcripts
from benchwright.suites.archives import ArchiveLimits, unpack

LIMITS = WorkLimits(seconds=60.0, memory_mb=2048)
_ARCHIVE = ArchiveLimits(files=5_000, bytes=2 << 30, file_bytes=200 << 20, ratio=200)
_MAGIC = ((b"\x28\xb5\x2f\xfd", ".tar.zst"), (b"\x1f\x8b", ".tar.gz"))
_EXPECTED = f"FORMAT/TASK-ID.EXT in a .tar.gz or .tar.zst, FORMAT one of {', '.join(IMPORTERS)}"


class Reader(Closing):
    """One process that reads logs, started when first needed. For one thread at a time."""

    def __init__(self, limits: WorkLimits = LIMITS) -> None:
        self.limits = limits
        self._process = Process("benchwright.leaderboard.log_reader", (), limits)

    def read(self, kind: str, path: Path, into: Path, name: str) -> str:
        """Keep what a log holds as a transcript; why not, where nothing is kept."""
        job = {"kind": kind, "path": str(path), "into": str(into), "name": name}
        try:
            self._process.hand_in(canonical_json(job).encode("utf-8", "replace") + b"\n")
            if line := self._process.next():
                return str(parse_json(line.decode("utf-8", "replace"), "log reader")["why"])
        except TimeoutError:
            self._process.end()
            return f"it could not be read within {self.limits.seconds:g} seconds"
        return f"the process that read it died ({exit_text(self._process.end(died=True))})"

    def close(self) -> None:
        """End the process. Idempotent."""
        self._process.close()


def keep(store: Store, entry: str, archive: Path, tasks: frozenset[str]) -> tuple[list[str], list[str]]:
    """Keep the trajectories of an archive; the ids of their tasks, and what was wrong with others.

    Errors: InputError where the archive as a whole is damaged, or holds what is refused.
    """
    kept: dict[str, None] = {}
    notes: list[str] = []
    with tempfile.TemporaryDirectory(dir=store.path / "incoming") as name, Reader() as reader:
        link = Path(name) / f"trajectories{_suffix(archive)}"
        link.symlink_to(archive)
        unpacked = Path(name) / "unpacked"
        unpacked.mkdir()
        unpack(link, unpacked, limits=_ARCHIVE)
        for kind, task, path in _logs(unpacked, notes):
            why = "no such task" if task not in tasks else ""
            why = why or reader.read(kind, path, store.made(entry), _name(task))
            if why:
                notes.append(f"trajectory {kind}/{path.name}: {why}")
            else:
                kept[task] = None
    return list(kept), notes


def _suffix(archive: Path) -> str:
    with archive.open("rb") as stream:
        begin = stream.read(4)
    for magic, suffix in _MAGIC:
        if begin.startswith(magic):
            return suffix
    raise InputError("the trajectories are no archive of a known kind", expected=_EXPECTED)


def _logs(folder: Path, notes: list[str]) -> Iterator[tuple[str, str, Path]]:
    """Format, task id and place of each log."""
    for path in sorted(folder.rglob("*")):
        if path.is_dir():
            continue
        kind = path.relative_to(folder).parts[0]
        if path.parent.parent != folder or kind not in IMPORTERS:
            notes.append(f"trajectory {path.relative_to(folder)}: not {_EXPECTED}")
            continue
        yield kind, path.stem, path


def _name(task: str) -> str:
    return sha256(task)[:32]


def shown(made: Path, task: str) -> dict[str, Any]:
    """What a page of a trajectory shows. Errors: InputError where it is damaged or not there."""
    found = Transcripts(made).read(_name(task))
    if found is None:
        raise InputError("there is no such trajectory")
    steps = steps_shown(found.steps, found.accesses, found.started)
    return {"steps": steps, "left_out": max(0, len(found.steps) - MOST_STEPS), "notes": found.notes}
