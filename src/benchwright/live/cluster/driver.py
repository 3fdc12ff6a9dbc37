"""A run over a Ray cluster: parts go to nodes, what is done is taken in, and what a lost node leaves goes to others."""

from __future__ import annotations

import functools
import tempfile
import time
import uuid
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchwright.errors import EnvironmentFault, InputError
from benchwright.files import canonical_json, read_text, sha256
from benchwright.live import runner
from benchwright.live.cluster.merging import absorb, downloaded, key_of
from benchwright.live.cluster.places import Place, is_url
from benchwright.live.cluster.published import publish
from benchwright.live.cluster.seats import Cluster, Seat, connected
from benchwright.live.cluster.shards import NAME, Shard, cut, rooms_of
from benchwright.live.progress import Progress, progress_on, say
from benchwright.live.prompts import Prompts
from benchwright.live.session import Session
from benchwright.live.suites import suite_at
from benchwright.run import RunFolder, RunSpec, Spend
from benchwright.run.records import MAY_CHANGE

_PARTS_A_NODE = 4
"""How many parts a node makes one after the other, where there is enough to do: a lost one costs little."""

_SMALL = 20
"""Attempts that are worth starting a process for."""

_LEAST = 1e-6
"""The part of the whole money that a part gets at least: it ends with its first call, and the run with it."""

_TRIES = 3
"""How often a part is begun that makes no headway."""

_POLL_SECONDS = 0.5
_GREET_SECONDS = 60.0
"""How long the first parts wait for nodes that have not answered: those that come later get parts, too."""

_END_SECONDS = 120.0
"""How long parts may take to end that were asked to."""

_WORDS = 300
_LOCK_SECONDS = 20.0
"""How long a lost part's process may hold its folder: it ends with the node's own."""


@dataclass(frozen=True, slots=True)
class Where:
    """The cluster's address, and the store of the parts (a URL, or a folder that all nodes share; empty: the run's).

    `prompts` and `prices` are the user's own: a folder that all nodes share, and a file of this machine.
    """

    address: str
    store: str = ""
    prompts: Path | None = None
    prices: Path | None = None


def run_on_ray(spec: RunSpec, out: Path, where: Where, prompts: Prompts | None = None) -> runner.Outcome:
    """Make a run's attempts on all nodes of a cluster; what comes of it is one run folder, as of one machine.

    `max_parallel`, the budgets and `calls_per_minute` hold for all nodes together. Errors: InputError where an agent
    needs what nodes do not have, EnvironmentFault where Ray is not installed or no node can make attempts.
    """
    if spec.secret_args:
        raise InputError(
            f"-M {min(spec.secret_args)} is secret, and is not sent to other machines",
            hint="start the nodes with the provider's variable, such as OPENAI_API_KEY, in their environment",
        )
    if is_url(where.store) and any(cell.agent == "oracle" for cell in spec.cells):
        raise InputError("agent oracle reads the gold, which is not put into a store", hint="--store FOLDER")
    return runner.run(spec, out, prompts, runner.Way(sit=functools.partial(_sit, where=where)))


def _sit(session: Session, where: Where) -> None:
    folder = session.folder
    store = _store(folder, where)
    for name in store.folders():  # of a driver that was killed
        if name.startswith("part-"):
            take_in(folder, store.below(name))
    session.pending = runner.unmade(folder)
    if not any(session.pending.values()):
        return
    if where.store:  # each part would find out for itself, late
        store.require_writable()
    with (
        runner.seated(session),
        connected(where.address, folder.spec.versions, say) as cluster,
        progress_on(session) as progress,
        runner.terminated_as_interrupted(),
    ):
        Driver(session, cluster, store, progress, where).run()
    if not any(runner.unmade(folder).values()):
        store.remove()


def _store(folder: RunFolder, where: Where) -> Place:
    """Where the parts of this run lie, and of no other."""
    if not where.store:
        return Place(str(folder.path.absolute() / "parts"))
    decisive = folder.spec.model_dump(mode="json", exclude=set(MAY_CHANGE))
    return Place(where.store).below(f"{folder.spec.suite}-{sha256(canonical_json(decisive))[:12]}")


