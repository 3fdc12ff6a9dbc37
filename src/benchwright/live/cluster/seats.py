"""The nodes of a Ray cluster: which there are, what each may do at once, and whether it still answers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from benchwright.crews.joining import joined
from benchwright.live.cluster.node import Node
from benchwright.live.cluster.shards import Shard, text

_CALL_SECONDS = 60.0
"""How long a new node may take to answer; it loads our code first."""


@dataclass(slots=True)
class Seat:
    """A node of the cluster, and the part that it is at work on. `unfit` says why it gets none."""

    node: str
    address: str
    cpus: float
    actor: Any = None
    shard: Shard | None = None
    share: int = 0
    money: float = 0.0
    state: dict[str, Any] = field(default_factory=dict)
    asked: Any = None
    unfit: str = ""
    rests_until: float = 0.0

    @property
    def free(self) -> bool:
        """Whether it can be given a part."""
        return self.shard is None and not self.unfit and time.monotonic() >= self.rests_until

    def give(self, shard: Shard, shares: dict[str, Any], prices: str) -> None:
        """Start a part there; `prices` is the content of the user's own file of prices."""
        self.shard, self.share, self.state = shard, shares["max_parallel"], {}
        self.money = shares["budget_usd"] or 0.0
        order = json.dumps({"shard": text(shard), "shares": shares, "prices": prices})
        self.asked = self.actor.start.remote(order)

    def take(self) -> Shard | None:
        """The part that it was at work on; it has none any more."""
        shard, self.shard, self.state, self.asked, self.share = self.shard, None, {}, None, 0
        return shard


class Cluster:
    """The cluster that this process is connected to."""

    def __init__(self, ray: Any, versions: dict[str, str]) -> None:
        self._ray, self._versions = ray, versions
        self.seats: dict[str, Seat] = {}

    def look(self, say: Callable[[str], None]) -> list[Seat]:
        """Take in nodes that have come; returns the seats of those that are gone."""
        alive = {node["NodeID"]: node for node in self._ray.nodes() if node["Alive"]}
        come = [
            Seat(name, node["NodeManagerAddress"], cpus)
            for name, node in alive.items()
            if name not in self.seats and (cpus := float(node["Resources"].get("CPU", 0))) > 0
        ]  # a node without processors is there for its address alone
        for seat in come:
            self.seats[seat.node] = seat
            self.renew(seat)
        asked = [seat.actor.about.remote() for seat in come]
        for seat, ref in zip(come, asked, strict=True):
            self._greet(seat, ref, say)
        return [seat for name, seat in self.seats.items() if name not in alive]

    def _greet(self, seat: Seat, asked: Any, say: Callable[[str], None]) -> None:
        try:
            found = json.loads(self._ray.get(asked, timeout=_CALL_SECONDS))
        except (self._ray.exceptions.RayError, TimeoutError) as error:
            seat.unfit = f"it does not start our code: {str(error)[:300]}"
        else:
            other = [f"{name} {had}" for name, had in found.items() if had != self._versions.get(name, had)]
            seat.unfit = f"it has {', '.join(other)}" if other else ""
        if seat.unfit:
            say(f"node {seat.address} is left out: {seat.unfit}")

    def renew(self, seat: Seat) -> None:
        """Start our code on a node, anew where its process has died."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        there = NodeAffinitySchedulingStrategy(seat.node, soft=False)
        seat.actor = self._ray.remote(Node).options(num_cpus=0, scheduling_strategy=there).remote()

    def heard(self, seconds: float) -> Iterator[tuple[Seat, bool]]:
        """Ask every busy node how its part goes: those that have answered, and whether they could."""
        busy = {seat.asked: seat for seat in self.seats.values() if seat.shard is not None}
        ready, _ = self._ray.wait(list(busy), num_returns=len(busy), timeout=seconds) if busy else ([], [])
        for ref in ready:
            seat = busy[ref]
            try:
                seat.state = json.loads(self._ray.get(ref))
                seat.asked = seat.actor.state.remote()
            except self._ray.exceptions.RayError:
                yield seat, False
            else:
                yield seat, True

    def stop(self) -> None:
        """Ask all parts to end."""
        for seat in self.seats.values():
            if seat.shard is not None:
                seat.actor.stop.remote()


@contextmanager
def connected(address: str, versions: dict[str, str]) -> Iterator[Cluster]:
    """The cluster at an address; errors as those of `joined`."""
    with joined(address) as ray:
        yield Cluster(ray, versions)
