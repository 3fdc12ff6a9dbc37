"""Whole folders: every file below them looked at, several at a time, and known content taken from the cache."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from benchwright.closing import Closing
from benchwright.errors import InputError
from benchwright.files import canonical_json, home, parse_json, read_text, sha256, sha256_file, write_atomic
from benchwright.process import WorkLimits
from benchwright.profiles.entries import FileProfile, entry_text
from benchwright.profiles.formats.base import Bounds
from benchwright.profiles.lookers import LOOK_LIMITS, Looker
from benchwright.profiles.looking import LARGEST
from benchwright.spreading import Item, Spread, Work, spread_over

PROCESSES = 2
_COMPANIONED = frozenset((".shp",))
"""Formats of several files: what one of them holds does not tell the profile."""


@dataclass(frozen=True, slots=True)
class Looking:
    """How files are looked at; `cache` is where entries are kept by content, None for nowhere.

    A `spread` says who looks at them, each with the cache of its own machine; None: this one does.
    """

    limits: WorkLimits = LOOK_LIMITS
    bounds: Bounds = field(default_factory=Bounds)
    cache: Path | None = field(default_factory=lambda: home() / "profiles")
    told: Callable[[int, int], None] = lambda done, of: None  # noqa: ARG005 - one that tells nobody
    spread: Spread | None = None


def profile_paths(paths: Iterable[Path], looking: Looking | None = None) -> Iterator[FileProfile]:
    """The entry of every file that is named or lies below a folder that is, in the order of their names.

    Raises InputError for a path that is not there; everything else that goes wrong stands in the entries.
    """
    yield from profile_files(list(listed_files(paths)), looking)


def profile_files(listed: Sequence[tuple[Path, str]], looking: Looking | None = None) -> Iterator[FileProfile]:
    """The entry of each of these files under the name that is given with it, in their order."""
    looking = looking or Looking()
    if looking.spread is not None and listed:
        yield from _spread(listed, looking, looking.spread)
        return
    free: SimpleQueue[Looker] = SimpleQueue()

    def one(listing: tuple[Path, str]) -> FileProfile:
        looker = free.get()
        try:
            return _known_or_looked_at(*listing, looker, looking)
        finally:
            free.put(looker)

    with ExitStack() as held:
        count = max(1, min(PROCESSES, len(listed)))
        for _ in range(count):
            free.put(held.enter_context(Looker(looking.limits, looking.bounds)))
        threads = held.enter_context(ThreadPoolExecutor(count, thread_name_prefix="profiles"))
        for done, entry in enumerate(threads.map(one, listed), 1):
            looking.told(done, len(listed))
            yield entry


class Look(Closing):
    """Looks at files that come as text, on whichever machine; `cache`: whether entries are kept in its own."""

    together = False

    def __init__(self, limits: Mapping[str, Any], bounds: Mapping[str, Any], cache: bool) -> None:
        own = home() / "profiles" if cache else None
        self._looking = Looking(WorkLimits(**limits), Bounds(**bounds), own)
        self._looker = Looker(self._looking.limits, self._looking.bounds)

    def do(self, text: str) -> str:
        """The entry of one file."""
        named = parse_json(text, "a file")
        return entry_text(_known_or_looked_at(Path(named["path"]), named["name"], self._looker, self._looking))

    def close(self) -> None:
        """End the process that looks. Idempotent."""
        self._looker.close()


def _spread(listed: Sequence[tuple[Path, str]], looking: Looking, spread: Spread) -> Iterator[FileProfile]:
    settings = {
        "limits": asdict(looking.limits),
        "bounds": asdict(looking.bounds),
        "cache": looking.cache is not None,
    }
    items = []
    for path, name in listed:
        whole = path.absolute()
        text = json.dumps({"path": str(whole), "name": name})  # in ASCII: not every name is UTF-8
        items.append(Item(text, (whole,)))
    for done, text in enumerate(spread_over(spread, Work(Look, settings), items), 1):
        looking.told(done, len(listed))
        yield FileProfile.from_json(parse_json(text, "a node"), "a node")


def listed_files(paths: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Every file, with the name of its entry: its path below the folder that was named, or its own name."""
    for root in paths:
        if not os.path.lexists(root):
            raise InputError(f"no such file or folder: {root}", expected="data files, or folders of them")
        if not root.is_dir():
            yield root, _legible(root.name)
            continue
        found = [Path(parent, name) for parent, _, names in os.walk(root) for name in names]
        yield from ((path, _legible(path.relative_to(root).as_posix())) for path in sorted(found))


def _legible(name: str) -> str:
    """A file name as text that every reader of JSON takes; bytes that are no UTF-8 are written out."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _known_or_looked_at(path: Path, name: str, looker: Looker, looking: Looking) -> FileProfile:
    place = _place(path, looking)
    if place is not None and place.is_file():
        try:
            entry = FileProfile.from_json(parse_json(read_text(place), str(place)), str(place))
            return entry.model_copy(update={"path": name})
        except InputError:
            place.unlink(missing_ok=True)
    entry = looker.look(path, name)
    # What failed may succeed with more time, memory, or a library that was missing.
    if place is not None and not entry.error:
        with suppress(OSError):  # where nothing can be kept, the file is looked at again the next time
            write_atomic(place, entry_text(entry))
    return entry


def _place(path: Path, looking: Looking) -> Path | None:
    """Where the entry of this content is kept: by content, suffix, bounds and the state of this package."""
    suffix = path.suffix.lower()
    if looking.cache is None or suffix in _COMPANIONED or path.is_symlink() or not path.is_file():
        return None
    try:
        if path.stat().st_size > LARGEST:
            return None
        content = sha256_file(path)
    except OSError:
        return None
    key = sha256(canonical_json([content, suffix, repr(looking.bounds), _package()]))
    return looking.cache / key[:2] / f"{key}.json"


@cache
def _package() -> str:
    """A digest of the code that makes entries: what another state of it found is not taken."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return sha256("".join(sha256_file(file) for file in files))
