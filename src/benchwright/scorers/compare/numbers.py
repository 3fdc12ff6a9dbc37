"""Numbers as they are written, exactly: their value, the place of their last digit, percent and currency."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from typing import Literal

Convention = Literal["point", "list", "comma"]
"""How a comma between digits is read: thousands as in 1,234.5; always a separator; decimals as in 1.234,5."""

_MAX_DIGITS = 300
_MAX_EXPONENT = 320
"""Beyond the range of a double nothing is a measured number any more."""
_EXACT = Context(prec=2 * _MAX_DIGITS + 4 * _MAX_EXPONENT, Emax=10**6, Emin=-(10**6))
_NOISE = Decimal("0.0001")
"""How far a count may be off: what floating-point arithmetic leaves behind, and nothing that is a fraction."""

_GROUPS = r"[1-9]\d{0,2}(?>(?:,\d{3}){1,9}|(?:'\d{3}){1,9}|(?:_\d{3}){1,9})(?![\d_]|[,']\d)"
_INDIAN_GROUPS = r"[1-9]\d?(?>(?:,\d\d(?!\d)){1,6}),\d{3}(?![\d,])"
_POINT = rf"(?:{_GROUPS}|{_INDIAN_GROUPS}|\d+)(?:\.\d+)?|\.\d+"
_SPACED = r"[1-9]\d{0,2}(?>(?: \d{3}){1,9})(?![\d]| \d)(?:\.\d+)?"
_LIST = r"\d+(?:\.\d+)?|\.\d+"
_COMMA = (
    r"[1-9]\d{0,2}(?>(?:\.\d{3}){1,9}|(?: \d{3}){1,9}|(?:'\d{3}){1,9}),\d+"
    r"|[1-9]\d{0,2}(?>(?:\.\d{3}){2,9})(?![\d.])"
    r"|(?:0|\d+(?=,(?!\d{3}(?!\d))))(?:,\d+)|\d+(?:\.\d+)?"
)
_BODIES: dict[Convention, str] = {"point": _POINT, "list": _LIST, "comma": _COMMA}

CURRENCIES = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "DOLLAR": "USD", "EURO": "EUR"}
_CODES = r"USD|EUR|GBP|JPY|INR|CNY|AUD|CAD|CHF|dollars?|euros?"
_SCALES = {"k": 3, "thousand": 3, "m": 6, "mn": 6, "million": 6, "b": 9, "bn": 9, "billion": 9, "trillion": 12}
_SCALE = r"(?: ?(?:thousand|million|billion|trillion)s?\b| ?(?:mn|bn)\b|(?:[KkMmBb]| (?-i:[KMB])| k)(?!\w|/[a-z]))"
_PERCENT = r" ?%| ?(?:percent\b|per cent\b|percentage points?\b|percentage\b|pct\b|pp\b)"
_EXPONENT = r"[eE][-+]?\d{1,6}(?!\d)| ?[xX×*] ?10 ?\^ ?[-+]?\d{1,6}(?!\d)"


def number_pattern(convention: Convention, *, spaced: bool) -> str:
    """The regular expression of one number with sign, currency, scale and percent; needs `re.IGNORECASE`.

    `spaced` also reads a space between groups of three digits as a thousands separator.
    """
    body = f"{_SPACED}|{_BODIES[convention]}" if spaced else _BODIES[convention]
    return (
        rf"(?P<sign>(?<![\w)%°\]])[-+](?=(?:US)?[$€£¥₹]? ?\.?\d))?"
        rf"(?P<before>(?:(?:US)?[$€£¥₹] ?|\b(?:{_CODES}) ?)(?=[-+]?\.?\d))?(?P<inner>(?<=[$€£¥₹])[-+])?"
        rf"(?P<body>{body})(?P<exponent>{_EXPONENT})?(?P<scale>{_SCALE})?"
        rf"(?P<percent>{_PERCENT})?(?P<after> ?(?:[$€£¥₹](?!\d)|(?:{_CODES})\b))?"
    )


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written. 38 % has the value 38 and `percent`; 1.6 million has the value 1600000.

    `quantum` is the weight of the last written digit (0.01 for 3.14, 100000 for 1.6 million);
    `plain` is the text where it is nothing but digits, as in labels and years.
    """

    value: Decimal
    quantum: Decimal
    percent: bool = False
    currency: str = ""
    scale: int = 0
    plain: str = ""

    @property
    def is_integer(self) -> bool:
        """Whether it is written without decimals."""
        return self.quantum >= 1


def read_number(match: re.Match[str], convention: Convention) -> Number | None:
    """The number of a match of `number_pattern`; None for what no machine number can hold (1e400)."""
    body = match["body"]
    digits = _digits(body, convention)
    exponent = int(re.sub(r"(?i)^e|.*\^ ?", "", match["exponent"] or "0"))
    if len(digits) > _MAX_DIGITS or abs(exponent) > _MAX_EXPONENT:
        return None
    signs = (match["sign"] or "") + (match["inner"] or "")
    scale = _SCALES[(match["scale"] or "").strip().casefold().rstrip("s")] if match["scale"] else 0
    value = Decimal(digits).scaleb(exponent + scale, _EXACT)
    places = len(digits.partition(".")[2])
    return Number(
        value=-value if signs.count("-") == 1 and value else value,
        quantum=Decimal(1).scaleb(exponent + scale - places, _EXACT),
        percent=bool(match["percent"]),
        currency=_currency(match["before"] or match["after"] or ""),
        scale=scale,
        plain=body if body.isdigit() and match.group() == body else "",
    )


