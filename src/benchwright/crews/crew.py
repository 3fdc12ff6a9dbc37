"""Items that all nodes of a Ray cluster work on: given out, taken in once, and given to others of lost nodes."""

from __future__ import annotations

import contextlib
import io
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from benchwright.closing import Closing
from benchwright.crews.hands import Hands, heard, libraries, named, state_of
from benchwright.crews.joining import joined
from benchwright.errors import BenchwrightError, EnvironmentFault, InputError
from benchwright.spreading import Item, Work

GOLD = "gold"
"""The resource of nodes that may open golds, where a cluster has any such: `ray start --resources '{"gold": 1}'`."""

_LOOK_SECONDS = 1.0
_TELL_SECONDS = 2.0
_REST_SECONDS = 3.0
"""How long a node whose process has died gets nothing, until it is known whether it is there."""

_GREET_SECONDS = 120.0
"""How long nodes may take to load our code."""

_CLOSE_SECONDS = 10.0
_TRIES = 5
"""How often an item is begun whose process dies."""

_OTHER = "it has "
"""What begins the reason of a node with other versions."""

_AHEAD = 2
"""Items that a node has for each one that it can work on: the next one is there when one is done."""

Say = Callable[[str], None]


@dataclass(slots=True)
class Task:
    """One item that was asked for, whether it was begun, and how often with a process that died."""

    item: Item
    future: Future[str]
    begun: bool = False
    tries: int = 0

    def begin(self) -> bool:
        """Whether anybody still wants it."""
        wanted = self.begun or self.future.set_running_or_notify_cancel()
        self.begun = True
        return wanted

    def fail(self, fault: BenchwrightError) -> None:
        """End it with an error, unless nobody wants it."""
        if self.begin() and not self.future.cancelled():
            self.future.set_exception(fault)


@dataclass(slots=True, eq=False)
class Post:
    """A node and what it works on, by number.

    `since`: when its process is or was started, `failed`: how often it did not start, `unfit`: why it gets nothing.
    """

    node: str
    address: str
    cpus: float
    actor: Any = None
    ready: bool = False
    unfit: str = ""
    since: float = 0.0
    failed: int = 0
    tasks: dict[int, Task] = field(default_factory=dict)


class RaySpread:
    """Crews of the cluster that this process is connected to."""

    def __init__(self, ray: Any, say: Say) -> None:
        self._ray, self._say = ray, say

    @contextmanager
    def crew(self, work: Work) -> Iterator[RayCrew]:
        """A crew of all nodes."""
        with RayCrew(self._ray, work, self._say) as crew:
            yield crew


@contextmanager
def on_ray(address: str, say: Say) -> Iterator[RaySpread]:
    """Work over a cluster, by its address or `auto`; results are printed when the block is left.

    Ray prints the last words of nodes that die to stdout, at any moment until it is disconnected.
    Errors: InputError where Ray is not installed, EnvironmentFault where no cluster answers; of a crew's items
    InputError where every node has other versions, EnvironmentFault where no node can work.
    """
    with contextlib.redirect_stdout(io.StringIO()), joined(address) as ray:
        yield RaySpread(ray, say)


