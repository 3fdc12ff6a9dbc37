"""The pipeline: rooms are prepared, writers draft, drafts are proved side by side, and a suite is written."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

from benchwright.errors import InputError
from benchwright.files import canonical_json, folder_digest, sha256, sha256_file
from benchwright.generation.copying import left_out_of
from benchwright.generation.elsewhere import Elsewhere, SpreadProvers, room_told
from benchwright.generation.executing import Bench, Machine
from benchwright.generation.finishing import finish
from benchwright.generation.journal import VERSION, Began, Ended, Entry, Journal, Refused
from benchwright.generation.material import Say, note_of, prepare
from benchwright.generation.prover import Verdict, prove_draft
from benchwright.generation.rounds import Goal, Making, Provers, Told
from benchwright.generation.trial import Room, Tools
from benchwright.generation.usable import not_usable, require_material
from benchwright.generation.workflow import Draft, Writer
from benchwright.scoring.workers import Worker
from benchwright.spreading import Work
from benchwright.suite import Suite

WORK = Path("gold", "generation")
"""Where a suite keeps how it was generated: with the gold, for workflows and answers are in it."""
JOURNAL = "journal.jsonl"


@dataclass(frozen=True, slots=True)
class Request:
    """What to generate: a suite folder `out` from the rooms of `data`. `categories` are those of skills, by name.

    `parallel` drafts are proved at a time, which changes nothing of what comes out.
    """

    data: Path
    out: Path
    goal: Goal
    categories: Mapping[str, str] = field(default_factory=dict)
    parallel: int = 2
    relations: Path | None = None
    """Relations of the data as people reviewed them."""
    elsewhere: Elsewhere | None = None


@dataclass(frozen=True, slots=True)
class Generated:
    """What came of it; `entries` are all decisions."""

    suite: Suite
    entries: tuple[Entry, ...]
    unused: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What of each room no task could be made of, in sentences."""

    @property
    def skills(self) -> Counter[str]:
        """How many tasks need each skill."""
        return Counter(skill for labels in self.suite.labels.values() for skill in labels.skills)

    @property
    def by_room(self) -> dict[str, tuple[int, frozenset[str]]]:
        """How many tasks each room has, and the skills that they need."""
        found: dict[str, list[tuple[str, ...]]] = {}
        for labels in self.suite.labels.values():
            found.setdefault(labels.dataset, []).append(labels.skills)
        return {room: (len(each), frozenset().union(*each)) for room, each in found.items()}

    @property
    def rejections(self) -> Counter[str]:
        """How many drafts were refused, by reason."""
        return Counter(entry.rejection.reason for entry in self.entries if isinstance(entry, Refused))

    @property
    def why(self) -> str:
        """Why no more tasks were made."""
        budget = "the budget is spent; the same command with a larger one goes on"
        return next((entry.why for entry in self.entries if isinstance(entry, Ended)), budget)


def generate(
    request: Request, writer: Writer, machine: Machine, say: Say = lambda _: None, told: Told = lambda _: None
) -> Generated:
    """Generate a suite, or go on with one. The same request and writer give the same suite, however often cut off.

    Errors: InputError for a folder that was begun otherwise, EnvironmentFault or Broken where sandboxes fail.
    """
    work = request.out / WORK
    _claim(request.data, request.out, work)
    spread = None if request.elsewhere is None else request.elsewhere.spread
    prepared = prepare(request.data, request.out, work, say, request.relations, spread)
    rooms = {room.material.room: room for room in prepared}
    unused = {name: not_usable(room, left_out_of(note_of(work, name))) for name, room in rooms.items()}
    _withdrawn_without_material(request.out, work, rooms, unused)
    for name, sentences in unused.items():
        for sentence in sentences:
            say(f"room {name}: {sentence}")
    goal = request.goal
    began = Began(
        version=VERSION,
        tasks=goal.tasks,
        seed=goal.seed,
        writer=writer.name,
        rooms={name: folder_digest(room.index) for name, room in rooms.items()},
        relations="" if request.relations is None else sha256_file(request.relations),
        skills=sha256(canonical_json(sorted(goal.skills.items()))),
    )
    with Journal(work / JOURNAL, began) as journal, _provers(request, machine, work, rooms) as provers:
        Making(goal, writer, rooms, journal, provers, told).run()
        entries = tuple(journal.entries)
    suite = finish(request.out, work, entries, rooms, request.categories)
    return Generated(suite, entries, unused)


def _withdrawn_without_material(
    out: Path, work: Path, rooms: Mapping[str, Room], unused: Mapping[str, tuple[str, ...]]
) -> None:
    """Errors: InputError where no task can be made; the copies go, so that other data can be tried there."""
    try:
        require_material(rooms, unused)
    except InputError:
        if not (work / JOURNAL).exists():
            for name in ("data", "index", "gold"):
                shutil.rmtree(out / name, ignore_errors=True)
            with suppress(OSError):
                out.rmdir()
        raise


def _claim(data: Path, out: Path, work: Path) -> None:
    """Mark the folder as a generation's before anything else lies in it: one that was cut off at once is known."""
    if out.resolve().is_relative_to(data.resolve()):
        raise InputError(
            f"{out} lies in the data", expected="a folder elsewhere", hint="golds would lie among the next suite's data"
        )
    if out.exists() and not work.is_dir() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out} is in the way", expected="a new folder, or one that a generation was begun in")
    work.mkdir(parents=True, exist_ok=True)


@contextmanager
def _provers(request: Request, machine: Machine, work: Path, rooms: Mapping[str, Room]) -> Iterator[Provers]:
    """Threads of this machine, or a crew elsewhere."""
    if request.elsewhere is None:
        with _Threads(request, machine, work) as threads:
            yield threads
        return
    settings = {
        "rooms": [room_told(room) for room in rooms.values()],
        "skills": sorted(request.goal.skills),
        "outputs": str((work / "outputs").absolute()),
        "hidden": [str(request.out.absolute())],
        "sandbox": request.elsewhere.sandbox,
    }
    files = tuple(room.folder.absolute() / entry.path for room in rooms.values() for entry in room.index)
    with request.elsewhere.spread.crew(Work(request.elsewhere.hand, settings, files, gold=True)) as crew:
        yield SpreadProvers(crew)


class _Threads(ExitStack):
    """Threads that prove drafts; each keeps a bench and a scoring process."""

    def __init__(self, request: Request, machine: Machine, work: Path) -> None:
        super().__init__()
        self._request, self._machine, self._work = request, machine, work
        self._free: SimpleQueue[Tools] = SimpleQueue()
        self._threads: ThreadPoolExecutor | None = None

    def prove(self, drafts: Sequence[tuple[Draft, Room]]) -> Iterator[Verdict]:
        """The verdicts in the drafts' order."""
        if not drafts:
            return
        if self._threads is None:
            self._threads = self._started()
        yield from self._threads.map(lambda pair: self._one(*pair), drafts)

    def _started(self) -> ThreadPoolExecutor:
        for _ in range(self._request.parallel):
            self._free.put(Tools(self.enter_context(Bench(self._machine)), self.enter_context(Worker(None))))
        threads = ThreadPoolExecutor(self._request.parallel, thread_name_prefix="generation")
        self.callback(threads.shutdown, wait=True, cancel_futures=True)
        return threads

    def _one(self, draft: Draft, room: Room) -> Verdict:
        tools = self._free.get()
        try:
            return prove_draft(draft, room, tools, self._request.goal.skills, self._work / "outputs" / draft.name)
        finally:
            self._free.put(tools)
