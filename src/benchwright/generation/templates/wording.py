"""How data are named in questions: subjects for files, columns and values only where they are harmless to read."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

LONGEST = 40
MOST_WORDS = 5
_PLAIN = re.compile(r"[^\W_](?:[\w .()/%&+#$°²³µ:,'-]*[\w).%²³])?")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_DULL = frozenset(("data", "dataset", "table", "file", "dat", "copy", "final", "export", "records", "sheet", "csv"))
_COMMANDS = re.compile(
    r"(?i)\b(?:ignore|disregard|instructions?|prompt|system|assistant|answer|submit|execute|delete|print|respond|reveal)\b"
)


def plain(text: object) -> bool:
    """Whether a name or value may stand in a question: short, one line, no quotes or braces, no words of command."""
    return (
        isinstance(text, str)
        and 1 <= len(text) <= LONGEST
        and len(text.split()) <= MOST_WORDS
        and _PLAIN.fullmatch(text) is not None
        and text.count("'") <= 1
        and "  " not in text
        and _COMMANDS.search(text) is None
    )


def single(text: object) -> bool:
    """Whether a value may be a part of an answer: plain, and nothing in it that separates parts or is a number."""
    return plain(text) and not re.search(r"[;,:]", str(text)) and re.search(r"[^\W\d_]{2}", str(text)) is not None


def subject(path: str, table: str = "") -> str:
    """What a file is about, in the words of its name; of its table's too where it has several. Empty: no words."""
    own = _words(PurePosixPath(path).name.split(".")[0])
    words = [*own, *(word for word in _words(table) if word not in own)]
    if not any(len(word) >= 3 and not word.isdigit() and word not in _DULL for word in words):
        words = [*_words(PurePosixPath(path).parent.name), *words]
    if not any(len(word) >= 3 and not word.isdigit() and word not in _DULL for word in words):
        return ""
    text = " ".join(words)
    return text if plain(text[:LONGEST].strip()) and len(text) <= 60 else ""


def _words(name: str) -> list[str]:
    return [word.lower() for word in _PART.findall(name)]


def listed(names: tuple[str, ...] | list[str]) -> str:
    """Names as people list them: a, b and c."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
