"""One shard is run: where its suite and its run folder are, and how what is done reaches the store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchwright.errors import BenchwrightError, InputError
from benchwright.files import home, write_atomic
from benchwright.live import runner
from benchwright.live.cluster.places import Place, inside
from benchwright.live.cluster.published import fetch
from benchwright.live.cluster.shards import NAME, Shard, rooms_of, text
from benchwright.live.prompts import Prompts
from benchwright.live.suites import suite_at
from benchwright.run import RunFolder, RunSpec
from benchwright.run.records import Setting

SYNC_SECONDS = 20.0
"""How long what is finished on a machine may wait until it is in the store."""

_JOURNAL = "events.jsonl"
_NOT_SENT = ("buffer/", ".")
"""Inspect's crash buffer, databases that are being written, and what is hidden: half-written files and locks."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Shares:
    """What a shard may use, where it is not what the plan says: a part of what the whole run may."""

    max_parallel: int | None = None
    budget_usd: float | None = None
    calls_per_minute: float | None = None

    def of(self, spec: RunSpec) -> RunSpec:
        """The specification with these in place of its own."""
        names = ("max_parallel", "budget_usd", "calls_per_minute")
        given = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return spec.model_copy(update=given)


def run_shard(
    shard: Shard,
    shares: Shares | None = None,
    work: Path | None = None,
    secrets: Mapping[str, Setting] | None = None,
    say: Say = lambda _: None,
) -> runner.Outcome:
    """Make the attempts of a shard that its run folder does not hold yet; it is not judged, which merging does.

    A store on a disk is worked in directly. Of any other, what it holds of the shard is taken into `work` (default:
    below `$BENCHWRIGHT_HOME/shards`), and what is finished is sent there every few seconds and at the end, the
    journal last: whatever it says is done is there with its files.
    """
    spec = (shares or Shares()).of(shard.own_spec(suite_folder(shard, say)))
    spec = spec.model_copy(update={"secret_args": dict(secrets or {})})
    prompts = Prompts(_prompts(shard)) if shard.prompts else Prompts()
    folder = shard.place.path or work or home() / "shards" / shard.plan / shard.name
    with _kept(shard, folder, say):
        RunFolder.create(folder, spec)
        write_atomic(folder / NAME, text(shard))
        return runner.run(spec, folder, prompts, runner.Way(judged=False))


def suite_folder(shard: Shard, say: Say) -> Path:
    """Where a shard's suite lies on this machine; fetched first, with its rooms, where the shard says from where."""
    if not shard.suite:
        return Path(shard.spec.suite_folder)
    folder = fetch(shard.suite, shard.spec.suite_digest, (), say)
    return fetch(shard.suite, shard.spec.suite_digest, rooms_of(shard.keys, suite_at(str(folder))), say)


def _prompts(shard: Shard) -> Path:
    """The folder of the user's own prompts on this machine."""
    place = Place(shard.prompts)
    if place.path is not None:
        return place.path
    folder = home() / "shards" / shard.plan / "prompts"
    for name in place.sizes():
        place.download(inside(name), folder / name)
    return folder


@contextmanager
def _kept(shard: Shard, folder: Path, say: Say) -> Iterator[None]:
    """Keep the store up to date with a folder of this machine; a disk needs nothing of it."""
    if shard.place.path is not None:
        yield
        return
    sender = Sender(folder, shard.place)
    sender.take_up(say)
    over = threading.Event()
    regular = threading.Thread(target=_send_regularly, args=(sender, over, say), daemon=True)
    regular.start()
    try:
        yield
    finally:
        over.set()
        regular.join()
        sender.send()


def _send_regularly(sender: Sender, over: threading.Event, say: Say) -> None:
    while not over.wait(SYNC_SECONDS):
        try:
            sender.send()
        except BenchwrightError as error:  # the last sending raises it, if it lasts
            say(error.text())


class Sender:
    """Copies a run folder into a store, again and again, what has changed of it."""

    def __init__(self, folder: Path, place: Place) -> None:
        self.folder, self.place = folder, place
        self._sent: dict[str, tuple[int, int]] = {}
        self._journal = 0
        """Bytes of the journal in the store, as far as we know."""

    def take_up(self, say: Say) -> None:
        """Fetch what the store holds, where this machine has nothing of it or less.

        Errors: InputError where each has something that the other has not.
        """
        there = self.place.sizes()
        self._journal = there.get(_JOURNAL, 0)
        mine = (self.folder / _JOURNAL).read_bytes() if (self.folder / _JOURNAL).is_file() else b""
        theirs = (self.place.read(_JOURNAL) or b"") if self._journal else b""
        if mine.startswith(theirs):
            return
        if not theirs.startswith(mine):
            raise InputError(
                f"this machine and the store hold two different runs of one part: {self.folder}, {self.place.url}",
                hint="move the folder on this machine away, to go on with what the store holds",
            )
        say(f"taking up what {self.place.url} holds")
        for name in sorted(there, key=lambda name: name == _JOURNAL):
            self.place.download(inside(name), self.folder / name)

    def send(self) -> None:
        """Copy what has changed; the journal as it was before, after all that it names.

        Errors: InputError where another process has written the store's journal since.
        """
        journal = (self.folder / _JOURNAL).read_bytes() if (self.folder / _JOURNAL).is_file() else b""
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if name != _JOURNAL and not name.startswith(_NOT_SENT) and "/." not in name and path.is_file():
                self._send(path, name)
        if len(journal) == self._journal:
            return
        if self.place.sizes().get(_JOURNAL, 0) != self._journal:
            raise InputError(
                f"another process has written {self.place.url}",
                expected="one process at work on each part of a run",
                hint="what was done here is kept on this machine; end one of the two and start the other again",
            )
        self.place.write(_JOURNAL, journal)
        self._journal = len(journal)

    def _send(self, path: Path, name: str) -> None:
        status = path.stat()
        state = (status.st_size, status.st_mtime_ns)
        if self._sent.get(name) != state:
            self.place.upload(path, name)
            self._sent[name] = state
