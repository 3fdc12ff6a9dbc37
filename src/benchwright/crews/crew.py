"""Items that all nodes of a Ray cluster work on: given out, taken in once, and given to others of lost nodes."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections import deque
from collections.abc import Collection, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from benchwright.closing import Closing
from benchwright.crews.hands import Hands, heard, libraries, named, state_of
from benchwright.crews.joining import joined
from benchwright.crews.nodes import LOOK_SECONDS, Alive, Code, Nodes, Post, Say
from benchwright.errors import BenchwrightError, EnvironmentFault
from benchwright.spreading import Item, Work

GOLD = "gold"
"""The resource of nodes that may open golds, where a cluster has any such: `ray start --resources '{"gold": 1}'`."""

_TELL_SECONDS = 2.0
_CLOSE_SECONDS = 10.0
_TRIES = 5
"""How often an item is begun whose process dies."""

_AHEAD = 2
"""Items that a node has for each one that it can work on: the next one is there when one is done."""


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
class Desk(Post):
    """A node and what it works on, by number."""

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

    Errors: those of `joined`; of a crew's items EnvironmentFault where no node can work.
    """
    with joined(address) as ray:
        yield RaySpread(ray, say)


class RayCrew(Closing):
    """One kind of work on all nodes. A thread of its own gives out and takes in; `submit` may be called from any."""

    def __init__(self, ray: Any, work: Work, say: Say) -> None:
        self._ray, self._work, self._say = ray, work, say
        self._nodes = Nodes(ray, _code(work), Desk, say)
        self._events = self._nodes.events
        self._waiting: deque[Task] = deque()
        self._number, self._asked, self._done = 0, 0, 0
        self._told = 0.0
        self._golden, self._going = False, True
        self._fault: BenchwrightError | None = None
        self._thread = threading.Thread(target=self._serve, name=f"crew of {work.hand.__name__}", daemon=True)
        self._thread.start()

    def submit(self, item: Item) -> Future[str]:
        """Have an item done by some node, once."""
        task = Task(item, Future())
        self._events.tell(lambda: self._take(task))
        return task.future

    def close(self) -> None:
        """Give up what is under way, and end what works on the nodes. Idempotent."""
        if self._thread.is_alive():
            self._events.tell(self._stop)
            self._thread.join()

    def _stop(self) -> None:
        self._going = False

    def _serve(self) -> None:
        while self._going:
            try:
                self._events.take_in(LOOK_SECONDS)
                if self._going and self._fault is None:
                    self._look()
                    self._give()
                    self._tell()
            except Exception as error:  # noqa: BLE001 - whatever Ray raises, nobody may wait for ever
                self._give_up(EnvironmentFault("the cluster failed", found=f"{type(error).__name__}: {error}"))
        self._end()

    def _take(self, task: Task) -> None:
        self._asked += 1
        if self._fault is not None:
            task.fail(self._fault)
        else:
            self._waiting.append(task)

    def _look(self) -> None:
        """Take in nodes that have come, let go of those that are gone, and require that anybody is there to work."""
        for desk in self._nodes.look(self._trusted):
            self._say(f"node {desk.address} is lost{self._left(desk, counted=False)}")
        if lack := self._nodes.lack():
            self._give_up(EnvironmentFault("no node of the cluster can do this work", found=lack))

    def _trusted(self, alive: Alive) -> Alive:
        """The nodes that may open what this work opens; once some are known to be for golds, no others are."""
        if not self._work.gold:
            return alive
        golden = {name: node for name, node in alive.items() if GOLD in node["Resources"]}
        if golden and not self._golden:
            self._say(f"golds are opened on {len(golden)} of {len(alive)} nodes")
        self._golden = self._golden or bool(golden)
        return golden if self._golden else alive

    @property
    def _desks(self) -> Collection[Desk]:
        return self._nodes.posts.values()

    def _give(self) -> None:
        """Give what is waiting to the nodes that have least to do for their size."""
        most = self._work.at_once
        while self._waiting and (most is None or sum(len(desk.tasks) for desk in self._desks) < most):
            free = [desk for desk in self._desks if desk.ready and (most or len(desk.tasks) < _room(desk))]
            if not free:
                return
            self._begin(min(free, key=lambda desk: len(desk.tasks) / desk.cpus), self._waiting.popleft())

    def _begin(self, desk: Desk, task: Task) -> None:
        if not task.begin():
            return
        self._number += 1
        number, actor = self._number, desk.actor
        desk.tasks[number] = task
        states = [state_of(str(path)) for path in task.item.files]
        ref = actor.do.remote(json.dumps({"text": task.item.text, "files": states}))
        self._events.when(ref, lambda answered: self._answered(desk, actor, number, answered))

    def _answered(self, desk: Desk, actor: Any, number: int, answered: Future[str]) -> None:
        """Take in a result; one of a node that was given up came too late: others have its item."""
        if desk.actor is not actor or number not in desk.tasks:
            return
        if answered.exception() is not None:
            self._died(desk)
            return
        task, answer = desk.tasks.pop(number), json.loads(answered.result())
        if "unfit" in answer:
            desk.tasks[number] = task
            self._nodes.leave_out(desk, str(heard(answer)), self._left(desk, counted=False))
            return
        self._done += 1
        if "result" in answer:
            task.future.set_result(answer["result"])
        else:
            task.future.set_exception(heard(answer))

    def _died(self, desk: Desk) -> None:
        self._say(f"what works on {desk.address} has died{self._left(desk, counted=True)}")
        self._nodes.died(desk)

    def _left(self, desk: Desk, *, counted: bool) -> str:
        """Let others have what a node has not finished, first; what to say of it."""
        left = list(desk.tasks.values())
        desk.tasks.clear()
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
        nodes = sum(desk.ready for desk in self._desks)
        self._say(f"{self._done:,} of {self._asked:,} {self._work.noun}, on {nodes} nodes")

    def _give_up(self, fault: BenchwrightError) -> None:
        self._fault = fault
        for desk in self._desks:
            self._left(desk, counted=False)
        while self._waiting:
            self._waiting.popleft().fail(fault)

    def _end(self) -> None:
        self._give_up(self._fault or EnvironmentFault("the work was given up"))
        actors = [desk.actor for desk in self._desks if desk.actor is not None]
        with contextlib.suppress(Exception):  # a cluster that is gone has nothing to be ended
            if actors:
                ends = [actor.close.remote() for actor in actors]
                self._ray.wait(ends, num_returns=len(ends), timeout=_CLOSE_SECONDS)
            for actor in actors:
                self._ray.kill(actor)


def _room(desk: Desk) -> int:
    return _AHEAD * max(1, int(desk.cpus))


def _code(work: Work) -> Code:
    """What nodes are to run for this work."""
    order = {
        "hand": named(work.hand),
        "settings": dict(work.settings),
        "files": [state_of(str(path)) for path in work.files],
    }
    at_once = work.at_once  # and one call for its end
    return Code(Hands, libraries(), (json.dumps(order),), lambda cpus: 1 + max(1, at_once or int(cpus)))
