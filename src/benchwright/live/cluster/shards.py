"""A run cut into shards: which attempts each makes, in a file that says all that it takes to make them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field, model_validator

from benchwright.errors import InputError
from benchwright.files import Record, canonical_json, parse_json, sha256
from benchwright.live.cluster.places import Place, is_url
from benchwright.run import Key, RunSpec
from benchwright.suite import Suite

FORMAT = 1
NAME = "shard.json"
"""The shard's own file in its run folder."""


class Shard(Record):
    """A part of a run. `spec` is that of the whole run, `keys` the attempts (`cell/task/epoch`) that this part makes.

    `suite` is where the suite is fetched from, empty where it lies at `spec.suite_folder` on every machine; `store` is
    the folder or URL below which all parts of the run lie; `prompts` the folder or URL of the user's own prompts;
    `label` the name of a part that no plan numbers.
    """

    format: int = FORMAT
    number: int = Field(gt=0)
    of: int = Field(gt=0)
    spec: RunSpec
    keys: tuple[str, ...] = Field(min_length=1)
    store: str = Field(min_length=1)
    suite: str = ""
    prompts: str = ""
    label: str = ""

    @model_validator(mode="after")
    def _whole(self) -> Shard:
        if self.number > self.of or len(set(self.keys)) < len(self.keys):
            raise ValueError("a shard's number is beyond their count, or it names an attempt twice")
        return self

    @property
    def name(self) -> str:
        """Its folder's name, in which a part of the same plan is found again."""
        return self.label or f"shard-{self.number:0{max(3, len(str(self.of)))}}"

    @property
    def plan(self) -> str:
        """Twelve digits that all parts of one plan share, and no other."""
        return sha256(canonical_json([self.spec.to_json(), self.of, self.store]))[:12]

    @property
    def place(self) -> Place:
        """Where its run folder is kept."""
        return Place(self.store).below(self.name)

    def own_spec(self, suite_folder: Path) -> RunSpec:
        """The specification of this part alone.

        What the whole run may use is parted equally: nobody watches over the jobs of a batch system while they run.
        """
        spec = self.spec
        parted = {
            "max_parallel": spec.max_parallel and max(1, spec.max_parallel // self.of),
            "budget_usd": spec.budget_usd and spec.budget_usd / self.of,
            "calls_per_minute": spec.calls_per_minute and spec.calls_per_minute / self.of,
        }
        own = {"only": tuple(sorted(self.keys)), "suite_folder": str(suite_folder)}
        return spec.model_copy(update={**parted, **own})


def cut(keys: Sequence[Key], suite: Suite, count: int) -> tuple[tuple[Key, ...], ...]:
    """Attempts in at most `count` parts of equal size, those of one room together as far as that goes.

    They are put in order by their task's rooms and cut in equal lengths, so that all parts together read at most
    (rooms + parts - 1) rooms. The same attempts give the same parts, in whatever order they come.
    """
    place = {task_id: (_rooms(suite, task_id), number) for number, task_id in enumerate(suite.tasks)}
    ordered = sorted(keys, key=lambda key: (*place[key.task_id], key.cell, key.epoch))
    count = max(1, min(count, len(ordered)))
    bounds = [len(ordered) * number // count for number in range(count + 1)]
    return tuple(tuple(ordered[first:last]) for first, last in itertools.pairwise(bounds))


def rooms_of(keys: Sequence[str], suite: Suite) -> tuple[str, ...]:
    """The rooms that attempts read."""
    names = {room for key in keys for room in _rooms(suite, key.split("/", 1)[1].rpartition("/")[0])}
    return tuple(sorted(names))


def _rooms(suite: Suite, task_id: str) -> tuple[str, ...]:
    return tuple(mount.room for mount in suite.tasks[task_id].data)


def read_shard(named: str) -> Shard:
    """A shard from its file, by path or URL. Errors: InputError where it is none."""
    folder, _, name = named.rpartition("/")
    data = Place(folder or ".").read(name) if is_url(named) else _bytes(Path(named))
    if data is None:
        raise InputError(f"no such shard: {named}", hint="benchwright plan SUITE ... --shards N --out DIR writes them")
    return parsed(data, named)


def parsed(data: bytes, where: str) -> Shard:
    """A shard from its file's content. Errors: InputError where it is none."""
    shard = Shard.from_json(parse_json(data.decode(errors="replace"), where), where)
    if shard.format != FORMAT:
        raise InputError(f"{where}: unknown format of shards", found=str(shard.format), expected=str(FORMAT))
    return shard


def text(shard: Shard) -> str:
    """The shard as its file holds it."""
    return canonical_json({**shard.to_json(), "format": FORMAT}) + "\n"


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            return None
        raise InputError(
            f"cannot read {path}", found=error.strerror or str(error), expected="a shard's file"
        ) from error
