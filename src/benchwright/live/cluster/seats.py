"""The nodes of a Ray cluster as a run sees them: what each makes at once, and how its part goes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from benchwright.crews.joining import joined
from benchwright.crews.nodes import Code, Nodes, Post, Say
from benchwright.live.cluster.node import Node, here
from benchwright.live.cluster.shards import Shard, text


@dataclass(slots=True, eq=False)
class Seat(Post):
    """A node of the cluster, and the part that it is at work on."""

    shard: Shard | None = None
    share: int = 0
    money: float = 0.0
    state: dict[str, Any] = field(default_factory=dict)
    asked: Any = None

    @property
    def free(self) -> bool:
        """Whether it can be given a part."""
        return self.ready and self.shard is None

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


class Cluster(Nodes[Seat]):
    """The cluster that this process is connected to."""

    @property
    def busy(self) -> list[Seat]:
        """Those that are at work on a part."""
        return [seat for seat in self.posts.values() if seat.shard is not None]

    def heard(self, seconds: float) -> Iterator[tuple[Seat, bool]]:
        """Those at work that tell how their part goes, and whether they could; waits so long for any news."""
        asked = {seat.asked: seat for seat in self.busy}
        ready, _ = self._ray.wait(list(asked), num_returns=len(asked), timeout=seconds) if asked else ([], [])
        self.events.take_in(0 if asked else seconds)
        for ref in ready:
            seat = asked[ref]
            try:
                seat.state = json.loads(self._ray.get(ref))
                seat.asked = seat.actor.state.remote()
            except self._ray.exceptions.RayError:
                yield seat, False
            else:
                yield seat, True

    def stop(self) -> None:
        """Ask all parts to end."""
        for seat in self.busy:
            seat.actor.stop.remote()


@contextmanager
def connected(address: str, versions: Mapping[str, str], say: Say) -> Iterator[Cluster]:
    """The cluster at an address, for a run of these versions; errors as those of `joined`."""
    same = {name: versions.get(name, had) for name, had in here().items()}
    with joined(address) as ray:
        yield Cluster(ray, Code(Node, same), Seat, say)
