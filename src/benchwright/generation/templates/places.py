"""Tasks of places: distances on the globe, grids."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load
from benchwright.generation.templates.drafting import Answer, Move, Sketch, answer, rounded
from benchwright.generation.templates.tables import Field, Source

_LATITUDE, _LONGITUDE = ("lat", "latitude"), ("lon", "long", "lng", "longitude")


def _coordinates(source: Source) -> tuple[Field, Field] | None:
    by = {field.name.casefold(): field for field in source.fields if field.column.numbers}
    lat = next((by[name] for name in _LATITUDE if name in by), None)
    lon = next((by[name] for name in _LONGITUDE if name in by), None)
    if lat is None or lon is None or lat.column.numbers is None or lon.column.numbers is None:
        return None
    inside = lat.column.numbers.min >= -90 and lat.column.numbers.max <= 90 and lon.column.numbers.min >= -180
    return (lat, lon) if inside and lon.column.numbers.max <= 360 else None


_SPHERE = (
    "def distance(a, b, c, d):\n"
    "    a, b, c, d = (np.radians(np.asarray(each, dtype=float)) for each in (a, b, c, d))\n"
    "    h = np.sin((c - a) / 2) ** 2 + np.cos(a) * np.cos(c) * np.sin((d - b) / 2) ** 2\n"
    "    return 2 * 6371 * np.arcsin(np.sqrt(h))"
)


_FLAT = (
    "def distance(a, b, c, d):\n"
    "    a, b, c, d = (np.asarray(each, dtype=float) for each in (a, b, c, d))\n"
    "    return 111.195 * np.sqrt((c - a) ** 2 + (d - b) ** 2)"
)


def around_the_middle(source: Source, _: Random) -> Sketch | None:
    """How far places lie from the middle of all, and how many are near."""
    found = _coordinates(source)
    if found is None:
        return None
    lat, lon = found
    moves = (
        load(source),
        *complete((lat, lon)),
        Move(
            (
                "Geospatial Distance Handling",
                "Geospatial Data Processing",
            ),
            "Define the distance on a sphere.",
            _SPHERE,
            _FLAT,
        ),
        Move(
            ("Statistical Calculations and Descriptive Statistics",),
            "Measure each place from the middle.",
            f"km = distance(df[{lat.q}].median(), df[{lon.q}].median(), df[{lat.q}], df[{lon.q}])",
            f"km = distance(df[{lat.q}].mean(), df[{lon.q}].mean(), df[{lat.q}], df[{lon.q}])",
        ),
        Move(
            ("Thresholding and Validation", "Numerical Comparison and Proximity Checks"),
            "Take the mean, and the places within it.",
            "print(f'{km.mean():.3f}; {int((km <= km.mean()).sum())}')",
        ),
    )
    question = (
        f"Take the point with the median {lat.shown} and the median {lon.shown} of {source.has_rows}. What is "
        "the mean great-circle distance of all rows from it (haversine formula, Earth radius 6371 km), in "
        "kilometres, and how many rows lie at most that mean distance away?"
        f"{gaps((lat, lon))}"
    )
    form = f"Answer as: mean distance; number of rows. The distance{rounded(3)}."
    return Sketch((source,), question, moves, answer(form, 3))


def densest_cell(source: Source, _: Random) -> Sketch | None:
    """The cell of a grid of degrees with most rows."""
    found = _coordinates(source)
    if found is None or found[0].column.numbers is None:
        return None
    lat, lon = found
    numbers = found[0].column.numbers
    size = next((each for each in (10, 5, 2, 1) if numbers.max - numbers.min >= 4 * each), None)
    if size is None:
        return None
    moves = (
        load(source),
        *complete((lat, lon)),
        Move(
            ("Data Binning and Grid Creation", "Geospatial Data Handling and Mapping"),
            "Give each row its cell, named by the lower edges.",
            f"north = np.floor(df[{lat.q}] / {size}).astype(int) * {size}\neast = np.floor(df[{lon.q}] / "
            f"{size}).astype(int) * {size}",
            f"north = (df[{lat.q}] / {size}).astype(int) * {size}\neast = (df[{lon.q}] / {size}).astype(int) * {size}",
        ),
        Move(
            ("Histogram Creation and Manipulation", "Data Aggregation and Grouping"),
            "Count the rows of each cell.",
            "counts = df.groupby([north.rename('north'), east.rename('east')]).size().reset_index(name='n')",
        ),
        Move(
            ("Sorting, Limiting, and Ranking", "Ranking and Top N Logic"),
            "Take the fullest cell.",
            "best = counts.sort_values(['n', 'north', 'east'], ascending=[False, True, True]).iloc[0]\n"
            "print(f\"{best['north']}; {best['east']}; {best['n']}; {len(counts)}\")",
            "best = counts.sort_values(['north', 'east']).iloc[0]\nprint(f\"{best['north']}; {best['east']}; "
            "{best['n']}; {len(counts)}\")",
        ),
    )
    question = (
        f"Lay a grid of {size} by {size} degrees over {lat.shown} and {lon.shown} of {source.has_rows}, with "
        f"cell edges at multiples of {size} degrees and the lower edge belonging to the cell. Which cell holds "
        f"most rows (its lower {lat.shown} and lower {lon.shown}; among equals the "
        f"southernmost, then westernmost), how many, and how many cells hold any?{gaps((lat, lon))}"
    )
    return Sketch(
        (source,), question, moves, Answer("Answer as: lower latitude; lower longitude; rows; cells. Whole numbers.")
    )


TEMPLATES = (
    Template("around_the_middle", around_the_middle),
    Template("densest_cell", densest_cell),
)
