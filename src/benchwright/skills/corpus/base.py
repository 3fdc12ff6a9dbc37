"""Which solutions are wanted, and what becomes of the others: counted with the reason, never lost."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from benchwright.errors import InputError
from benchwright.files import sha256
from benchwright.skills.steps import Solution

STACK_OVERFLOW = "stackoverflow.com"
PAPER_TAGS = ("data-science", "data-analysis")
"""The tags that the paper names, "such as" which it filtered by (section 4)."""
MOST_CHARACTERS = 200_000
"""The longest text of a post; Stack Exchange allows 30,000."""

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


@dataclass(frozen=True, slots=True)
class Refused:
    """A solution that is not taken: where it stands, the kind of reason (counted), and what was found."""

    where: str
    reason: str
    found: str = ""


UNREADABLE = "unreadable"
UNTAGGED = "no wanted tag"
POOR = "neither accepted nor scored above the bound"
EMPTY = "empty"
LONG = "too long"
TWICE = "twice"
ORPHANED = "its question is not there"
HIDDEN = "in a hidden folder"

Found = Iterator[Solution | Refused]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The paper's filter (section 4): one of the tags, and an accepted answer or a score above the bound.

    What a source does not tell cannot speak against a solution: a notebook has no score, and an export that was
    filtered before has often lost its tags. `site` is where posts come from, whose numbers they bear.
    """

    tags: frozenset[str] = frozenset(PAPER_TAGS)
    score_above: int = 3
    site: str = STACK_OVERFLOW

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9.-]*", self.site):
            raise InputError("not a site", found=self.site, expected=f"a host such as {STACK_OVERFLOW}")

    def tagged(self, tags: Collection[str]) -> bool:
        """Whether one of the tags is wanted; every solution is where no tags are named."""
        return not self.tags or any(tag.casefold() in self.tags for tag in tags)

    def refusal(self, tags: Collection[str] | None, score: int | None, accepted: bool | None) -> str:
        """Why a solution is not wanted, empty where it is; None: not told."""
        if tags is not None and not self.tagged(tags):
            return UNTAGGED
        told = score is not None or accepted is not None
        if told and not accepted and (score is None or score <= self.score_above):
            return POOR
        return ""

    def post_id(self, question: int, answer: int) -> str:
        """The id of a post's solution: as published for Stack Overflow, with the site before it for others."""
        return f"{question}-{answer}" if self.site == STACK_OVERFLOW else f"{self.site}-{question}-{answer}"


def cleaned(text: str) -> str:
    """Text without characters that nobody sees: controls, turned directions, tags, halves of surrogate pairs."""
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def content_id(kind: str, *texts: str) -> str:
    """An id that depends on the content alone, for solutions without a number of their own."""
    return f"{kind}-{sha256(chr(0).join(texts))[:16]}"


def fenced_code(code: str, language: str = "") -> str:
    """Code as a block of Markdown whose fence it does not hold."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    body = code.strip("\n")
    return f"{fence}{language}\n{body}\n{fence}"
