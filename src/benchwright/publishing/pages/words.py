"""Text of models and data as people may see it: nothing that acts on a screen or turns words round, nor endless."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SEQUENCE = re.compile(r"\x1b\[[0-9;:?<=>]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
"""What terminals take for colours, moves and titles: none of it is text."""
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)
"""Control characters but tab and line feed, what turns the direction of writing, what is not seen, what is none."""
_TAIL = 4
"""One part of so many of a long text is its end."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text as it is shown: its beginning, and its end where `left_out` characters between them are not."""

    head: str
    tail: str = ""
    left_out: int = 0

    def __bool__(self) -> bool:
        """Whether there is anything to read."""
        return bool(self.head.strip() or self.tail.strip())


def clean(text: object) -> str:
    """A text in which whatever acts on a screen is gone (colours of terminals) or can be seen (all else)."""
    plain = _SEQUENCE.sub("", str(text).replace("\r\n", "\n"))
    return _CONTROL.sub(_named, plain)


def visible(text: str) -> str:
    """A text in which every such character is named: unlike texts stay unlike."""
    return _CONTROL.sub(_named, text)


def _named(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found[0]):04X}⟩"


def excerpt(text: str, most: int) -> Excerpt:
    """A text of at most `most` characters, cleaned; of a longer one the beginning and the end."""
    if len(text) <= most:
        return Excerpt(clean(text))
    tail = most // _TAIL
    return Excerpt(clean(text[: most - tail]), clean(text[-tail:]) if tail else "", len(text) - most)


def line(text: object, most: int = 200) -> str:
    """A text as one line of at most `most` characters."""
    plain = " ".join(clean(str(text)[: 4 * most]).split())
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"
