"""What a task says of the form of its answer: slots, order, decimals, rounding, percent, units, choices."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

from benchwright.errors import SuiteError
from benchwright.scorers.answer.words import NUMBER_WORDS, UNITS
from benchwright.scorers.compare.numbers import NumberRule
from benchwright.scorers.compare.text import fold, normalise

Order = Literal["any", "stated", "given"]
"""Any order is right; the task states an order; nothing is said, so the slots stand as in the gold."""

_ANY_ORDER = re.compile(
    r"(?:\bany|\bno (?:particular|specific|fixed)|\barbitrary|\bwhatever|\brandom) order\b|\bunordered\b"
    r"|\border(?:ing)? (?:(?:does|do) ?n[o']t|is not|isn't|is un) ?(?:matter|important|relevant)"
    r"|\b(?:regardless|irrespective) of (?:the |their )?order"
)
_STATED_ORDER = re.compile(
    r"\border(?:ed)?\b|\bsort(?:ed)?\b|\bdescending\b|\bascending\b|\balphabetical|\bchronological|\brank"
    r"|\bfirst\b|\bthen\b"
)
_PLACES = re.compile(
    r"\b(?:(\d{1,2})|(one|two|three|four|five|six|seven|eight|nine|ten)) ?(?:-| )?(?:decimals?\b|dp\b|digits? after)"
)
_STEP = re.compile(
    r"\b(?:nearest|multiple of|increments? of|in steps of) ?\$?((?:\d[\d,]*(?:\.\d+)?)? ?"
    r"(?:ten thousand|hundred thousand|hundred million|ten million|ten|hundred|thousand|million|billion)?)"
)
_STEP_WORDS = {
    "ten": 1, "hundred": 2, "thousand": 3, "ten thousand": 4, "hundred thousand": 5, "million": 6, "ten million": 7,
    "hundred million": 8, "billion": 9,
}  # fmt: skip
_DOWN = re.compile(r"truncat|\bfloor|round(?:ed|ing)? down|\bint\(\)")
_UP = re.compile(r"\bceil|round(?:ed|ing)? up")
_NEAREST = re.compile(r"\bround(?:ed|ing)?\b(?! (?:down|up))|\bnearest\b")
_NOT_ROUNDED = re.compile(r"\bnot round(?:ed|ing)?\b|\bwithout rounding\b|\bno rounding\b")
_MEASURED = re.compile(
    r"\bround|nearest|decimal|truncat|floor|approximat|percent|%|\baverage|\bmean\b|\bmedian|\bratio\b|\brates?\b|\bfactor\b"
    r"|\bshare\b|\bproportion|\bprobabilit|deviation|correlation|coefficient|variance|quantile|percentile|\bestimat"
)
_COUNTED = re.compile(r"\bcounts?\b|\bnumber of\b|\byears?\b|\bids?\b|\brank\b|\bfrequency\b|\bhow many\b")
_PERCENT = re.compile(r"percent|%")
_BARE_PERCENT = re.compile(
    r"(?:without|do not include|don't include|omit)[^.;]{0,40}(?:percent|%)|\bno (?:percent|%)"
    r"|percentage[^.;]{0,30}\bas an? (?:number|numeric|integer)"
)
_MONEY = re.compile(
    r"[$€£¥₹]|\b(?:usd|eur|gbp|inr|dollars?|euros?|prices?|costs?|salar|incomes?|revenue|budget|sales|profit|amounts?"
    r"|gdp|spend|fees?|loans?|wages?|currency)"
)
_SCALES = (("thousand", 3), ("million", 6), ("billion", 9), ("trillion", 12))
_BOTH = re.compile(r"'([^'\n]{1,60})' (?:or|and) '([^'\n]{1,60})'[^.]{0,30}\bboth\b[^.]{0,20}\baccept")
_HEAD = re.compile(r"(?i)\b(?:which|what) ([^\W\d_]+)")
_YES_NO = re.compile(r"\b(?:yes|true)['\"]? ?(?:/|or|,) ?['\"]?(?:no|false)\b")
_IMPLIED = {
    "year": re.compile(r"\b(?:age|aged|ages|old|older|oldest|young|younger|youngest)\b"),
    "time": re.compile(r"\bfactor\b|\bhow many times\b|\bfold\b|\bratio\b"),
}
"""Units that go without saying for what a task asks for."""
_DATE_FORM = re.compile(r"\b(?:(dd?|day)[-/.](?:mm?|month)|(?:mm?|month)[-/.](?:dd?|day))[-/.](?:yy(?:yy)?|year)\b")
_WORDS = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_NUMERALS = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Guideline:
    """The rules that a task's question and guidelines state, with the scorer's options laid over them.

    `vocabulary`: folded words of question and guidelines; `numerals`: the numbers they mention;
    `stated`: words of the guidelines alone; `pairs`: words side by side in the question. `synonyms`: texts that the
    guidelines call equally right. `choices`: the options of a multiple-choice question by letter.
    `heads`: what the question asks for by `which` or `what`. `day_first`: how dates with slashes are written.
    `slots`: templates found, as label lists.
    """

    numbers: NumberRule
    order: Order
    slots: tuple[tuple[str, ...], ...]
    vocabulary: frozenset[str]
    stated: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    numerals: frozenset[str]
    synonyms: tuple[frozenset[str], ...]
    choices: Mapping[str, str]
    heads: frozenset[str]
    ratios: bool
    yes_no: bool
    day_first: bool | None
    text: str
    counted: bool

    def labels(self, parts: int) -> tuple[str, ...]:
        """The labels of a template with so many slots; empty where none is stated."""
        return next((slot for slot in self.slots if len(slot) == parts), ())

    def number_rule(self, label: str) -> NumberRule:
        """The number rule of one slot: what its label calls a count is exact."""
        if self.counted or (label and _COUNTED.search(label) and not _MEASURED.search(label)):
            return replace(self.numbers, measured=False)
        return self.numbers


OPTIONS = frozenset({"order", "percent", "choices", "ratios", "absolute", "relative", "decimals"})


def read_guideline(guidelines: str, question: str, options: Mapping[str, Any]) -> Guideline:
    """Read the rules; a SuiteError names an option that does not exist or has no such value.

    Options: `order` ("any" | "given"), `percent` ("strict" | "tolerant"), `choices` ({letter: text}),
    `ratios` ("strict" | "shares": a ratio a:b stands for the share a/(a+b)), `absolute` and `relative` tolerances,
    `decimals` (places that the answer is asked to have).
    """
    _check(options)
    base = _read(guidelines, question)
    numbers = base.numbers
    if "decimals" in options:
        numbers = replace(numbers, places=frozenset({int(options["decimals"])}), measured=True)
    numbers = replace(
        numbers,
        fractions=options.get("percent") == "tolerant",
        absolute=Decimal(str(options.get("absolute", 0))),
        relative=Decimal(str(options.get("relative", 0))),
    )
    choices = {str(key).casefold(): str(text) for key, text in options.get("choices", {}).items()}
    order = options.get("order", base.order)
    ratios = options.get("ratios") == "shares"
    return replace(base, numbers=numbers, order=order, choices=choices or base.choices, ratios=ratios)


def _check(options: Mapping[str, Any]) -> None:
    unknown = sorted(set(options) - OPTIONS)
    if unknown:
        raise SuiteError(
            f"the answer scorer has no option {unknown[0]!r}", expected=f"one of {', '.join(sorted(OPTIONS))}"
        )
    for name, allowed in (
        ("order", ("any", "given")),
        ("percent", ("strict", "tolerant")),
        ("ratios", ("strict", "shares")),
    ):
        if options.get(name, allowed[0]) not in allowed:
            raise SuiteError(f"option {name!r} of the answer scorer", found=repr(options[name]), expected=str(allowed))


@lru_cache(maxsize=4096)
def _read(guidelines: str, question: str) -> Guideline:
    guide, ask = normalise(guidelines), normalise(question)
    low = guide.casefold()
    both = f"{low}\n{ask.casefold()}"
    words = tuple(fold(word) for word in _WORDS.findall(both))
    counted = bool(re.search(r"\bhow many\b", both)) and not _MEASURED.search(both)
    implied = {unit for unit, pattern in _IMPLIED.items() if pattern.search(both)}
    return Guideline(
        numbers=_number_rule(low, both),
        order="any" if _ANY_ORDER.search(both) else "stated" if _STATED_ORDER.search(both) else "given",
        slots=_templates(guide),
        vocabulary=frozenset(words) | frozenset(UNITS.get(word, word) for word in words) | implied,
        stated=frozenset(UNITS.get(word, word) for word in map(fold, _WORDS.findall(low)))
        | frozenset(map(fold, _WORDS.findall(low))),
        pairs=frozenset(pairwise(fold(word) for word in _WORDS.findall(ask.casefold()))),
        numerals=frozenset(_NUMERALS.findall(both)),
        synonyms=tuple(frozenset(map(fold, pair)) for pair in _BOTH.findall(low)),
        choices=_choices(ask),
        heads=frozenset(fold(word) for word in _HEAD.findall(ask)),
        ratios=False,
        yes_no=bool(_YES_NO.search(low)),
        day_first=_day_first(low),
        text=low,
        counted=counted,
    )


def _number_rule(low: str, both: str) -> NumberRule:
    numbers = NUMBER_WORDS
    places = frozenset(int(digit) if digit else numbers[word] for digit, word in _PLACES.findall(low))
    return NumberRule(
        places=places or frozenset(int(d) if d else numbers[w] for d, w in _PLACES.findall(both)),
        steps=tuple(step for text in _STEP.findall(low) if (step := _step(text))),
        modes=_modes(low),
        measured=bool(_MEASURED.search(both)),
        percent=bool(_PERCENT.search(both)),
        bare_percent=bool(_BARE_PERCENT.search(low)),
        money=bool(_MONEY.search(both)),
        scales=frozenset(power for name, power in _SCALES if name in both),
    )


def _day_first(low: str) -> bool | None:
    """Whether the guidelines write dates as DD/MM/YYYY (True) or MM/DD/YYYY (False); None: neither or both."""
    found = {bool(match[1]) for match in _DATE_FORM.finditer(low)}
    return found.pop() if len(found) == 1 else None


def _step(text: str) -> Decimal | None:
    digits = _NUMERALS.match(text)
    number = Decimal(digits.group().replace(",", "")) if digits else Decimal(1)
    power = _STEP_WORDS.get(text[digits.end() if digits else 0 :].strip(), 0)
    return number.scaleb(power) if (digits or power) and number else None


def _modes(low: str) -> tuple[str, ...]:
    modes: list[str] = []
    if _DOWN.search(low):
        modes += [ROUND_DOWN, ROUND_FLOOR]
    if _UP.search(low):
        modes.append(ROUND_CEILING)
    if not modes or _NEAREST.search(_NOT_ROUNDED.sub("", low)):
        modes += [ROUND_HALF_UP, ROUND_HALF_EVEN]
    return tuple(modes)


_QUOTED = re.compile(r"(?<!\w)['\"]([^'\"\n]{3,400})['\"]")
_FORMAT = re.compile(r"(?i)\b(?:format|order|follow\w*)\b[^:\n]{0,60}: ?([^\n]{3,400})")
_ENDS = re.compile(r"\.(?: |$)|\(e\.g| e\.g|\. ?$| separated by|, separated")


def _templates(guide: str) -> tuple[tuple[str, ...], ...]:
    """Every list of slots that the guidelines show, in the order shown: after `format:`, quoted, or plain."""
    shown = [_cut(text) for text in _FORMAT.findall(guide)] + _QUOTED.findall(guide)
    shown += [sentence for sentence in re.split(r"(?<=[.\n]) ?", guide) if sentence.count(";") >= 1]
    lists = (tuple(fold(slot.strip(" '\"`.")) for slot in text.split(";")) for text in shown if text.strip())
    return tuple(dict.fromkeys(labels for labels in lists if all(labels)))


def _cut(text: str) -> str:
    text = text.strip()
    if text[:1] in "'\"`" and (close := text.find(text[0], 1)) > 0:
        return text[1:close]
    end = _ENDS.search(text)
    return text[: end.start()] if end else text


_CHOICE = re.compile(r"(?m)^\s*\(?([A-Ha-h])[).:] +(\S.*)$")


def _choices(question: str) -> Mapping[str, str]:
    found = {letter.casefold(): text.strip() for letter, text in _CHOICE.findall(question)}
    return found if len(found) >= 2 else {}
