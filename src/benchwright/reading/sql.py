"""Which files the text of a query names."""

from __future__ import annotations

import re

from benchwright.reading.holes import from_glob

_FUNCTION = re.compile(
    r"\b(?:read_(?:csv|csv_auto|parquet|json|json_auto|ndjson|text|blob|xlsx)|parquet_scan|sqlite_scan|glob)\s*\(\s*"
    r"(\[[^\]]*\]|'(?:[^']|'')+')",
    re.IGNORECASE,
)
_TABLE = re.compile(
    r"\b(?:from|join|attach(?:\s+database)?)\s+(?:'((?:[^']|'')+)'|\"([^\"]+\.\w{2,8})\")", re.IGNORECASE
)
_LITERAL = re.compile(r"'((?:[^']|'')+)'")
_COPY = re.compile(r"\bcopy\s+\S+\s+from\s+'([^']+)'", re.IGNORECASE)
_ATTACH = re.compile(r"\battach\s+(?:database\s+)?'([^']+)'", re.IGNORECASE)
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


def attached(query: str) -> list[str]:
    """The databases that an SQLite query attaches."""
    return list(dict.fromkeys(_ATTACH.findall(_COMMENT.sub(" ", query))))


def files_in(query: str) -> list[str]:
    """Paths that a DuckDB query names, in its order, each once; glob patterns as text with holes."""
    text = _COMMENT.sub(" ", query)
    found = [path for call in _FUNCTION.findall(text) for path in _LITERAL.findall(call)]
    found += [single or double for single, double in _TABLE.findall(text)]
    found += _COPY.findall(text)
    return list(dict.fromkeys(from_glob(path.replace("''", "'")) for path in found))
