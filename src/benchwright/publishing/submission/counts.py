"""Shares of whole counts: which k of n tasks a printed accuracy can be, and which cannot be any."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor

from benchwright.publishing.submission.strict_json import Share

_EXACT = 1e-9


def slack(share: Share) -> float:
    """How far the true value may lie from a printed one: half of its last digit."""
    return _EXACT if share.decimals is None else max(_EXACT, 0.5 * 10.0**-share.decimals)


def possible(share: Share, n: int) -> range:
    """Every k for which k/n prints as this share; empty where there is none."""
    room = slack(share) + 1e-12
    return range(max(0, ceil((share - room) * n)), min(n, floor((share + room) * n)) + 1)


def nearest(share: Share, n: int) -> str:
    """The two counts between which a share lies, in words."""
    low = min(n, floor(share * n))
    return " and ".join(f"{k}/{n} = {k / n:.4f}" for k in dict.fromkeys((low, min(n, low + 1))))


def fitting(shares: Sequence[Share], below: int, far: int) -> tuple[int, ...]:
    """The denominators from `below - far` to `below` over which every one of the shares is some k/n, largest first."""
    return tuple(n for n in range(below, max(0, below - far), -1) if all(len(possible(share, n)) for share in shares))


def impossible(shares: Iterable[Share], n: int) -> tuple[Share, ...]:
    """Those that are k/n for no k."""
    return tuple(share for share in shares if not len(possible(share, n)))
