"""Which row of one table stands for which row of another: once, for all columns together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice
from typing import TYPE_CHECKING

from benchwright.scorers.compare.groups import assign, in_order, members, mixed, pair_equal
from benchwright.scorers.compare.neighbours import match_within
from benchwright.scorers.compare.typed_column import MISSING, NUMBER, TypedColumn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchwright.scorers.compare.column_pair import ColumnPair

    Rows = NDArray[np.int64]
    Keys = NDArray[np.uint64]
    Counts = NDArray[np.int64]

_ASSIGN_CELLS = 4_000_000
"""Rows times rows times columns that are assigned at once."""
_ALL_CELLS = 40_000_000
"""The same over all groups of a table."""
_MOST_GROUPS = 20_000
_COVERED = 0.9
"""A key that so many gold rows are found by needs no rival."""
_FEW_ROWS = 50_000
_LONG = 10_000
"""Gold rows from which on it is worth while to look for a key before rows are compared in all columns."""
_MOST_COLUMNS = 16
"""Columns that are left out one at a time to find rows with one wrong cell."""
_NOISE = 4e-9
_NAMES_OF_KEYS = re.compile(
    r"(?:^|_)(?:id|key|code|index|no|nr|num|number|uuid|rank|year|quarter|month|week|day|date|hour|period|time|step|lag|bin|"
    r"cluster|fold|group|class|label|level|zone|region|epoch|age)(?:_|$)|id$",
)


class Alignment:
    """The pairs (gold row, found row) of two tables, each row at most once.

    `lanes`: rows of different lanes never pair; None where order is free. `key`: the columns that identify rows, where
    the task says which; otherwise they are looked for in the gold. `done`: pairs that are known.

    Pairs are found from the surest kind to the least
    sure: rows that agree in every cell; rows of one key; rows within the tolerances; rows with few wrong cells.
    """

    def __init__(
        self,
        columns: Sequence[ColumnPair],
        lanes: tuple[Rows, Rows] | None = None,
        key: Sequence[int] = (),
        done: tuple[Rows, Rows] | None = None,
    ) -> None:
        import numpy as np

        self.columns = columns
        self.key = key
        self._left = [np.arange(len(columns[0].gold)), np.arange(len(columns[0].found))]
        self._lanes = lanes or tuple(np.zeros(len(rows), dtype=np.int64) for rows in self._left)
        self._pairs: list[tuple[Rows, Rows]] = []
        self._cells = _ALL_CELLS
        if done is not None:
            self._take(*done)

    def pairs(self) -> tuple[Rows, Rows]:
        """All pairs, in the order of the gold."""
        import numpy as np

        for stage in (
            self._by_sure_key,
            self._equal,
            self._by_raw_key,
            self._read,
            self._equal,
            self._by_key,
            self._within,
            self._similar,
        ):
            if all(rows.size for rows in self._left):
                stage()
        partner = np.full(len(self._lanes[0]), -1)
        for gold, found in self._pairs:
            partner[gold] = found
        paired = np.flatnonzero(partner >= 0)
        return paired, partner[paired]

    def _take(self, gold: Rows, found: Rows) -> None:
        import numpy as np

        if not gold.size:
            return
        self._pairs.append((gold, found))
        for side, rows in enumerate((gold, found)):
            used = np.zeros(len(self._lanes[side]), dtype=bool)
            used[rows] = True
            self._left[side] = self._left[side][~used[self._left[side]]]

    def _codes(self, columns: Sequence[ColumnPair]) -> tuple[Keys, Keys]:
        """Keys of the rows that are left, over some columns."""
        import numpy as np

        gold, found = self._left
        return (
            mixed([self._lanes[0][gold].astype(np.uint64), *(column.gold.code[gold] for column in columns)]),
            mixed([self._lanes[1][found].astype(np.uint64), *(column.found.code[found] for column in columns)]),
        )

    def _equal(self) -> None:
        gold, found = pair_equal(*self._codes(self.columns))
        self._take(self._left[0][gold], self._left[1][found])

    def _read(self) -> None:
        for column in self.columns:
            column.gold.read(self._left[0])
            column.found.read(self._left[1])

    def _agreeing(self, gold: Rows, found: Rows) -> Counts:
        """How many cells of each pair of rows may agree; none where the lanes differ."""
        import numpy as np

        counts = np.zeros(len(gold), dtype=np.int64)
        for column in self.columns:
            counts += column.near(gold, found)
        counts[self._lanes[0][gold] != self._lanes[1][found]] = 0
        return counts

    def _by_sure_key(self) -> None:
        """Rows of a key that names every gold row once, and one found row for each.

        Rows that agree in every cell are among them, so that in a long table no other column has to be looked at.
        """
        if len(self._left[0]) < _LONG:
            return
        columns = next(self._unique_keys(), None)
        if columns:
            gold, found, distinct = self._matches(columns)
            if distinct == len(gold) == len(self._left[0]):
                self._take(gold, found)

    def _by_raw_key(self) -> None:
        """Rows of a key that is spelled the same in both tables, nearly always: nothing needs to be read for that."""
        self._by_key(_COVERED)

    def _by_key(self, least: float = 0.0) -> None:
        """Rows of the key that most gold rows are found by; of several found rows of one key the most alike."""
        best: tuple[float, tuple[Rows, Rows, int]] | None = None
        for columns in self._unique_keys():
            match = self._matches(columns)
            coverage = match[2] / len(self._left[0])
            if best is None or coverage > best[0]:
                best = coverage, match
            if best and best[0] > _COVERED:
                break
        if best and best[0] > least:
            self._take_alike(*best[1])

    def _unique_keys(self) -> Iterator[list[ColumnPair]]:
        """The key that the task states, else those that are looked for, where they name every gold row once."""
        stated = [self.columns[place] for place in self.key]
        return (columns for columns in ([stated] if stated else _keys(self.columns)) if columns and _unique(columns))

    def _matches(self, columns: Sequence[ColumnPair]) -> tuple[Rows, Rows, int]:
        """Pairs of rows that are left and agree in columns that name gold rows once; how many gold rows have one."""
        import numpy as np

        gold, found = self._codes(columns)
        (_, order), (_, others) = (in_order(side, max(len(gold), len(found))) for side in (gold, found))
        sides = gold[order], found[others]
        if np.array_equal(*sides):  # rows that were only shuffled need not be searched
            place = np.arange(len(gold))
        else:
            place = np.minimum(np.searchsorted(sides[0], sides[1]), len(gold) - 1)
        known = sides[0][place] == sides[1]
        golds = self._left[0][order[place[known]]]
        return golds, self._left[1][others[known]], int((np.diff(golds, prepend=-1) != 0).sum())

    def _take_alike(self, gold: Rows, found: Rows, distinct: int) -> None:
        import numpy as np

        if distinct < len(gold):
            ranked = np.lexsort((found, -self._agreeing(gold, found), gold))
            first = ranked[np.unique(gold[ranked], return_index=True)[1]]
            gold, found = gold[first], found[first]
        self._take(gold, found)

    def _within(self) -> None:
        """Rows that agree within the tolerances: first within what float arithmetic leaves, then wholly."""
        for noise in (True, False):
            if all(rows.size for rows in self._left):
                gold, found = self._clusters(noise=noise)
                self._take_within(self.columns, (mixed(gold), mixed(found)))

    def _take_within(self, columns: Sequence[ColumnPair], keys: tuple[Keys, Keys]) -> bool:
        """Pairs of rows with equal keys that may agree in all of some columns; whether there are any."""
        gold, found = match_within((self._left[0], self._left[1]), keys, columns)
        good = self._agreeing(gold, found) >= len(columns)
        self._take(gold[good], found[good])
        return bool(good.any())

    def _clusters(self, *, noise: bool) -> tuple[list[Keys], list[Keys]]:
        """Codes of the rows that are left, column by column, that are equal wherever cells agree within the tolerance.

        Numbers are cut into clusters where neighbours are further apart than the tolerance, so that no pair within it
        is ever cut.
        """
        import numpy as np

        gold, found = self._left
        codes: tuple[list[Keys], list[Keys]] = (
            [self._lanes[0][gold].astype(np.uint64)],
            [self._lanes[1][found].astype(np.uint64)],
        )
        for column in self.columns:
            values = np.concatenate([column.gold.number[gold], column.found.number[found]])
            code = np.concatenate([column.gold.code[gold], column.found.code[found]])
            numbers = np.flatnonzero(np.isfinite(values))
            order = numbers[np.argsort(values[numbers])]
            ordered = values[order]
            size = np.maximum(np.abs(ordered[1:]), np.abs(ordered[:-1]))
            apart = np.diff(ordered) > (_NOISE * size if noise else column.reach(size) * (1 + 1e-6))
            code[order] = np.concatenate([[0], np.cumsum(apart)])[: len(order)].astype(np.uint64)
            codes[0].append(code[: len(gold)])
            codes[1].append(code[len(gold) :])
        return codes

    def _take_groups(self, gold: Keys, found: Keys) -> None:
        """Pairs within groups of one key: rows that are the only ones of it on either side, else by assignment."""
        import numpy as np

        left = self._left[0], self._left[1]
        first = pair_equal(gold, found)
        rows = left[0][first[0]], left[1][first[1]]
        good = self._agreeing(*rows) >= 1
        single = _alone(gold)[first[0]] & _alone(found)[first[1]]
        self._take(rows[0][good & single], rows[1][good & single])
        if not single.all():
            _, starts = np.unique(gold[first[0]][~single], return_index=True)
            keys = gold[first[0]][~single][np.sort(starts)[:_MOST_GROUPS]]
            among = np.flatnonzero(np.isin(gold, keys)), np.flatnonzero(np.isin(found, keys))
            groups = members(gold[among[0]], found[among[1]])
            self._take_each(groups, left[0][among[0]], left[1][among[1]])

    def _take_each(self, groups: Sequence[tuple[Rows, Rows]], gold: Rows, found: Rows) -> None:
        import numpy as np

        taken: list[tuple[Rows, Rows]] = [(gold[:0], found[:0])]
        for golds, founds in groups:
            if self._afford(gold[golds], found[founds]):
                taken.append(assign(gold[golds], found[founds], self._agreeing))
        self._take(np.concatenate([pair[0] for pair in taken]), np.concatenate([pair[1] for pair in taken]))

    def _afford(self, gold: Rows, found: Rows) -> bool:
        cells = len(gold) * len(found) * len(self.columns)
        if cells > min(_ASSIGN_CELLS, self._cells):
            return False
        self._cells -= cells
        return True

    def _similar(self) -> None:
        """Rows with wrong cells: within a repeated key, by assignment where few are left, else all columns but one."""
        named = [self.columns[place] for place in self.key] or [*_textual(self.columns)]
        if named and len(named) < len(self.columns):
            self._take_groups(*self._codes(named))
        for take in (self._take_but_one, self._take_by_one):
            if self._assign_rest():
                return
            take()
        self._assign_rest()

    def _assign_rest(self) -> bool:
        """Assign what is left, if it is little enough."""
        if not all(rows.size for rows in self._left):
            return True
        if not self._afford(*self._left):
            return False
        self._take(*assign(self._left[0], self._left[1], self._agreeing))
        return True

    def _take_but_one(self) -> None:
        """Rows that agree in all columns but one."""
        keys, fresh = self._clusters(noise=False), True
        for place in range(min(len(self.columns), _MOST_COLUMNS)):
            if not all(rows.size for rows in self._left):
                return
            keys = keys if fresh else self._clusters(noise=False)
            rest = [*self.columns[:place], *self.columns[place + 1 :]]
            chosen = [mixed([side[0], *side[1 : place + 1], *side[place + 2 :]]) for side in keys]
            fresh = not rest or not self._take_within(rest, (chosen[0], chosen[1]))

    def _take_by_one(self) -> None:
        """Rows that agree in one column."""
        for place in range(min(len(self.columns), _MOST_COLUMNS)):
            if not all(rows.size for rows in self._left):
                return
            gold, found = (mixed([side[0], side[place + 1]]) for side in self._clusters(noise=False))
            rows = pair_equal(gold, found)
            pairs = self._left[0][rows[0]], self._left[1][rows[1]]
            good = self._agreeing(*pairs) >= 1
            self._take(pairs[0][good], pairs[1][good])


def _alone(keys: Keys) -> NDArray[np.bool_]:
    """Which keys stand once only."""
    import numpy as np

    _, place, times = np.unique(keys, return_inverse=True, return_counts=True)
    alone: NDArray[np.bool_] = times[place] == 1
    return alone


def _is_textual(column: ColumnPair) -> bool:
    """Whether the gold is mostly not numbers."""
    return bool((column.sample.kind == NUMBER).mean() < 0.5)


def _textual(columns: Sequence[ColumnPair]) -> Iterator[ColumnPair]:
    return (column for column in columns if _is_textual(column))


def _keys(columns: Sequence[ColumnPair]) -> Iterator[list[ColumnPair]]:
    """Sets of columns that may identify rows: single texts and identifiers, pairs of them, all texts, all discrete."""
    usable: list[ColumnPair] = []
    for column in key_columns(columns):
        usable.append(column)
        yield [column]
    if len(columns[0].gold) <= _FEW_ROWS:
        yield from map(list, combinations(usable[:6], 2))
    yield [*_textual(columns)]
    yield [*_textual(columns), *_named(columns)]
    yield [column for column in columns if _is_textual(column) or _whole(column.sample)]


def key_columns(columns: Sequence[ColumnPair]) -> Iterator[ColumnPair]:
    """The columns that may identify rows each by itself: texts, and whole numbers that are named as keys are."""
    possible = chain(_textual(columns), _named(columns))
    return islice((column for column in possible if (column.sample.kind != MISSING).all()), _MOST_COLUMNS)


def _named(columns: Sequence[ColumnPair]) -> Iterator[ColumnPair]:
    return (
        column
        for column in columns
        if _is_named_as_key(column.name) and not _is_textual(column) and _whole(column.sample)
    )


def _unique(columns: Sequence[ColumnPair]) -> bool:
    """Whether no two gold rows agree in these columns."""
    import numpy as np

    # Most columns repeat themselves at once.
    for rows in (slice(1000), slice(None)):
        codes = np.sort(mixed([column.gold.code[rows] for column in columns]))
        if (codes[1:] == codes[:-1]).any():
            return False
    return True


def _whole(column: TypedColumn) -> bool:
    import numpy as np

    numbers = column.number[column.kind == NUMBER]
    return bool((numbers == np.floor(numbers)).all())


def _is_named_as_key(name: str) -> bool:
    spaced = re.sub(r"([a-z])([A-Z])", r"\1_\2", name)
    return bool(_NAMES_OF_KEYS.search(re.sub(r"\W+", "_", spaced).casefold()))
