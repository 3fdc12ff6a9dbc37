"""A run is planned for many machines: its shards, its suite where they can fetch it, and what starts them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright.errors import InputError
from benchwright.files import require_place, write_atomic
from benchwright.live import runner
from benchwright.live.cluster import scripts
from benchwright.live.cluster.places import Place, is_url
from benchwright.live.cluster.published import publish
from benchwright.live.cluster.shards import Shard, cut, rooms_of, text
from benchwright.run import RunSpec
from benchwright.suite import Suite

_SLURM, _KUBERNETES = "slurm.sh", "kubernetes.json"

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Target:
    """Where a plan goes: its folder, how many shards, the store of the parts (empty: the folder), the image."""

    out: Path
    shards: int
    store: str = ""
    image: str = scripts.IMAGE
    prompts: Path | None = None

    @property
    def where(self) -> str:
        """The store: a URL as it is, a path from the root on."""
        return (
            self.store.rstrip("/") if is_url(self.store) else str(Path(self.store or self.out).expanduser().absolute())
        )


def plan(spec: RunSpec, suite: Suite, target: Target, say: Say = lambda _: None) -> tuple[Shard, ...]:
    """Write a run's shards and the scripts that start them; the same run makes the same files.

    Where the store is a URL the suite is laid down there, without its gold, and so are the shards. Errors: InputError
    where the folder holds another plan, or an agent needs what machines without the gold do not have.
    """
    _refuse(spec, target)
    require_place(target.out, "shard-*.json")
    shards = shards_of(spec, suite, target, say)
    target.out.mkdir(parents=True, exist_ok=True)
    files = {f"{shard.name}.json": text(shard) for shard in shards}
    jobs = scripts.Jobs(suite.name, len(shards), min(len(shards), spec.max_parallel or len(shards)), _folder(target))
    files |= {_SLURM: scripts.slurm(jobs), _KUBERNETES: scripts.kubernetes(jobs, target.image)}
    files |= {f"prompts/{path.name}": path.read_text("utf-8") for path in _prompts(target)}
    _require_same(target.out, files)
    for name, content in files.items():
        write_atomic(target.out / name, content)
        if is_url(target.where):
            Place(_folder(target)).write(name, content.encode())
    return shards


def shards_of(spec: RunSpec, suite: Suite, target: Target, say: Say) -> tuple[Shard, ...]:
    """The shards of a run; the suite goes into the store first, where that is a URL."""
    parts = cut(runner.planned(spec), suite, target.shards)
    url = ""
    if is_url(target.where):
        keys = [str(key) for part in parts for key in part]
        url = publish(suite, rooms_of(keys, suite), Place(target.where), say)
    own = f"{_folder(target)}/prompts" if target.prompts else ""
    return tuple(
        Shard(
            number=number,
            of=len(parts),
            spec=spec,
            keys=tuple(map(str, part)),
            store=target.where,
            suite=url,
            prompts=own,
        )
        for number, part in enumerate(parts, start=1)
    )


def _folder(target: Target) -> str:
    """Where jobs find the shards' files."""
    return f"{target.where}/plan" if is_url(target.where) else str(target.out.expanduser().absolute())


def _prompts(target: Target) -> Sequence[Path]:
    return sorted(target.prompts.glob("*.txt")) if target.prompts else ()


def _refuse(spec: RunSpec, target: Target) -> None:
    Place(target.where)  # an InputError where that is no place
    if is_url(target.where) and any(cell.agent == "oracle" for cell in spec.cells):
        raise InputError(
            "agent oracle reads the gold, which is not put into a store", hint="give a --store that is a shared folder"
        )
    if spec.secret_args:
        raise InputError(
            "a secret argument of a model cannot be written into a plan",
            found=", ".join(sorted(spec.secret_args)),
            hint="give it to each: benchwright run SHARD -M ..., or keys by the provider's variable",
        )


def _require_same(out: Path, files: dict[str, str]) -> None:
    """A plan is never changed under jobs that may be at work."""
    there = sorted(path.name for path in out.glob("shard-*.json"))
    changed = [name for name in there if (out / name).read_text(errors="replace") != files.get(name)]
    if changed:
        raise InputError(
            f"{out} holds another plan", found=f"{changed[0]} differs", hint="give another --out, or remove that plan"
        )


def merge_command(shards: Sequence[Shard]) -> str:
    """What is to be done when all have ended."""
    return f"benchwright merge {shlex.quote(shards[0].store)} --out RUN"
