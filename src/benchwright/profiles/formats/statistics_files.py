"""Files of statistics programs: SAS, Stata and SPSS, with the labels of their columns and values."""

from __future__ import annotations

from typing import Any

from benchwright.profiles.formats.base import Found, Source, needed
from benchwright.profiles.tables import cut, frame_of, plain, table_of

READERS = {
    "sas": "read_sas7bdat",
    "sas-transport": "read_xport",
    "stata": "read_dta",
    "spss": "read_sav",
    "spss-portable": "read_por",
}
_SHOWN = 200


def reader(kind: str) -> Any:
    """The function that reads files of one of these programs."""

    def read(source: Source) -> Found:
        source_size = source.path.stat().st_size
        library = needed("pyreadstat")
        values, meta = getattr(library, READERS[kind])(str(source.path), output_format="dict")
        names = list(values)
        rows = list(zip(*values.values(), strict=True)) if names else []
        table = table_of([frame_of(names, [list(map(_cell, row)) for row in rows])])
        labels = dict(zip(meta.column_names, meta.column_labels or [], strict=False))
        facts = {
            "labels": {cut(name): cut(str(label)) for name, label in list(labels.items())[:_SHOWN] if label},
            "value_labels": plain(_labels(meta)),
            "encoding": str(meta.file_encoding),
            "bytes_a_row": round(source_size / max(1, len(rows)), 1),
        }
        return Found(tables=(table,), rows=table.rows, facts=facts)

    return read


def _labels(meta: Any) -> dict[str, dict[str, Any]]:
    labelled = (meta.variable_value_labels or {}).items()
    return {name: {str(_cell(value)): label for value, label in each.items()} for name, each in labelled}


def _cell(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        if value != value:  # noqa: PLR0124 - what is no number
            return None
        return int(value) if value.is_integer() and abs(value) < 1 << 53 else value
    return None if value == "" else value
