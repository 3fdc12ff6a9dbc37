"""Looking at files in processes of their own, so that a hostile one costs its own entry and nothing else."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from benchwright.closing import Closing
from benchwright.files import parse_json, sha256_file
from benchwright.pipes import exit_text
from benchwright.process import Process, WorkLimits
from benchwright.profiles.entries import FileProfile
from benchwright.profiles.formats.base import Bounds
from benchwright.profiles.kinds import UNKNOWN
from benchwright.profiles.looking import basics

LOOK_LIMITS = WorkLimits(seconds=120.0, memory_mb=2048)
"""What looking at one file may take."""


class Looker(Closing):
    """A process that looks at files. For one thread at a time."""

    def __init__(self, limits: WorkLimits, bounds: Bounds) -> None:
        self.limits, self.bounds = limits, bounds
        self._process = Process("benchwright.profiles.worker", limits=limits)

    def look(self, path: Path, name: str) -> FileProfile:
        """The entry of one file; a process that dies or takes too long leaves its error in it."""
        job = {"path": str(path.absolute()), "name": name, "bounds": asdict(self.bounds)}
        try:
            self._process.hand_in(json.dumps(job).encode() + b"\n")  # in ASCII: not every path is UTF-8
            line = self._process.next()
        except TimeoutError:
            self._process.end()
            return _without(path, name, f"time limit of {self.limits.seconds:g} seconds")
        if not line:
            how = exit_text(self._process.end(died=True))
            return _without(path, name, f"the process that looked at it died ({how}); limit {self.limits.memory_mb} MB")
        told = parse_json(line.decode(), "profiles worker")["entry"]
        return FileProfile.from_json(parse_json(told, "profiles worker"), "profiles worker")

    def close(self) -> None:
        """Give up what is held. Idempotent."""
        self._process.close()


def _without(path: Path, name: str, error: str) -> FileProfile:
    """The entry of a file that could not be looked at: what its first bytes say."""
    try:
        entry = basics(path, name)
        return entry if entry.error else entry.model_copy(update={"error": error, "sha256": sha256_file(path)})
    except OSError as fault:
        return FileProfile(path=name, bytes=0, format=UNKNOWN, error=fault.strerror or error)