def take_in(folder: RunFolder, place: Place) -> int:
    """Take over what a part has left in the store; returns the number of attempts."""
    if place.read(NAME) is None or place.read("events.jsonl") is None:
        return 0
    if place.path is None:
        with tempfile.TemporaryDirectory(prefix="benchwright-") as scratch:
            return absorb(folder, RunFolder.open(downloaded(place, Path(scratch))), place.url.rpartition("/")[2])
    part = RunFolder.open(place.path)
    _mend(part)
    return absorb(folder, part, place.path.name)


def _mend(part: RunFolder) -> None:
    """Make its logs whole, unless a process is still at work on it, as one beyond a broken network may be."""
    deadline = time.monotonic() + _LOCK_SECONDS
    while time.monotonic() < deadline:
        with suppress(InputError), part.lock():
            runner.mended(part, tuple(map(key_of, part.spec.only)))
            return
        time.sleep(0.1)


@dataclass(slots=True)
class Work:
    """Attempts that are to be made together, and how often that was begun without any headway."""

    keys: tuple[str, ...]
    tries: int = 0


@dataclass(slots=True)
class Driver:
    """Hands out parts until nothing is left to be made, or nobody is there to make it."""

    session: Session
    cluster: Cluster
    store: Place
    progress: Progress
    where: Where
    queue: deque[Work] = field(default_factory=deque)
    tries: dict[str, int] = field(default_factory=dict)
    suite: str = ""
    taken: Counter[str] = field(default_factory=Counter)
    taken_broken: Counter[str] = field(default_factory=Counter)
    paid: Spend = field(default_factory=Spend)

    def run(self) -> None:
        """Until the end; KeyboardInterrupt passes through when the parts have ended."""
        try:
            self._count()
            self._plan()
            while (self.queue or self.cluster.busy) and not self.session.budget.exhausted:
                self._step()
        finally:
            self._end()

    def _plan(self) -> None:
        suite = suite_at(self.session.folder.spec.suite_folder)
        keys = [key for keys in self.session.pending.values() for key in keys]
        self._look()
        self.cluster.settle(_GREET_SECONDS)
        if is_url(self.where.store):
            rooms = rooms_of([str(key) for key in keys], suite)
            self.suite = publish(suite, rooms, Place(self.where.store), say)
        nodes = max(1, sum(seat.ready for seat in self.cluster.posts.values()))
        count = max(nodes, min(_PARTS_A_NODE * nodes, len(keys) // _SMALL))
        self.queue.extend(Work(tuple(map(str, part))) for part in cut(keys, suite, count))
        say(f"{len(self.queue)} parts for {nodes} nodes")

    def _step(self) -> None:
        self._look()
        if lack := self.cluster.lack():
            raise EnvironmentFault("no node of the cluster can make attempts", found=lack)
        for seat in self.cluster.hopeful():
            if seat.free and self.queue:
                self._give(seat)
        for seat, answered in self.cluster.heard(_POLL_SECONDS):
            if not answered:
                self._lost(seat)
            elif seat.state["code"] is not None:
                self._ended(seat)
        self._tell()

    def _look(self) -> None:
        for seat in self.cluster.look():
            self._gone(seat, f"node {seat.address} is lost", counted=False)

    def _give(self, seat: Seat) -> None:
        """Start the next part on a node, with its share of what is left of the whole."""
        spec = self.session.folder.spec
        fit = self.cluster.hopeful()
        total = sum(other.cpus for other in fit)
        whole = spec.max_parallel or int(3 * total)
        share = min(max(1, int(whole * seat.cpus / total)), whole - sum(other.share for other in fit))
        if share < 1:
            return
        money = self._money(share, whole)
        work = self.queue.popleft()
        rate = spec.calls_per_minute and spec.calls_per_minute * share / whole
        name = f"part-{uuid.uuid4().hex[:12]}"
        self.tries[name] = work.tries
        prompts = str(self.where.prompts.absolute()) if self.where.prompts else ""
        shard = Shard(
            number=1,
            of=1,
            spec=spec,
            keys=work.keys,
            store=self.store.url,
            suite=self.suite,
            prompts=prompts,
            label=name,
        )
        shares = {"max_parallel": share, "budget_usd": money, "calls_per_minute": rate}
        seat.give(shard, shares, read_text(self.where.prices) if self.where.prices else "")

    def _money(self, share: int, whole: int) -> float | None:
        """What a new part may spend: of what no other part may spend, as much as it is of what is not at work."""
        budget = self.session.folder.spec.budget_usd
        if budget is None:
            return None
        free = budget - self.paid.usd - sum(seat.money for seat in self.cluster.busy)
        idle = whole - sum(seat.share for seat in self.cluster.busy)
        return max(free * share / idle, budget * _LEAST)

    def _ended(self, seat: Seat) -> None:
        """Take in a part whose process has ended, whatever way."""
        code, said = seat.state["code"], seat.state["said"].strip()
        words = said.rpartition("error: ")[2] or said
        if code == InputError.exit_code:
            self._take_back(seat)
            raise InputError(words)
        if code == EnvironmentFault.exit_code:
            self.cluster.leave_out(seat, words)
        elif code not in (0, 1):
            say(f"a part's process on {seat.address} ended with {code}{words and ': '}{words[-_WORDS:]}")
        self._take_back(seat, counted=code != EnvironmentFault.exit_code, said=words[-_WORDS:])

    def _lost(self, seat: Seat) -> None:
        self._gone(seat, f"what makes attempts on {seat.address} has died", counted=bool(seat.state))
        self.cluster.died(seat)

    def _gone(self, seat: Seat, what: str, *, counted: bool) -> None:
        left = self._take_back(seat, counted=counted)
        say(f"{what}; {left} attempts go to others")

    def _take_back(self, seat: Seat, *, counted: bool = True, said: str = "") -> int:
        """Take in what a part has done; what it has not done is queued first. Returns how many.

        `counted`: whether it is held against the attempts where none of them was finished; `said`: its last words.
        """
        shard = seat.take()
        if shard is None:
            return 0
        before, folder = self.paid, self.session.folder
        take_in(folder, shard.place)
        self._count()
        known = {str(key) for key in folder.attempts()}
        left = tuple(key for key in shard.keys if key not in known)
        if left and not self.session.budget.stopped:
            idle = len(left) == len(shard.keys) and self.paid.usd == before.usd  # else its money was the end of it
            tries = self.tries[shard.name] + counted if idle else 0
            if tries >= _TRIES:
                raise EnvironmentFault(
                    f"{len(left)} attempts were begun {_TRIES} times, and none was finished",
                    found=said,
                    hint="run one of them on one machine, to see why",
                )
            self.queue.appendleft(Work(left, tries))
        return len(left)

    def _tell(self) -> None:
        """Show how far all are, and hold the money against the budget."""
        done, broken = self.taken.copy(), self.taken_broken.copy()
        for seat in self.cluster.busy:
            done.update(seat.state.get("done", {}))
            broken.update(seat.state.get("broken", {}))
        self.progress.show(done, broken)
        usd, spent = self.session.folder.spec.budget_usd, self._spent()
        self.session.budget.spent = spent
        if usd is not None and spent.usd >= usd:
            self.session.budget.stop(f"the budget of ${usd:g} is spent (${spent.usd:.4g})")

    def _count(self) -> None:
        """What was taken in so far, of this sitting's attempts, and all that was spent."""
        folder, due = self.session.folder, {key for keys in self.session.pending.values() for key in keys}
        attempts = [attempt for key, attempt in folder.attempts().items() if key in due]
        self.taken = Counter(attempt.cell for attempt in attempts)
        self.taken_broken = Counter(attempt.cell for attempt in attempts if attempt.ending.kind == "broke")
        self.paid = replace(folder.spend(), seconds=self.session.budget.spent.seconds)

    def _spent(self) -> Spend:
        """What was spent by all, as far as it is known here."""
        running = [Spend(**seat.state["spent"]) for seat in self.cluster.busy if seat.state]
        return functools.reduce(Spend.together, running, self.paid)

    def _end(self) -> None:
        """Let parts that are under way end, and take in what they have done."""
        self.cluster.stop()
        deadline = time.monotonic() + _END_SECONDS
        while self.cluster.busy and time.monotonic() < deadline:
            for seat, answered in self.cluster.heard(_POLL_SECONDS):
                if not answered or seat.state["code"] is not None:
                    self._take_back(seat, counted=False)
        for seat in self.cluster.busy:
            self._take_back(seat, counted=False)
