"""A gold column against the column that stands for it: which cells are right, for many rows at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from operator import ne
from typing import TYPE_CHECKING

from benchwright.scorers.compare.cells import CellRule, cell_fault, read_cell
from benchwright.scorers.compare.numbers import Number
from benchwright.scorers.compare.table_rule import NOISE, Tolerance
from benchwright.scorers.compare.typed_column import MISSING, MOMENT, NUMBER, TEXT, TRUTH, Budget, TypedColumn, hashes

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]
    Flags = NDArray[np.bool_]
    Floats = NDArray[np.float64]

_TYPICAL_SHARE = 0.1
"""How much of what a column's numbers typically are a scaled absolute tolerance may be."""
_WHOLE_NOISE = 1e-4
"""How far a whole number may be off by what float arithmetic leaves."""
_IDENTIFIER = Decimal(10) ** 15
_SURE_NOISE = 0.999 * float(NOISE)
_EXACT_ABOVE = 3.9e8
"""Whole numbers beyond are exact, though the noise of their size would reach the next one."""
_TRUTHS = (TRUTH, NUMBER, TEXT)
_TRUTH_WORDS = {"yes": 1.0, "y": 1.0, "t": 1.0, "no": 0.0, "n": 0.0, "f": 0.0}
_SAMPLE = 1000
_PROBE = 1100
"""Pairs of rows of which more than `_SAMPLE` differ where nearly all of a column's do."""
_BLOCK = 8192
"""Rows that are looked at together, so that what is computed of them stays in the processor's cache."""


@dataclass(frozen=True, slots=True)
class PairRule:
    """How the cells of one column are compared."""

    tolerance: Tolerance
    scaled: bool = False
    percent: bool = False
    truths: bool = False


