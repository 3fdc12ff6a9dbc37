"""Golds that no answer can be judged by, found by rules: they repeat their guideline, or describe an answer."""

from __future__ import annotations

import re
import unicodedata

from benchwright.scorers.answer.golds import GoldAnswer
from benchwright.scorers.answer.guideline import Guideline
from benchwright.scorers.compare.text import fold, normalise

_WORD = re.compile(r"[^\W_]+")
_INSTRUCTS = re.compile(
    r"\b(?:must|should|shall|needs? to|has to) (?:be|contain|have|list|include|match|follow|not)\b", re.IGNORECASE
)
_DESCRIBES = re.compile(
    r"\b(?:table|list|chart|plot|matrix|dataframe|series)\b.{0,200}\b(?:with|as|having|containing)\b.{0,200}\b(?:columns?|rows?|cells?|axis|values)\b",
    re.IGNORECASE | re.DOTALL,
)
_RUN = 5
"""So many words in a row that the guideline has too are its sentence, and not an answer in its words."""


def gold_fault(answer: str, guideline: Guideline) -> str:
    """Why no answer can be judged by this gold; empty if one can."""
    text = normalise(answer)
    if not text:
        return "the gold is empty"
    if _INSTRUCTS.search(text) and _shares_run(text, guideline.text):
        return "the gold repeats an instruction of its guideline"
    if _DESCRIBES.search(text) and (_INSTRUCTS.search(text) or len(_WORD.findall(text)) >= 25):
        return "the gold describes the answer instead of giving it"
    return ""


def gold_notes(answer: str, gold: GoldAnswer, guideline: Guideline) -> tuple[str, ...]:
    """What a person should look at in a gold that can be used all the same."""
    notes: list[str] = []
    if any(unicodedata.name(char, "").startswith("CJK") for char in answer) and not _has_cjk(guideline.text):
        notes.append("the gold holds characters that its task does not use")
    lengths = {len(labels) for labels in guideline.slots} - {1}
    if lengths and len(gold.parts) not in lengths and not _open_ended(guideline.text):
        notes.append(f"the gold has {len(gold.parts)} parts, the template {min(lengths)}")
    return tuple(notes)


def _has_cjk(text: str) -> bool:
    return any(unicodedata.name(char, "").startswith("CJK") for char in text if char > "\u2e7f")


def _open_ended(text: str) -> bool:
    return bool(re.search(r"\.\.\.|\betc\b|repeat|for each|\btop \d|list of", text))


def _shares_run(text: str, guideline: str) -> bool:
    words = [fold(word) for word in _WORD.findall(text)]
    theirs = [fold(word) for word in _WORD.findall(guideline)]
    runs = {tuple(theirs[start : start + _RUN]) for start in range(len(theirs) - _RUN + 1)}
    return any(tuple(words[start : start + _RUN]) in runs for start in range(len(words) - _RUN + 1))
