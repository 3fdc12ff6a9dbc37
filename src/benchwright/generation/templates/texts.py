"""Tasks of texts: their length, the numbers in them, how alike they are."""

from __future__ import annotations

import re
from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, one, unrivalled
from benchwright.generation.templates.drafting import Move, Sketch, answer, explained, named, rounded
from benchwright.generation.templates.tables import Source
from benchwright.generation.templates.words import phrases


def lengths(source: Source, rng: Random) -> Sketch | None:
    """Which group has the longest texts, counted in words and letters."""
    fields = phrases(source)
    groups = [group for group in source.groups if group.column.distinct >= 3]
    if not fields or not groups:
        return None
    field, group = one(rng, fields), one(rng, groups)
    if len({len(str(value).split()) for value in field.column.first}) < 2:
        return None
    moves = (
        load(source),
        *complete((field, group)),
        Move(
            ("String Manipulation and Parsing",),
            "Count the words of each text.",
            f"length = df[{field.q}].str.split().str.len()",
            f"length = df[{field.q}].str.len()",
        ),
        Move(
            ("Data Aggregation and Grouping", "Data Filtering and Grouping"),
            "Average by group.",
            f"means = length.groupby(df[{group.q}]).mean()",
            f"means = length.groupby(df[{group.q}]).first()",
        ),
        Move(
            ("Sorting, Limiting, and Ranking", "Ranking and Top N Logic"),
            "Take the longest.",
            unrivalled("means")
            + "best = means.sort_values(ascending=False)\nprint(f'{best.index[0]}; {best.iloc[0]:.3f}')",
            "best = means\nprint(f'{best.index[0]}; {best.iloc[0]:.3f}')",
        ),
    )
    question = (
        f"Which {group.shown} in {source.has_rows} has the longest {field.shown} on average, counted in words "
        f"(separated by blanks), and how many words is that?{gaps((field, group))}"
    )
    return Sketch((source,), question, moves, named(group.name, 3, "mean words"))


def first_numbers(source: Source, rng: Random) -> Sketch | None:
    """Numbers inside texts, taken out and averaged."""
    fields = [
        f
        for f in source.fields
        if f.column.kind == "text"
        and f.column.distinct >= 6
        and not f.column.text_dates
        and sum(bool(re.search(r"[A-Za-z].*\d|\d.*[A-Za-z]", str(v))) for v in f.column.first) >= 4
        and all(not re.search(r"\d[.,]\d", str(v)) for v in f.column.first)
        and any(re.search(r"\d\d", str(v)) for v in f.column.first)
    ]
    if not fields:
        return None
    field = one(rng, fields)
    moves = (
        load(source),
        *complete((field,)),
        Move(
            ("Regex and Text Manipulation", "Pattern Identification & Extraction"),
            "Take the last run of digits of each text.",
            f"found = df[{field.q}].str.findall(r'[0-9]+').str[-1]",
            f"found = df[{field.q}].str.extract(r'([0-9])', expand=False)",
        ),
        Move(
            ("Numerical Operations and Type Conversion", "Data Type and Format Conversion"),
            "Read the digits as numbers.",
            "values = pd.to_numeric(found)",
            "values = found.str.len()",
        ),
        Move(
            ("Unique Value Extraction", "Statistical Calculations and Descriptive Statistics"),
            "Average the numbers, and count the different ones.",
            "print(f'{values.mean():.3f}; {values.nunique()}')",
            "print(f'{values.mean():.3f}; {values.count()}')",
        ),
    )
    question = (
        f"Texts in {field.shown} of {source.has_rows} hold digits. Take the last run of the digits 0 to 9 in each text "
        f"as a whole number, and pass over texts without digits. What is the mean of these numbers over all rows, and "
        f"how many different numbers are there?{gaps((field,))}"
    )
    form = f"Answer as: mean; different numbers. The mean{rounded(3)}."
    return Sketch((source,), question, moves, answer(form, 3))


def most_alike(source: Source, rng: Random) -> Sketch | None:
    """The two names that share most of their letter pairs."""
    fields = [
        f
        for f in (*source.names, *source.labels)
        if 12 <= f.column.distinct <= 250 and all(len(str(v)) >= 4 for v in f.column.first)
    ]
    if not fields:
        return None
    field = one(rng, fields)
    moves = (
        load(source),
        Move(
            ("Unique Value Extraction", "Data Structure Creation and Manipulation"),
            "Take the different names.",
            f"found = sorted(df[{field.q}].dropna().unique())",
            f"found = sorted(df[{field.q}].dropna().unique())[:10]",
        ),
        Move(
            ("Feature Extraction and Vectorization", "Encoding and Vector Representation"),
            "Turn each into the set of its pairs of neighbouring characters.",
            "grams = {name: {name.lower()[k:k + 2] for k in range(len(name) - 1)} for name in found}",
            "grams = {name: set(name) for name in found}",
        ),
        Move(
            (
                "Similarity Computation (Cosine/Jaccard/etc.)",
                "Custom Similarity Functions",
                "Fuzzy Matching and Record Linkage",
            ),
            "Compare every two by what they share of what they have together.",
            "alike = [(-len(grams[a] & grams[b]) / len(grams[a] | grams[b]), a, b) for a, b in "
            "itertools.combinations(found, 2)]",
            "alike = [(-len(grams[a] & grams[b]), a, b) for a, b in itertools.combinations(found, 2)]",
        ),
        Move(
            ("Ranking and Top N Logic",),
            "Take the most alike.",
            "score, left, right = min(alike)\nprint(f'{left}; {right}; {-score:.4f}')",
            "score, left, right = alike[0]\nprint(f'{left}; {right}; {-score:.4f}')",
        ),
    )
    question = f"Which two different values of {field.shown} in {source.has_rows} are spelled most alike?"
    method = (
        "Compare the sets of their pairs of neighbouring characters (in small letters, blanks included) by the Jaccard "
        "index. Among equals take the pair that comes first by the code points of its first, then of its second name."
    )
    form = (
        f"Answer as: name; name; Jaccard index. The names in alphabetical order, as in the data, the index{rounded(4)}."
    )
    return Sketch((source,), question, moves, explained(method, answer(form, 4)))


TEMPLATES = (
    Template("lengths_of_texts", lengths),
    Template("numbers_in_texts", first_numbers),
    Template("most_alike", most_alike),
)
