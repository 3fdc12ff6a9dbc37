"""Scan tasks, golds and data files for personal data; one finding a place and kind, matches masked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from benchwright.proving.findings import Finding, Severity
from benchwright.proving.lint.base import Case, cases
from benchwright.proving.lint.rooms import room_files, rooms_here
from benchwright.proving.privacy.detectors import DETECTORS, Candidates, masked, matches, possible
from benchwright.proving.privacy.texts import Extent, Line, lines
from benchwright.suite import Suite

_HINT = "personal data: get consent, replace or remove them, or state why they may be published"
_BLOCK = 500
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class PrivacyOptions:
    """What to look at: `data` files of rooms too, at most `file_bytes` of each (larger ones are sampled)."""

    data: bool = True
    file_bytes: int = 8_000_000


@dataclass(slots=True)
class _Tally:
    """The matches of one place by kind: how many, and the first one."""

    found: dict[str, int] = field(default_factory=dict)
    first: dict[str, str] = field(default_factory=dict)
    candidates: tuple[Candidates, ...] = field(
        default_factory=lambda: tuple(Candidates(detector) for detector in DETECTORS if detector.share is not None)
    )

    def add(self, block: Sequence[Line]) -> None:
        """Count a block of lines; only the detectors that may match somewhere in it are run."""
        detectors = possible("\n".join(line.text for line in block))
        counted = [one for one in self.candidates if one.detector in detectors]
        for line in block if detectors else ():
            for match in matches(line.text, detectors):
                self.found[match.kind] = self.found.get(match.kind, 0) + 1
                self.first.setdefault(match.kind, f"{masked(match.text)} at {line.where}")
            for one in counted:
                one.add(line.text)

    def kinds(self) -> Iterator[tuple[str, int, str]]:
        """Kind, count and first match; of what is judged by its share, only what is alarming."""
        yield from ((kind, count, self.first[kind]) for kind, count in self.found.items())
        for one in self.candidates:
            if one.alarming:
                share = f"{one.valid} of {one.seen} numbers of that form pass its check"
                yield one.detector.kind, one.valid, f"{masked(one.first)}: {share}"


def scan_suite(
    suite: Suite, options: PrivacyOptions = PrivacyOptions(), progress: Progress = lambda _: None
) -> tuple[Finding, ...]:
    """Every finding in the suite's texts and, where asked, in the data of its rooms that are here."""
    found = [finding for case in cases(suite) for finding in _texts(case)]
    if options.data:
        found.extend(_rooms(suite, options, progress))
    return tuple(found)


def _texts(case: Case) -> Iterator[Finding]:
    places = {
        "question": case.task.question,
        "guideline": case.task.guidelines,
        "gold": "\n".join((case.answer, *case.gold.alternatives)),
        "solution": case.gold.solution.code if case.gold.solution else "",
        **{f"variant {name}": text for name, text in case.task.variants.items()},
    }
    for place, text in places.items():
        tally = _tally(Line(f"line {number}", line) for number, line in enumerate(text.splitlines(), start=1))
        yield from _findings(tally, place, case.task.id)


def _tally(found: Iterable[Line]) -> _Tally:
    tally, rest = _Tally(), iter(found)
    while block := tuple(islice(rest, _BLOCK)):
        tally.add(block)
    return tally


def _findings(tally: _Tally, place: str, task_id: str = "") -> Iterator[Finding]:
    for kind, count, first in tally.kinds():
        yield Finding(
            task_id=task_id,
            rule=f"privacy-{kind}",
            severity=Severity.WARNING,
            evidence=f"{place}: {count} found, first {first}",
            hint=_HINT,
        )


def _rooms(suite: Suite, options: PrivacyOptions, progress: Progress) -> Iterator[Finding]:
    unread: dict[str, str] = {}
    for room in rooms_here(suite):
        files = sorted(room_files(suite)[room].entries)
        progress(f"privacy: room {room}, {len(files)} files")
        for file in files:
            extent = Extent()
            yield from _file(suite.room_path(room) / file, f"room {room}, {file}", options.file_bytes, extent)
            if not extent.complete:
                unread[f"{room}/{file}"] = extent.reason
    if unread:
        shown = "; ".join(f"{name} ({reason})" for name, reason in list(unread.items())[:10])
        yield Finding(
            rule="privacy-sampled",
            severity=Severity.NOTE,
            evidence=f"{len(unread)} data files were not read whole: {shown}",
            hint="raise the limit of bytes a file to read more",
        )


def _file(path: Path, place: str, budget: int, extent: Extent) -> Iterator[Finding]:
    """The findings of one data file; one that cannot be read is said so, and never stops the scan."""
    try:
        yield from _findings(_tally(lines(path, budget, extent)), place)
    except Exception as error:  # noqa: BLE001 - data files are hostile, and each parser has errors of its own
        extent.complete, extent.reason = False, f"cannot be read: {type(error).__name__}"
