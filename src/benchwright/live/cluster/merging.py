"""Parts of a run become one run folder: checked against their plan, each attempt once, safe to be cut off."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.errors import InputError
from benchwright.files import arriving, sha256_file
from benchwright.live import runner
from benchwright.live.cluster.places import Place, inside
from benchwright.live.cluster.shards import NAME, Shard, parsed
from benchwright.run import Attempt, Key, RunFolder
from benchwright.suite import Suite

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Part:
    """A shard, and the run folder with what came of it."""

    shard: Shard
    folder: RunFolder

    def attempts(self) -> dict[Key, Attempt]:
        """What it holds of its own attempts. Errors: InputError where it holds others."""
        found, own = self.folder.attempts(), set(self.shard.keys)
        if others := sorted(str(key) for key in found if str(key) not in own):
            raise InputError(f"{self.folder.path} holds attempts that are not of its part", found=_some(others))
        return found


@dataclass(frozen=True, slots=True)
class Merged:
    """What came of merging: the run folder, how many attempts it holds, and which are missing, by shard."""

    folder: RunFolder
    planned: int
    done: int
    missing: dict[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether every attempt is there."""
        return self.done == self.planned


def merge(named: Sequence[str], out: Path, suite: Suite | None = None) -> Merged:
    """Make one run folder of the run folders of shards, by path or URL, or a folder of them; again as more are there.

    `suite` where it lies elsewhere than when the plan was made. Errors: InputError where they are parts of different
    plans, a part comes twice, or an attempt was finished in two of them; nothing is written then.
    """
    with ExitStack() as held:
        scratch = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="benchwright-")))
        parts = [_opened(place, scratch / str(number)) for number, place in enumerate(_places(named))]
        if not parts:
            raise InputError("there is no shard's run among these", found=_some(named))
        _same_plan(parts)
        for part in parts:
            held.enter_context(part.folder.lock())
        notes = [note for part in parts for note in runner.mended(part.folder, _keys(part.shard))]
        _once([(part.shard.name, part.attempts()) for part in parts])
        spec = parts[0].shard.spec
        if suite is not None:
            spec = spec.model_copy(update={"suite_folder": str(suite.folder.absolute())})
        keys = runner.planned(spec)
        folder = RunFolder.create(out, spec)
        held.enter_context(folder.lock())
        if any(str(key) not in {str(known) for known in keys} for part in parts for key in part.attempts()):
            raise InputError("the parts hold attempts that are not of their plan")
        begin(folder, len(parts))
        for part in parts:
            absorb(folder, part.folder, part.shard.name)
        folder.append("end", stopped="")
        folder.write_attempts()
        return _merged(folder, parts, keys, notes)


def _merged(folder: RunFolder, parts: Sequence[Part], keys: Sequence[Key], notes: Iterable[str]) -> Merged:
    made = {str(key) for key, attempt in folder.attempts().items() if not attempt.runs_again}
    due = {str(key) for key in keys} - made
    missing = {part.shard.name: tuple(sorted(due & set(part.shard.keys))) for part in parts}
    covered = {key for part in parts for key in part.shard.keys}
    missing["parts that were not given"] = tuple(sorted(due - covered))
    return Merged(
        folder, len(keys), len(keys) - len(due), {name: left for name, left in missing.items() if left}, tuple(notes)
    )


def begin(folder: RunFolder, parts: int) -> None:
    """Write down that parts are merged, with the specification, as a sitting does."""
    number = 1 + sum(1 for _ in folder.events("session"))
    folder.append(
        "session", durable=True, number=number, pid=os.getpid(), pending=0, parts=parts, spec=folder.spec.to_json()
    )


def absorb(into: RunFolder, part: RunFolder, name: str) -> int:
    """Take over all that a part holds and the whole does not; returns the number of attempts.

    Files first, the record of an attempt last: cut off at any moment, the same call goes on. An attempt that the
    whole holds finished stays as it is.
    """
    known = into.attempts()
    due = [
        attempt
        for key, attempt in part.attempts().items()
        if key not in known or (known[key].runs_again and known[key].started < attempt.started)
    ]
    _copy_logs(part.logs, into.logs)
    _copy_usage(into, part, name)
    for attempt in due:
        for artifact in (*attempt.files.values(), *attempt.logs.values()):
            _copy_artifact(part, into, artifact.sha256)
        if attempt.uuid and part.transcripts.locate(attempt.uuid).is_file():
            _copy(part.transcripts.locate(attempt.uuid), into.transcripts.locate(attempt.uuid))
        into.record(attempt, restored_from=name)
    return len(due)


