"""Discovery: whether an attempt read every file that a right solution has to read (CoDA-Bench's DA, per task).

The published protocol takes the agent's word for what it read, and any list that holds the required files scores 1.
Here the evidence is what a tracer saw; how precise the search was, and whether it simply opened everything, is
reported beside the verdict.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.gold import Gold, RequiredFile
from benchwright.reading import canonical_key, matches_pattern
from benchwright.score import Evidence, Score, Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.trajectory import Estimated, FileAccess, Measured, Submission

_MOST_SHOWN = 20


class DiscoveryScorer:
    """1 if every required file was read, else 0.

    `details`: the verdict under each variant of equality (`strict`: the file itself; `content`: it, or a file of the
    same content, None where contents are not known; `basename`: a file of that name), `missing` (required files not
    read, strictly), `opened`, `precision` (the share of opened files that are required; None where none was opened)
    and `swept` (nearly everything was opened; None for an estimate), and `estimated` where the evidence is a log's
    commands and not what a tracer saw.
    """

    name = "discovery"
    version = 1

    def score(self, submission: Submission, expected: Expected) -> Score:
        """Unscored where nothing was measured, or where the required files are not known."""
        gold, seen = expected.gold, submission.accesses
        if reason := _unknown(gold):
            return Unscored(reason=f"suite: {reason}")
        if not isinstance(seen, Measured | Estimated):
            return Unscored(reason=f"not measured: {seen.reason}")
        room = expected.task.data[0].room if len(expected.task.data) == 1 else ""
        claimed = isinstance(seen, Measured) and seen.tracer == "log"
        opened = tuple(Opened(access, claimed) for access in seen.files)
        return _verdict([Wanted(file, file.room or room) for file in gold.required_files], opened, seen)


def _unknown(gold: Gold) -> str:
    """Why the required files are not known; empty where they are."""
    if not gold.discovery_known:
        return f"the required files are not known ({gold.required_files_status})"
    if any(file.glob and not file.matches for file in gold.required_files):
        return "a required file is a pattern, and the files of its room are not known"
    return ""


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that was read; a claimed path may take any form that ends in the file's path."""

    access: FileAccess
    claimed: bool

    def is_file(self, path: str, room: str) -> bool:
        """Whether it is this file of this room."""
        if self.claimed:
            return f"/{self.access.path}".endswith(f"/{path}")
        return self.access.path == path and self.access.room in ("", room)

    @property
    def name(self) -> str:
        """Its base name, in lower case."""
        return posixpath.basename(self.access.path).lower()


@dataclass(frozen=True, slots=True)
class Wanted:
    """A required file, and how to tell that it was read."""

    file: RequiredFile
    room: str

    def strict(self, opened: Sequence[Opened]) -> bool:
        """Every match of a pattern; otherwise any file that the path means."""
        if self.file.glob:
            return all(self._read(path, opened) for path in self.file.matches)
        return any(self.is_meant(one) for one in opened)

    def content(self, opened: Sequence[Opened]) -> bool | None:
        """It, or a file of the same content; None where contents are not known."""
        if self.strict(opened):
            return True
        if not self.file.matches:
            return None
        copies = any(self._read(path, opened) for path in self.file.copies)
        return copies and not (self.file.glob and len(self.file.matches) > 1)

    def basename(self, opened: Sequence[Opened]) -> bool:
        """A file of its name."""
        name = posixpath.basename(self.file.path).lower()
        if self.file.glob:
            names = {posixpath.basename(path).lower() for path in self.file.matches}
            return names <= {one.name for one in opened}
        return any(one.name == name for one in opened)

    def is_meant(self, one: Opened) -> bool:
        """Whether a file is (one of) the required: by path where the room's files are known, else by canonical key."""
        paths = self.file.matches or (self.file.path,)
        if any(one.is_file(path, self.room) for path in paths):
            return True
        if not self.file.convention or (self.file.matches and not one.claimed):
            return False
        if self.file.glob:
            return matches_pattern(one.access.path, self.file.path)
        if "/" not in self.file.path:
            return one.name == self.file.path.lower()
        return canonical_key(one.access.path) == canonical_key(self.file.path)

    def _read(self, path: str, opened: Sequence[Opened]) -> bool:
        return any(one.is_file(path, self.room) for one in opened)


def _verdict(wanted: Sequence[Wanted], opened: Sequence[Opened], seen: Measured | Estimated) -> Scored:
    read = [item.strict(opened) for item in wanted]
    contents = [item.content(opened) for item in wanted]
    useful = sum(any(item.is_meant(one) for item in wanted) for one in opened)
    missing = [item.file.path for item, found in zip(wanted, read, strict=True) if not found]
    return Scored(
        value=float(all(read)),
        reason=f"{sum(read)} of {len(read)} required files were read",
        evidence=tuple(_evidence(item, found) for item, found in zip(wanted, read, strict=True))[:_MOST_SHOWN],
        details={
            "strict": all(read),
            "content": False if False in contents else None if None in contents else True,
            "basename": all(item.basename(opened) for item in wanted),
            "missing": missing,
            "opened": len(opened),
            "precision": useful / len(opened) if opened else None,
            "swept": seen.swept if isinstance(seen, Measured) else None,
            **({"estimated": True} if isinstance(seen, Estimated) else {}),
        },
    )


def _evidence(item: Wanted, found: bool) -> Evidence:
    return Evidence(
        part=item.file.path,
        verdict="right" if found else "wrong",
        expected="read",
        found="read" if found else "not read",
    )
