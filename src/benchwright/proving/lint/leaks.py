"""Rules: a gold that the prompt, or the reference solution's own text, gives away."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.proving.findings import Severity
from benchwright.proving.guideline import examples, split_parts
from benchwright.proving.lint.base import Case, TaskRule, quoted
from benchwright.proving.lint.text import contains_words, plain

_QUOTED = re.compile(r"'[^'\n]+'(?!\w)|\"[^\"\n]+\"|`[^`\n]+`|“[^”\n]+”")
_CONFIRMED = re.compile(
    r"(?i)\b(?:verified|checked|validated|confirmed|matche[sd]|compared|tested)\s+(?:\w+\s+)?(?:against|with|by)\s+(?:the\s+)?"
    r"(?:gold|ground[- ]truth|answer\s+key|expected\s+answer|reference\s+(?:answer|solution))\b"
    r"|\b(?:gold|ground[- ]truth|golden|correct|expected|right)\s+(?:answer|value|result|label|output)\s*(?:is|=|:)"
    r"|\banswer\s+key\b|\bconfirmed\s+correct\b"
)
_GENERIC = re.compile(r"(?i)^(?:yes|no|true|false|none|null|0)$")
_SAYS = r"(?i)\b(?:answer|result|solution|gold|value|hint)\s*(?:is|are|=|:|being|should\s+be|equals?)\s*[\"'(]?\s*"


def in_question(case: Case) -> Iterator[str]:
    """The whole gold, or every part of it, stands in the question (or in another wording of it)."""
    for name, text in (("question", case.task.question), *case.task.variants.items()):
        if case.answer and (_tells(text, case.answer) or _holds(text, case.answer)):
            yield f"the {name} {quoted(text)} holds the gold {quoted(case.answer)}"


def _holds(text: str, answer: str) -> bool:
    parts = split_parts(answer)
    if len(parts) > 1 and contains_words(text, answer):
        return True
    return all(_distinctive(part) and _stands_in(text, part) for part in parts)


def _distinctive(part: str) -> bool:
    """Whether a part is unlikely to stand in a question by chance: words, or a number of some length."""
    return bool(re.search(r"[^\W\d_]{3,}", part)) or len(re.sub(r"\D", "", part)) >= 3 or bool(re.search(r"\d%", part))


def _stands_in(text: str, part: str) -> bool:
    """As whole words; a number with its sign, point and percent sign."""
    if re.search(r"[^\W\d_]{3,}", part):
        return contains_words(text, part)
    return bool(re.search(rf"(?<![\w.,]){re.escape(part)}(?![\w%]|[.,]\d)", text))


def _tells(text: str, answer: str) -> bool:
    """Whether the text says "the answer is <gold>", however short the gold is."""
    return bool(re.search(rf"{_SAYS}{re.escape(answer)}(?!\w|[.,]\d)", text))


def in_guideline(case: Case) -> Iterator[str]:
    """The whole gold stands in the guideline, and neither as its example nor as one of several choices."""
    text, answer = case.task.guidelines, case.answer
    if not answer or any(plain(example.text) == plain(answer) for example in examples(text)):
        return
    generic = all(_GENERIC.match(part) for part in split_parts(answer))
    worded = len(re.findall(r"[^\W\d_]", answer)) >= 4 and not generic
    if (_tells(text, answer) and not generic) or (
        worded and contains_words(text, answer) and not _is_choice(text, answer)
    ):
        yield f"the guideline {quoted(text)} holds the gold {quoted(answer)}"


def _is_choice(text: str, answer: str) -> bool:
    """Whether the guideline offers the gold as one of several quoted or listed values."""
    literals = {plain(match) for match in _QUOTED.findall(text)}
    around = re.search(
        rf"(?i)(?:\bor\b|/|,)\s*[\"']?{re.escape(answer)}|{re.escape(answer)}[\"']?\s*(?:,|\bor\b|/)", text
    )
    return (plain(answer) in literals and len(literals) > 1) or around is not None


def confirmed(case: Case) -> Iterator[str]:
    """The prompt speaks of the gold: "verified against gold", "the expected answer is"."""
    match = _CONFIRMED.search(case.prompt)
    if match:
        yield f"the prompt says {quoted(match[0])}: {quoted(case.prompt)}"


def in_solution(case: Case) -> Iterator[str]:
    """The gold stands word for word in the reference solution, as a constant or in a comment."""
    solution = case.gold.solution
    if solution is None or len(re.sub(r"\W", "", case.answer)) < 4:
        return
    for number, line in enumerate(solution.code.splitlines(), start=1):
        if case.answer in line:
            yield f"line {number} of the solution holds the gold {quoted(case.answer)}: {quoted(line.strip())}"
            return


RULES = (
    TaskRule(
        "gold-in-question",
        Severity.WARNING,
        "an agent can answer without the data, or guess among few: ask in another way",
        in_question,
    ),
    TaskRule("gold-in-guideline", Severity.WARNING, "the guideline gives the answer away: reword it", in_guideline),
    TaskRule("prompt-speaks-of-gold", Severity.ERROR, "agents must not be told about the gold: remove it", confirmed),
    TaskRule(
        "gold-in-solution",
        Severity.NOTE,
        "a solution that knows the answer proves nothing: compute it",
        in_solution,
    ),
)
