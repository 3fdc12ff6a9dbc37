"""What a reader in a hurry takes along: who is best, whether that is more than noise, what it cost, what fails most."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from benchwright.analysis.failures import title_of
from benchwright.analysis.statistics.pairs import smallest_p
from benchwright.publishing.report.contents import Card, Sentence
from benchwright.publishing.report.source import Source
from benchwright.publishing.tables import Row, Table

_ALPHA = 0.05
_LETTER = re.compile("[a-z]'*")
_NOT_MADE = title_of("not_run")
_NAMED = 4
"""Agents named one by one in a sentence."""


class Verdict:
    """The verdict over a report's tables, by their names; each sentence stands where they say something."""

    def __init__(self, source: Source, tables: Mapping[str, Table]) -> None:
        self.source, self.tables = source, tables
        self.at = self._place()
        rows = tables["accuracy"].rows
        self.best: Row = rows[self.at] if rows else {}

    def _place(self) -> int:
        """The row of the best agent; that which runs the reference solutions is none, where there is another."""
        rows, sides = self.tables["accuracy"].rows, self.source.overview.sides
        return next((at for at, row in enumerate(rows) if not sides[row["title"]].cell.is_reference), 0)

    def sentences(self) -> Iterator[Sentence]:
        """One sentence a line."""
        if self.best.get("mean") is None:
            yield ("No task has a verdict: nothing can be said of these runs.",)
            return
        whole = self.tables["whole"]
        if not whole.rows[0]["attempts"]:
            yield ("None of ", whole.number(0, "planned"), " planned attempts was made: nothing can be said yet.")
            return
        yield self._who()
        yield from self._missing()
        if self.tables["places"].rows and self.best["mean"]:
            yield (self._apart(),)
            yield from self._too_few()
        yield from self._ceiling()
        yield from self._cost()
        yield from self._failing()
        if self.best["mean"]:
            yield from self._weakest()

    def _who(self) -> Sentence:
        table, task = self.tables["accuracy"], "task" if self.best["tasks"] == 1 else "tasks"
        mean, low, high, tasks = (table.number(self.at, name) for name in ("mean", "low", "high", "tasks"))
        ahead = self._ahead()
        if not self.best["mean"]:
            who = f"No agent gets anything right: the highest {self.source.mode} mean is "
        elif len(ahead) > 1:
            who = f"{listed([self._called(title) for title in ahead])} share the highest {self.source.mode} mean, "
        else:
            who = f"{self._called(self.best['title'])} reaches the highest {self.source.mode} mean, "
        told: Sentence = (who, mean, " [", low, ", ", high, "] over ", tasks, f" {task}")
        other = table.number(self.at, "other_mean") if self.source.other else None
        if other is None or other.value is None:
            return (*told, ".")
        return (*told, f"; by the {self.source.other} verdict it is ", other, ".")

    def _ceiling(self) -> Iterator[Sentence]:
        """What the reference solutions reach, where they compete with others."""
        table, sides = self.tables["accuracy"], self.source.overview.sides
        for at, row in enumerate(table.rows):
            if row is not self.best and sides[row["title"]].cell.is_reference and row["mean"] is not None:
                who = self._called(row["title"])
                yield (who, ", which runs the reference solutions, reaches ", table.number(at, "mean"), ".")

    def _ahead(self) -> list[str]:
        """The agents with the highest mean; the reference solutions are none."""
        rows, sides = self.tables["accuracy"].rows, self.source.overview.sides
        return [
            row["title"]
            for row in rows
            if row["mean"] == self.best["mean"] and (row is self.best or not sides[row["title"]].cell.is_reference)
        ]

    def _called(self, title: str) -> str:
        """An agent by what tells it apart from the others."""
        return self.source.labels[title]

    def _missing(self) -> Iterator[Sentence]:
        """What was planned and not made, and whether nothing was left whole."""
        whole = self.tables["whole"]
        row, number = whole.rows[0], whole.number
        if row["not_made"]:
            planned = number(0, "planned")
            yield (number(0, "not_made"), " of ", planned, " planned attempts were not made; they count 0.")
        if row["broken"] and row["broken"] == row["attempts"]:
            yield ("Every attempt broke: these means say little of what the agents can do.",)

    def _too_few(self) -> Iterator[Sentence]:
        """Whether the test could have told any two agents apart."""
        groups, pairs = self.best["clusters"], len(self.tables["pairs"].rows) if "pairs" in self.tables else 0
        if pairs and smallest_p(groups) * pairs > _ALPHA:
            told = self.tables["accuracy"].number(self.at, "clusters")
            so_few = " groups of tasks and so many agents, no difference could pass the test."
            yield ("With no more than ", told, so_few)

    def _apart(self) -> str:
        """Whether the first place is more than noise."""
        rows = self.tables["places"].rows
        first = next(row for row in rows if row["title"] == self.best["title"])
        sides = self.source.overview.sides
        rest = [row for row in rows if row is not first and not sides[row["title"]].cell.is_reference]
        if not rest:
            return "There is no other agent to compare it with."
        mine = set(_LETTER.findall(first["group_letters"]))
        like = [self._called(row["title"]) for row in rest if mine & set(_LETTER.findall(row["group_letters"]))]
        it = "it" if len(self._ahead()) == 1 else self._called(self.best["title"])
        if not like:
            return "That is more than noise: the paired test tells it apart from every other agent."
        told = f"That is not more than noise: on these tasks {it} cannot be told apart from {listed(like)}"
        others = len(rest) - len(like)
        return f"{told}; it can from {'the other' if others == 1 else f'the other {others}'}." if others else f"{told}."

    def _cost(self) -> Iterator[Sentence]:
        table = self.tables["cost"]
        at = next((at for at, row in enumerate(table.rows) if row["title"] == self.best["title"]), None)
        if at is None or not table.rows[at]["usd_per_right"]:
            return
        told: Sentence = ("A right answer of it costs ", table.number(at, "usd_per_right"))
        paid = [(row["usd_per_right"], place) for place, row in enumerate(table.rows) if row["usd_per_right"]]
        low, place = min(paid)
        if place != at and low < table.rows[at]["usd_per_right"]:
            told = (
                *told,
                "; the cheapest is ",
                self._called(table.rows[place]["title"]),
                " with ",
                table.number(place, "usd_per_right"),
            )
        yield (*told, ".")

    def _failing(self) -> Iterator[Sentence]:
        """The class that most failures are of, over all agents."""
        table = self.tables.get("failure_classes")
        at = next((at for at, row in enumerate(table.rows) if row["failure"] != _NOT_MADE), None) if table else None
        if table and at is not None:
            share: Sentence = (table.number(at, "share"), " of the failures of all agents")
            yield ("What fails most: ", table.rows[at]["failure"], ", ", *share, ".")

    def _weakest(self) -> Iterator[Sentence]:
        """Where the best agent is at its lowest, by domain."""
        table = self.tables.get("by_domain")
        mine = [
            (row["mean"], at)
            for at, row in enumerate(table.rows if table else ())
            if row["title"] == self.best["title"] and row["tasks"] >= 3  # of fewer the lowest is chance
        ]
        if table and len(mine) > 1 and min(mine)[0] < max(mine)[0]:
            _, at = min(mine)
            yield (f"Its lowest domain is {table.rows[at]['label']}: ", table.number(at, "mean"), ".")

    def cards(self) -> Iterator[Card]:
        """Figures at a glance."""
        if self.best.get("mean") is None:
            return
        accuracy, cost = self.tables["accuracy"], self.tables["cost"]
        yield Card("highest mean", accuracy.number(self.at, "mean"), (self._called(self.best["title"]),))
        known = [(row["usd_per_right"], at) for at, row in enumerate(cost.rows) if row["usd_per_right"]]
        if known:
            _, at = min(known)
            who = self._called(cost.rows[at]["title"])
            yield Card("cheapest right answer", cost.number(at, "usd_per_right"), (who,))
        every = list(enumerate(accuracy.rows))[self.at :]
        found = [(row["discovery"], at) for at, row in every if row["discovery"] is not None]
        if found:
            _, at = max(found, key=lambda pair: (pair[0], -pair[1]))
            who = self._called(accuracy.rows[at]["title"])
            yield Card("most often all files found", accuracy.number(at, "discovery"), (who,))
        whole = self.tables["whole"]
        for name, what in (("broken", "broken attempts"), ("unscored", "attempts without a verdict")):
            if whole.rows[0][name]:
                yield Card(what, whole.number(0, name), ("of ", whole.number(0, "attempts"), "; they count 0"))


def listed(names: Sequence[str]) -> str:
    """Names in a sentence; of many the first."""
    shown = list(names[:_NAMED])
    if len(names) > _NAMED:
        shown.append(f"{len(names) - _NAMED} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
