"""Rules: what editors and annotators left behind in a task or its gold."""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from benchwright.proving.findings import Severity
from benchwright.proving.lint.base import Case, Hit, SuiteRule, TaskRule, cases, quoted
from benchwright.suite import Suite

_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|“[^”\n]*”|「[^」\n]*」")
_GOLD_BYTES = 1 << 18
_COMMON = ("LATIN", "GREEK", "MICRO", "OHM", "KELVIN", "ANGSTROM", "FEMININE", "MASCULINE", "MODIFIER", "SUPERSCRIPT")
_MARKS = r"\b(?:TODO|FIXME|TBD|TBC|WIP|HACK)\b(?!-)|\bXXX\s*:"
_REMARKS = (
    r"\?\?\?+|<{3,}|>{3,}|={5,}|\blorem\s+ipsum\b|[\[(]\s*annotator\b|\bdo\s+not\s+publish\b|"
    r"\b(?:annotator|reviewer|proofreader)\s*:|[\[(]\s*(?:editor|author|qa)\s*:|"
    r"\b(?:please|pls)\s+(?:rephrase|reword|proofread|translate|re-?check|shorten)\b|"
    r"\[\s*(?:notes?|comments?|remarks?|edit|reviewer|annotator|editor|draft)\s*[:\]]|"
    r"\b(?:editor|annotator|reviewer|internal|author)(?:'s|s)?\s+(?:notes?|comments?|remarks?)\b|"
    r"\b(?:note|reminder|message)\s+to\s+(?:self|reviewer|annotator|editor)s?\b|"
    r"\b(?:please|pls)\s+(?:check|verify|confirm|review|fix|revise|double[- ]check|rewrite)\s+"
    r"(?:this|the\s+(?:gold|answer|question|wording)|again|before)\b|"
    r"\bneeds?\s+(?:to\s+be\s+)?(?:review(?:ed)?|re-?check(?:ed|ing)?|fix(?:ed|ing)|confirm(?:ed|ation)|"
    r"rewrit(?:ing|ten)|verification)\b|"
    r"\bto\s+be\s+(?:confirmed|determined|rewritten|reviewed|decided|revised|completed|filled\s+in)\b|"
    r"\b(?:change|turn|convert|rewrite|make)\s+(?:this|it)\s+(?:part\s+)?(?:in)?to\s+(?:an?\s+)?"
    r"(?:multiple[- ]choice|single[- ]choice|question)\b|"
    r"\b(?:delete|remove)\s+(?:this|me)\b|\b(?:old|new|previous|original)\s+(?:version|wording|answer|gold)\s*:|"
    r"\b(?:insert|your)\s+(?:answer|text|value|question)\s+here\b|\bplaceholder\s+(?:text|answer|question)\b"
)
_NOTE = re.compile(rf"{_MARKS}|(?i:{_REMARKS})")


@lru_cache(maxsize=4096)
def _script(character: str) -> str:
    """The script of a letter by its Unicode name: LATIN, CJK, CYRILLIC..."""
    return unicodedata.name(character, "UNKNOWN").split(" ", 1)[0].split("-")[0]


def _foreign(text: str) -> str:
    """The letters of other scripts than Latin and Greek (compatibility forms folded), in order."""
    folded = unicodedata.normalize("NFKC", text)
    return "".join(c for c in folded if c.isalpha() and ord(c) > 0x2FF and _script(c) not in _COMMON)


def _latin_suite(suite: Suite) -> bool:
    """Whether most questions are mostly written in Latin letters, so that another script is out of place."""
    texts = [task.question for task in suite.tasks.values()]
    foreign = sum(2 * len(_foreign(text)) > sum(map(str.isalpha, text)) for text in texts)
    return 2 * foreign <= len(texts) or len(texts) < 3


def foreign_script(suite: Suite) -> Iterator[Hit]:
    """Letters of another script in question, guideline or gold, unless they are values from the data.

    Values are quoted in the prompt, or the solution, the gold files or (for the prompt) the gold know one of them.
    """
    if not _latin_suite(suite):
        return
    for case in cases(suite):
        for name, text in _fields(case):
            runs = _foreign_runs(text if name == "gold" else _QUOTED.sub(" ", text))
            if runs and not _may_be_values(suite, case, name, runs):
                yield Hit(case.task.id, f"the {name} holds {quoted(' '.join(runs), 40)} in {quoted(text)}")


def _foreign_runs(text: str) -> list[str]:
    """The stretches of letters of other scripts."""
    folded = unicodedata.normalize("NFKC", text)
    return [run for word in re.findall(r"[^\W\d_]+", folded) if (run := _foreign(word))]


def _may_be_values(suite: Suite, case: Case, name: str, runs: list[str]) -> bool:
    """Whether the task works with values in that script: a gold of nothing else, or text that solution or gold know."""
    if name == "gold" and _stand_alone(unicodedata.normalize("NFKC", case.answer), runs):
        return True
    known = _values_in(case.gold.solution.code) if case.gold.solution else ""
    known += "".join(_start(suite.gold_files(case.task.id) / file) for file in case.gold.files)
    known += "" if name == "gold" else case.answer
    return any(run in unicodedata.normalize("NFKC", known) for run in runs)


def _stand_alone(answer: str, runs: list[str]) -> bool:
    """Whether the gold has no other letters, and none of these beside a number, where they would be a remark."""
    beside = [part for part in re.split(r"[;,\n]", answer) if _foreign(part) and re.search(r"\d", part)]
    return "".join(runs) == "".join(filter(str.isalpha, answer)) and not beside


def _values_in(code: str) -> str:
    """The texts that a program works with; its comments may be an editor's."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return re.sub(r"(?m)#.*$", "", code)
    constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return "\n".join(value for value in constants if isinstance(value, str))


def _start(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as stream:
        return stream.read(_GOLD_BYTES).decode("utf-8", errors="replace")


def editor_note(case: Case) -> Iterator[str]:
    """A TODO, a remark to a colleague or a placeholder in question, guideline or gold."""
    for name, text in _fields(case):
        match = _NOTE.search(text)
        if match:
            yield f"the {name} holds {quoted(match[0])} in {quoted(text)}"


def _fields(case: Case) -> Iterator[tuple[str, str]]:
    yield "question", case.task.question
    yield "guideline", case.task.guidelines
    yield "gold", case.answer
    for variant, text in case.task.variants.items():
        if text != case.task.question:
            yield f"variant {variant}", text


RULES = (
    SuiteRule(
        "foreign-script",
        Severity.ERROR,
        "an editor's remark, or a text that was not translated: rewrite it in the suite's language",
        foreign_script,
    ),
    TaskRule("editor-note", Severity.ERROR, "remove the remark, and do what it asks for", editor_note),
)
