"""What an answer guideline says of the answer's shape: how many parts, by which format, with which example."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Source = Literal["format", "order", "list", "count", "example"]

_NUMBERS = {
    word: value
    for value, words in enumerate(
        ("one single a an", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), start=1
    )
    for word in words.split()
}
_THING = (
    "integers?|floats?|decimals?|numbers?|values?|percentages?|dates?|years?|strings?|names?|words?|counts?|items?|"
    "figures?|coefficients?|ratios?|elements?|parts?|components?|times?|ranks?|means?|averages?|ranges?|probabilities|"
    "probability|percentages?|labels?|titles?|statistics?|metrics?|codes?"
)
_LONGEST = 4000
_SENTENCE_END = re.compile(r"((?<=[.!?])[\"']?\s+|\n+)")
_ABSTAINS = re.compile(
    r"(?i)\bnot\s+applicable\b|\b(?:unavailable|not\s+available|unanswerable|cannot\s+be\s+answered)\b"
)
_CONDITION = re.compile(r"(?i)\b(?:if|when)\b")
_LEAD = r"(?:\s+(?:is|as|of|like|must\s+be|should\s+be|follows|as\s+follows|string))*\s*[:\-]?\s*"
_FORMAT = re.compile(
    rf"(?i)\b(?:format|template|structured?\s+as|(?:provide\s+the\s+)?answers?\s+(?:as|with)\s*:){_LEAD}"
)
_ORDER = re.compile(
    r"(?i)\b(?:in|for|the)\s+(?:(?:the|this|that|exact|specific|following)\s+)*(?:order|sequence)\b"
    r"\s*(?:must\s+be|is|should\s+be|specified|of)?\s*:\s*"
)
_EXAMPLE = re.compile(r"(?i)\b(?:e\.\s?g\.|for\s+example|example(?:\s+(?:format|output|answer))?)\s*[,:]?\s*(?:is\s+)?")
_COUNT = re.compile(
    rf"(?i)\b(?:answers?(?:\s+with)?|provide|as|of|list|give|report|return|the|values?)\s+(?:(?:must|should)\s+)?"
    rf"(?:(?:be|contain|consist\s+of|include|as|the|a|an|exactly|list\s+of|only|top|in)\s+)*"
    rf"(?P<n>{'|'.join(w for w in _NUMBERS if w not in ('a', 'an'))}|\d{{1,2}})\b\s+"
    rf"(?:(?!(?:decimal|and|or|each|for|to|of)\b)[\w%/'’()-]+\s+){{0,4}}?(?:{_THING})\b(?!\s+(?:and|places?)\b)"
)
_MANY = re.compile(r"(?i)\bseparated\b|\bseparate\b|\bsemicolons?\b|;|\bfollowed\s+by\s+(?:a|the)\s+\w+ion\b")
_REPEATS = re.compile(
    r"(?i)\brepeat|\b(?:for|format|with)\s+(?:each|every|all)\b|\bfor\s+the\s+(?:top\s+)?(?:\d+|two|three|four|five|six|ten)\b"
    r"|\betc\b|\.\.\.|…|\b(?:pairs|entries|multiple)\b|\btop\s+(?:\d+|two|three|four|five|six|ten)\b|\blist\b"
)
_OPEN_END = re.compile(r"(?i)(?:\.\.+|…|\betc\b\.?)\s*[\"']?$")
_QUOTES = {"'": "'", '"': '"', "`": "`", "‘": "’", "“": "”"}
_STOP = re.compile(
    r"(?i)\n\s*(?:[-*•\n]|\d+[.)]|$)|,\s+in\s+(?:\w+\s+){0,3}order\b|\.(?=\s|$|[\"')])|,?\s+(?:separated|where|with\s+(?:the|each|a)|rounded|repeated|for\s+(?:the|each)|using)\b"
)


@dataclass(frozen=True, slots=True)
class Shape:
    """One statement of a guideline about the answer's parts.

    `parts` are the slots of a format, or the values of an example; `open` marks one that ends in "etc.".
    """

    source: Source
    text: str
    arity: int
    parts: tuple[str, ...] = ()
    open: bool = False


@lru_cache(maxsize=4096)
def without_abstention(guideline: str) -> str:
    """The guideline without what it says of questions that have no answer; of long ones the first 4,000 letters."""
    pieces = _SENTENCE_END.split(guideline[:_LONGEST])
    return "".join(_without_condition(piece) for piece in pieces).strip()


def _without_condition(sentence: str) -> str:
    """A sentence up to the condition under which there is no answer; nothing of one that is all about that."""
    abstains = _ABSTAINS.search(sentence)
    if not abstains:
        return sentence
    condition = _CONDITION.search(sentence, 0, abstains.start())
    return sentence[: condition.start()] if condition else ""


@lru_cache(maxsize=4096)
def shapes(guideline: str) -> tuple[Shape, ...]:
    """Every statement about the parts of the answer, formats first, examples last."""
    text = without_abstention(guideline)
    many = bool(_MANY.search(text))
    found = [
        *_templates("format", _FORMAT, text),
        *_templates("order", _ORDER, text),
        *_bare_list(text),
        *_counts(text),
        *_templates("example", _EXAMPLE, text),
    ]
    return tuple(shape for shape in found if shape.arity > 1 or not many or shape.source == "example")


def examples(guideline: str) -> tuple[Shape, ...]:
    """The example answers that a guideline gives."""
    return tuple(shape for shape in shapes(guideline) if shape.source == "example")


def slots(guideline: str) -> tuple[str, ...]:
    """The slots of the guideline's format, in order; empty where it states none of at least two."""
    for shape in shapes(guideline):
        if shape.source in ("format", "list") and shape.arity > 1 and not shape.open:
            return shape.parts
    return ()


