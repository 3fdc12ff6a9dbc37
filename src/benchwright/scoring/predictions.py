"""Predictions as people hand them in: a JSON Lines file, a JSON array, or a folder of output files."""

from __future__ import annotations

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Literal

from benchwright.errors import InputError
from benchwright.suite import Suite
from benchwright.trajectory import NotMeasured, Submission

Duplicates = Literal["last", "first", "error"]
ID_KEYS = ("instance_id", "task_id", "id")
ANSWER_KEYS = ("prediction", "answer")
_SHOWN = 5
_LINE_END = re.compile(r"\r\n|\n|\r")
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_UNMARKED = ((re.compile(rb"[{\[]\x00[^\x00]"), "utf-16-le"), (re.compile(rb"\x00[{\[]\x00"), "utf-16-be"))
"""How JSON begins in an encoding whose byte order mark is missing."""
_NOT_SEEN = NotMeasured(reason="a predictions file says nothing that was measured")


class NumberText(str):
    """A JSON number as it was written, so that neither digits nor trailing zeros are lost."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line (or array element, from 1) that holds no prediction, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One prediction of a known or unknown task; `claimed` is what the agent says it has read."""

    task_id: str
    submission: Submission
    claimed: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Predictions:
    """What a predictions file or folder holds for the tasks of a suite, and everything odd about it.

    `lines` counts predictions that could be read, duplicates included. Of duplicates `policy` was taken.
    """

    entries: dict[str, Entry]
    lines: int
    policy: Duplicates = "last"
    duplicate_ids: tuple[str, ...] = ()
    extra_ids: tuple[str, ...] = ()
    bad_lines: tuple[BadLine, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def flawed(self) -> bool:
        """Whether something is wrong with the file itself (a task without a prediction is not)."""
        return bool(self.duplicate_ids or self.extra_ids or self.bad_lines)


@dataclass(slots=True)
class _Reading:
    known: Collection[str]
    entries: list[Entry] = field(default_factory=list)
    bad: list[BadLine] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)


def read_predictions(path: Path, known: Collection[str], duplicates: Duplicates = "last") -> Predictions:
    """Read a predictions file or folder.

    A line that cannot be read is reported with its number and never loses the others. Of several predictions
    for one task the last counts, as CoDA-Bench's published evaluator has it; `first` and `error` are choices.
    """
    if not path.exists():
        raise InputError(
            f"no such predictions: {path}",
            expected="a JSON Lines file, a folder with one sub-folder a task, or a run folder",
        )
    reading = _Reading(known)
    if path.is_dir():
        _read_folder(path, reading)
    else:
        _read_lines(path, reading)
    return _settle(reading, path, duplicates)


def require_some(found: Predictions, path: Path, suite: Suite) -> None:
    """An InputError where no prediction is for a task of the suite: everything would be wrong for want of an answer,
    which says nothing of any agent.
    """
    if found.entries:
        return
    example = json.dumps({"instance_id": next(iter(suite.tasks), "1"), "prediction": "..."})
    raise InputError(
        f"{path} holds no prediction for a task of suite {suite.name}",
        found="; ".join(_instead(found)) or ("a folder without sub-folders" if path.is_dir() else "an empty file"),
        expected=f"lines such as {example}, or a folder with one sub-folder a task, named by its id",
        hint=f"benchwright suites show {suite.name} lists the tasks",
    )


def _instead(found: Predictions) -> Iterator[str]:
    """What there is in place of predictions for a suite's tasks."""
    if found.bad_lines:
        first = found.bad_lines[0]
        yield f"{len(found.bad_lines)} lines that hold no prediction (line {first.line}: {first.reason})"
    if found.extra_ids:
        shown = ", ".join(ascii(name)[1:-1] for name in found.extra_ids[:_SHOWN])
        yield f"{found.lines} predictions for other ids: {shown}{', ...' if found.extra_ids[_SHOWN:] else ''}"
    yield from found.notes


def _settle(reading: _Reading, path: Path, duplicates: Duplicates) -> Predictions:
    counts = Counter(entry.task_id for entry in reading.entries)
    repeated = tuple(sorted((name for name, count in counts.items() if count > 1), key=natural))
    if repeated and duplicates == "error":
        raise InputError(
            f"{path}: more than one prediction for a task",
            found=f"{len(repeated)} such ids: {', '.join(repeated[:5])}",
            expected="every id once",
            hint="choose with --duplicates first or --duplicates last",
        )
    ordered = reading.entries if duplicates == "last" else reversed(reading.entries)
    entries = {entry.task_id: entry for entry in ordered}
    return Predictions(
        entries={name: entry for name, entry in entries.items() if name in reading.known},
        lines=len(reading.entries),
        policy=duplicates,
        duplicate_ids=repeated,
        extra_ids=tuple(sorted((name for name in counts if name not in reading.known), key=natural)),
        bad_lines=tuple(reading.bad),
        notes=tuple(f"{text}: {count}" if count > 1 else text for text, count in reading.notes.items()),
    )


def natural(name: str) -> tuple[int, int, str]:
    """A key that sorts whole numbers by value, before everything else."""
    return (0, int(name), name) if name.isascii() and name.isdigit() and len(name) < 20 else (1, 0, name)


# --- files


def _read_lines(path: Path, reading: _Reading) -> None:
    for number, value, error in _values(_decoded(path, reading), reading):
        if error:
            reading.bad.append(BadLine(number, error))
            continue
        entry = _entry(value, reading)
        if isinstance(entry, str):
            reading.bad.append(BadLine(number, entry))
        else:
            reading.entries.append(entry)


