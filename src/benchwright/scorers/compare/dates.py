"""Dates and times of day, whatever their spelling: ISO, slashes, month names, with or without a time."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SHORT_NAMES = {name[:3]: name for name in (*MONTHS, *WEEKDAYS)} | {
    **{f"{name}s": name for name in WEEKDAYS},
    "sept": "september", "tues": "tuesday", "wednes": "wednesday", "thur": "thursday", "thurs": "thursday",
}  # fmt: skip

_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:\.\d{1,9})?)?(?: ?[ap]\.?m\b\.?)?"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:\d{4}|[12][,'_]\d{3})"
_TAIL = rf"(?:(?:[Tt]|,? )(?P<clock>{_CLOCK}) ?(?P<zone>Z\b|UTC\b|GMT\b|[-+]\d\d:?\d\d(?!\d))?)?"
DATE = (
    rf"(?:(?<![\w.,/-])(?:(?P<year>{_YEAR})(?P<slash>[-/.]| - )(?P<month>\d{{1,2}})(?P=slash)(?P<day>\d{{1,2}})"
    rf"|(?P<first>\d{{1,2}})(?P<slash2>[-/.])(?P<second>\d{{1,2}})(?P=slash2)(?P<year2>\d{{4}})"
    rf"|(?P<day3>{_DAY})[ -](?:of )?(?P<month3>{_MONTH})(?:(?:,? |-)(?P<year3>{_YEAR}))?"
    rf"|(?P<year6>\d{{4}})[-/](?P<month6>0[1-9]|1[0-2])(?![-/\d])"
    rf"|(?P<month7>0?[1-9]|1[0-2])/(?P<year7>(?:19|20)\d\d)(?!/)"
    rf"|(?P<month4>{_MONTH})[ -](?:(?P<day4>{_DAY})(?:,? (?P<year4>{_YEAR}))?|(?P<year5>{_YEAR})))"
    rf"(?![\d%]|[.,:/'_-]\d){_TAIL})"
)
TIME = rf"(?:(?<![\w.,:-])(?P<alone>{_CLOCK}|\d{{1,2}} ?[ap]\.?m\b\.?)(?![\w:]))"


@dataclass(frozen=True, slots=True)
class Moment:
    """A date, a month of a year, a day of a year, or a time of day; what is not said is None.

    `seconds` counts from midnight, UTC where a zone was given; a date without a time is midnight.
    `swapped` is the other reading of a date such as 03/04/2020.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    seconds: float | None = None
    swapped: tuple[int, int] | None = None


def read_moment(match: re.Match[str]) -> Moment | None:
    """The moment of a match of `DATE` or `TIME`; None where there is no such day or hour."""
    groups = match.groupdict()
    if groups.get("alone"):
        seconds = _seconds(groups["alone"])
        return None if seconds is None else Moment(seconds=seconds)
    fields = _fields(groups)
    if fields is None:
        return None
    year, month, day, swapped = fields
    if not groups["clock"]:
        return Moment(year, month, day, swapped=swapped)
    seconds = _seconds(groups["clock"])
    if seconds is None or year is None or day is None:
        return None if seconds is None else Moment(year, month, day, seconds)
    return _in_utc(datetime(year, month, day, tzinfo=UTC), seconds, groups["zone"])


def _fields(groups: dict[str, str | None]) -> tuple[int | None, int, int | None, tuple[int, int] | None] | None:
    if groups["first"]:
        return _slashed(int(groups["first"]), int(groups["second"] or 0), int(groups["year2"] or 0))
    year = next(
        (
            int(re.sub(r"\D", "", groups[name] or ""))
            for name in ("year", "year3", "year4", "year5", "year6", "year7")
            if groups[name]
        ),
        None,
    )
    named = groups["month3"] or groups["month4"]
    month = _month_number(named) if named else int(groups["month"] or groups["month6"] or groups["month7"] or 0)
    written = groups["day"] or groups["day3"] or groups["day4"]
    day = int(re.sub(r"\D", "", written)) if written else None
    return (year, month, day, None) if _exists(year, month, day) else None


def _slashed(first: int, second: int, year: int) -> tuple[int, int, int, tuple[int, int] | None] | None:
    """Month first where that is a date, day first otherwise; both readings where they differ."""
    readings = [(month, day) for month, day in ((first, second), (second, first)) if _exists(year, month, day)]
    if not readings:
        return None
    month, day = readings[0]
    return year, month, day, readings[1] if len(readings) > 1 and first != second else None


def _month_number(name: str) -> int:
    return next(number for number, month in enumerate(MONTHS, start=1) if month.startswith(name[:3].casefold()))


def _exists(year: int | None, month: int, day: int | None) -> bool:
    try:
        datetime(2000 if year is None else year, month, 1 if day is None else day, tzinfo=UTC)
    except ValueError:
        return False
    return True


def _seconds(clock: str) -> float | None:
    hours, minutes, seconds = (float(part) for part in (*re.findall(r"\d+(?:\.\d+)?", clock), 0, 0)[:3])
    half = re.search(r"[ap]", clock, re.IGNORECASE)
    if half and not 1 <= hours <= 12:
        return None
    if half:
        hours = hours % 12 + (12 if half.group() in "pP" else 0)
    return hours * 3600 + minutes * 60 + seconds if hours < 24 and minutes < 60 and seconds < 60 else None


def _in_utc(midnight: datetime, seconds: float, zone: str | None) -> Moment:
    moment = midnight + timedelta(seconds=seconds)
    if zone and zone[0] in "+-":
        digits = zone[1:].replace(":", "")
        offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
        try:
            moment = moment.replace(tzinfo=timezone(-offset if zone[0] == "-" else offset)).astimezone(UTC)
        except (ValueError, OverflowError):
            return Moment(midnight.year, midnight.month, midnight.day, seconds)
    clock = moment.hour * 3600 + moment.minute * 60 + moment.second + moment.microsecond / 1e6
    return Moment(moment.year, moment.month, moment.day, clock)


def weekday_of(moment: Moment) -> str:
    """The weekday of a whole date that can be read in one way only; empty for any other moment."""
    if moment.year is None or moment.month is None or moment.day is None or moment.swapped:
        return ""
    return WEEKDAYS[datetime(moment.year, moment.month, moment.day, tzinfo=UTC).weekday()]


def settled(moment: Moment, day_first: bool | None) -> Moment:
    """A date such as 03/04/2020 read as its task writes dates; None: the task does not say."""
    if moment.swapped is None or day_first is None:
        return moment
    month, day = moment.swapped if day_first else (moment.month, moment.day)
    return replace(moment, month=month, day=day, swapped=None)


def compact_date(digits: str) -> Moment | None:
    """The date that eight digits in a row are (20210305)."""
    match = re.fullmatch(r"([12]\d{3})(\d\d)(\d\d)", digits)
    if match is None or not _exists(int(match[1]), int(match[2]), int(match[3])):
        return None
    return Moment(int(match[1]), int(match[2]), int(match[3]))


def same_moment(gold: Moment, found: Moment) -> bool:
    """Whether both name the same moment; what the gold does not say may be added, midnight may be left out."""
    if gold.year is None and gold.month is None:
        return found.year is None and found.month is None and gold.seconds == found.seconds
    if (gold.seconds or 0) != (found.seconds or 0):
        return False
    if gold.year is not None and gold.year != found.year:
        return False
    if gold.day is None and found.day is not None:
        return False
    days = {(gold.month, gold.day), gold.swapped} & {(found.month, found.day), found.swapped}
    return bool(days - {None})
