"""The one clear final answer of a text. It never looks at the gold: a text has one answer, not several guesses.

Every candidate of one text ends (or begins) at the same place, so at most one of them has as many values as the
gold: a list of candidates, or a text that names many values, gains nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from benchwright.scorers.answer.forms import ANSWER_KEYS, parse_json
from benchwright.scorers.answer.guideline import Guideline
from benchwright.scorers.answer.words import DOUBTS, FACTS, FILLERS, RETRACTIONS
from benchwright.scorers.compare.text import fold


class Candidate(NamedTuple):
    """A stretch of the text that states the answer, and how it was found."""

    text: str
    how: str


_FENCE = re.compile(r"```[\w+-]{0,20}\n?([^`]{0,20000})```")
_BOXED = re.compile(r"\\boxed ?\{((?:[^{}]|\{[^{}]{0,500}\}){0,2000})\}")
_TAGGED = re.compile(
    r"(?i)<(?:answer|final_answer)>([^<]*(?:<(?!/?(?:final_)?answer>)[^<]*)*)</(?:answer|final_answer)>"
)
_BOLD = re.compile(r"\*\*([^*\n]{1,2000})\*\*")
_LATEX = re.compile(r"\\(?:text|mathrm|mathbf|textbf) ?\{([^{}]{0,500})\}")
_MARKUP = re.compile(r"(?m)\*\*|__|`|^#{1,6} |^>(?! ?[\d$.=]) ?|\\[()\[\]]|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)")
_MATH = re.compile(r"\$([^$\n]{1,500})\$")
_HEADING = re.compile(r"(?im)^((?:final )?answer) ?\n")
_RAW_OUTPUT = re.compile(
    r"\bdtype\b|\bTraceback\b|\[(?:preview|output|stdout|truncated)\]|\brows? [x×] \d|^>>> |\bOut\[|\bName: "
    r"|\b[A-Z]\w*(?:Error|Exception):",
    re.MULTILINE,
)
_MARKER = re.compile(
    r"(?i)\b(?:(?P<final>final (?:answer|result)s?)|(?P<answer>answers?)|(?P<other>results?))\b"
    r"(?P<middle>[^.;:\n=]{0,80}?)(?: ?(?:\bis\b|\bare\b|\bwas\b|\bwere\b)(?: ?[:=])?| ?[:=]) ?"
)
_COPULA = re.compile(
    r"(?i)(?: (?:is|are|was|were|equals|equal to|(?:comes|came|comes out|amounts) (?:to|at)|totals) "
    r"|(?<!\d)[:=] | [:=] )"
)
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
    plain = plain_text(text)
    yield Candidate(plain, "whole")
    if _RAW_OUTPUT.search(text):
        return
    contained = _contained(text)
    if contained is not None:
        yield Candidate(plain_text(contained), "container")
        return
    marked = list(_marked(plain, guideline))
    yield from marked
    if not marked and not _MARKER.search(plain):
        yield from _stated(plain, guideline)


def _contained(text: str) -> str | None:
    """What stands in the one box, answer tag, JSON answer, code fence or bold print of the text, if there is one."""
    for pattern in (_BOXED, _TAGGED, _FENCE):
        found = {match.group(match.lastindex or 0).strip() for match in pattern.finditer(text)}
        if found:
            inner = found.pop() if len(found) == 1 else ""
            outside = pattern.sub(" ", text)
            return inner if inner and not _words(outside) & RETRACTIONS else None
    if (answer := _json_answer(text)) is not None:
        return answer
    bold = _BOLD.findall(text)
    if len(bold) == 1 and not bold[0].rstrip().endswith(":") and not _words(_BOLD.sub(" ", text)) & DOUBTS:
        return str(bold[0])
    return None


def _json_answer(text: str) -> str | None:
    """The text of a JSON object with an answer key that stands alone or ends the text."""
    start = text.find("{")
    if start < 0 or not text.rstrip().endswith("}"):
        return None
    value = parse_json(text[start:])
    if isinstance(value, dict) and sum(key.strip().casefold() in ANSWER_KEYS for key in value) == 1:
        return text[start:].strip()
    return None if value is None or start == 0 else text[start:].strip()


def _marked(text: str, guideline: Guideline) -> Iterator[Candidate]:
    """What follows the strongest marker (`final answer`, then `answer`, then `result`), if all of that kind agree."""
    markers = list(_MARKER.finditer(text))
    for kind in ("final", "answer", "other"):
        chosen = [match for match in markers if match[kind]]
        if chosen:
            break
    else:
        return
    spans = {fold(text[match.end() : _line_end(text, match.end())].strip(" .")) for match in chosen}
    first = chosen[0]
    lead = text[_sentence_start(text, first.start()) : first.end()]
    if len(spans) > 1 or _doubtful(lead, guideline):
        return
    for end in _ends(text, first.end()):
        rest = text[end:]
        if _harmless(rest, guideline):
            yield Candidate(text[first.end() : end].strip(), "marked")


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
    return all(len(_WORD.findall(bit)) >= 2 for bit in bits) and bool(bits)


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


def _leads_up(before: str, joint: str, guideline: Guideline) -> bool:
    words = _words(before[:_SENTENCE])
    if (
        len(before) > _SENTENCE
        or not words
        or _doubtful(before, guideline)
        or set(_NUMERAL.findall(before)) - guideline.numerals
    ):
        return False
    if ":" in joint or "=" in joint:
        return not re.search(r"[;,:=]", before) and words <= guideline.vocabulary | FILLERS
    return bool(words & (guideline.vocabulary | FILLERS))


def _first_line(text: str, guideline: Guideline) -> Iterator[Candidate]:
    """A first line that stands alone, followed by full sentences of explanation."""
    head, _, rest = text.partition("\n")
    sentences = [line.strip() for line in rest.split("\n") if line.strip()]
    if all(line[-1] in ".)" and len(_WORD.findall(line)) >= 3 for line in sentences) and _harmless(rest, guideline):
        yield Candidate(head.strip(), "first line")


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
