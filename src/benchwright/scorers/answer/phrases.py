"""Phrases that are one value, brought into the one spelling that the lexer reads: number words, quarters, weeks."""

from __future__ import annotations

import re

from benchwright.scorers.answer.words import NUMBER_WORDS

COMPARISONS = tuple(
    (re.compile(rf"(?i)\b(?:{words}) (?=[*_`]{{0,2}}[$€£]? ?\d)"), sign)
    for words, sign in (
        ("(?:more|greater|higher|larger) than or equal to|at least|no less than", ">= "),
        ("(?:less|fewer|lower|smaller) than or equal to|at most|no more than", "<= "),
        ("(?:more|greater|higher|larger) than|over|above|exceeding", "> "),
        ("(?:less|fewer|lower|smaller) than|under|below", "< "),
    )
)

_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
_SMALL = {**NUMBER_WORDS, **_TENS}
_SCALES = {"thousand": 1000, "million": 10**6, "billion": 10**9}
_NUMBER = "|".join(sorted((*_SMALL, "hundred", *_SCALES), key=len, reverse=True))
_RUN = re.compile(
    rf"(?i)\b(?:{_NUMBER})(?:(?:[ -]|(?<=hundred) and |(?<=thousand) and )(?:{_NUMBER}))*\b"
    r"(?P<percent>(?= ?%| per ?cent\b))?"
)
_BELOW_HUNDRED = rf"(?:(?:{'|'.join(_TENS)})(?: (?:{'|'.join(list(NUMBER_WORDS)[1:10])}))?|{'|'.join(NUMBER_WORDS)})"
_BELOW_THOUSAND = rf"(?:(?:{'|'.join(list(NUMBER_WORDS)[1:10])}) hundred(?: {_BELOW_HUNDRED})?|{_BELOW_HUNDRED})"
_SPOKEN = re.compile(
    "".join(rf"(?:{_BELOW_THOUSAND} {scale} ?)?" for scale in reversed(_SCALES)) + f"{_BELOW_THOUSAND}?"
)
_QUARTER_WORDS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_QUARTER_NAMES = "|".join(_QUARTER_WORDS)
_QUARTER = re.compile(
    rf"(?i)\b(?:(?P<name>{_QUARTER_NAMES}) quarter|quarter (?P<word>one|two|three|four)"
    r"|(?:quarter |Q )(?P<digit>[1-4]))(?![\w.,]\d|\w)"
)
_QUARTER_OF_YEAR = re.compile(r"(?i)\bQ([1-4])(?:[ /-]|,? (?:of )?)((?:19|20)\d\d)\b|\b((?:19|20)\d\d)[ /-]?Q([1-4])\b")
_WEEK_OF_YEAR = re.compile(
    r"(?i)\b(?:W|week )(\d{1,2})(?:[ /-]|,? (?:of )?)((?:19|20)\d\d)\b|\b((?:19|20)\d\d)(?:-?W|,? week )(\d{1,2})\b"
)
_CLOCK = re.compile(r"(?i)(?<![\w.,:])(\d{1,2})(?:h(?=\d\d\b)|\.(?=\d\d ?[ap]\.?m\b))(\d\d)")
_NEGATIVE = re.compile(
    rf"(?i)(^|[;,:=\n] ?|\b(?:is|of|by|was) )(?:minus|negative) (?:(?=[$€£]?\.?\d)|({'|'.join(NUMBER_WORDS)})\b)"
)
_TIMES = re.compile(r"(?<=\d) ?[×✕](?! ?\d)")
_P_VALUE = re.compile(r"(?i)(^|[;,\n] ?)p(?:[ -]?value)?(?: is)? ?(?=[<>])")


def respell(text: str) -> str:
    """The text with phrases that are one value in one spelling: `at least 5` is `>= 5`, `third quarter` is `Q3`."""
    text = _TIMES.sub(" times", _CLOCK.sub(r"\1:\2", text))
    if " " in text or "-" in text:
        text = _RUN.sub(_spoken, text)
    if " " in text:
        for pattern, sign in COMPARISONS:
            text = pattern.sub(sign, text)
        text = _NEGATIVE.sub(lambda found: f"{found[1]}-{NUMBER_WORDS.get((found[2] or '').casefold(), '')}", text)
        text = _QUARTER.sub(_quarter, text)
    return _P_VALUE.sub(r"\1", text)


def year_first(text: str) -> str:
    """The text with quarters and weeks of a year in one order: `Q3 2020` is `2020-Q3`, `week 7, 2020` is `2020-W07`."""
    text = _QUARTER_OF_YEAR.sub(lambda found: f"{found[2] or found[3]}-Q{found[1] or found[4]}", text)
    return _WEEK_OF_YEAR.sub(lambda found: f"{found[2] or found[3]}-W{int(found[1] or found[4]):02d}", text)


def _spoken(found: re.Match[str]) -> str:
    """Digits for a number in words; what is no number (`nineteen eighty-four`) and single words stay."""
    words = re.sub(r"[-,]| and ", " ", found.group().casefold()).split()
    if (len(words) < 2 and found["percent"] is None) or not _SPOKEN.fullmatch(" ".join(words)):
        return found.group()
    total = below = 0
    for word in words:
        if word in _SCALES:
            total, below = total + below * _SCALES[word], 0
        else:
            below = below * 100 if word == "hundred" else below + _SMALL[word]
    return str(total + below)


def _quarter(found: re.Match[str]) -> str:
    number = NUMBER_WORDS.get((found["word"] or "").casefold()) or found["digit"]
    return f"Q{_QUARTER_WORDS.get((found['name'] or '').casefold()) or number}"