def _copy_artifact(part: RunFolder, into: RunFolder, digest: str) -> None:
    source = part.artifacts.locate(inside(digest))
    if into.artifacts.locate(digest).exists():
        return
    if not source.is_file() or sha256_file(source) != digest:
        raise InputError(f"a file that an attempt handed in is lost or damaged: {source}", hint="copy that part again")
    into.artifacts.keep(source)


def _copy_logs(source: Path, target: Path) -> None:
    for log in sorted(source.glob("*.eval")):
        there = target / log.name
        if not there.is_file() or there.stat().st_size != log.stat().st_size:
            _copy(log, there)


def _copy(source: Path, target: Path) -> None:
    with arriving(target) as partial:
        shutil.copyfile(source, partial, follow_symlinks=False)


_Paid = tuple[str, str, str]
"""Whose calls of which model, and what is known of them: `priced`, `unpriced` or `uncounted`."""


def _copy_usage(into: RunFolder, part: RunFolder, name: str) -> None:
    """One line of the journal for each attempt's calls of a model, those of attempts that were cut off among them."""
    there, due = _usage(into, ""), _usage(part, name)
    for key, calls in due.items():
        sample, model, kind = key
        if kind == "uncounted":
            for _ in range(len(calls) - len(there[key])):
                into.append("usage", model=model, tokens=None, usd=None, sample=sample)
        elif key not in there:
            usd = sum(call["usd"] for call in calls) if kind == "priced" else None
            tokens = sum(call["tokens"] for call in calls)
            into.append("usage", model=model, tokens=tokens, usd=usd, sample=sample)


def _usage(folder: RunFolder, name: str) -> defaultdict[_Paid, list[dict[str, Any]]]:
    """Calls by whose they are; those that belong to no attempt are the part's own."""
    found: defaultdict[_Paid, list[dict[str, Any]]] = defaultdict(list)
    for call in folder.events("usage"):
        kind = "uncounted" if call.get("tokens") is None else "unpriced" if call.get("usd") is None else "priced"
        found[call.get("sample") or name, call.get("model", ""), kind].append(call)
    return found


def _places(named: Sequence[str]) -> Iterator[str]:
    """The run folders that are meant: each by itself, or all those in a folder or store."""
    for place in named:
        found = Place(place)
        if found.read(NAME) is not None:
            yield place
            continue
        below = [name for name in found.folders() if found.below(name).read(NAME) is not None]
        if not below:
            raise InputError(
                f"not the run folder of a shard: {place}", found=f"no {NAME}", hint="benchwright run SHARD makes one"
            )
        yield from (f"{place.rstrip('/')}/{name}" for name in below)


def _opened(named: str, scratch: Path) -> Part:
    place = Place(named)
    shard = parsed(place.read(NAME) or b"", f"{named}/{NAME}")
    path = place.path or downloaded(place, scratch)
    folder = RunFolder.open(path)
    own = shard.own_spec(Path(folder.spec.suite_folder))
    if changed := own.differences(folder.spec):
        raise InputError(f"{named} is not the run of its shard", found="\n    ".join(changed))
    return Part(shard, folder)


def downloaded(place: Place, target: Path) -> Path:
    """A copy of a run folder that lies in a store."""
    for name in sorted(place.sizes()):
        place.download(inside(name), target / name)
    return target


def _same_plan(parts: Sequence[Part]) -> None:
    first = parts[0]
    for part in parts[1:]:
        if changed := first.shard.spec.differences(part.shard.spec):
            raise InputError(
                f"{first.folder.path} and {part.folder.path} are parts of different runs", found="\n    ".join(changed)
            )
        if part.shard.of != first.shard.of:
            raise InputError(
                f"{first.folder.path} and {part.folder.path} are parts of different plans",
                found=f"{first.shard.of} and {part.shard.of} shards",
            )
    twice = [name for name, count in Counter(part.shard.name for part in parts).items() if count > 1]
    if twice:
        places = ", ".join(str(part.folder.path) for part in parts if part.shard.name in twice)
        raise InputError(f"the same part comes twice: {_some(twice)}", found=places, expected="each part once")


def _once(attempts: Sequence[tuple[str, dict[Key, Attempt]]]) -> None:
    holder: dict[Key, str] = {}
    for name, found in attempts:
        for key, attempt in found.items():
            if not attempt.runs_again and holder.setdefault(key, name) != name:
                raise InputError(
                    f"an attempt was made twice: task {key.task_id}, epoch {key.epoch}",
                    found=f"in {holder[key]} and in {name}",
                    expected="each attempt in one part",
                )


def _keys(shard: Shard) -> tuple[Key, ...]:
    return tuple(key_of(text) for text in shard.keys)


def key_of(text: str) -> Key:
    """An attempt's key from its one word."""
    cell, _, rest = text.partition("/")
    task_id, _, epoch = rest.rpartition("/")
    return Key(cell, task_id, int(epoch))


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