class RayCrew(Closing):
    """One kind of work on all nodes. A thread of its own gives out and takes in; `submit` may be called from any."""

    def __init__(self, ray: Any, work: Work, say: Say) -> None:
        self._ray, self._work, self._say = ray, work, say
        self._order = json.dumps(
            {
                "hand": named(work.hand),
                "settings": dict(work.settings),
                "files": [state_of(str(path)) for path in work.files],
            }
        )
        self._versions = libraries()
        self._posts: dict[str, Post] = {}
        self._waiting: deque[Task] = deque()
        self._events: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._number, self._asked, self._done = 0, 0, 0
        self._looked = self._told = 0.0
        self._golden = False
        self._fault: BenchwrightError | None = None
        self._thread = threading.Thread(target=self._serve, name=f"crew of {work.hand.__name__}", daemon=True)
        self._thread.start()

    def submit(self, item: Item) -> Future[str]:
        """Have an item done by some node, once."""
        task = Task(item, Future())
        self._events.put(lambda: self._take(task))
        return task.future

    def close(self) -> None:
        """Give up what is under way, and end what works on the nodes. Idempotent."""
        if self._thread.is_alive():
            self._events.put(None)
            self._thread.join()

    def _serve(self) -> None:
        going = True
        while going:
            try:
                going = self._next()
                if going and self._fault is None:
                    self._look()
                    self._give()
                    self._tell()
            except Exception as error:  # noqa: BLE001 - whatever Ray raises, nobody may wait for ever
                self._give_up(EnvironmentFault("the cluster failed", found=f"{type(error).__name__}: {error}"))
        self._end()

    def _next(self) -> bool:
        """Take in all that has happened; whether to go on."""
        with contextlib.suppress(Empty):
            event = self._events.get(timeout=_LOOK_SECONDS)
            while event is not None:
                event()
                event = self._events.get_nowait()
            return False
        return True

    def _take(self, task: Task) -> None:
        self._asked += 1
        if self._fault is not None:
            task.fail(self._fault)
        else:
            self._waiting.append(task)

    def _look(self) -> None:
        """Take in nodes that have come, and let go of those that are gone."""
        if time.monotonic() - self._looked < _LOOK_SECONDS:
            return
        self._looked = now = time.monotonic()
        alive = {node["NodeID"]: node for node in self._ray.nodes() if node["Alive"]}
        for name in self._posts.keys() - alive.keys():
            post = self._posts.pop(name)
            self._say(f"node {post.address} is lost{self._left(post, counted=False)}")
        for name, node in self._trusted(alive).items():
            cpus = float(node["Resources"].get("CPU", 0))
            if name not in self._posts and cpus > 0:  # one without processors is there for its address alone
                self._posts[name] = Post(name, node["NodeManagerAddress"], cpus)
        for post in self._posts.values():
            if post.actor is None and not post.unfit and now >= post.since:
                self._start(post)
        self._require_some(now)

    def _trusted(self, alive: dict[str, Any]) -> dict[str, Any]:
        """The nodes that may open what this work opens; once some are known to be for golds, no others are."""
        if not self._work.gold:
            return alive
        golden = {name: node for name, node in alive.items() if GOLD in node["Resources"]}
        if golden and not self._golden:
            self._say(f"golds are opened on {len(golden)} of {len(alive)} nodes")
        self._golden = self._golden or bool(golden)
        return golden if self._golden else alive

    def _require_some(self, now: float) -> None:
        """That anybody is there to work, now or soon."""
        fit = [post for post in self._posts.values() if not post.unfit]
        if any(post.ready or now - post.since < _GREET_SECONDS for post in fit):
            return
        reasons = sorted({post.unfit for post in self._posts.values() if post.unfit})
        found = "; ".join(reasons) or "no node is left in the cluster"
        if reasons and all(reason.startswith(_OTHER) for reason in reasons):
            self._give_up(InputError("no node of the cluster has the versions that are here", found=found))
        else:
            self._give_up(EnvironmentFault("no node of the cluster can do this work", found=found))

    def _start(self, post: Post) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        there = NodeAffinitySchedulingStrategy(post.node, soft=False)
        threads = max(1, self._work.at_once or int(post.cpus)) + 1  # one for its end
        options = {"num_cpus": 0, "max_concurrency": threads, "scheduling_strategy": there}
        post.actor = actor = self._ray.remote(Hands).options(**options).remote(self._order)
        post.since = time.monotonic()
        self._when(actor.about.remote(), lambda answered: self._greeted(post, actor, answered))

    def _when(self, ref: Any, then: Callable[[Future[str]], None]) -> None:
        ref.future().add_done_callback(lambda answered: self._events.put(lambda: then(answered)))

    def _greeted(self, post: Post, actor: Any, answered: Future[str]) -> None:
        if post.actor is not actor:
            return
        if error := answered.exception():
            self._not_started(post, error)
        else:
            found = json.loads(answered.result())
            names = sorted(self._versions.keys() | found.keys())
            other = [f"{name} {found.get(name)}" for name in names if found.get(name) != self._versions.get(name)]
            post.unfit = f"{_OTHER}{', '.join(other)}" if other else ""
            post.ready = not post.unfit
        if post.unfit:
            self._say(f"node {post.address} is left out: {post.unfit}")

    def _not_started(self, post: Post, error: BaseException) -> None:
        """Try it again later, in case somebody ended it; not for ever."""
        post.failed += 1
        post.actor, post.since = None, time.monotonic() + _REST_SECONDS
        if post.failed >= _TRIES:
            post.unfit = f"it does not start our code: {str(error)[:300]}"

    def _give(self) -> None:
        """Give what is waiting to the nodes that have least to do for their size."""
        most = self._work.at_once
        while self._waiting and (most is None or sum(len(post.tasks) for post in self._posts.values()) < most):
            free = [post for post in self._posts.values() if post.ready and (most or len(post.tasks) < _room(post))]
            if not free:
                return
            self._begin(min(free, key=lambda post: len(post.tasks) / post.cpus), self._waiting.popleft())

    def _begin(self, post: Post, task: Task) -> None:
        if not task.begin():
            return
        self._number += 1
        number, actor = self._number, post.actor
        post.tasks[number] = task
        states = [state_of(str(path)) for path in task.item.files]
        ref = actor.do.remote(json.dumps({"text": task.item.text, "files": states}))
        self._when(ref, lambda answered: self._answered(post, actor, number, answered))

    def _answered(self, post: Post, actor: Any, number: int, answered: Future[str]) -> None:
        """Take in a result; one of a node that was given up came too late: others have its item."""
        if post.actor is not actor or number not in post.tasks:
            return
        if answered.exception() is not None:
            self._died(post)
            return
        task, answer = post.tasks.pop(number), json.loads(answered.result())
        if "unfit" in answer:
            post.tasks[number] = task
            self._leave_out(post, str(heard(answer)))
            return
        self._done += 1
        if "result" in answer:
            task.future.set_result(answer["result"])
        else:
            task.future.set_exception(heard(answer))

    def _leave_out(self, post: Post, why: str) -> None:
        post.unfit, post.ready = " ".join(why.split()), False
        self._say(f"node {post.address} is left out: {post.unfit}{self._left(post, counted=False)}")
        self._ray.kill(post.actor)

    def _died(self, post: Post) -> None:
        """A node whose process has died, or all of it, which the cluster tells a little later."""
        self._say(f"what works on {post.address} has died{self._left(post, counted=True)}")
        post.actor, post.ready = None, False
        post.since = time.monotonic() + _REST_SECONDS

    def _left(self, post: Post, *, counted: bool) -> str:
        """Let others have what a node has not finished, first; what to say of it."""
        left = list(post.tasks.values())
        post.tasks.clear()
        for task in reversed(left):
            task.tries += counted
            if task.tries < _TRIES:
                self._waiting.appendleft(task)
                continue
            task.fail(EnvironmentFault(f"an item was begun {_TRIES} times, and each time what worked on it died"))
        return f"; {len(left)} {self._work.noun or 'items'} go to others" if left else ""

    def _tell(self) -> None:
        """How far all are, every other second."""
        if not self._work.noun or time.monotonic() - self._told < _TELL_SECONDS or self._done == 0:
            return
        self._told = time.monotonic()
        nodes = sum(post.ready for post in self._posts.values())
        self._say(f"{self._done:,} of {self._asked:,} {self._work.noun}, on {nodes} nodes")

    def _give_up(self, fault: BenchwrightError) -> None:
        self._fault = fault
        for post in self._posts.values():
            self._left(post, counted=False)
        while self._waiting:
            self._waiting.popleft().fail(fault)

    def _end(self) -> None:
        self._give_up(self._fault or EnvironmentFault("the work was given up"))
        actors = [post.actor for post in self._posts.values() if post.actor is not None]
        with contextlib.suppress(Exception):  # a cluster that is gone has nothing to be ended
            if actors:
                ends = [actor.close.remote() for actor in actors]
                self._ray.wait(ends, num_returns=len(ends), timeout=_CLOSE_SECONDS)
            for actor in actors:
                self._ray.kill(actor)


def _room(post: Post) -> int:
    return _AHEAD * max(1, int(post.cpus))
