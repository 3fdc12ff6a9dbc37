"""What a report holds, before anything decides how it looks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchwright.publishing.plots.figures import Figure
from benchwright.publishing.tables import Number, Table

Sentence = tuple[str | Number, ...]
"""Words and the numbers among them."""


def plain(sentence: Sentence) -> str:
    """The sentence as text."""
    return "".join(part if isinstance(part, str) else part.text for part in sentence)


@dataclass(frozen=True, slots=True)
class Card:
    """One figure that a reader takes in at a glance."""

    what: str
    figure: str | Number
    about: Sentence = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing about how the runs were made."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report under one heading; `notes` stand before its tables and figures."""

    name: str
    title: str
    notes: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    facts: tuple[Fact, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self.figures or self.tables or self.facts)


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report: `verdict` is what a reader in a hurry takes along."""

    title: str
    about: str
    verdict: tuple[Sentence, ...]
    cards: tuple[Card, ...]
    sections: tuple[Section, ...]

    @property
    def tables(self) -> Iterator[Table]:
        """Every table, in order."""
        for section in self.sections:
            yield from section.tables
