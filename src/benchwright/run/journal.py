"""A run's journal: one sealed line an event, appended and flushed; a damaged line is passed over and loses no other."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from benchwright.errors import InputError
from benchwright.files import Record, canonical_json
from benchwright.run.records import Attempt, Key, RunSpec, Spend
from benchwright.run.secrecy import cleared_values

_SEAL = re.compile(rb',"seal":"([0-9a-f]{8})"\}$')
"""The last field of a line: eight digits of a SHA-256 over the line without it."""

_RESTORED = "restored_from"
"""The field of events that mend the run folder: the file that was set aside, or that an attempt was found in."""

_PIECE = 1 << 24
"""Bytes of lines that are held at a time."""
_OF_JOURNAL = ("event", "at", "up")
_LATEST = 1e12
"""Seconds that are no time any more; what is no number is not below it either."""


class Damage(NamedTuple):
    """A line of the journal that is not what was written, by its number (from 1), and why."""

    line: int
    why: str


class Used(Record):
    """One call of a model. None: the reply did not say its tokens, or the price is not known; neither is ever 0.

    `sample` is the attempt's uuid; empty for a call that belongs to none.
    """

    model: str = ""
    tokens: int | None = Field(default=None, ge=0)
    usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    sample: str | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    values: dict[str, Any]
    error: str = ""


class Journal:
    """An append-only file of events, each one line of JSON with its time; the truth about which attempts are done.

    `at` is the time of day, which may be set while a run goes on; `up` are the seconds that the machine was up, which
    nobody sets: how long a sitting took is told by them.

    Lines of journals older than the seal are taken as they are, up to the first sealed line.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, event: str, *, durable: bool = False, **values: Any) -> None:
        """Add one line in one write, without any key or password; `durable` waits until it is on the disk.

        A line that a crash left without its end is first closed, so that it cannot swallow this one.
        """
        now = {"at": round(time.time(), 3), "up": round(time.monotonic(), 3)}
        text = canonical_json(cleared_values({"event": event, **now, **values}))
        line = _sealed(text.encode("utf-8", errors="replace")) + b"\n"
        handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            size = os.fstat(handle).st_size
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            _write_all(handle, b"\n" * torn + line)
            if durable:
                os.fsync(handle)
        except OSError as error:
            error.filename = str(self.path)  # a write does not say where
            raise
        finally:
            os.close(handle)

    def events(self, *kinds: str) -> Iterator[dict[str, Any]]:
        """The events in order, of the given kinds or all; damaged lines are left out."""
        return (line.values for line in self._lines() if not line.error and _among(line.values, kinds))

    def attempts(self) -> dict[Key, Attempt]:
        """Every finished attempt by its key, each once: a later record of the same key replaces an earlier one."""
        attempts = (attempt_of(event) for event in self.events("attempt"))
        return {attempt.key: attempt for attempt in attempts if attempt is not None}

    def spend(self) -> Spend:
        """What was used so far, attempts that a crash cut off included.

        Where lines of calls were lost, what the attempt's own record says was used is counted instead.
        """
        by_sample: dict[str | None, Spend] = {}
        for used in map(_used, self.events("usage")):
            if used is not None:
                by_sample[used.sample] = by_sample.get(used.sample, Spend()).plus(used.tokens, used.usd)
        if None not in by_sample:  # a journal that says of no call whose it was cannot be completed
            for attempt in self.attempts().values():
                by_sample[attempt.uuid] = _at_least(by_sample.get(attempt.uuid, Spend()), attempt)
        total = Spend(seconds=self._seconds())
        for part in by_sample.values():
            total = total.together(part)
        return total

    def spec(self) -> RunSpec | None:
        """The specification that the latest sitting ran; None where no sitting that can be read wrote one down."""
        for event in reversed(list(self.events("session"))):
            try:
                return RunSpec.from_json(event["spec"], str(self.path))
            except (KeyError, InputError):
                continue
        return None

    def damage(self) -> tuple[Damage, ...]:
        """The lines that were passed over."""
        return tuple(Damage(line.number, fault) for line in self._lines() if (fault := _fault(line)))

    def _seconds(self) -> float:
        """The time that sittings took, from their starts to the last that was heard of them.

        What is restored before a sitting starts is not of the sitting before.
        """
        seconds = 0.0
        last: dict[str, Any] | None = None
        for event in self.events():
            if event["event"] == "session":
                last = event
            elif last is not None and _RESTORED not in event:
                seconds, last = seconds + _between(last, event), event
        return seconds

    def _lines(self) -> Iterator[_Line]:
        if not self.path.exists():
            return
        yield from _read(self.path.read_bytes().split(b"\n"))


