"""Numbers of claims that cannot all be right: shares that are no k of n tasks, entries that contradict each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from benchwright.publishing.leaderboard.entries import Board, Entry
from benchwright.publishing.submission.counts import fitting, nearest, possible, slack
from benchwright.publishing.submission.strict_json import Share

_FAR = 20
"""How far below the number of tasks another denominator is looked for."""
_FEWEST = 3
"""Values that must be there before another denominator says anything."""
_SHARES = {"execution_accuracy": "Execution Accuracy", "discovery_accuracy": "Discovery Accuracy"}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """What cannot be, of which entries."""

    what: str
    entries: tuple[str, ...]


def contradictions(board: Board, entries: Iterable[Entry]) -> tuple[Contradiction, ...]:
    """All that is found, entry by entry, then column by column, then between entries of one method and model.

    Accuracies that can be parts of 1 are no counts; only what is a share of whole tasks is looked at then.
    """
    known = list(entries)
    return (*_impossible(board, known), *_columns(board, known), *_disagreeing(known))


def _told(entry: Entry, subset: str, name: str) -> Share | None:
    result = entry.results.get(subset)
    value: Share | None = getattr(result, name) if result else None
    return value


def _counted(board: Board) -> tuple[str, ...]:
    return ("discovery_accuracy",) if board.partial else tuple(_SHARES)


def _impossible(board: Board, entries: Sequence[Entry]) -> Iterator[Contradiction]:
    for entry in entries:
        for subset, result in entry.results.items():
            for name in _counted(board):
                share = _told(entry, subset, name)
                if share is not None and not len(possible(share, result.n_tasks)):
                    yield Contradiction(
                        f"{_SHARES[name]} ({subset}) of {share:g} is k/{result.n_tasks} for no whole k: "
                        f"the nearest are {nearest(share, result.n_tasks)}",
                        (entry.id,),
                    )


def _columns(board: Board, entries: Sequence[Entry]) -> Iterator[Contradiction]:
    """A column of which some values are no k/n, and all of them are k/m for another m: the likely denominator."""
    for subset in dict.fromkeys(name for entry in entries for name in entry.results):
        for name in _counted(board):
            told = {entry.id: share for entry in entries if (share := _told(entry, subset, name)) is not None}
            sizes = {entry.results[subset].n_tasks for entry in entries if entry.id in told}
            if len(told) < _FEWEST or len(sizes) != 1:
                continue
            (n,) = sizes
            odd = [each for each, share in told.items() if not len(possible(share, n))]
            others = fitting(list(told.values()), n, _FAR) if odd else ()
            if odd:
                found = (
                    f"all {len(told)} are k/m for m = {', '.join(map(str, others))}" if others else "no other m fits"
                )
                yield Contradiction(
                    f"{_SHARES[name]} ({subset}): {len(odd)} of {len(told)} values are no k/{n}; {found}", tuple(odd)
                )


def _disagreeing(entries: Sequence[Entry]) -> Iterator[Contradiction]:
    """Entries of the same method and model that say different things; withdrawn ones count: they were said."""
    for one, two in combinations(entries, 2):
        if (one.method.casefold(), one.model.casefold()) != (two.method.casefold(), two.model.casefold()):
            continue
        if one.status != "claim" or two.status != "claim":
            continue
        differ = [
            f"{_SHARES[name]} ({subset}) {mine:g} and {theirs:g}"
            for subset in one.results
            for name in _SHARES
            if (mine := _told(one, subset, name)) is not None
            and (theirs := _told(two, subset, name)) is not None
            and abs(mine - theirs) > slack(mine) + slack(theirs)
        ]
        if differ:
            yield Contradiction(f"two claims of {one.title} differ: {'; '.join(differ)}", (one.id, two.id))
