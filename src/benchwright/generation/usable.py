"""What of a room's files no task can be made of, and why: in words for whoever asks for tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from benchwright.errors import InputError
from benchwright.generation.trial import Room
from benchwright.profiles.entries import FileProfile
from benchwright.profiles.kinds import UNKNOWN
from benchwright.profiles.prompt import quoted
from benchwright.profiles.relations import Join

_SHOWN = 5
_NOTHING = frozenset(("empty", UNKNOWN, "image", "archive"))


def not_usable(room: Room, left_out: Mapping[str, str]) -> tuple[str, ...]:
    """What cannot be used of a room, one sentence each; empty where all can."""
    return tuple(_sentences(room, left_out))


def require_material(rooms: Mapping[str, Room], said: Mapping[str, tuple[str, ...]]) -> None:
    """Errors: InputError where no writer could make a task of any room."""
    if any(_several(room) and any(map(_readable, room.material.profiles)) for room in rooms.values()):
        return
    told = [f"{name}: {sentence}" for name, sentences in said.items() for sentence in sentences]
    raise InputError(
        "no task can be made of these data",
        found="; ".join(told[:_SHOWN]),
        expected="two different files in a room, at least, and one of them with a table or text that can be read",
        hint="`benchwright profile FOLDER` shows what is seen of each file",
    )


def _several(room: Room) -> bool:
    """Whether there is a file beside any one: a copy is as good as its original."""
    return len({entry.sha256 for entry in room.index}) > 1


def _readable(profile: FileProfile) -> bool:
    """Whether it holds anything to ask about; of pictures only headers are known."""
    sound = bool(profile.bytes) and not profile.error and profile.format not in _NOTHING
    return sound or bool(profile.all_tables or profile.text) or any(map(_readable, profile.inner))


def _sentences(room: Room, left_out: Mapping[str, str]) -> Iterator[str]:
    profiles = room.material.profiles
    if left_out:
        yield f"left out ({len(left_out)}): {_listed(left_out)}"
    if not profiles:
        yield "no file is left"
        return
    if bad := {profile.path: profile.error for profile in profiles if profile.error}:
        yield f"cannot be read, or only in part ({len(bad)} of {len(profiles)} files): {_listed(bad)}"
    if strange := [profile.path for profile in profiles if profile.format == UNKNOWN]:
        yield f"of a format that is not known ({len(strange)} of {len(profiles)} files): {_named(strange)}"
    if not _several(room):
        copies = "one file" if len(profiles) == 1 else "copies of one file"
        yield f"{copies} alone: a task needs a file beside those that it reads, so none can be proved here"
    tabled = [profile for profile in profiles if any(table.rows.value for table in profile.all_tables)]
    if not tabled:
        kinds = ", ".join(f"{count} {kind}" for kind, count in _kinds(profiles).most_common(_SHOWN))
        yield f"no file holds a table with rows ({kinds}): templates ask about tables"
    elif len(profiles) > 1 and len(tabled) == 1:
        yield f"{quoted(tabled[0].path)} alone holds a table: no task is about several files"
    elif len(tabled) > 1 and not any(isinstance(each, Join) for each in room.material.relations):
        yield f"none of the {len(tabled)} files with tables share values to join by: no task joins files"


def _kinds(profiles: tuple[FileProfile, ...]) -> Counter[str]:
    return Counter("empty" if not profile.bytes else profile.format for profile in profiles)


def _named(paths: Sequence[str]) -> str:
    more = len(paths) - _SHOWN
    return ", ".join(map(quoted, paths[:_SHOWN])) + (f" and {more} more" if more > 0 else "")


def _listed(reasons: Mapping[str, str]) -> str:
    """The first few, with their reasons; names of files are of others."""
    shown = [f"{quoted(path)} ({' '.join(reason.split())[:80]})" for path, reason in islice(reasons.items(), _SHOWN)]
    more = len(reasons) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
