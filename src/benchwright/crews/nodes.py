"""The nodes of a Ray cluster: which there are, our code on each, and whether it is the same as here."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

LOOK_SECONDS = 1.0
"""How often the cluster is asked which nodes it has."""

_REST_SECONDS = 3.0
"""How long a node whose process has died gets nothing, until it is known whether it is there."""

_GREET_SECONDS = 120.0
"""How long nodes may take to load our code."""

_STARTS = 5
"""How often our code may fail to start on a node, in case somebody ended it."""

_UNSTARTED = "it does not start our code"

Say = Callable[[str], None]
Alive = dict[str, Any]
"""What the cluster tells of its living nodes, by their ids."""


class Events:
    """What has happened: told by any thread, taken in by one, in the order in which it was told."""

    def __init__(self) -> None:
        self._told: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def tell(self, event: Callable[[], None]) -> None:
        """Have this done by whoever takes in."""
        self._told.put(event)

    def when(self, ref: Any, then: Callable[[Future[str]], None]) -> None:
        """Tell what a node answers, or that it does not."""
        ref.future().add_done_callback(lambda answered: self.tell(lambda: then(answered)))

    def take_in(self, seconds: float) -> None:
        """Take in all that has happened; where nothing has, wait so long for it."""
        with suppress(Empty):
            event = self._told.get(timeout=seconds) if seconds > 0 else self._told.get_nowait()
            while True:
                event()
                event = self._told.get_nowait()


@dataclass(slots=True, eq=False)
class Post:
    """A node, and our code on it.

    `ready`: whether it answers and is the same as here; `unfit`: why it gets nothing; `since`: when it was, or will be,
    started; `failed`: how often it did not start.
    """

    node: str
    address: str
    cpus: float
    actor: Any = None
    ready: bool = False
    unfit: str = ""
    since: float = 0.0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Code:
    """What is started on nodes: a class whose `about` tells its versions as JSON, which have to be these.

    It is made with `given` texts, and serves so many calls at once as `calls` says of a node's processors.
    """

    kind: type[Any]
    versions: Mapping[str, str]
    given: tuple[str, ...] = ()
    calls: Callable[[float], int] = lambda _: 1


P = TypeVar("P", bound=Post)


class Nodes(Generic[P]):
    """The nodes of the cluster that this process is connected to, each as a post of this kind. For one thread.

    What nodes answer is taken in by `events`, which whoever holds this has to do regularly, as it has to `look`.
    """

    def __init__(self, ray: Any, code: Code, kind: type[P], say: Say) -> None:
        self._ray, self._code, self._kind, self._say = ray, code, kind, say
        self._looked = float("-inf")
        self.events = Events()
        self.posts: dict[str, P] = {}

    def look(self, trusted: Callable[[Alive], Alive] = lambda alive: alive) -> list[P]:
        """Take in those that have come, of those that are `trusted`; returns those that are gone.

        Our code is started where it is not. Called sooner than a second after the last time it does nothing.
        """
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return []
        self._looked = now
        alive = {node["NodeID"]: node for node in self._ray.nodes() if node["Alive"]}
        gone = [self.posts.pop(name) for name in self.posts.keys() - alive.keys()]
        for name, node in trusted(alive).items():
            cpus = float(node["Resources"].get("CPU", 0))
            if name not in self.posts and cpus > 0:  # one without processors is there for its address alone
                self.posts[name] = self._kind(name, node["NodeManagerAddress"], cpus)
        for post in self.posts.values():
            if post.actor is None and not post.unfit and now >= post.since:
                self._start(post)
        return gone

    def settle(self, seconds: float) -> None:
        """Wait until every node has answered, or has failed to; at most so long."""
        deadline = time.monotonic() + seconds
        while any(not (post.ready or post.unfit or post.failed) for post in self.posts.values()):
            if (left := deadline - time.monotonic()) <= 0:
                return
            self.events.take_in(min(left, LOOK_SECONDS))

    def hopeful(self) -> list[P]:
        """Those that can work, now or soon."""
        young = time.monotonic() - _GREET_SECONDS
        return [post for post in self.posts.values() if post.ready or (not post.unfit and post.since > young)]

    def lack(self) -> str:
        """Why nobody can work, now or soon; empty where somebody can."""
        if self.hopeful():
            return ""
        silent = f"{_UNSTARTED}: no answer for {_GREET_SECONDS:g} seconds"
        reasons = sorted({post.unfit or silent for post in self.posts.values()})
        return "; ".join(reasons) or "no node is left in the cluster"

    def died(self, post: P) -> None:
        """Our code there has died, or all of the node, which the cluster tells a little later; it is started again."""
        post.actor, post.ready = None, False
        post.since = time.monotonic() + _REST_SECONDS

    def leave_out(self, post: P, why: str, more: str = "") -> None:
        """Give a node nothing any more, and say so."""
        post.unfit, post.ready = " ".join(why.split()), False
        self._say(f"node {post.address} is left out: {post.unfit}{more}")
        if post.actor is not None:
            self._ray.kill(post.actor)
            post.actor = None

    def _start(self, post: P) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        there = NodeAffinitySchedulingStrategy(post.node, soft=False)
        calls = self._code.calls(post.cpus)
        options = {"num_cpus": 0, "max_concurrency": calls, "scheduling_strategy": there}
        post.actor = actor = self._ray.remote(self._code.kind).options(**options).remote(*self._code.given)
        post.since = time.monotonic()
        self.events.when(actor.about.remote(), lambda answered: self._greeted(post, actor, answered))

    def _greeted(self, post: P, actor: Any, answered: Future[str]) -> None:
        if post.actor is not actor or self.posts.get(post.node) is not post:
            return
        if error := answered.exception():
            self._not_started(post, error)
            return
        found, here = json.loads(answered.result()), self._code.versions
        names = sorted(found.keys() | here.keys())
        other = [f"{name} {found.get(name)}" for name in names if found.get(name) != here.get(name)]
        post.ready = not other
        if other:
            self.leave_out(post, f"it has {', '.join(other)}")

    def _not_started(self, post: P, error: BaseException) -> None:
        """Try it again later; not for ever."""
        post.failed += 1
        self.died(post)
        if post.failed >= _STARTS:
            self.leave_out(post, f"{_UNSTARTED}: {str(error)[:300]}")
