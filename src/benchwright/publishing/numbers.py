"""Numbers as people read them; what is not known is a dash, never 0."""

from __future__ import annotations

from decimal import Decimal

FILTERS = ("count", "share", "points", "usd", "seconds", "number", "p_value", "size")
"""The functions of this module, as templates name them."""
UNKNOWN = "–"
_MOMENT = 0.01
_MINUTE, _HOUR = 60, 3600
_THOUSAND = 999.5
"""From here on three digits say a thousand."""
_UNITS = ("bytes", "KB", "MB", "GB")


def count(value: float | None) -> str:
    """A whole number with thousands marked: 12,345."""
    return UNKNOWN if value is None else f"{value:,.0f}"


def share(value: float | None) -> str:
    """A share or score from 0 to 1 with three digits, as papers print it."""
    return UNKNOWN if value is None else f"{value:.3f}"


def points(value: float | None) -> str:
    """A difference of two scores, with its sign."""
    return UNKNOWN if value is None else f"{value:+.3f}".replace("-", "−")


def usd(value: float | None) -> str:
    """Dollars, with as many digits as small sums need."""
    if value is None:
        return UNKNOWN
    told = f"{value:,.2f}" if abs(value) >= 1 else format(Decimal(f"{value:.3g}"), "f")
    return f"${max(told, f'{value:.2f}', key=len)}"


def seconds(value: float | None) -> str:
    """A duration: < 0.01 s, 4.2 s, 3 min 20 s, 2 h 05 min."""
    if value is None:
        return UNKNOWN
    if 0 < value < _MOMENT:
        return f"< {_MOMENT} s"
    if value < _MINUTE - 0.05:
        return f"{value:.3g} s"
    whole = round(value)
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE:02} s"
    return f"{whole // _HOUR:,} h {whole % _HOUR // _MINUTE:02} min"


def number(value: float | None) -> str:
    """Any other number, to three digits, thousands marked."""
    if value is None:
        return UNKNOWN
    return f"{value:,.0f}" if abs(value) >= _THOUSAND else f"{value:.3g}"


def p_value(value: float | None) -> str:
    """The chance of such a difference under "neither is better"."""
    if value is None:
        return UNKNOWN
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def size(value: float | None) -> str:
    """A count of bytes in the largest unit that says something."""
    if value is None:
        return UNKNOWN
    for unit in _UNITS:
        if value < _THOUSAND or unit == _UNITS[-1]:
            break
        value /= 1000
    return f"{number(value)} {unit}"
