"""The one clear final answer of a text. It never looks at the gold: a text has one answer, not several guesses.

Every candidate of one text ends (or begins) at the same place, so at most one of them has as many values as the
gold: a list of candidates, or a text that names many values, gains nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from benchwright.scorers.answer.forms import answer_key, parse_json
from benchwright.scorers.answer.guideline import Guideline
from benchwright.scorers.answer.words import (
    DOUBTS,
    FACTS,
    FILLERS,
    NOT_APPLICABLE,
    PLAIN_DENIALS,
    POLAR_WORDS,
    RETRACTIONS,
)
from benchwright.scorers.compare.text import fold


class Candidate(NamedTuple):
    """A stretch of the text that states the answer, and how it was found."""

    text: str
    how: str


_THOUGHTS = re.compile(r"(?is)^\s*<(think|thinking|thought|reasoning|scratchpad)>.*?</\1>")
"""What a model wrote down before its answer, as its server marks it."""
_FENCE = re.compile(r"```[\w+-]{0,20}\n?([^`]{0,20000})```")
_BOXED = re.compile(r"\\boxed ?\{((?:[^{}]|\{[^{}]{0,500}\}){0,2000})\}")
_TAG = r"(?:final_?)?(?:answer|result)"
_TAGGED = re.compile(rf"(?i)<{_TAG}>([^<]*(?:<(?!/?{_TAG}>)[^<]*)*)</{_TAG}>|\[{_TAG}\]([^\[\]]{{1,2000}})\[/{_TAG}\]")
_CALLED = re.compile(r"(?i)^\s*(?:submit|final_?answer|finish)\(\s*(['\"]?)([^()'\"\n]{1,2000})\1\s*\)\s*$")
_QUOTED_ANSWER = re.compile(r"(?i)\banswer ?([`'\"])([^`'\"\n]{1,2000})\1(?=[ .,!]|$)")
_BOLD = re.compile(r"\*\*([^*\n]{1,2000})\*\*")
_LATEX = re.compile(r"\\(?:text|mathrm|mathbf|textbf) ?\{([^{}]{0,500})\}")
_MARKUP = re.compile(r"(?m)\*\*|__|`|^#{1,6} |^>(?! ?[\d$.=]) ?|\\[()\[\]]|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)")
_MATH = re.compile(r"\$([^$\n]{1,500})\$")
_TITLE = re.compile(r"(?i).*: ?|(?:the |my )?(?:final )?(?:answer|result)s? ?")
"""Bold print that announces an answer instead of being it."""
_HEADING = re.compile(r"(?im)^((?:final )?answer) ?\n")
_POLAR = re.compile(r"(?is)^(yes|no|true|false) ?[-,.;:!\n–—] ?(.{1,1000})$")
_COURTESY = re.compile(
    r"(?i)(?:please )?(?:let me know|feel free|don't hesitate|i hope (?:this|that|it)|hope this)\b"
    r"[^.!?\d\n]{0,100}[.!]?\s*$"
)
_REFUSAL = re.compile(
    r"(?i)\b(?:(?:can|could)(?: ?not|n't) (?:be )?(?:answer(?:ed)?|determined?|tell|told|know(?:n)?)\b"
    r"|(?:impossible|not possible) to (?:answer|determine|tell|know|say)\b"
    r"|(?:unable to|(?:can|could|did)(?: ?not|n't)) (?:find|open|read|access|load|locate|see|use) "
    r"(?:the|any|this|that) (?:data|files?|datasets?|tables?|documents?|answer)\b(?! (?:of|for|in|with|that|which))"
    r"|unable to (?:answer|determine|tell|compute|calculate)\b"
    r"|the (?:data|files?|datasets?) (?:is|are|was|were) (?:missing|unavailable|inaccessible|not available)\b"
    r"(?! (?:for|in|on))"
    r"|made[- ]up (?:number|value|answer|figure|guess)|(?:wild|random|pure) guess)"
)
"""A text that says it did not do the work, whatever it then names, states no answer."""
_RAW_OUTPUT = re.compile(
    r"\bdtype\b|\bTraceback\b|\[(?:preview|output|stdout|truncated)\]|\brows? [x×] \d|^>>> |\bOut\[|\bName: "
    r"|\b[A-Z]\w*(?:Error|Exception):",
    re.MULTILINE,
)
_MARKER = re.compile(
    r"(?i)\b(?:(?P<final>final[ _](?:answer|result)s?)|(?P<answer>answers?|ans(?= ?[:=]))"
    r"|(?P<other>results?|(?:output|solution|prediction)(?= ?[:=])))\b"
    r"(?P<middle>(?:[^.;:\n=>]|\.(?=\w)){0,80}?)"
    r"(?: ?(?:\bis\b|\bare\b|\bwas\b|\bwere\b)(?: ?[:=])?| ?[-=]>| - (?=\S)| ?[:=]) ?"
)
_COPULA = re.compile(
    r"(?i)(?: (?:is|are|was|were|equals|equal to|(?:comes|came|comes out|amounts) (?:to|at)|totals|shows?|gives?|gave"
    r"|yields?|yielded|gets?|got|obtain(?:ed)?|find|found|returns?|returned)(?: that)? "
    r"|(?<!\d)[:=] | [:=] )(?!\w+ed (?:by|from|using|with|on|after|for|in|as|over|via|of)\b)"
)
"""Not before a passive: `was computed from ...` explains, and states no answer."""
_JOINTS = 30
"""So many times a clear sentence may say `is` or use a colon before its answer; the last ones count."""
_SENTENCE = 2000
"""A clear sentence is no longer than this."""
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")
_CLAUSE = re.compile(r",? (?:because|since|based on|according to|as computed|as calculated|as shown) | ?\(")
_NAMED_LAST = re.compile(r"(?i)^([^\n]{1,2000}?) (?:is|are) (?:the|my|our) (?:final |correct |right )?answer[.! ]*$")
_NAMED_FIRST = re.compile(r"(?i)^([^\n,;:]{1,400}?) (?:has|had|have|is|was|are|were) the ([^\n,;:]{1,400})$")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_THAT = re.compile(r"(?i)\b(\w{1,40}) that (?:the|it|this|its|a|an|there|all|each|our|my)\b")
_NUMERAL = re.compile(r"\d+(?:[.,]\d+)*")


def plain_text(text: str) -> str:
    """A text without Markdown and LaTeX decoration."""
    if "\\" in text:
        text = _MATH.sub(r"\1", _LATEX.sub(r"\1", text)).replace("\\%", "%").replace("\\$", "$").replace("\\,", " ")
    return _HEADING.sub(r"\1: ", _MARKUP.sub("", text)).strip()


def candidates(text: str, guideline: Guideline) -> Iterator[Candidate]:
    """The stretches of a prepared text that may be its final answer: the whole first, then what it points to."""
    text = _COURTESY.sub("", _THOUGHTS.sub("", text)).strip()
    plain = plain_text(text)
    yield Candidate(plain, "whole")
    if _RAW_OUTPUT.search(text):
        return
    refused = _REFUSAL.search(plain) is not None
    for candidate in _pointed(text, plain, guideline):
        if not refused or NOT_APPLICABLE.fullmatch(candidate.text.strip(" .")):
            yield candidate


def _pointed(text: str, plain: str, guideline: Guideline) -> Iterator[Candidate]:
    """What the text points to as its answer."""
    contained = _contained(text, guideline)
    if contained is not None:
        yield Candidate(plain_text(contained), "container")
        return
    if polar := _polar(plain, guideline):
        yield polar
        return
    marked = list(_marked(plain, guideline))
    yield from marked
    if not marked and not _MARKER.search(plain):
        yield from _stated(plain, guideline)


def _contained(text: str, guideline: Guideline) -> str | None:
    """What stands in the one box, answer tag, JSON answer, code fence or bold print of the text, if there is one."""
    for pattern in (_BOXED, _TAGGED, _FENCE, _CALLED, _QUOTED_ANSWER):
        found = {match.group(match.lastindex or 0).strip() for match in pattern.finditer(text)}
        if found:
            inner = found.pop() if len(found) == 1 else ""
            outside = pattern.sub(" ", text)
            return inner if inner and not _words(outside) & RETRACTIONS else None
    if (answer := _json_answer(text, guideline)) is not None:
        return answer
    bold = _BOLD.findall(text)
    if len(bold) == 1 and not _TITLE.fullmatch(bold[0]) and not _words(_BOLD.sub(" ", text)) & DOUBTS:
        return str(bold[0])
    return None


def _json_answer(text: str, guideline: Guideline) -> str | None:
    """The text of a JSON object with an answer key that stands alone or ends the text."""
    start = text.find("{")
    if start < 0 or not text.rstrip().endswith("}") or not _announces(text[:start], guideline):
        return None
    value = parse_json(text[start:])
    if isinstance(value, dict) and answer_key(value) is not None:
        return text[start:].strip()
    return None if value is None or start == 0 else text[start:].strip()


def _announces(text: str, guideline: Guideline) -> bool:
    """Whether a text says nothing but that an answer follows."""
    known = set(_NUMERAL.findall(text)) <= guideline.numerals
    return known and not _doubtful(text, guideline) and text.rstrip(" \n*`")[-1:] in {"", ":", ".", "="}


def _marked(text: str, guideline: Guideline) -> Iterator[Candidate]:
    """What follows the strongest marker (`final answer`, then `answer`, then `result`), if all of that kind agree."""
    markers = list(_MARKER.finditer(text))
    for kind in ("final", "answer", "other"):
        chosen = [match for match in markers if match[kind]]
        if chosen:
            break
    else:
        return
    starts = [_skip_blank(text, match.end()) for match in chosen]
    spans = {fold(text[start : _line_end(text, start)].strip(" .")) for start in starts}
    lead = text[_sentence_start(text, chosen[0].start()) : chosen[0].end()]
    if len(spans) > 1 or _doubtful(lead, guideline):
        return
    for end in _ends(text, starts[0]):
        rest = text[end:]
        if _harmless(rest, guideline):
            yield Candidate(text[starts[0] : end].strip(), "marked")


def _skip_blank(text: str, start: int) -> int:
    return len(text) - len(text[start:].lstrip())


def _polar(text: str, guideline: Guideline) -> Candidate | None:
    """A `yes` or `no` that begins the text, explained by words that agree with it."""
    match = _POLAR.match(text)
    if not match:
        return None
    rest, positive = match[2], match[1].casefold() in {"yes", "true"}
    words = _words(rest) - _quoted(rest, guideline)
    against = (DOUBTS | RETRACTIONS) - (frozenset() if positive else PLAIN_DENIALS)
    sentences = [bit for bit in re.split(r"[.!](?:\s|$)|\n|[();]", rest) if _WORD.search(bit)]
    explained = bool(sentences) and all(map(_is_sentence, sentences))
    if "?" in rest or words & (against | POLAR_WORDS) or not explained:
        return None
    return Candidate(match[1], "polar")


def _ends(text: str, start: int) -> list[int]:
    """Where an answer that starts here may end: with the text, the line, the sentence, or before a clause."""
    line = _line_end(text, start)
    ends = [len(text), line]
    ends += [match.start() for match in _SENTENCE_END.finditer(text, start, line)][:6]
    ends += [match.start() for match in _CLAUSE.finditer(text, start, line)][:3]
    return list(dict.fromkeys(end for end in ends if end > start))


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _sentence_start(text: str, end: int) -> int:
    last = 0
    for match in _SENTENCE_END.finditer(text, max(0, end - 2 * _SENTENCE), end):
        last = match.end()
    return last


def _harmless(rest: str, guideline: Guideline) -> bool:
    """Whether what follows an answer is a comment: full sentences or an aside that take nothing back."""
    rest = rest.strip(" .\n")
    if not rest:
        return True
    if _words(rest) & RETRACTIONS - _quoted(rest, guideline):
        return False
    bits = [bit for bit in re.split(r"[.!?](?:\s|$)|\n|[()]", rest) if bit.strip(" .,;:!)(")]
    return bool(bits) and all(_is_sentence(bit) for bit in bits)


def _is_sentence(text: str) -> bool:
    """Whether a text has two words at least, or a word with a number."""
    words = len(_WORD.findall(text))
    return words > 0 and words + len(_NUMERAL.findall(text)) >= 2


def _stated(text: str, guideline: Guideline) -> Iterator[Candidate]:
    """Without a marker: what the last line says after `is` or a colon, or a line that begins with the answer."""
    start = text.rfind("\n") + 1
    line = text[start:]
    if match := _NAMED_LAST.match(line):
        # Whatever stands before it, a denial too, is part of the candidate, and so spoils it.
        yield Candidate(match[1], "named")
        return
    stated = [
        Candidate(line[match.end() :].strip(), "stated")
        for match in list(_COPULA.finditer(line))[-_JOINTS:]
        if _leads_up(line[_sentence_start(line, match.start()) : match.start()], match.group(), guideline)
    ]
    yield from stated
    if stated:
        return
    if (match := _NAMED_FIRST.match(line.rstrip(" ."))) and _is_known(match[2], guideline):
        yield Candidate(match[1], "named")
    elif start:
        yield from _first_line(text, guideline)
    elif number := _only_number(line, guideline):
        yield Candidate(number, "only number")


def _leads_up(before: str, joint: str, guideline: Guideline) -> bool:
    words = _words(before[:_SENTENCE])
    if (
        len(before) > _SENTENCE
        or not words
        or _doubtful(before, guideline)
        or set(_NUMERAL.findall(before)) - guideline.numerals
    ):
        return False
    if "=" in joint and len(before.strip()) == 1:
        return True
    if ":" in joint or "=" in joint:
        return not re.search(r"[;,:=]", before) and words <= guideline.vocabulary | FILLERS
    return bool(words & (guideline.vocabulary | FILLERS))


def _first_line(text: str, guideline: Guideline) -> Iterator[Candidate]:
    """A first line that stands alone, followed by full sentences of explanation."""
    head, _, rest = text.partition("\n")
    sentences = [line.strip() for line in rest.split("\n") if line.strip()]
    if all(line[-1] in ".)" and len(_WORD.findall(line)) >= 3 for line in sentences) and _harmless(rest, guideline):
        yield Candidate(head.strip(), "first line")


def _only_number(line: str, guideline: Guideline) -> str:
    """The one number of a sentence in the task's own words, besides numbers that the task names; else empty."""
    found = [match for match in _QUANTITY.finditer(line) if match["digits"] not in guideline.numerals]
    if len(found) != 1 or _doubtful(line, guideline) or _NOT_PLAIN.search(line):
        return ""
    words = _words(line[: found[0].start()] + " " + line[found[0].end() :])
    return found[0].group().strip() if words and words <= guideline.vocabulary | FILLERS else ""


_QUANTITY = re.compile(
    r"(?i)(?<![\w.,])[-+]?[$€£¥₹]? ?(?P<digits>\d+(?:[.,]\d+)*)"
    r"(?: ?%|[kmb]\b| (?:percent|thousand|million|billion|trillion)\b)?(?!\w)"
)
_NOT_PLAIN = re.compile(r"[<>~≈±/|;]")


def _is_known(text: str, guideline: Guideline) -> bool:
    return not _doubtful(text, guideline) and _words(text) <= guideline.vocabulary | FILLERS


def _doubtful(text: str, guideline: Guideline) -> bool:
    embedding = {fold(match[1]) for match in _THAT.finditer(text)}
    return bool(_words(text) & DOUBTS - _quoted(text, guideline)) or "?" in text or bool(embedding - FACTS)


def _quoted(text: str, guideline: Guideline) -> set[str]:
    """Words that stand in the text as they stand in the question: `no missing values` takes nothing back."""
    words = [fold(word) for word in _WORD.findall(text)]
    return {word for word, after in pairwise(words) if (word, after) in guideline.pairs}


def _words(text: str | Iterable[str]) -> frozenset[str]:
    return frozenset(map(fold, _WORD.findall(text))) if isinstance(text, str) else frozenset(text)
