"""The small closed vocabularies of answers: connectives, units, comparisons, and words that take an answer back."""

from __future__ import annotations

import re

NOISE = frozenset({"the"})
JOINERS = frozenset({"and", "&", "plus"})
UNTIL = frozenset({"to", "through", "thru", "until"})

_UNIT_NAMES = {
    "second": "seconds sec secs",
    "minute": "minutes min mins",
    "hour": "hours hr hrs h",
    "day": "days",
    "week": "weeks wk wks",
    "month": "months mo mos",
    "year": "years yr yrs",
    "time": "times x",
    "point": "points pts pt",
    "kilogram": "kilograms kg kgs",
    "gram": "grams g",
    "kilometre": "kilometres kilometers kilometer km kms",
    "metre": "metres meters meter",
    "centimetre": "centimetres centimeters cm",
    "millimetre": "millimetres millimeters mm",
    "mile": "miles mi",
    "litre": "litres liters liter l",
    "tonne": "tonnes tons ton",
    "foot": "feet ft",
    "inch": "inches",
    "mb": "megabyte megabytes",
    "gb": "gigabyte gigabytes",
    "kb": "kilobyte kilobytes",
    "celsius": "c centigrade",
    "fahrenheit": "f",
    "night": "nights",
    "birth": "births",
    "copy": "copies",
    "unit": "units",
    "item": "items",
    "row": "rows",
    "record": "records",
    "person": "persons people",
}
UNITS = {spelling: name for name, text in _UNIT_NAMES.items() for spelling in (name, *text.split())}
"""Spellings of units by the name that they share; read only behind a number."""

GLUED_UNITS = r"(?:kgs?|g|km|cm|mm|mb|gb|kb|min|mins|hrs?|h|yrs?|x|sec|pts?)"

_COUNTING = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty"
)
NUMBER_WORDS = {name: value for value, name in enumerate(_COUNTING.split())}

ORDINALS = {
    name: f"{place}{('st', 'nd', 'rd')[place - 1] if place < 4 else 'th'}"
    for place, name in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), start=1)
}
"""Ordinals in words, by their spelling in digits."""

NOT_APPLICABLE = re.compile(r"(?i)(?<!\w)(?:n ?/ ?a|n\.a\.|not[ -]applicable|non[ -]applicable)(?![\w/])")
NOTHING = frozenset(
    {
        "",
        "none",
        "none found",
        "no results",
        "no result",
        "nothing",
        "nothing found",
        "empty",
        "empty list",
        "empty set",
        "no matches",
        "no items",
        "no rows",
        "no records",
        "null",
    }
)

_DENIALS = (
    "not no never neither nor cannot can't couldn't couldnt isn't isnt wasn't aren't don't doesn't didn't won't"
    " wouldn't shouldn't unable unknown impossible fails failed failure wrong incorrect false refuse decline sorry"
    " old draft sample previous previously former formerly earlier twice thrice double half"
    " instead rather except deny denied doubt doubts doubtful dubious questionable untrue mistaken contrary opposite"
    " refuted disproved rejected excluded ruled unavailable insufficient undetermined without unless hardly"
)
_HEDGES = (
    "maybe perhaps possibly possible probably probable likely might may could would should or either whether if unsure"
    " uncertain unclear guess guessing presumably supposedly seemingly seems appears apparently suppose supposing"
    " assume assuming approx approximately about around roughly nearly almost circa tentatively preliminary"
    " hypothetically alternatively suspect speculate unconfirmed think thinks thought believe believes claim claims"
    " claimed say says said argue hope wish imagine heard told"
)
_UNFINISHED = (
    "pending todo tbd tba wip working processing running loading waiting continuing trying attempting progress still"
    " unfinished incomplete interrupted timeout timed error exception traceback warning preview stdout stderr debug"
    " info let's lets next placeholder example dummy e.g eg"
)
_RETRACTIONS = (
    "actually wait correction corrected however but though although instead update scratch oops sorry mistake or maybe"
    " perhaps possibly alternatively not isn't wrong incorrect unsure uncertain otherwise might could pending todo"
    " error guess cannot can't unless if also another"
)
_FACTS = (
    "found find finds conclude concluded see seen show shows showed shown mean means follow follows confirm confirms"
    " confirmed determine determined calculate calculated compute computed indicate indicates indicated establish"
    " established verify verified obtain obtained know clear evident so is was"
)
_FILLERS = (
    "a an the of for in on at is was are were be to and by with from as per it its this that these those there which"
    " who what how my our your their final answer result value values total overall has have had here so thus"
    " therefore hence respectively number count they we i you got computed calculated obtained requested required"
    " following analysis data calculation query script code"
)
DOUBTS = frozenset(f"{_DENIALS} {_HEDGES} {_UNFINISHED}".split())
"""Words that take an answer back, leave it open, or show that the work is not done."""
RETRACTIONS = frozenset(_RETRACTIONS.split())
"""Words behind a final answer that make it less than final."""
PLAIN_DENIALS = frozenset("not no never neither nor none isn't wasn't aren't don't doesn't didn't".split())
"""What belongs to an explained `no`."""
POLAR_WORDS = frozenset("yes no true false".split())
FACTS = frozenset(_FACTS.split())
"""What may stand before `that the answer is` without putting the answer in doubt."""
FILLERS = frozenset(_FILLERS.split())
"""Words that say nothing about which value is meant."""
