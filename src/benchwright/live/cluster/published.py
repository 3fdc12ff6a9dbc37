"""A suite in a store: laid down without its gold, fetched by each machine once, room by room, checked by digests."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchwright.errors import InputError, SuiteError
from benchwright.files import (
    FileEntry,
    canonical_json,
    folder_digest,
    home,
    index_folder,
    parse_json,
    read_toml,
    toml_text,
    write_atomic,
)
from benchwright.live.cluster.places import Place, inside
from benchwright.sandbox.base import Room
from benchwright.sandbox.store import RoomStore
from benchwright.suite import Suite

_INDEX = "rooms.json"
"""Which room is which folder of files; written last, so that what it names is there."""

_TEXTS = ("tasks.jsonl", "labels.jsonl")

Say = Callable[[str], None]


def publish(suite: Suite, rooms: Iterable[str], store: Place, say: Say = lambda _: None) -> str:
    """Put a suite and these rooms into a store, unless they are there; returns the suite's URL. Gold stays here.

    Rooms lie by their digests, each once, whatever suites use them. Errors: SuiteError where a room is not what the
    suite says.
    """
    place = store.below(f"suites/{suite.name}-{suite.digest[:12]}")
    known = json.loads(place.read(_INDEX) or b"{}")
    for name in rooms:
        if name not in known:
            known[name] = _publish_room(suite, name, store, say)
    for file in (*_TEXTS, suite.info.prompt):
        if file and (suite.folder / file).is_file():
            place.upload(suite.folder / file, file)
    place.upload(suite.folder / "suite.toml", "suite.toml")
    place.write(_INDEX, canonical_json(known).encode())
    return place.url


def _publish_room(suite: Suite, name: str, store: Place, say: Say) -> str:
    """One room's files and then their index; returns its digest."""
    folder, stated = suite.room_path(name), suite.info.rooms[name].sha256
    if not folder.is_dir():
        raise InputError(f"room {name} is not here", found=f"no folder {folder}")
    index = index_folder(folder)
    digest = folder_digest(index)
    if stated and digest != stated:
        raise SuiteError(f"room {name} does not hold what its suite says", found=digest, expected=stated)
    place = store.below(f"rooms/{digest}")
    if place.read("index.json") is None:
        say(f"room {name}: {len(index)} files go to {place.url}")
        there = place.sizes()
        for entry in index:
            if there.get(f"files/{entry.path}") != entry.size:
                place.upload(folder / entry.path, f"files/{entry.path}")
        place.write("index.json", canonical_json([list(entry) for entry in index]).encode())
    return digest


def fetch(url: str, digest: str, rooms: Iterable[str], say: Say = lambda _: None) -> Path:
    """The folder of a published suite on this machine, with these rooms in it: fetched where they are not here yet.

    `digest` is the suite's; a room that was changed here since is fetched again. Errors: SuiteError where what the
    store holds is not that suite, or not those files.
    """
    place = Place(url)
    known = parse_json((place.read(_INDEX) or b"").decode() or "{}", f"{url}/{_INDEX}")
    if missing := sorted(set(rooms) - set(known)):
        raise InputError(f"{url} holds no room {missing[0]}", hint="lay the suite down again: benchwright plan")
    root = home() / "fetched"
    for name in rooms:
        _fetch_room(Place(f"{url.rpartition('/suites/')[0]}/rooms/{known[name]}"), name, root, say)
    with _locked(root, digest):
        return _fetch_texts(place, digest, known, root)


def _fetch_texts(place: Place, digest: str, known: dict[str, str], root: Path) -> Path:
    """A suite folder whose rooms lie beside it; made anew when it is asked for, which takes a moment."""
    folder = root / "suites" / digest
    for file in _TEXTS:
        data = place.read(file)
        if data is not None:
            write_atomic(folder / file, data)
    write_atomic(folder / "given.toml", place.read("suite.toml") or b"")
    info = read_toml(folder / "given.toml")
    if prompt := info.get("prompt"):
        write_atomic(folder / inside(prompt), place.read(inside(prompt)) or b"")
    for name, room in info.get("rooms", {}).items():
        room["path"] = str(root / "rooms" / inside(known.get(name, "not-published")) / "files")
    write_atomic(folder / "suite.toml", toml_text(info))
    if (found := Suite.open(folder).digest) != digest:
        raise SuiteError(f"{place.url} holds another suite", found=found[:12], expected=digest[:12])
    return folder


def _fetch_room(place: Place, name: str, root: Path, say: Say) -> None:
    """One room, once a machine: others that want it wait; one that is cut off leaves nothing that looks whole."""
    digest = inside(place.url.rpartition("/")[2])
    target = root / "rooms" / digest
    with _locked(root, digest):
        for stale in (root / "rooms").glob(f".{digest}.*"):
            shutil.rmtree(stale, ignore_errors=True)
        if target.is_dir():
            if _holds(target / "files", name, digest):
                return
            say(f"room {name}: what is kept of it here was changed")
            shutil.rmtree(target)
        say(f"room {name}: fetched from {place.url}")
        index = [FileEntry(*entry) for entry in parse_json((place.read("index.json") or b"[]").decode(), place.url)]
        (root / "rooms").mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{digest}.", dir=root / "rooms"))
        try:
            os.chmod(partial, 0o755)  # noqa: S103 - rooms are read by everyone; mkdtemp makes it private
            (partial / "files").mkdir()
            for entry in index:
                place.download(f"files/{inside(entry.path)}", partial / "files" / entry.path)
            _require_digest(partial / "files", digest, f"room {name} came from {place.url} as another")
            os.replace(partial, target)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise


def _holds(folder: Path, name: str, digest: str) -> bool:
    """Whether a room that was fetched before is still what it was; read again only where it was touched since."""
    try:
        RoomStore().check(Room(name=name, path=folder, sha256=digest))
    except InputError:
        return False
    return True


def _require_digest(folder: Path, digest: str, what: str) -> None:
    if (found := folder_digest(index_folder(folder))) != digest:
        raise SuiteError(what, found=found, expected=digest, hint="lay the suite down again: benchwright plan")


@contextmanager
def _locked(root: Path, digest: str) -> Iterator[None]:
    root.mkdir(parents=True, exist_ok=True)
    with (root / f".{digest}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
