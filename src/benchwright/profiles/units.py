"""Units that columns name: `weight_kg`, `Temp (F)`, `priceEUR`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[%°$€£]")

_UNITS = {
    "temperature": ("c celsius", "f fahrenheit", "k kelvin"),
    "length": ("mm millimetre millimeter", "cm centimetre centimeter", "m metre meter", "km kilometre kilometer",
               "in inch inche", "ft feet foot", "yd yard", "mi mile"),
    "mass": ("mg milligram", "g gram", "kg kilogram", "t tonne ton", "lb pound", "oz ounce"),
    "time": ("ms millisecond", "s sec second", "min minute", "h hr hour", "day", "month", "year yr"),
    "speed": ("kmh kph", "mph", "mps", "knot kt"),
    "money": ("usd $ dollar", "eur € euro", "gbp £", "jpy yen", "cny rmb yuan", "inr rupee"),
    "share": ("pct percent %", "fraction ratio share"),
    "volume": ("ml", "l litre liter", "gal gallon"),
    "energy": ("kwh", "mwh", "gwh", "twh", "kj", "mj"),
    "bytes": ("kb", "mb", "gb", "tb"),
}  # fmt: skip
_KNOWN = {
    word: (quantity, words.split()[0])
    for quantity, alike in _UNITS.items()
    for words in alike
    for word in words.split()
}


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit, the quantity that it measures, and the other words of the column's name: what is measured."""

    name: str
    quantity: str
    of: frozenset[str]


def unit_of(column: str) -> Unit | None:
    """The unit that a column's name ends with, beside at least one other word; None where it names none."""
    words = [word.lower() for word in _TOKEN.findall(column) if word != "°"]
    if len(words) < 2:
        return None
    known = _KNOWN.get(words[-1]) or _KNOWN.get(words[-1].removesuffix("s"))
    return Unit(known[1], known[0], frozenset(words[:-1])) if known else None
