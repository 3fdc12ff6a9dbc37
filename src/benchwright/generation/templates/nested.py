"""Tasks of nested records: objects and lists inside the fields of JSON, flattened."""

from __future__ import annotations

import json
from random import Random

from benchwright.generation.templates.base import Template, one, unrivalled
from benchwright.generation.templates.drafting import Move, Sketch, answer, named, rounded
from benchwright.generation.templates.meanings import names_a_measure
from benchwright.generation.templates.tables import Field, Source
from benchwright.generation.templates.wording import plain, single


def _parsed(field: Field) -> list[object]:
    """The first values of a column that are whole JSON."""
    found = []
    for value in field.column.first:
        try:
            found.append(json.loads(str(value)))
        except ValueError:
            continue
    return found


def _leaves(objects: list[object], kind: type | tuple[type, ...]) -> list[str]:
    """Keys that hold such a value in every object, and may be shown."""
    rows = [each for each in objects if isinstance(each, dict)]
    if not rows or len(rows) < len(objects):
        return []
    shared = set(rows[0]).intersection(*rows[1:])
    return sorted(
        key
        for key in shared
        if plain(key) and all(isinstance(row[key], kind) and not isinstance(row[key], bool) for row in rows)
    )


def _measured(objects: list[object]) -> list[str]:
    """Keys of numbers whose names do not say that they are no measures."""
    return [key for key in _leaves(objects, (int, float)) if names_a_measure(key)]


def _records(source: Source) -> str:
    if source.profile.format == "json":
        return f"with open({source.literal}, encoding='utf-8') as stream:\n    records = json.load(stream)"
    return (
        f"with open({source.literal}, encoding='utf-8') as stream:\n"
        "    records = [json.loads(line) for line in stream if line.strip()]"
    )


def _read(source: Source) -> Move:
    return Move(
        ("Data Extraction from JSON", "Data Serialization & File Handling"), "Read the records.", _records(source)
    )


def inside_objects(source: Source, rng: Random) -> Sketch | None:
    """A number of an inner object, by a name of it."""
    found = []
    for field in source.fields if source.profile.format in ("json", "jsonl") else ():
        objects = _parsed(field)
        numbers, texts = _measured(objects), _leaves(objects, str)
        texts = [key for key in texts if all(single(each[key]) for each in objects if isinstance(each, dict))]
        if numbers and texts and len(objects) >= 3:
            found.append((field, numbers, texts))
    if not found:
        return None
    field, numbers, texts = one(rng, found)
    value, group = one(rng, numbers), one(rng, texts)
    moves = (
        _read(source),
        Move(
            (
                "Document and Key-Value Transformations",
                "Flattening and Expansion",
                "Data Structure Handling (Dictionaries, Lists)",
            ),
            "Take the inner fields out.",
            f"flat = pd.DataFrame([(r[{field.q}][{group!r}], r[{field.q}][{value!r}]) for r in records if "
            f"r.get({field.q})], columns=['g', 'v'])",
        ),
        Move(
            ("Data Aggregation and Grouping", "Data Extraction and Manipulation"),
            "Average by name.",
            "means = flat.groupby('g')['v'].mean()",
            "means = flat.groupby('g')['v'].max()",
        ),
        Move(
            ("Sorting, Limiting, and Ranking", "Ranking and Top N Logic"),
            "Take the highest.",
            unrivalled("means")
            + "best = means.sort_values(ascending=False)\nprint(f'{best.index[0]}; {best.iloc[0]:.3f}')",
            "best = means\nprint(f'{best.index[0]}; {best.iloc[0]:.3f}')",
        ),
    )
    question = (
        f"Each record of the data on {source.about} ({source.rows:,} records) has a {field.shown} with a "
        f"'{group}' and a '{value}'. For which '{group}' is the mean '{value}' highest, and what is it?"
    )
    return Sketch((source,), question, moves, named(group, 3, "mean"))


def inside_lists(source: Source, rng: Random) -> Sketch | None:
    """Numbers of the objects in inner lists, over all records."""
    found = []
    for field in source.fields if source.profile.format in ("json", "jsonl") else ():
        lists = [each for each in _parsed(field) if isinstance(each, list)]
        numbers = _measured([item for each in lists for item in each])
        if numbers and len(lists) >= 3:
            found.append((field, numbers))
    if not found:
        return None
    field, numbers = one(rng, found)
    value = one(rng, numbers)
    moves = (
        _read(source),
        Move(
            ("Flattening and Expansion", "Row Manipulation and Duplication"),
            "Give each item of the lists a row.",
            f"items = pd.DataFrame([(k, item[{value!r}]) for k, r in enumerate(records) for item in "
            f"r.get({field.q}) or []], columns=['k', 'v'])",
            f"items = pd.DataFrame([(k, item[{value!r}]) for k, r in enumerate(records) for item in "
            f"(r.get({field.q}) or [])[:1]], columns=['k', 'v'])",
        ),
        Move(
            ("Summation Techniques", "Data Aggregation and Grouping"),
            "Add up within each record.",
            "sums = items.groupby('k')['v'].sum()",
            "sums = items['v']",
        ),
        Move(
            ("Statistical Calculations and Descriptive Statistics", "Data Inspection and Summarization"),
            "Tell the mean of the sums and the number of items.",
            "print(f'{sums.mean():.3f}; {len(items)}')",
        ),
    )
    question = (
        f"Each record of the data on {source.about} ({source.rows:,} records) has a list {field.shown} whose "
        f"items have a '{value}'. Add '{value}' up within each record that has any item. What is the mean of "
        "these sums, and how many items are there in all?"
    )
    form = f"Answer as: mean; number of items. The mean{rounded(3)}."
    return Sketch((source,), question, moves, answer(form, 3))


TEMPLATES = (Template("inside_objects", inside_objects), Template("inside_lists", inside_lists))