def repeats(guideline: str) -> bool:
    """Whether the guideline speaks of a list, so that its format may be meant to be repeated."""
    return bool(_REPEATS.search(without_abstention(guideline)))


def split_parts(text: str, separator: str = ";") -> tuple[str, ...]:
    """The parts of an answer or format; separators in brackets do not count, an empty last part is dropped."""
    depth, parts, start = 0, [], 0
    for index, character in enumerate(text):
        depth = max(0, depth + (character in "([{") - (character in ")]}"))
        if character == separator and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    parts.append(text[start:].strip())
    return tuple(parts[:-1] if len(parts) > 1 and not parts[-1] else parts)


def _templates(source: Source, pattern: re.Pattern[str], text: str) -> list[Shape]:
    found = (_template(source, text[match.end() :]) for match in pattern.finditer(text))
    return [shape for shape in found if shape]


def _template(source: Source, rest: str) -> Shape | None:
    body = _quoted(rest) or _until_sentence_end(rest)
    if not re.search(r"\w", body):
        return None
    parts = split_parts(body)
    return Shape(source, body, len(parts), parts, _is_open(body, rest))


def _is_open(body: str, rest: str) -> bool:
    """Whether a list ends in "etc." or in dots, which end its sentence, too."""
    return bool(_OPEN_END.search(body)) or bool(_OPEN_END.search(rest[: len(body) + 4].strip()))


def _quoted(rest: str) -> str:
    """The text between quotes at the start; a quote inside a word (`Region's`) does not end it."""
    closing = _QUOTES.get(rest[:1])
    match = re.match(rf".(.*?){re.escape(closing)}(?!\w)", rest, re.DOTALL) if closing else None
    return match[1].strip() if match else ""


def _until_sentence_end(rest: str) -> str:
    """The text up to the end of the sentence, or to a bracket that was open before; inner brackets are skipped."""
    depth = 0
    for index, character in enumerate(rest):
        depth += (character == "(") - (character == ")")
        if depth < 0 or (depth == 0 and character != ")" and _STOP.match(rest, index)):
            return rest[:index].strip(" '\"`")
    return rest.strip(" '\"`")


def _bare_list(text: str) -> list[Shape]:
    """A guideline that starts with nothing but the parts, as `Year; Count` does."""
    first = _until_sentence_end(text)
    parts = split_parts(first)
    if len(parts) < 2 or re.search(r"(?i)\banswer\b|\bprovide\b|\bformat\b", first):
        return []
    return [Shape("list", first, len(parts), parts, _is_open(first, text))]


def _counts(text: str) -> list[Shape]:
    return [Shape("count", match[0], _number(match["n"])) for match in _COUNT.finditer(text)]


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word.lower()]
