"""How much an account and an address may ask for."""

from __future__ import annotations

import ipaddress
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from benchwright.errors import BenchwrightError


class TooMany(BenchwrightError):
    """An account or the server has as many submissions as it may have."""


_ADDRESSES = 20_000
"""Addresses that are remembered; the one that was quiet longest is forgotten first."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one server: `per_day` and `in_all` submissions an account, refused ones included; so many
    uploads of one account `at_once`.

    `bytes` an upload, which has to come within `seconds`; `requests` and `wrong_tokens` a minute and address; at most
    `waiting` submissions in the queue, and no upload when the disk has less than `free_bytes`. `step` is what shown
    numbers are rounded to; a submission takes at most `memory_mb` to be opened and checked.
    """

    per_day: int = 5
    at_once: int = 4
    in_all: int = 50
    bytes: int = 64 << 20
    seconds: float = 120.0
    requests: int = 600
    wrong_tokens: int = 10
    waiting: int = 1000
    free_bytes: int = 1 << 30
    step: float = 0.01
    memory_mb: int = 4096


class Uploading:
    """How many uploads of each account are coming in now: their files take disk before they are counted."""

    def __init__(self) -> None:
        self._now: Counter[int] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def one(self, account: int, most: int) -> Iterator[None]:
        """One more, for as long as the block lasts. Errors: TooMany."""
        with self._lock:
            if self._now[account] >= most:
                raise TooMany(f"{most} uploads of this account are coming in; wait for one to end")
            self._now[account] += 1
        try:
            yield
        finally:
            with self._lock:
                self._now[account] -= 1
                self._now += Counter()  # forgets those without any


class Throttle:
    """Counts by address, over the last minute; a bucket that fills again evenly. Any thread may ask."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = per_minute, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def allows(self, address: str, cost: float = 1.0) -> bool:
        """Whether one more is allowed, which is counted; `cost` 0 only asks."""
        now, key = self._clock(), network(address)
        with self._lock:
            left, at = self._left.pop(key, (float(self._most), now))
            left = min(float(self._most), left + (now - at) * self._most / 60.0)
            allowed = left >= max(cost, 1.0)
            self._left[key] = (left - cost if allowed else left, now)
            if len(self._left) > _ADDRESSES:
                self._left.popitem(last=False)
        return allowed


def network(address: str) -> str:
    """Who is counted as one: an address, or the /64 of one of IPv6, all of which one customer has."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(found, ipaddress.IPv6Address):
        return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))
    return str(found)
