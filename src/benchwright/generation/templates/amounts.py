"""Tasks of numbers that are written as text."""

from __future__ import annotations

import re
from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, no_copies, one
from benchwright.generation.templates.drafting import Move, Sketch, answer, rounded
from benchwright.generation.templates.meanings import names_a_measure
from benchwright.generation.templates.tables import Field, Source

_AMOUNT = re.compile(r"\s*[$€£]?\s*-?\d{1,3}(?:,\d{3})*(?:\.\d+)?\s*%?\s*|\s*[$€£]?\s*-?\d+(?:\.\d+)?\s*%?\s*")


_DECIMAL_COMMA = re.compile(r"-?\d+(?:,\d+)?")


def amounts(source: Source, rng: Random) -> Sketch | None:
    """Amounts with signs and separators, read as numbers."""
    fields = [f for f in source.fields if _written(f, _AMOUNT) and not _decimal_comma(f)]
    if not fields:
        return None
    field = one(rng, fields)
    moves = (
        load(source),
        *complete((field,)),
        Move(
            ("String Manipulation and Conversion", "Text & String Manipulation"),
            "Take signs and separators of thousands out.",
            f"bare = df[{field.q}].astype(str).str.replace(r'[^0-9.-]', '', regex=True)",
            f"bare = df[{field.q}].astype(str).str.extract(r'([0-9]+)', expand=False)",
        ),
        Move(
            (
                "Type Casting and Data Compatibility",
                "Type Conversion and Data Integrity",
                "Data Validation and Type Consistency",
            ),
            "Read what is left as numbers.",
            "values = pd.to_numeric(bare)",
        ),
        Move(
            ("Statistical Calculations and Descriptive Statistics",),
            "Take median and mean.",
            "print(f'{values.median():.3f}; {values.mean():.3f}; {values.max() / values.median():.3f}')",
            "print(f'{values.mean():.3f}; {values.mean():.3f}; {values.max() / values.mean():.3f}')",
        ),
    )
    question = (
        f"{field.shown} in {source.has_rows} is written with signs or separators of thousands. Read it as "
        "numbers (without changing its unit). What are its median and its mean, and how many times the median "
        f"is the largest value?{gaps((field,))}"
    )
    form = f"Answer as: median; mean; times. Each{rounded(3)}. Numbers without units."
    return Sketch((source,), question, moves, answer(form, 3))


def decimal_commas(source: Source, rng: Random) -> Sketch | None:
    """Numbers with decimal commas, by group or alone."""
    fields = [f for f in source.fields if _written(f, _DECIMAL_COMMA) and _decimal_comma(f)]
    if len(fields) < 2 or "sep=';'" not in source.reader:
        return None
    left, right = fields[0], one(rng, fields[1:])
    moves = (
        Move(
            (
                "Data Parsing and Delimiter Handling",
                "Parsing and Reading Data Files",
            ),
            f"Read the table on {source.about}, commas as decimal points.",
            f"df = {source.read(decimal=repr(','))}",
            f"df = {source.reader}\nfor name in ({left.q}, {right.q}):\n    df[name] = "
            "pd.to_numeric(df[name].astype(str).str.replace(',', ''), errors='coerce')",
        ),
        Move(
            ("Handling Missing Data", "Data Cleaning and Transformation"),
            "Leave out rows without both values.",
            f"df = df.dropna(subset=[{left.q}, {right.q}])",
            f"df = df.fillna({{{left.q}: 0, {right.q}: 0}})" if left.column.nulls or right.column.nulls else None,
        ),
        Move(
            ("Correlation and Relationship Analysis", "Statistical Correlation Analysis"),
            "Compute Pearson's correlation.",
            f"r = df[{left.q}].corr(df[{right.q}])\n" + no_copies("r"),
        ),
        Move(
            ("Conditional Aggregation and Filtering", "Conditional Data Processing"),
            "Compare the mean where the other column is above its median with that of the other rows.",
            f"large = df[{right.q}] > df[{right.q}].median()\n"
            f"gap = df.loc[large, {left.q}].mean() - df.loc[~large, {left.q}].mean()\nprint(f'{{r:.4f}}; {{gap:.4f}}')",
            f"large = df[{right.q}] > df[{right.q}].median()\n"
            f"gap = df.loc[large, {left.q}].mean() - df[{left.q}].mean()\nprint(f'{{r:.4f}}; {{gap:.4f}}')",
        ),
    )
    question = (
        f"In {source.has_rows}, what is the Pearson correlation of {left.shown} and {right.shown}, and by how much "
        f"is the mean of {left.shown} higher in rows whose {right.shown} is above its median than in all other rows? "
        "Leave out rows where either is missing first."
    )
    form = f"Answer as: correlation; difference. Both{rounded(4)}."
    return Sketch((source,), question, moves, answer(form, 4))


def _written(field: Field, form: re.Pattern[str]) -> bool:
    """Every value that is known of is written so, and some need reading."""
    values = [str(value) for value in (*field.column.first, *(value for value, _ in field.levels))]
    marked = [value for value in values if re.search(r"[$€£%,]", value)]
    return (
        field.column.kind == "text"
        and names_a_measure(field.name)
        and field.column.distinct >= 10
        and bool(marked)
        and all(form.fullmatch(value) for value in values)
    )


def _decimal_comma(field: Field) -> bool:
    values = [str(value) for value in (*field.column.first, *(value for value, _ in field.levels))]
    return any(re.fullmatch(r"-?\d+,(?:\d{1,2}|\d{4,})", value) or value.startswith("0,") for value in values)


TEMPLATES = (
    Template("amounts_as_text", amounts),
    Template("decimal_commas", decimal_commas),
)
