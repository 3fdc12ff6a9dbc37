"""Texts that are spelled nearly alike and mean something else."""

from __future__ import annotations

import re
from collections import Counter

from benchwright.scorers.compare.column_names import OPPOSED

_WORD = re.compile(r"[^\W\d_]+")
_OPPOSED = frozenset(OPPOSED) | {
    frozenset(pair.split("/"))
    for pair in (
        "increase/decrease", "increases/decreases", "increased/decreased", "increasing/decreasing", "rise/fall",
        "rises/falls", "rose/fell", "higher/lower", "highest/lowest", "more/less", "more/fewer", "most/least",
        "above/below", "over/under", "up/down", "greater/smaller", "larger/smaller", "largest/smallest",
        "better/worse", "best/worst", "accept/reject", "accepted/rejected", "yes/no", "positively/negatively",
        "north/south", "east/west", "early/late", "earlier/later", "profit/loss", "men/women", "man/woman",
        "boys/girls",
    )
}  # fmt: skip
"""Words that are used alike and mean the opposite; so does a word with a syllable before it (female, unlikely)."""
_LONGEST = 40
"""Letters of a word; what is longer is none."""


def other_sense(gold_text: str, found_text: str) -> str:
    """Why folded texts of nearly the same letters mean something else: words that are opposed, or that changed places.

    Empty where nothing shows that they do.
    """
    gold, found = _WORD.findall(gold_text), _WORD.findall(found_text)
    golds, founds = set(gold), set(found)
    lost, new = golds - founds, founds - golds
    both_ways = [pair for one, other in map(sorted, _OPPOSED) for pair in ((one, other), (other, one))]
    opposed = [pair for pair in both_ways if pair[0] in lost and pair[1] in new]
    opposed += [(word, end) for word in lost for end in _ends(word) if end in new]
    opposed += [(end, word) for word in new for end in _ends(word) if end in lost]
    if opposed:
        return f"{opposed[0][1]!r} for {opposed[0][0]!r}"
    kept = [word for word in gold if word in founds], [word for word in found if word in golds]
    return "the same words in another order" if kept[0] != kept[1] and Counter(kept[0]) == Counter(kept[1]) else ""


def _ends(word: str) -> list[str]:
    """What is left of a word without its first syllable, whatever that is."""
    return [word[start:] for start in range(1, len(word) - 3)] if len(word) <= _LONGEST else []
