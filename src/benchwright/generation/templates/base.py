"""What a template is, and the steps and sentences that many of them share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from benchwright.generation.templates.drafting import Move, Sketch
from benchwright.generation.templates.tables import Field, Source
from benchwright.generation.workflow import Material

T = TypeVar("T")
Over = Callable[[Material, Sequence[Source]], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Template:
    """A kind of task. `over` lists what it is made of, tables by default; `make` gives None for unfit ones."""

    name: str
    make: Callable[[Any, Random], Sketch | None]
    over: Over = lambda _, sources: sources


_LOADS = {
    "sqlite": ("Database Interaction and SQL", "Data Ingestion and Processing"),
    "workbook": ("Excel File Handling and Automation", "Data Import and Library Setup"),
    "json": ("Data Extraction from JSON", "Parsing and Reading Data Files"),
    "jsonl": ("Data Extraction from JSON", "Parsing and Reading Data Files"),
    "gzip": ("Compression and Archiving", "Data Loading with Pandas"),
}


def load(source: Source, frame: str = "df") -> Move:
    """The table as it is. Whoever cannot read it has no answer at all, so nothing is shown by leaving it out."""
    skills = _LOADS.get(source.profile.format, ("Data Loading with Pandas", "CSV Processing"))
    return Move(skills, f"Read the table on {source.about}.", f"{frame} = {source.reader}")


def complete(fields: Sequence[Field], frame: str = "df") -> tuple[Move, ...]:
    """Leave rows with gaps out, where there are any; whoever does not think of gaps counts them as nothing."""
    if not any(field.column.nulls for field in fields):
        return ()
    listed = ", ".join(field.q for field in fields)
    zeros = "{" + ", ".join(f"{f.q}: {0 if f.column.numbers else 'none'!r}" for f in fields if f.column.nulls) + "}"
    return (
        Move(
            ("Handling Missing Data", "Handling Missing or Edge Cases", "Data Cleaning and Transformation"),
            "Leave out rows with a missing value in a column that is used.",
            f"{frame} = {frame}.dropna(subset=[{listed}])",
            f"{frame} = {frame}.fillna({zeros})",
        ),
    )


def gaps(fields: Sequence[Field]) -> str:
    """The sentence about missing values that belongs to `complete`."""
    holes = [field.shown for field in fields if field.column.nulls]
    return f" Leave out rows with a missing value in {' or '.join(holes)}." if holes else ""


def unrivalled(values: str) -> str:
    """Code that fails where two of a series of values share the first place: such a draft is no task."""
    return (
        f"top = {values}.dropna().sort_values()\n"
        "assert top.iloc[-1] - top.iloc[-2] > 1e-9 * max(1.0, abs(top.iloc[-1])), 'several share the first place'\n"
    )


def no_copies(correlation: str) -> str:
    """Code that fails where two columns are nearly one, by their correlation: what they share says nothing."""
    return f"assert abs({correlation}) < 0.995, 'the columns are nearly copies of each other'"


def one(rng: Random, items: Sequence[T]) -> T:
    """One of them."""
    return items[rng.randrange(len(items))]


def some(rng: Random, items: Sequence[T], count: int) -> tuple[T, ...]:
    """So many different ones, in their order."""
    return tuple(items[place] for place in sorted(rng.sample(range(len(items)), count)))


def shuffled(rng: Random, items: Sequence[T]) -> tuple[T, ...]:
    """All of them, in any order."""
    return tuple(rng.sample(items, len(items)))


def nice(value: float) -> float:
    """A number as people choose thresholds: two digits, three where they are large."""
    return float(f"{value:.2g}") if abs(value) < 100 else float(f"{value:.3g}")


def plainly(frame: str, field: Field) -> str:
    """Code for a column's texts as people compare names: small letters, no outer blanks."""
    return f"{frame}[{field.q}].str.strip().str.lower()"


def threshold(field: Field, share: float = 0.5) -> float | None:
    """A round number between the quartiles of a measure; None where rounding leaves them."""
    numbers = field.column.numbers
    if numbers is None:
        return None
    value = nice(numbers.q25 + share * (numbers.q75 - numbers.q25))
    return value if numbers.q25 <= value < numbers.q75 and value < numbers.max else None


def text(value: float) -> str:
    """A number as questions write it."""
    return f"{value:,.10g}" if abs(value) >= 10_000 else f"{value:.10g}"
