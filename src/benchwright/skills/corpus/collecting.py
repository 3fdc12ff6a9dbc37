"""Collecting: several sources into one corpus, every solution once, and every other one counted with its reason."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchwright.errors import InputError
from benchwright.files import write_jsonl
from benchwright.skills.corpus.base import HIDDEN, TWICE, UNREADABLE, Found, Refused, Wanted
from benchwright.skills.corpus.exports import FORMS, read_document, read_lines
from benchwright.skills.corpus.notebooks import read_notebook
from benchwright.skills.corpus.posts import read_posts
from benchwright.skills.corpus.suites import read_suite
from benchwright.skills.steps import Solution
from benchwright.suite import Suite

_READERS: Final[dict[str, Callable[[Path, Wanted], Found]]] = {
    ".xml": read_posts,
    ".jsonl": read_lines,
    ".json": read_document,
    ".ipynb": read_notebook,
}
_IN_FOLDERS = frozenset({".jsonl", ".ipynb"})
_SHOWN = 20


@dataclass(slots=True)
class Collected:
    """What a corpus was made of: solutions by source, others by reason, and the first ones that nobody could read."""

    taken: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    unreadable: list[Refused] = field(default_factory=list)

    @property
    def found(self) -> int:
        """All solutions that the sources hold: those taken and those refused."""
        return self.taken.total() + self.refused.total()


def source_kind(path: Path) -> str:
    """What a source is: `suite`, `folder`, or the ending of its file; InputError where it is none."""
    if path.is_dir():
        return "suite" if (path / "suite.toml").is_file() else "folder"
    if not path.is_file():
        raise InputError("no such source", found=str(path), expected=_EXPECTED)
    if path.suffix.lower() not in _READERS:
        hint = "unpack it first" if path.suffix in (".7z", ".gz", ".zip", ".zst") else ""
        raise InputError("not a source of solutions", found=str(path), expected=_EXPECTED, hint=hint)
    return path.suffix.lower()


_EXPECTED = f"Posts.xml, .ipynb, a suite, a folder of notebooks, or .jsonl / .json with {FORMS}"


def collect(sources: Iterable[Path], wanted: Wanted, out: Path) -> Collected:
    """Write the wanted solutions of all sources, in their order, as one JSON Lines file: all of it or nothing.

    Of two solutions with one id the first is taken. Errors: InputError where a source is none, or nothing is wanted.
    """
    listed = [(path, source_kind(path)) for path in sources]
    collected = Collected()
    write_jsonl(out, _taken(listed, wanted, collected))
    return collected


def _taken(sources: Iterable[tuple[Path, str]], wanted: Wanted, collected: Collected) -> Iterator[Solution]:
    ids: set[str] = set()
    for path, kind in sources:
        for found in _read(path, kind, wanted):
            if isinstance(found, Solution) and found.id not in ids:
                ids.add(found.id)
                collected.taken[found.source] += 1
                yield found
            else:
                refused = found if isinstance(found, Refused) else Refused(str(path), TWICE, found.id)
                collected.refused[refused.reason] += 1
                if refused.reason == UNREADABLE and len(collected.unreadable) < _SHOWN:
                    collected.unreadable.append(refused)
    if not ids:
        told = ", ".join(f"{count} {reason}" for reason, count in collected.refused.most_common()) or "nothing in it"
        raise InputError("no solution is wanted", found=told, hint="see --tag and --score-above")


def _read(path: Path, kind: str, wanted: Wanted) -> Found:
    if kind == "suite":
        return read_suite(Suite.open(path), wanted)
    if kind == "folder":
        return _folder(path, wanted)
    return _READERS[kind](path, wanted)


def _folder(folder: Path, wanted: Wanted) -> Found:
    """The files of a folder by name, links left out; a dump's other files are not posts.

    Hidden folders hold other states of what lies beside them, such as the checkpoints of notebooks.
    """
    paths = [Path(parent, name) for parent, _, names in os.walk(folder) for name in names]
    for path in sorted(path for path in paths if path.is_file() and not path.is_symlink()):
        if path.suffix.lower() not in _IN_FOLDERS and path.name != "Posts.xml":
            continue
        if any(part.startswith(".") for part in path.relative_to(folder).parts[:-1]):
            yield Refused(str(path.relative_to(folder)), HIDDEN)
        else:
            yield from _READERS[path.suffix.lower()](path, wanted)