def _digits(body: str, convention: Convention) -> str:
    if convention == "comma" and "," in body:
        return re.sub(r"[.' ]", "", body).replace(",", ".")
    if convention == "comma" and body.count(".") > 1:
        return body.replace(".", "")
    return re.sub(r"[,'_ ]", "", body)


def _currency(text: str) -> str:
    code = text.strip().upper()
    return CURRENCIES.get(code) or CURRENCIES.get(code.rstrip("S"), code)


@dataclass(frozen=True, slots=True)
class NumberRule:
    """What a task says of its numbers, and so what may differ.

    `places`: decimals that are asked for. `steps`: coarse rounding (to the nearest thousand). `modes`: how
    to round. `measured`: a whole number may be a rounded one, so further digits that round to it are right.
    `in_percent`: numbers without a sign are percentages. `fractions`: 0.38 is accepted for 38 %.
    `scales`: powers of ten that the task states beside its numbers. `absolute`, `relative`: tolerances.
    """

    places: frozenset[int] = frozenset()
    steps: tuple[Decimal, ...] = ()
    modes: tuple[str, ...] = (ROUND_HALF_UP, ROUND_HALF_EVEN)
    measured: bool = False
    percent: bool = False
    bare_percent: bool = False
    fractions: bool = False
    money: bool = False
    scales: frozenset[int] = frozenset()
    absolute: Decimal = Decimal(0)
    relative: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Difference:
    """How a number differs from the gold: `fault` (empty: it is right) and warnings about its form."""

    fault: str = ""
    warnings: tuple[str, ...] = field(default=())


def compare_numbers(gold: Number, found: Number, rule: NumberRule) -> Difference:
    """Whether a number says what the gold says, by value, stated digits, percent and currency."""
    if gold.currency and found.currency and gold.currency != found.currency:
        return Difference("another currency")
    if found.currency and not gold.currency and not rule.money:
        return Difference("a currency where none is asked for")
    warnings: list[str] = []
    for reading, warning in _in_units_of(gold, found, rule):
        if _agree(gold, reading, rule):
            return Difference(warnings=(warning,) if warning else tuple(warnings))
    return Difference(_fault(gold, found))


def _in_units_of(gold: Number, found: Number, rule: NumberRule) -> Iterable[tuple[Number, str]]:
    """The readings of a number in the unit of the gold, each with the warning that it deserves."""
    if gold.percent and not found.percent:
        yield found, "percent sign missing"
        if rule.fractions:
            yield _shift(found, 2), "fraction for percent"
    elif found.percent and not gold.percent:
        in_percent = rule.percent and (rule.bare_percent or abs(gold.value) > 1)
        yield (found, "percent sign added") if in_percent else (_shift(found, -2), "percent for fraction")
    else:
        yield found, ""
    if found.scale in rule.scales and not gold.scale:
        yield _shift(found, -found.scale), "scale spelled out"


def _shift(number: Number, power: int) -> Number:
    return replace(number, value=number.value.scaleb(power, _EXACT), quantum=number.quantum.scaleb(power, _EXACT))


def _agree(gold: Number, found: Number, rule: NumberRule) -> bool:
    if gold.value == found.value:
        return True
    gap = abs(_EXACT.subtract(gold.value, found.value))
    if rule.absolute or rule.relative:
        allowed = max(rule.absolute, _EXACT.multiply(abs(gold.value), rule.relative))
        if gap <= allowed:
            return True
    quantum = _stated_quantum(gold, rule)
    if found.quantum >= quantum or gap > quantum:
        return False
    if quantum >= 1 and not rule.measured:
        return gap <= _NOISE
    return any(round_to(found.value, quantum, mode) == gold.value for mode in rule.modes)


def _stated_quantum(gold: Number, rule: NumberRule) -> Decimal:
    """The weight of the last digit that the gold or its task states: 29.6 where two places are asked is 29.60."""
    if gold.is_integer:
        steps = [step for step in rule.steps if step > gold.quantum and gold.value % step == 0]
        return max(steps, default=gold.quantum)
    places = -int(gold.quantum.logb())
    wanted = min((place for place in rule.places if place >= places), default=places)
    return gold.quantum.scaleb(places - wanted, _EXACT)


def round_to(value: Decimal, quantum: Decimal, mode: str) -> Decimal:
    """A value rounded to a multiple of `quantum`, exactly."""
    return _EXACT.multiply(_EXACT.divide(value, quantum).quantize(Decimal(1), rounding=mode, context=_EXACT), quantum)


def _fault(gold: Number, found: Number) -> str:
    if gold.value and found.value == -gold.value:
        return "wrong sign"
    if gold.percent and not found.percent and _shift(found, 2).value == gold.value:
        return "fraction for percent"
    if found.percent and not gold.percent and found.value == gold.value:
        return "percent where none is asked for"
    if found.quantum > gold.quantum and round_to(gold.value, found.quantum, ROUND_HALF_UP) == found.value:
        return "fewer digits than asked for"
    if gold.value and found.value and _same_digits(gold.value, found.value):
        return "another power of ten"
    return "another value"


def _same_digits(left: Decimal, right: Decimal) -> bool:
    return left.normalize(_EXACT).as_tuple()[:2] == right.normalize(_EXACT).as_tuple()[:2]
