"""The eight categories of DSBC's questions, under their published and their older names (paper, section 3)."""

from __future__ import annotations

from collections.abc import Iterable

CATEGORIES = (
    "Correlation Analysis",
    "Statistics",
    "Data Parsing & Understanding",
    "Data Pre-processing",
    "Feature Engineering",
    "Feature Transformation",
    "Distribution Analysis",
    "Data Visualization",
)

_OLDER = {
    "dataparsing": "Data Parsing & Understanding",
    "parsing": "Data Parsing & Understanding",
    "dataparsingandunderstanding": "Data Parsing & Understanding",
    "correlation": "Correlation Analysis",
    "preprocessing": "Data Pre-processing",
    "distribution": "Distribution Analysis",
    "visualization": "Data Visualization",
    "visualisation": "Data Visualization",
    "datavisualisation": "Data Visualization",
}


def read_categories(names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The categories that some tags mean, each once and in the order given, and the tags that mean none."""
    found: dict[str, None] = {}
    unknown: list[str] = []
    for name in names:
        bare = _bare(name)
        if bare in _KNOWN:
            found[_KNOWN[bare]] = None
        elif bare:
            unknown.append(name.strip())
    return tuple(found), tuple(unknown)


def _bare(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


_KNOWN = {_bare(name): name for name in CATEGORIES} | _OLDER
