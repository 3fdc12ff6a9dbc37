"""Tasks of texts: their length, how codes begin, how alike they are."""

from __future__ import annotations

import re
from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, one, unrivalled
from benchwright.generation.templates.drafting import Answer, Move, Sketch, answer, explained, named, rounded
from benchwright.generation.templates.tables import Field, Source
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
            f"means = length.groupby(df[{group.q}]).max()",
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


def prefixes(source: Source, rng: Random) -> Sketch | None:
    """The letters that codes begin with: the commonest ones, and how many there are."""
    fields = [field for field in source.fields if _codes(field)]
    if not fields:
        return None
    field = one(rng, fields)
    moves = (
        load(source),
        *complete((field,)),
        Move(
            ("Regex and Text Manipulation", "Pattern Identification & Extraction"),
            "Take the letters before the first digit or sign.",
            f"found = df[{field.q}].str.extract(r'^([A-Za-z]+)', expand=False).str.upper().dropna()",
            f"found = df[{field.q}].str[0].str.upper()",
        ),
        Move(
            ("Data Aggregation and Grouping",),
            "Count the rows of each beginning.",
            "counts = found.value_counts()\n" + unrivalled("counts") + "best = counts.index[0]",
        ),
        Move(
            ("Unique Value Extraction",),
            "Tell the commonest one, its rows, and how many different ones there are.",
            "print(f'{best}; {counts[best]}; {counts.size}')",
            "print(f'{best}; {counts[best]}; {len(found)}')",
        ),
    )
    question = (
        f"Values of {field.shown} in {source.has_rows} begin with letters that a digit or sign follows. Which "
        f"beginning is the commonest, in how many rows does it stand, and how many different ones are "
        f"there?{gaps((field,))}"
    )
    method = (
        "A beginning is the run of the letters A to Z that a value starts with, without regard to capital letters. "
        "Values that start with no letter are passed over."
    )
    form = Answer("Answer as: beginning; rows; different beginnings. The beginning in capital letters.")
    return Sketch((source,), question, moves, explained(method, form))


def _codes(field: Field) -> bool:
    """Whether values are letters and then digits, the letters not always the same."""
    found = [re.fullmatch(r"([A-Za-z]{1,6})[ .-]?\d[\w.-]*", str(value)) for value in field.column.first]
    starts = {match[1].upper() for match in found if match}
    dated = field.column.text_dates is not None or re.search(r"(?i)date|time|month|year", field.name) is not None
    plenty = field.column.kind == "text" and field.column.distinct >= 6 and not dated
    return plenty and all(found) and len(starts) >= 3 and any(len(start) > 1 for start in starts)


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
        ),
        Move(
            ("Feature Extraction and Vectorization",),
            "Turn each into the set of its pairs of neighbouring characters.",
            "grams = {name: {name.lower()[k:k + 2] for k in range(len(name) - 1)} for name in found}",
            "grams = {name: set(name) for name in found}",
        ),
        Move(
            (
                "Similarity Computation (Cosine/Jaccard/etc.)",
                "Custom Similarity Functions",
            ),
            "Compare every two by what they share of what they have together.",
            "alike = [(-len(grams[a] & grams[b]) / len(grams[a] | grams[b]), a, b) for a, b in "
            "itertools.combinations(found, 2)]",
            "alike = [(-len(grams[a] & grams[b]), a, b) for a, b in itertools.combinations(found, 2)]",
        ),
        Move(
            ("Ranking and Top N Logic",),
            "Take the most alike.",
            "score, left, right = min(alike)\nassert score < -0.4, 'no two names are much alike'\n"
            "print(f'{left}; {right}; {-score:.4f}')",
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
    Template("beginnings_of_codes", prefixes),
    Template("most_alike", most_alike),
)
