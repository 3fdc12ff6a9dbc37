"""Two tables compared: which columns and rows stand for which, which cells are right, and what that is worth."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from benchwright.errors import SuiteError
from benchwright.score import Evidence
from benchwright.scorers.compare.alignment import Alignment
from benchwright.scorers.compare.column_names import match_names
from benchwright.scorers.compare.column_pair import ColumnPair, PairRule
from benchwright.scorers.compare.invented import draws, invented_columns, is_inventable
from benchwright.scorers.compare.left_out import without_wrong
from benchwright.scorers.compare.renamed import columns_by_value
from benchwright.scorers.compare.table_credit import (
    SHOWN,
    Chance,
    Outcome,
    Pairing,
    Standing,
    TableVerdict,
    judged,
    no_columns,
)
from benchwright.scorers.compare.table_rule import TableRule
from benchwright.scorers.compare.tables import Table
from benchwright.scorers.compare.typed_column import Budget, TypedColumn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]
    Flags = NDArray[np.bool_]

_READ, _JUDGED = 100_000, 100_000
"""Cells of unusual form that are read, and pairs of cells that are compared, one by one."""
_THREADS = 4
"""Columns that are looked at side by side."""
_SAMPLE = 1000
_RENAMED = 0.5
"""What a table is worth at most where columns are known by their values and not by their names."""
_TIMES, _MORE = 2, 2
"""A table with more than so many times the columns of the gold, and so many more, may hold guesses."""
_PERCENT = ("percent", "pct", "%")


def compare_tables(gold: Table, found: Table, rule: TableRule) -> TableVerdict:
    """The verdict on a found table; a SuiteError where the rule names a column that the gold does not have."""
    wanted = _wanted(gold, rule.columns or gold.names, "columns")
    for option in ("key", "sorted_by"):  # before anything of the found table counts
        _wanted(gold, getattr(rule, option), option)
    comparison = _Comparison(gold, found, rule)
    match = match_names([gold.names[place] for place in wanted], found.names)
    named = [(column, place) for column, place in zip(wanted, match.places, strict=True) if place is not None]
    lost = [column for column, place in zip(wanted, match.places, strict=True) if place is None]
    verdict = comparison.verdict(named, lost, match.near)
    free = [place for place in range(len(found.names)) if place not in {place for _, place in named}]
    if (rule.credit != "columns" and rule.names != "free") or not lost or not free:
        return verdict
    pairs = [comparison.pair(column, place) for column in lost for place in free]
    many = len(found.names) > _TIMES * len(gold.names) + _MORE
    renamed = columns_by_value(pairs, len(lost), len(free), many=many)
    if not renamed:
        return verdict
    more = [*named, *((lost[row], free[place]) for row, place in renamed)]
    still = [column for column in lost if column not in {column for column, _ in more}]
    other = comparison.verdict(more, still, match.near)
    named_otherwise = [(gold.names[lost[row]], found.names[free[place]]) for row, place in renamed]
    if rule.names == "free":
        return replace(other, notes=(*other.notes, *_renamed_notes(named_otherwise)))
    return _with_renamed(verdict, other, named_otherwise)


def _renamed_notes(renamed: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    notes = (f"column {found!r} holds the values of {name!r} under another name" for name, found in renamed)
    return tuple(notes)[:SHOWN]


def _with_renamed(verdict: TableVerdict, other: TableVerdict, renamed: Sequence[tuple[str, str]]) -> TableVerdict:
    """Columns known by their values alone lift a score to a half and no further, and are told."""
    told = tuple(
        Evidence(part=name[:200], verdict="wrong", expected=name[:200], found=found[:200], reason="another column name")
        for name, found in renamed
    )
    value = max(verdict.values["columns"], min(_RENAMED, other.values["columns"]))
    return replace(
        verdict,
        values={**verdict.values, "columns": value},
        reason=f"{verdict.reason}; {len(renamed)} columns known by their values alone",
        evidence=(*told[:SHOWN], *verdict.evidence),
        notes=(*verdict.notes, *_renamed_notes(renamed)),
        details={**other.details, "by_value": len(renamed)},
    )


def _wanted(gold: Table, names: Sequence[str], option: str) -> list[int]:
    places = match_names(names, gold.names)
    lost = [name for name, place in zip(names, places.places, strict=True) if place is None]
    if lost or places.near:
        raise SuiteError(
            f"the check names a column that the gold does not have ({option})",
            found=lost[0] if lost else places.near[0][0],
            expected=str(gold.names)[:500],
        )
    return [place for place in places.places if place is not None]


class _Comparison:
    """Two tables under a rule; columns are typed once, however often they are looked at."""

    def __init__(self, gold: Table, found: Table, rule: TableRule) -> None:
        self.gold = gold
        self.found = found
        self.rule = rule
        self._budgets = Budget(_READ), Budget(_JUDGED)
        self._typed: dict[tuple[int, int, bool], TypedColumn] = {}
        self._pairs: dict[tuple[int, int], ColumnPair] = {}

    def pair(self, column: int, place: int) -> ColumnPair:
        """A gold column and a found one."""
        if (column, place) not in self._pairs:
            name = self.gold.names[column]
            percent = any(word in name.casefold() for word in _PERCENT) or any(
                cell.endswith("%") for cell in self.gold.columns[column].head(_SAMPLE).to_list()
            )
            self._pairs[column, place] = ColumnPair(
                name,
                self._column(0, column, percent=percent),
                self._column(1, place, percent=percent),
                PairRule(self.rule.tolerance(name), self.rule.scaled, percent, self.rule.credit == "columns"),
                self._budgets[1],
            )
        return self._pairs[column, place]

    def _column(self, side: int, place: int, *, percent: bool) -> TypedColumn:
        if (side, place, percent) not in self._typed:
            text = (self.gold, self.found)[side].columns[place]
            self._typed[side, place, percent] = TypedColumn(text, self._budgets[0], percent=percent)
        return self._typed[side, place, percent]

    def verdict(
        self, kept: Sequence[tuple[int, int]], lost: Sequence[int], near: Sequence[tuple[str, str]]
    ) -> TableVerdict:
        """The verdict where columns stand for each other as in `kept`, and the gold columns of `lost` for nothing."""
        missing = [self.gold.names[column] for column in lost]
        if not kept:
            shown = ", ".join(self.found.names)[:200]
            return TableVerdict(
                reason=f"no column {', '.join(missing)[:500]}; found {shown}", evidence=no_columns(missing)
            )
        return without_wrong(
            self._judged(kept, missing, near),
            kept,
            self.rule.credit,
            lambda some, out: self._judged(some, missing, near, [self.gold.names[column] for column, _ in out]),
        )

    def _judged(
        self,
        kept: Sequence[tuple[int, int]],
        missing: Sequence[str],
        near: Sequence[tuple[str, str]],
        left_out: Sequence[str] = (),
    ) -> TableVerdict:
        pairs = [self.pair(*each) for each in kept]
        pairing = self._paired(pairs)
        chance = self._chance(kept, pairing)
        verdict = judged(Outcome(self.gold, self.found, pairs, missing, pairing, chance, left_out))
        return replace(verdict, notes=self._notes(pairs, near, len(kept) + len(left_out)))

    def _chance(self, kept: Sequence[tuple[int, int]], pairing: Pairing) -> Chance | None:
        """What invented numbers have right, rows paired as well as can be: by the gold, the rule and the columns alone.

        None where it makes no difference: whatever can be guessed is right throughout, or each row of the shorter
        table is, or nothing.
        """
        import numpy as np

        pairs = [self.pair(*each) for each in kept]
        heights = self.gold.height, self.found.height
        right = [int(flags.sum()) for flags in pairing.right]
        if self.rule.credit == "all" or not any(right) or min(right) == min(heights):
            return None
        inventable = np.array([is_inventable(pair) for pair in pairs])
        if all(some == max(heights) for some in np.extract(inventable, right)):
            return None
        drawn = [self._invented(kept, draw) for draw in range(draws(self.gold.height))]
        standing = Standing(
            (_steady([each.cells for each in drawn], self.gold.height) * inventable).tolist(),
            (_steady([each.credits for each in drawn], self.gold.height) * inventable).tolist(),
            float(_steady([[each.rows] for each in drawn], self.gold.height)[0]),
        )
        return Chance(standing, inventable.tolist())

    def _invented(self, kept: Sequence[tuple[int, int]], draw: int) -> Standing:
        """What one invented table has right."""
        scored = {column for column, _ in kept}
        places = [*kept, *(each for each in self._key_places() if each[0] not in scored)]
        cells = invented_columns([self.pair(*each) for each in places], draw)
        names = tuple(self.gold.names[column] for column, _ in places)
        other = _Comparison(self.gold, Table(names, tuple(cells), self.gold.height), self.rule)
        other._typed.update({key: column for key, column in self._typed.items() if key[0] == 0})
        pairs = [other.pair(column, place) for place, (column, _) in enumerate(kept)]
        return Standing.of(pairs, other._paired(pairs), self.gold.height)

    def _notes(self, pairs: Sequence[ColumnPair], near: Sequence[tuple[str, str]], compared: int) -> tuple[str, ...]:
        notes = [f"column {found!r} taken for {name!r}" for name, found in near]
        notes += [
            f"{pair.name}: {count} cells equal by {form}"
            for pair in pairs
            for form, count in pair.forms.items()
            if count
        ]
        surplus = len(self.found.names) - compared
        if surplus > 0:
            notes.append(f"{surplus} more columns, not compared")
        if refused := sum(budget.refused for budget in self._budgets):
            notes.append(f"{refused} cells of unusual form beyond the first {_JUDGED:,} were not looked at: wrong")
        return tuple(notes[:SHOWN])

    def _paired(self, pairs: Sequence[ColumnPair]) -> Pairing:
        """The rows paired as the rule says: freely, or so that they keep the order of the gold."""
        import numpy as np

        keys = self._keys(pairs)
        if self.rule.order == "any":
            return self._judge(pairs, *Alignment([*pairs, *keys[1]], key=keys[0]).pairs())
        lanes = self._lanes()
        both = np.arange(min(self.gold.height, self.found.height))
        by_place = (both, both)
        if self.rule.order == "sorted":
            there = np.full(self.found.height, -1)
            there[both] = lanes[both]
            by_place = Alignment([*pairs, *keys[1]], (lanes, there), keys[0]).pairs()
        placed = self._judge(pairs, *by_place)
        if placed.cells == len(pairs) * max(self.gold.height, self.found.height):
            return placed
        # Rows that are right where they are stay there; with them the free pairing is quickly found.
        whole = np.logical_and.reduce(placed.right)
        done = placed.gold[whole], placed.found[whole]
        gold, found = Alignment([*pairs, *keys[1]], key=keys[0], done=done).pairs()
        inside = _in_order(lanes[gold], found)
        chained = self._judge(pairs, gold[inside], found[inside])
        return max(placed, chained, key=lambda pairing: pairing.cells)

    def _judge(self, pairs: Sequence[ColumnPair], gold: Rows, found: Rows) -> Pairing:
        for pair in pairs:
            pair.forms.clear()
        with ThreadPoolExecutor(_THREADS) as threads:
            seen = list(threads.map(lambda pair: pair.glance(gold, found), pairs))
        return Pairing(gold, found, [pair.judge(gold, found, flags) for pair, flags in zip(pairs, seen, strict=True)])

    def _keys(self, pairs: Sequence[ColumnPair]) -> tuple[list[int], list[ColumnPair]]:
        """The places of the key columns among those that rows are aligned by, and those that are not scored."""
        known = {pair.name: number for number, pair in enumerate(pairs)}
        places: list[int] = []
        more: list[ColumnPair] = []
        for column, place in self._key_places():
            if self.gold.names[column] in known:
                places.append(known[self.gold.names[column]])
            else:
                places.append(len(pairs) + len(more))
                more.append(self.pair(column, place))
        return places, more

    def _key_places(self) -> list[tuple[int, int]]:
        """The key columns of the rule that the found table has, and where."""
        named = _wanted(self.gold, self.rule.key, "key") if self.rule.key else []
        match = match_names([self.gold.names[column] for column in named], self.found.names)
        return [(column, place) for column, place in zip(named, match.places, strict=True) if place is not None]

    def _lanes(self) -> Rows:
        """For each gold row the place in the order that it has, shared by rows that may change places."""
        import numpy as np

        lanes: Rows = np.arange(self.gold.height)
        if self.rule.order == "sorted":
            new = np.zeros(self.gold.height, dtype=bool)
            new[:1] = True
            for column in _wanted(self.gold, self.rule.sorted_by, "sorted_by"):
                text = self.gold.columns[column]
                new |= text.ne_missing(text.shift(1)).to_numpy()
            lanes = np.cumsum(new)
        return lanes


def _steady(shares: Sequence[Sequence[float]], height: int) -> NDArray[np.float64]:
    """What some invented tables have right on average, and as much more as another one of so many rows may by luck."""
    import numpy as np

    mean = np.mean(shares, axis=0)
    steady: NDArray[np.float64] = np.minimum(1.0, mean + np.sqrt(mean * (1 - mean) / height))
    return steady


def _in_order(lanes: Rows, found: Rows) -> Rows:
    """The longest part of some pairs whose lanes do not fall as the found rows go on."""
    import numpy as np

    order = np.argsort(found, kind="stable")
    sequence = lanes[order]
    if (np.diff(sequence) >= 0).all():
        return np.sort(order)
    ends: list[int] = []
    last: list[int] = []
    before = np.full(len(sequence), -1)
    for place, lane in enumerate(sequence.tolist()):
        length = bisect_right(ends, lane)
        before[place] = last[length - 1] if length else -1
        ends[length : length + 1], last[length : length + 1] = [lane], [place]
    chain: list[int] = []
    place = last[-1]
    while place >= 0:
        chain.append(place)
        place = int(before[place])
    inside: Rows = np.sort(order[chain])
    return inside
