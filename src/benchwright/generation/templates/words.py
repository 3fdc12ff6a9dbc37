"""Tasks of words and phrases."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, one
from benchwright.generation.templates.drafting import Answer, Move, Sketch, explained
from benchwright.generation.templates.tables import Field, Source


def phrases(source: Source) -> list[Field]:
    """Columns of several words a value."""
    return [
        field
        for field in source.fields
        if field.column.kind == "text"
        and field.column.distinct >= 20
        and not field.column.text_dates
        and sum(len(str(value).split()) >= 2 for value in field.column.first) >= 0.6 * len(field.column.first)
        and all(str(value).isascii() for value in field.column.first)
    ]


def common_words(source: Source, rng: Random) -> Sketch | None:
    """The words that most values hold."""
    fields = phrases(source)
    if not fields:
        return None
    field, least = one(rng, fields), one(rng, (4, 5))
    moves = (
        load(source),
        *complete((field,)),
        Move(
            ("Text Processing and Cleaning", "Text & String Manipulation", "String and Content Processing"),
            "Bring the texts to small letters, and everything but letters to blanks.",
            f"texts = df[{field.q}].str.lower().str.replace(r'[^a-z]+', ' ', regex=True)",
            f"texts = df[{field.q}]",
        ),
        Move(
            ("Text and Sequence Processing",),
            "Cut each text into its different words.",
            f"words = texts.str.split().map(lambda found: sorted({{word for word in found if len(word) >= {least}}}))",
            f"words = texts.str.split().map(lambda found: [word for word in found if len(word) >= {least}])",
        ),
        Move(
            ("Flattening and Expansion", "Row Manipulation and Duplication"),
            "Give each word a row, and count.",
            "counts = words.explode().dropna().value_counts()",
            "counts = words.map(' '.join).value_counts()",
        ),
        Move(
            ("Sorting, Limiting, and Ranking", "Ranking and Top N Logic"),
            "Take the commonest, by alphabet where counts are equal.",
            "ordered = counts.rename_axis('word').reset_index(name='n').sort_values(['n', 'word'], "
            "ascending=[False, True])\n"
            "print('; '.join(f'{w}; {n}' for w, n in ordered.head(3).itertuples(index=False)))",
        ),
    )
    question = (
        f"Which three words of at least {least} letters occur in most rows of {field.shown} in {source.has_rows}, and "
        f"in how many rows each?{gaps((field,))}"
    )
    method = (
        "A word is a run of the letters a to z whatever the case. A word that stands twice in a row counts once. Most "
        "frequent first, among equals the alphabetically first."
    )
    form = Answer("Answer as: word; rows; word; rows; word; rows. Words in small letters.")
    return Sketch((source,), question, moves, explained(method, form))


def common_phrase(source: Source, rng: Random) -> Sketch | None:
    """The commonest pair of neighbouring words."""
    fields = phrases(source)
    if not fields or source.rows < 80:
        return None
    field = one(rng, fields)
    moves = (
        load(source),
        *complete((field,)),
        Move(
            ("Regex and Text Manipulation", "Text Processing and Matching"),
            "Find the words of each text.",
            f"words = df[{field.q}].str.lower().str.findall(r'[a-z0-9]+')",
            f"words = df[{field.q}].str.split()",
        ),
        Move(
            ("N-Gram and Phrase Analysis",),
            "Pair each word with the next.",
            "pairs = words.map(lambda found: [' '.join(pair) for pair in itertools.pairwise(found)])",
            "pairs = words.map(lambda found: [' '.join(pair) for pair in zip(found[::2], found[1::2])])",
        ),
        Move(
            ("Summation Techniques", "Data Analysis and Pattern Extraction"),
            "Count all pairs and take the commonest.",
            "counts = pairs.explode().dropna().value_counts()\n"
            "best = min(counts.index[counts == counts.max()])\nprint(f'{best}; {counts[best]}; {len(counts)}')",
        ),
    )
    question = (
        f"Which pair of neighbouring words occurs most often in {field.shown} of {source.has_rows}, how often, "
        "and how many "
        f"different pairs are there?{gaps((field,))}"
    )
    method = (
        "Words are runs of the letters a to z and digits, whatever the case. Pairs stand within a row, in order, "
        "and count "
        "as often as they occur. Among equals the alphabetically first pair is meant."
    )
    form = Answer("Answer as: pair; occurrences; different pairs. The pair in small letters with one blank.")
    return Sketch((source,), question, moves, explained(method, form))


TEMPLATES = (
    Template("common_words", common_words),
    Template("common_phrase", common_phrase),
)
