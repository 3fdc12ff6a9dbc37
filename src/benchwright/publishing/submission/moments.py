"""Days and moments that others wrote: real ones, in one form, told in UTC."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT = re.compile(_DAY.pattern + r"[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?")
ZONES = timedelta(days=1)
"""How far a day that somebody wrote may be from the day in UTC: where it was written, it may have been another."""


def day(text: str) -> str:
    """A day as YYYY-MM-DD; of a moment, the day in UTC. Errors: ValueError, also where a moment has no time zone."""
    if not text or _DAY.fullmatch(text):
        return date.fromisoformat(text).isoformat() if text else ""
    found = _read(text)
    if found.tzinfo is None:
        raise ValueError(f"a time without a zone: {text}")
    return _in_utc(found).date().isoformat()


def moment(text: str) -> str:
    """A moment in UTC, as ISO 8601 with its zone; without one it is taken as UTC. Errors: ValueError."""
    return _in_utc(_read(text)).isoformat() if text else ""


def _read(text: str) -> datetime:
    if not _MOMENT.fullmatch(text):
        raise ValueError(f"no date such as 2026-06-08, and no time such as 2026-06-08T12:00:00Z: {text[:40]!r}")
    return datetime.fromisoformat(text)


def _in_utc(found: datetime) -> datetime:
    try:
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"no such time: {found}") from error


def ends(attempts: Iterable[tuple[str, float]]) -> tuple[str, str]:
    """When the first attempt began and the last ended, of their beginnings and seconds; empty where none is known."""
    spans = [(_in_utc(_read(started)), seconds) for started, seconds in attempts if started]
    if not spans:
        return "", ""
    last = max(started + timedelta(seconds=seconds) for started, seconds in spans)
    return min(spans)[0].isoformat(timespec="milliseconds"), last.isoformat(timespec="milliseconds")