class ColumnPair:
    """A gold column and the found column that stands for it.

    Plain numbers are judged as floats where those decide beyond doubt; what is left is judged cell by cell, exactly, by
    `cells.cell_fault`, each pair of texts once and no more of them than the budget has.
    """

    def __init__(self, name: str, gold: TypedColumn, found: TypedColumn, rule: PairRule, budget: Budget) -> None:
        self.name = name
        self.gold = gold
        self.found = found
        self.rule = rule
        self.forms: Counter[str] = Counter()
        self._budget = budget
        self._verdicts: dict[tuple[str, str], bool] = {}

    @cached_property
    def sample(self) -> TypedColumn:
        """The first gold cells, read: what kind of column this is."""
        import numpy as np

        sample = TypedColumn(self.gold.text.head(_SAMPLE), Budget(_SAMPLE))
        sample.read(np.arange(len(sample)))
        return sample

    @property
    def typical(self) -> float:
        """The median size of the gold's numbers, where tolerances are scaled by it."""
        return self.gold.typical if self.rule.scaled and self.rule.tolerance.absolute else 0.0

    @property
    def places(self) -> int:
        """The most decimals that a number of the gold has."""
        return self.gold.places

    def allowance(self, value: Floats) -> Floats:
        """By how much a number may differ from a gold value, by the tolerances alone."""
        import numpy as np

        size = np.abs(value)
        relative = float(self.rule.tolerance.relative)
        share = relative * size
        if relative <= float(NOISE) and not self.gold.has_fractions:
            share = np.where((size == np.floor(size)) & (share > 0.4), 0.4, share)
        absolute = np.full_like(size, float(self.rule.tolerance.absolute))
        if self.typical:
            absolute = np.minimum(absolute, _TYPICAL_SHARE * np.maximum(size, self.typical))
        allowed: Floats = np.maximum(absolute, share)
        return allowed

    def reach(self, value: Floats) -> Floats:
        """By how much a number that is right may differ at most: the tolerance, or further digits than the gold has."""
        import numpy as np

        further = 0.5 * 10.0**-self.places if self.places else _WHOLE_NOISE
        reach: Floats = np.maximum(self.allowance(value), further)
        return reach

    def near(self, gold: Rows, found: Rows) -> Flags:
        """Which pairs of rows may agree: all that do, and few others. Reads the cells of these rows."""
        import numpy as np

        self.gold.read(gold)
        self.found.read(found)
        left, right = self.gold.number[gold], self.found.number[found]
        with np.errstate(invalid="ignore"):
            close: Flags = np.abs(left - right) <= self.reach(left) * (1 + 1e-9)
        close |= self.gold.code[gold] == self.found.code[found]
        return close

    def glance(self, gold: Rows, found: Rows) -> Flags:
        """Which pairs of rows agree at first sight; reads no cell, so that columns can be looked at side by side."""
        import numpy as np

        # Either rule may come first; texts that mostly differ need not be compared where numbers decide.
        if self._differ_much(gold[:_PROBE], found[:_PROBE]):
            verdict = self._within_noise(gold, found)
            undecided = np.flatnonzero(~verdict)
            verdict[undecided] = self._spelled_alike(gold[undecided], found[undecided])
            return verdict
        verdict = self._spelled_alike(gold, found)
        undecided = np.flatnonzero(~verdict)
        if undecided.size > _SAMPLE:
            verdict[undecided] = self._within_noise(gold[undecided], found[undecided])
        return verdict

    def _differ_much(self, gold: Rows, found: Rows) -> bool:
        """Whether no cell was read and more than `_SAMPLE` pairs of rows are spelled otherwise."""
        if len(gold) < _PROBE or not (self.gold.untouched and self.found.untouched):
            return False
        if self.gold.text[int(gold[0])] == self.found.text[int(found[0])]:
            return False
        texts = self.gold.text.gather(gold).to_list(), self.found.text.gather(found).to_list()
        differing: int = sum(map(ne, *texts))
        return differing > _SAMPLE

    def judge(self, gold: Rows, found: Rows, verdict: Flags) -> Flags:
        """Which pairs of rows agree, where `glance` gave `verdict`."""
        import numpy as np

        undecided: Rows = np.flatnonzero(~verdict)
        if undecided.size:
            self.gold.read(gold[undecided])
            self.found.read(found[undecided])
            agree: Rows = undecided[self.gold.code[gold[undecided]] == self.found.code[found[undecided]]]
            verdict[agree] = True
            undecided = np.flatnonzero(~verdict)
        for judge in (self._numbers, self._kinds, self._cells):
            if undecided.size:
                undecided, agree = judge(gold, found, undecided)
                verdict[agree] = True
        return verdict

    def _spelled_alike(self, gold: Rows, found: Rows) -> Flags:
        """Which pairs of rows have equal texts, or equal values where that is known."""
        if (
            self.gold.untouched
            and self.found.untouched
            and _is_all(gold, len(self.gold))
            and _is_all(found, len(self.found))
        ):
            alike: Flags = (self.gold.text == self.found.text).to_numpy().copy()
            return alike
        same: Flags = self.gold.codes(gold) == self.found.codes(found)
        return same

    def _within_noise(self, gold: Rows, found: Rows) -> Flags:
        """Which pairs are fractions that differ by noise only: what can be told without reading the cells."""
        import numpy as np

        golds, founds = self.gold.floats, self.found.floats
        alike = np.empty(len(gold), dtype=bool)
        with np.errstate(invalid="ignore"):
            for at in range(0, len(gold), _BLOCK):
                left, right = golds[gold[at : at + _BLOCK]], founds[found[at : at + _BLOCK]]
                near = np.abs(left - right) <= _SURE_NOISE * np.minimum(np.abs(left), _EXACT_ABOVE)
                # Whole numbers may be identifiers.
                alike[at : at + _BLOCK] = near & (left != np.floor(left))
        return alike

    def _numbers(self, gold: Rows, found: Rows, at: Rows) -> tuple[Rows, Rows]:
        """What is left undecided, and what agrees, of the pairs at some places: plain numbers."""
        import numpy as np

        plain = (self.gold.kind[gold[at]] == NUMBER) & (self.found.kind[found[at]] == NUMBER)
        numbers, others = at[plain], at[~plain]
        left, right = self.gold.number[gold[numbers]], self.found.number[found[numbers]]
        gap = np.abs(left - right)
        # Within the noise that is always allowed, nothing else has to be looked at.
        noise = gap <= _SURE_NOISE * np.minimum(np.abs(left), _EXACT_ABOVE)
        agreed = numbers[noise]
        if len(agreed) == len(numbers):
            return others, agreed
        numbers, left, right, gap = numbers[~noise], left[~noise], right[~noise], gap[~noise]
        within = gap <= (1 - 1e-8) * self.allowance(left)
        agreed = np.concatenate([agreed, numbers[within]])
        if within.all():
            return others, agreed
        numbers, left, right, gap = numbers[~within], left[~within], right[~within], gap[~within]
        reach = self.reach(left)
        doubt = 1e-9 * reach + 4 * np.finfo(float).eps * np.maximum(np.abs(left), np.abs(right))
        # Two numbers of the gold's decimals that are less than half a step apart are equal: these have more decimals.
        agree = gap <= reach - doubt
        return np.concatenate([others, numbers[~agree & (gap <= reach + doubt)]]), np.concatenate(
            [agreed, numbers[agree]]
        )

    def _kinds(self, gold: Rows, found: Rows, at: Rows) -> tuple[Rows, Rows]:
        """The same by what kinds of cells they are; what agrees in value agrees, other kinds mostly do not."""
        import numpy as np

        golds, founds = gold[at], found[at]
        agree = np.zeros(len(at), dtype=bool)
        if self.rule.truths:
            agree = self._as_truths(golds, founds) | self._as_dates(golds, founds)
        return at[~agree & ~self._apart(golds, founds)], at[agree]

    def _apart(self, gold: Rows, found: Rows) -> Flags:
        """Which pairs, of unequal codes, cannot agree, as their kinds show."""
        left, right = self.gold.kind[gold], self.found.kind[found]
        text = self.found.text.gather(found)
        apart: Flags = (left != MISSING) & ((right == MISSING) | ((left == TEXT) & (right == TEXT)))
        apart |= (
            ((left == TEXT) != (right == TEXT)) & (left != MISSING) & ~text.str.contains(",", literal=True).to_numpy()
        )
        apart |= (left == MISSING) & (text.str.len_bytes() > 4).to_numpy()
        moments = (left == MOMENT) & (right == MOMENT)
        if moments.any():
            apart |= moments & _is_iso(self.gold.text.gather(gold)) & _is_iso(text)
        return apart

    def _as_truths(self, gold: Rows, found: Rows) -> Flags:
        """Which pairs are a truth value on one side, and on the other what is often written for it."""
        import numpy as np

        kinds = self.gold.kind[gold], self.found.kind[found]
        alike: Flags = (kinds[0] == TRUTH) != (kinds[1] == TRUTH)
        at = np.flatnonzero(alike & np.isin(kinds[0], _TRUTHS) & np.isin(kinds[1], _TRUTHS))
        words = (kinds[0][at] == TEXT) | (kinds[1][at] == TEXT)
        same = _truths(self.gold, gold[at]) == _truths(self.found, found[at])
        for form, which in (("truth values written as 1 and 0", ~words), ("truth values written as yes and no", words)):
            self.forms[form] += int((same & which).sum())
        alike[:] = False
        alike[at[same]] = True
        return alike

    def _as_dates(self, gold: Rows, found: Rows) -> Flags:
        """Which pairs are a date and its digits alone: 20240131."""
        import numpy as np

        alike = np.zeros(len(gold), dtype=bool)
        at = np.flatnonzero((self.gold.kind[gold] == MOMENT) & (self.found.kind[found] == NUMBER))
        if at.size:
            digits = self.found.text.gather(found[at]).str.strip_chars()
            dates = digits.str.replace(r"^(\d{4})(\d\d)(\d\d)$", "$1-$2-$3")
            alike[at] = hashes(dates) == self.gold.code[gold[at]]
            self.forms["dates written without separators"] += int(alike.sum())
        return alike

    def _cells(self, gold: Rows, found: Rows, at: Rows) -> tuple[Rows, Rows]:
        """The same by exact comparison of texts, each pair once; nothing is left undecided."""
        import numpy as np
        import polars as pl

        pairs = pl.DataFrame({"gold": self.gold.text.gather(gold[at]), "found": self.found.text.gather(found[at])})
        _, first, place = np.unique(pairs.hash_rows().to_numpy(), return_index=True, return_inverse=True)
        order = np.argsort(first)
        distinct = pairs[first[order]]
        verdicts = np.zeros(len(first), dtype=bool)
        for number, (left, right) in zip(order.tolist(), distinct.iter_rows(), strict=True):
            verdicts[number] = self._agree(left, right)
        agree: Flags = verdicts[place]
        for form, count in _forms(pairs.filter(pl.Series(agree))).items():
            self.forms[form] += count
        return at[:0], at[agree]

    def _agree(self, gold: str, found: str) -> bool:
        known = self._verdicts.get((gold, found))
        if known is None:
            known = bool(self._budget.take(1)) and not self.fault(gold, found)
            self._verdicts[gold, found] = known
        return known

    def fault(self, gold: str, found: str) -> str:
        """Why the text of a found cell is wrong; empty if it says what the gold says."""
        return cell_fault(gold, found, self._cell_rule(gold))

    def _cell_rule(self, gold: str) -> CellRule:
        value = read_cell(gold)
        absolute, relative = self.rule.tolerance.absolute, self.rule.tolerance.relative
        if isinstance(value, Number):
            size = abs(value.value)
            if self.typical:
                absolute = min(absolute, Decimal(_TYPICAL_SHARE) * max(size, Decimal(self.typical)))
            if value.is_integer and size >= _IDENTIFIER:
                absolute = relative = Decimal(0)
            elif (
                value.is_integer
                and not self.gold.has_fractions
                and relative <= NOISE
                and size * relative > Decimal("0.4")
            ):
                absolute, relative = max(absolute, Decimal("0.4")), Decimal(0)
        return CellRule(self.places, absolute, relative, percent=self.rule.percent, truths=self.rule.truths)


