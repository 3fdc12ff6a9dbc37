"""Values that are glued together: `12,345` is one number, and no answer to a gold of 12 and 345."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from benchwright.scorers.answer.lexer import Separator, Token, Word, prepare, tokens

_GROUPED = re.compile(
    r"(?<![\d.,'_])(?<!\d )(?:[1-9]\d{0,2}(?>(?: \d{3})+)(?!\d| \d)"
    r"|(?:[1-9]\d{0,2}(?>(?:,\d{3})+)|[1-9]\d?(?>(?:,\d\d(?!\d))+),\d{3})(?!\d|,\d))"
)
"""Digits that read as one number with its thousands marked, in the usual way or in India's."""
_MARKED = re.compile(r"(?<=\d)[,' ](?=\d\d)")
_DIVIDES = re.compile(r"[\s,;|&]")
"""What divides two values wherever it stands, but for a comma or space that marks thousands."""
_TAIL = re.compile(r"\d%?$")
_HEAD = re.compile(r"_*(?=\d)")
_VERSION = re.compile(r"\d+(?:\.\d+){2,}")


def tears(row: Sequence[Token], text: str, gold: str) -> bool:
    """Whether a reading of an answer cuts in two what reads as one value by itself, and the gold does not do so.

    A comma or single space between groups of three digits marks thousands; a colon, point, apostrophe or nothing at all
    between two numbers makes them one ratio, time, version or quantity.
    """
    return _tears_group(row, text, gold) or _tears_joint(row, text, gold) or _tears_version(row, gold)


def _tears_group(row: Sequence[Token], text: str, gold: str) -> bool:
    starts = [token.start for token in row if not isinstance(token.value, Separator)]
    torn = [
        match.group()
        for match in _GROUPED.finditer(text)
        if any(match.start() < start < match.end() for start in starts)
    ]
    return any(_MARKED.sub(" ", group) not in _MARKED.sub(" ", prepare(gold)) for group in torn)


def _tears_joint(row: Sequence[Token], text: str, gold: str) -> bool:
    joints = [joint for joint in _joints(row, text) if not _DIVIDES.search(joint)]
    return any(joint not in _gold_joints(gold) for joint in joints)


def _joints(row: Sequence[Token], text: str) -> Iterator[str]:
    """What stands between values of which one ends and the next begins with a digit."""
    values = [token for token in row if not isinstance(token.value, Separator)]
    for left, right in pairwise(values):
        head = _HEAD.match(text, right.start)
        if head and _TAIL.search(text[left.start : left.end]):
            yield text[left.end : head.end()]


@lru_cache(maxsize=4096)
def _gold_joints(gold: str) -> frozenset[str]:
    prepared = prepare(gold)
    return frozenset(joint.strip() for joint in _joints(tokens(prepared), prepared))


def _tears_version(row: Sequence[Token], gold: str) -> bool:
    """`3.4.500` is a version and not three numbers."""
    texts = [token.value.text for token in row if isinstance(token.value, Word)]
    return any(_VERSION.fullmatch(text) and text not in gold for text in texts)
