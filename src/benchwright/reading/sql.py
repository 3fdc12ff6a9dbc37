"""Which files the text of a DuckDB query names."""

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
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


def files_in(query: str) -> list[str]:
    """Paths in the order of the query, each once; glob patterns as text with holes."""
    text = _COMMENT.sub(" ", query)
    found = [path for call in _FUNCTION.findall(text) for path in _LITERAL.findall(call)]
    found += [single or double for single, double in _TABLE.findall(text)]
    found += _COPY.findall(text)
    return list(dict.fromkeys(from_glob(path.replace("''", "'")) for path in found))