def _truths(column: TypedColumn, rows: Rows) -> Floats:
    """1 and 0 for true and false as some cells say it; NaN for other texts."""
    import numpy as np
    import polars as pl

    said = column.text.gather(rows).str.strip_chars().str.to_lowercase()
    words = said.replace_strict(_TRUTH_WORDS, default=None, return_dtype=pl.Float64).to_numpy()
    found: Floats = np.where(column.kind[rows] == TEXT, words, column.number[rows])
    return found


def _is_iso(text: pl.Series) -> Flags:
    """Which cells are dates, with whole seconds or no time, in the form that says the same in one way only."""
    iso: Flags = text.str.contains(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2})?$").to_numpy()
    return iso


def _is_all(rows: Rows, height: int) -> bool:
    """Whether some rows are all rows of a table, in their order."""
    return len(rows) == height and bool((rows[1:] > rows[:-1]).all())


def _forms(pairs: pl.DataFrame) -> dict[str, int]:
    """By which rules cells agreed that are not spelled alike, and how many did."""
    signs = {"a percent sign": "%", "separators between digits": ","}
    counts = {
        form: int(
            (pairs["gold"].str.contains(sign, literal=True) != pairs["found"].str.contains(sign, literal=True)).sum()
        )
        for form, sign in signs.items()
    }
    return {form: count for form, count in counts.items() if count}