def _decoded(path: Path, reading: _Reading) -> str:
    try:
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):  # a device may never end
            raise InputError(f"cannot read {path}", found="a device or socket", expected="a file or a folder")
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}", found=error.strerror or str(error)) from error
    marked = next((name for mark, name in _BOMS if data.startswith(mark)), "")
    unmarked = next((name for start, name in _UNMARKED if start.match(data)), "utf-8")
    text = data.decode(marked or unmarked, errors="replace")
    if marked:
        reading.notes[f"the file begins with a byte order mark ({marked.removesuffix('-sig')})"] += 1
    elif unmarked != "utf-8":
        reading.notes[f"the file is {unmarked} without a byte order mark"] += 1
    if "�" in text:
        reading.notes["the file holds bytes that are not valid text, shown as U+FFFD"] += 1
    if "\0" in text:
        reading.notes["the file holds NUL characters, which are passed over"] += 1
    return text


def _values(text: str, reading: _Reading) -> Iterator[tuple[int, Any, str]]:
    if text.lstrip()[:1] == "[":
        whole, error = _parsed(text, reading)
        if isinstance(whole, list) and not error:
            reading.notes["the file is a JSON array, not JSON Lines; elements are counted as lines"] += 1
            yield from ((number, value, "") for number, value in enumerate(whole, start=1))
            return
    for number, line in enumerate(_LINE_END.split(text), start=1):
        if line.strip():
            yield number, *_parsed(line.replace("\0", "") or line, reading)


def _parsed(text: str, reading: _Reading) -> tuple[Any, str]:
    def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            reading.notes["a JSON object has a key twice; the last one counts"] += 1
        return found

    numbers: dict[str, Any] = dict.fromkeys(("parse_float", "parse_int", "parse_constant"), NumberText)
    try:
        return json.loads(text, object_pairs_hook=as_object, **numbers), ""
    except (ValueError, RecursionError) as error:
        return None, f"not valid JSON: {error}"


def _entry(value: Any, reading: _Reading) -> Entry | str:
    if not isinstance(value, dict):
        return f"a JSON {_kind(value)}, not an object"
    name = next((key for key in ID_KEYS if key in value), None)
    if name is None:
        return f"no task id: none of {', '.join(ID_KEYS)}"
    task_id = _task_id(value[name], reading.known)
    if task_id is None:
        return f"{name} is a {_kind(value[name])}, not a whole number or text"
    key = next((key for key in ANSWER_KEYS if key in value), None)
    if key is None:
        return f"no prediction for task {task_id}: none of {', '.join(ANSWER_KEYS)}"
    if not isinstance(value[key], str) or isinstance(value[key], NumberText):
        reading.notes[f"{key} is a {_kind(value[key])}, not text"] += 1
    answer = answer_text(value[key])
    return Entry(task_id, Submission(answer=answer, accesses=_NOT_SEEN), _claimed(value.get("metadata")))


def _task_id(value: Any, known: Collection[str]) -> str | None:
    """The id as the suite spells it: 7, 7.0, "7" and "007" all name task 7 where the suite has no "007"."""
    if not isinstance(value, str):
        return None
    text = _mended(value).strip()
    number = _whole(text)
    if isinstance(value, NumberText):
        return number
    return text if text in known or number is None or number not in known else number


def _whole(text: str) -> str | None:
    if "_" in text:  # which Python takes for part of a number
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if not number.is_finite() or number.adjusted() > 18 or number != number.to_integral_value():
        return None
    return str(int(number))


def answer_text(value: Any) -> str | None:
    """A JSON value as the answer's text: null is no answer, a list its parts joined by "; "."""
    match value:
        case None:
            return None
        case bool():
            return "true" if value else "false"
        case str():
            return _mended(value)
        case list() if not any(isinstance(item, list | dict) for item in value):
            return "; ".join(answer_text(item) or "" for item in value)
        case dict() if not any(isinstance(item, list | dict) for item in value.values()):
            return "; ".join(f"{_mended(key)}: {answer_text(item) or ''}" for key, item in value.items())
    return _mended(json.dumps(value, ensure_ascii=False))


def _mended(text: str) -> str:
    """Text that can be written as UTF-8: a lone surrogate becomes U+FFFD."""
    return str(text).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _claimed(metadata: Any) -> tuple[str, ...] | None:
    listed = metadata.get("files_accessed") if isinstance(metadata, dict) else None
    if not isinstance(listed, list):
        return None
    return tuple(_mended(path) for path in listed if isinstance(path, str))


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    kinds = ((bool, "boolean"), (NumberText, "number"), (str, "text"), (list, "list"), (dict, "object"))
    return next(name for kind, name in kinds if isinstance(value, kind))


# --- folders


def _read_folder(path: Path, reading: _Reading) -> None:
    for child in _sorted_entries(path):
        if not child.is_dir(follow_symlinks=False):
            reading.notes["entries of the folder that are no sub-folder of a task"] += 1
            continue
        files = dict(_regular_files(Path(child.path), reading))
        reading.entries.append(Entry(child.name, Submission(files=files, accesses=_NOT_SEEN)))


def _sorted_entries(path: Path) -> Iterable[os.DirEntry[str]]:
    with os.scandir(path) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _regular_files(folder: Path, reading: _Reading) -> Iterator[tuple[str, Path]]:
    """Links are never followed: an agent can make one that points at the gold."""
    for child in _sorted_entries(folder):
        if stat.S_ISREG(child.stat(follow_symlinks=False).st_mode):
            yield child.name, Path(child.path)
        else:
            reading.notes["outputs passed over: links, folders and special files"] += 1
