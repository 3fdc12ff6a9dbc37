"""What a file is, by its first bytes, and by its suffix where bytes leave it open."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchwright.dialects import encoding_of

UNKNOWN = "unknown"
HEAD = 4096
_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"PAR1", "parquet"),
    (0, b"ARROW1", "feather"),
    (0, b"FEA1", "feather"),
    (0, b"ORC", "orc"),
    (0, b"SQLite format 3\x00", "sqlite"),
    (8, b"DUCK", "duckdb"),
    (0, b"\x93NUMPY", "npy"),
    (0, b"\x89HDF\r\n\x1a\n", "hdf5"),
    (0, b"CDF\x01", "netcdf"),
    (0, b"CDF\x02", "netcdf"),
    (0, b"CDF\x05", "netcdf"),
    (0, b"$FL2", "spss"),
    (0, b"$FL3", "spss"),
    (0, b"<stata_dta>", "stata"),
    (0, b"HEADER RECORD*******LIB", "sas-transport"),
    (84, b"SAS FILE", "sas"),
    (0, b"\x00\x00\x27\x0a", "shapefile"),
    (0, b"%PDF-", "pdf"),
    (0, b"\x89PNG\r\n\x1a\n", "image"),
    (0, b"\xff\xd8\xff", "image"),
    (0, b"GIF8", "image"),
    (0, b"BM", "image"),
    (0, b"II*\x00", "image"),
    (0, b"MM\x00*", "image"),
    (8, b"WEBP", "image"),
    (0, b"\x1f\x8b", "gzip"),
    (0, b"BZh", "bzip2"),
    (0, b"\xfd7zXZ\x00", "xz"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z"),
    (0, b"Rar!\x1a\x07", "rar"),
    (0, b"\x28\xb5\x2f\xfd", "zstandard"),
    (257, b"ustar", "tar"),
    (0, b"PK\x03\x04", "zip"),
    (0, b"PK\x05\x06", "zip"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
    (0, b"\x7fELF", "program"),
    (0, b"MZ", "program"),
)
_SUFFIXES: Mapping[str, str] = {
    **dict.fromkeys((".csv", ".tsv", ".tab"), "csv"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    **dict.fromkeys((".json", ".geojson"), "json"),
    **dict.fromkeys((".yaml", ".yml"), "yaml"),
    **dict.fromkeys((".htm", ".html", ".xhtml"), "html"),
    **dict.fromkeys((".md", ".markdown"), "markdown"),
    **dict.fromkeys((".txt", ".text", ".dat", ".rst"), "text"),
    **dict.fromkeys((".pq", ".parquet"), "parquet"),
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "workbook"),
    **dict.fromkeys((".shx", ".prj", ".cpg", ".qix", ".sbn", ".sbx"), "shapefile-part"),
    **dict.fromkeys((".pkl", ".pickle", ".joblib"), "pickle"),
    ".arff": "arff",
    ".dbf": "dbf",
    ".log": "log",
    ".tex": "tex",
    ".xml": "xml",
    ".npz": "npz",
    ".gpkg": "geopackage",
    ".dta": "stata",
    ".por": "spss-portable",
    ".tar": "tar",
    ".py": "text",
    ".r": "text",
    ".sql": "text",
}
"""What a suffix says of a file whose bytes name no format."""

_WITHIN: Mapping[str, Mapping[str, str]] = {
    "zip": {".npz": "npz", ".xlsx": "workbook", ".xlsm": "workbook", ".xlsb": "workbook", ".ods": "workbook"},
    "ole": {".xls": "workbook"},
    "sqlite": {".gpkg": "geopackage"},
    "hdf5": {".nc": "netcdf", ".nc4": "netcdf", ".cdf": "netcdf"},
    "shapefile": {".shx": "shapefile-part"},
}
"""Formats that others are made of: the suffix says which."""

_WORKBOOK = b"[Content_Types].xml"
_TEXTS = frozenset(("csv", "jsonl", "json", "yaml", "html", "markdown", "text", "arff", "log", "tex", "xml"))


def kind_of_file(path: Path, head: bytes) -> str:
    """The format of a file whose first `HEAD` bytes these are; `UNKNOWN` where nothing says it.

    Bytes prevail over the suffix: a zip that is called table.csv is a zip. A suffix of a text format counts only for
    what can be text, and a file without a known suffix that can be is "text".
    """
    suffix = path.suffix.lower()
    named = _SUFFIXES.get(suffix, UNKNOWN)
    for place, magic, kind in _MAGIC:
        if head[place : place + len(magic)] == magic and not (len(magic) < 3 and _is_text(head)):
            inside = "workbook" if kind == "zip" and head[30 : 30 + len(_WORKBOOK)] == _WORKBOOK else kind
            return _WITHIN.get(kind, {}).get(suffix, inside)
    if named in _TEXTS or named == UNKNOWN:
        if _is_text(head):
            return named if named != UNKNOWN else "text" if head else "empty"
        return UNKNOWN
    return named


def _is_text(head: bytes) -> bool:
    """Whether bytes can be text: wide characters, or none of the control characters that no text holds."""
    encoding = encoding_of([head], whole=False)
    if encoding.startswith(("utf-16", "utf-32")):
        return not any(char < " " and char not in "\t\n\r\f" for char in head.decode(encoding, "ignore"))
    return not any(byte < 9 or 13 < byte < 27 for byte in head)