class Tail:
    """The end of a journal that is being written: what was added since it was last looked at.

    Each attempt comes with the place of its line in the file, where `attempt_at` finds it again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._place = 0
        self._sealed = False

    def read(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """New events and where their lines begin; a line without its end is left for the next time.

        A journal that has become shorter is another one, and read from its beginning.
        """
        with self.path.open("rb") as stream:
            if os.fstat(stream.fileno()).st_size < self._place:
                self._place, self._sealed = 0, False
            stream.seek(self._place)
            while piece := stream.readlines(_PIECE):
                for raw in piece:
                    if not raw.endswith(b"\n"):
                        return
                    begin, self._place = self._place, self._place + len(raw)
                    for line in _read([raw.rstrip(b"\n")], sealed=self._sealed):
                        if not line.error:
                            self._sealed = self._sealed or _SEAL.search(raw.rstrip(b"\n")) is not None
                            yield begin, line.values


def attempt_at(path: Path, place: int) -> Attempt | None:
    """The attempt whose line begins at a place of a journal; None where there is none any more."""
    with path.open("rb") as stream:
        stream.seek(place)
        raw = stream.readline().rstrip(b"\n")
    found = next(iter(_read([raw])), None)
    return None if found is None or found.error else attempt_of(found.values)


def _read(lines: list[bytes], *, sealed: bool = False) -> Iterator[_Line]:
    """The lines, each opened or with what is wrong with it; after the first sealed one all must be."""
    for number, raw in enumerate(lines, start=1):
        if not raw.strip():
            continue
        try:
            seal = _SEAL.search(raw)
            if sealed and seal is None:
                raise ValueError("the line has no end")  # noqa: TRY301 - one place says what is wrong with a line
            yield _Line(number, _opened(raw, seal))
            sealed = sealed or seal is not None
        except (ValueError, RecursionError) as error:
            yield _Line(number, {}, str(error))


def _between(one: dict[str, Any], two: dict[str, Any]) -> float:
    """Seconds between two events of a sitting; by the time of day where an older version wrote them."""
    clock = "up" if all(_is_time(event.get("up")) for event in (one, two)) else "at"
    passed: float = two[clock] - one[clock]
    return max(0.0, passed)


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LATEST


def _sealed(body: bytes) -> bytes:
    return body[:-1] + b',"seal":"' + _digest(body) + b'"}'


def _opened(line: bytes, seal: re.Match[bytes] | None) -> dict[str, Any]:
    """The event of a line; a ValueError where it is not what was written."""
    body = line if seal is None else line[: seal.start()] + b"}"
    if seal is not None and _digest(body) != seal[1]:
        raise ValueError("the line is not what was written")
    values = json.loads(body)
    if not isinstance(values, dict) or not isinstance(values.get("event"), str):
        raise ValueError("the line is no event")  # noqa: TRY004 - whatever is wrong with a line is one error
    if not _is_time(values.get("at")):
        raise ValueError("the event has no time")
    return values


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:8].encode()


def _write_all(handle: int, data: bytes) -> None:
    """A disk that is nearly full takes a part, and raises at the rest."""
    while data:
        data = data[os.write(handle, data) :]


def _among(values: dict[str, Any], kinds: tuple[str, ...]) -> bool:
    return not kinds or values["event"] in kinds


def attempt_of(event: dict[str, Any]) -> Attempt | None:
    """The attempt of an event; None where it holds none."""
    try:
        return Attempt.from_json(event.get("attempt"), "the journal")
    except InputError:
        return None


def _used(event: dict[str, Any]) -> Used | None:
    try:
        return Used.from_json({name: event[name] for name in event if name not in _OF_JOURNAL}, "the journal")
    except InputError:
        return None


def _fault(line: _Line) -> str:
    """Why a line was passed over; empty where it was not."""
    if line.error:
        return line.error
    if line.values["event"] == "attempt" and attempt_of(line.values) is None:
        return "the line holds no attempt"
    if line.values["event"] == "usage" and _used(line.values) is None:
        return "the line holds no call of a model"
    return ""


def _at_least(seen: Spend, attempt: Attempt) -> Spend:
    """What an attempt used: what its calls add up to, or what its record says where that is more."""
    usage = attempt.usage
    tokens = usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    if seen.tokens >= tokens and seen.uncounted >= usage.uncounted_calls:
        return seen
    cost = usage.cost_usd
    return Spend(
        max(seen.usd, cost or 0.0),
        max(seen.unpriced, tokens if cost is None else 0),
        max(seen.tokens, tokens),
        uncounted=max(seen.uncounted, usage.uncounted_calls),
    )
