"""A suite of one's own: a list of questions and a folder of data become a suite folder."""

from __future__ import annotations

import csv
import io
import os
import shutil
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator, model_validator

from benchwright.errors import InputError, SuiteError
from benchwright.files import FileEntry, Record, index_folder, read_jsonl, read_text, read_toml, write_atomic
from benchwright.gold import Check, Gold, RequiredFile, RequiredStatus, Solution
from benchwright.labels import Labels
from benchwright.reading import FileRead, required_files
from benchwright.suite import RoomInfo, Suite, SuiteInfo, write_room_index
from benchwright.suites.base import BuildRequest
from benchwright.suites.required import RoomFiles, resolve
from benchwright.suites.staging import staged
from benchwright.task import DataMount, OutputSpec, RoomName, Task, TaskId

_ROOM = "main"
_SHOWN = 5
_ABOUT = frozenset(("name", "release", "title", "description", "licence", "source", "reference", "prompt"))


class Question(Record):
    """One row of the questions file.

    Either `answer` or `gold` is given: the right answer, or a file (beside the questions) with the right table, which
    the agent hands in under the name `output`. `files` are paths below the data folder (below `room`, where one is
    named), patterns allowed; without them they are derived from `solution`, a Python program beside the questions.
    """

    id: TaskId | None = None
    question: str = Field(min_length=1)
    guidelines: str = ""
    answer: str | None = None
    alternatives: tuple[str, ...] = ()
    output: str = ""
    gold: str = ""
    check: dict[str, Any] = Field(default_factory=dict)
    files: tuple[str, ...] = ()
    room: RoomName | None = None
    solution: str = ""
    domain: str = ""
    categories: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    difficulty: str = ""
    subsets: tuple[str, ...] = ()

    @field_validator("alternatives", "files", "categories", "skills", "subsets", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        """A list, or text with semicolons between its items (a cell of a CSV file)."""
        return tuple(part.strip() for part in value.split(";") if part.strip()) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _answered_once(self) -> Question:
        if (self.answer is None) == (not self.gold):
            raise ValueError("give either `answer` or `gold`")
        if bool(self.gold) != bool(self.output):
            raise ValueError("`gold` and `output` belong together")
        return self


class FolderLoader:
    """The simplest way to a suite: questions.jsonl (or .csv) and a data folder."""

    name = "folder"
    title = "A suite of your own, from a list of questions and a folder of data"
    sources: Mapping[str, str] = {
        "questions": "questions.jsonl or questions.csv: one question a line",
        "data": "the folder with the data; it is copied into the suite",
        "about": "optional: a TOML file with title, description, licence, release...",
    }

    def load(self, request: BuildRequest) -> Suite:
        """Build the suite folder; a SuiteError names the line, and the field or file, that is wrong."""
        for name in ("questions", "data"):
            if name not in request.sources:
                raise SuiteError(f"no {name} given", expected=f"--{name} PATH: {self.sources[name]}")
        unknown = set(request.sources) - set(self.sources)
        if unknown:
            raise SuiteError(f"folder takes no source {min(unknown)!r}", expected=f"some of {', '.join(self.sources)}")
        questions = _questions(request.sources["questions"])
        with staged(request.out) as folder:
            _Building(folder, request, questions).write()
        return Suite.open(request.out)


def _questions(path: Path) -> list[tuple[str, Question]]:
    """Where each question stands, and the question; ids are given by position where the file gives none."""
    found: list[tuple[str, Question]] = []
    taken: dict[str, str] = {}
    for number, (line, values) in enumerate(_rows(path), start=1):
        where = f"{path}, line {line}"
        question = Question.from_json(values, where)
        name = question.id or str(number)
        if name in taken:
            raise SuiteError(
                f"{where}: the id {name} is taken", found=f"also at {taken[name]}", expected="every id once"
            )
        taken[name] = where
        found.append((where, question.model_copy(update={"id": name})))
    if not found:
        raise SuiteError(f"{path}: no questions", expected="at least one")
    return found


def _rows(path: Path) -> Iterator[tuple[int, Any]]:
    if path.suffix.lower() != ".csv":
        yield from read_jsonl(path)
        return
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""), restkey="more cells than the header names")
    try:
        for row in reader:
            yield reader.line_num, {key: value for key, value in row.items() if value}
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: not valid CSV", found=str(error)) from error


class _Building:
    """One suite while it is built."""

    def __init__(self, folder: Path, request: BuildRequest, questions: list[tuple[str, Question]]) -> None:
        self._folder, self._request, self._questions = folder, request, questions
        self._beside = request.sources["questions"].parent
        self._rooms: dict[str, tuple[FileEntry, ...]] = {}

    def write(self) -> None:
        """Copy the data, then write the text files."""
        for where, question in self._questions:
            self._copy_room(question.room, where)
        files = {name: RoomFiles(index) for name, index in self._rooms.items()}
        golds = [resolve(self._gold(where, question), files, _room(question)) for where, question in self._questions]
        for (where, question), gold in zip(self._questions, golds, strict=True):
            _refuse_missing(where, question, gold)
        Suite.write(
            self._folder,
            self._info(),
            [_task(question) for _, question in self._questions],
            [_labels(question) for _, question in self._questions],
            golds,
        )

    def _copy_room(self, named: str | None, where: str) -> None:
        room = named or _ROOM
        if room in self._rooms:
            return
        source = self._request.sources["data"] / (named or "")
        if not source.is_dir():
            raise SuiteError(f"{where}: no such data folder: {source}", expected="a folder below the data folder")
        self._request.progress(f"room {room}: copying {source}")
        target = self._folder / "data" / room
        left_out: list[str] = []
        shutil.copytree(source, target, ignore=partial(_not_regular, left_out), copy_function=shutil.copyfile)
        if left_out:
            shown = ", ".join(os.path.relpath(path, source) for path in left_out[:_SHOWN])
            more = ", ..." if len(left_out) > _SHOWN else ""
            self._request.progress(f"room {room}: {len(left_out)} links or special files are left out: {shown}{more}")
        self._rooms[room] = index_folder(target)
        write_room_index(self._folder, room, self._rooms[room])

    def _info(self) -> SuiteInfo:
        about = read_toml(self._request.sources["about"]) if "about" in self._request.sources else {}
        unknown = set(about) - _ABOUT
        if unknown:
            raise SuiteError(
                f"{self._request.sources['about']}: unknown key {min(unknown)!r}",
                expected=f"some of {', '.join(sorted(_ABOUT))}",
            )
        values = {"name": _name(self._request.out), "release": self._request.release or "1"} | about
        rooms = {name: RoomInfo.of_index(index).to_json() for name, index in self._rooms.items()}
        return SuiteInfo.from_json(values | {"rooms": rooms}, "the suite's description")

    def _gold(self, where: str, question: Question) -> Gold:
        code = read_text(self._within(where, question.solution)) if question.solution else ""
        required, status, note = _required(question, code)
        if question.gold:
            content = self._within(where, question.gold).read_bytes()
            write_atomic(self._folder / "gold" / "files" / str(question.id) / question.output, content)
        return Gold(
            task_id=str(question.id),
            answer=question.answer,
            alternatives=question.alternatives,
            checks=(_check(question),),
            files=(question.output,) if question.gold else (),
            required_files=required,
            required_files_status=status,
            required_files_note=note,
            solution=Solution(code=code) if code else None,
        )

    def _within(self, where: str, name: str) -> Path:
        """A file beside the questions; paths that lead elsewhere are refused."""
        root = self._beside.resolve()
        path = (root / name).resolve()
        if not path.is_relative_to(root) or not path.is_file():
            raise SuiteError(f"{where}: no such file beside the questions: {name}", expected=f"a file below {root}")
        return path


def _name(out: Path) -> str:
    letters = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in out.name.lower())
    return letters.lstrip("_0123456789")[:64] or "suite"


def _room(question: Question) -> str:
    return question.room or _ROOM


def _not_regular(left_out: list[str], folder: str, names: list[str]) -> list[str]:
    """Links and special files are left out of the copy, and noted: a room holds regular files alone."""
    paths = {name: os.path.join(folder, name) for name in sorted(names)}
    odd = {
        name: path
        for name, path in paths.items()
        if os.path.islink(path) or not (os.path.isdir(path) or os.path.isfile(path))
    }
    left_out.extend(odd.values())
    return list(odd)


def _task(question: Question) -> Task:
    outputs = (OutputSpec(kind="table", name=question.output),) if question.output else (OutputSpec(),)
    return Task(
        id=str(question.id),
        question=question.question,
        guidelines=question.guidelines,
        data=(DataMount(room=_room(question)),),
        outputs=outputs,
    )


def _check(question: Question) -> Check:
    if not question.gold:
        return Check(scorer="answer", options=question.check)
    return Check(scorer="table", output=question.output, golds=(question.output,), options=question.check)


def _labels(question: Question) -> Labels:
    return Labels(
        task_id=str(question.id),
        domain=question.domain or _room(question),
        categories=question.categories,
        skills=question.skills,
        difficulty=question.difficulty,
        subsets=tuple(dict.fromkeys(("full", *question.subsets))),
    )


def _required(question: Question, code: str) -> tuple[tuple[RequiredFile, ...], RequiredStatus, str]:
    """The required files as declared, else as the solution reads them (below /data, where it finds the room)."""
    if question.files:
        declared = tuple(RequiredFile(path=path, glob=any(mark in path for mark in "*?[")) for path in question.files)
        return declared, "declared", ""
    if not code:
        return (), "unknown", "neither files nor a solution are given"
    found = required_files(code)
    derived = tuple(_derived(target.read) for target in found.files)
    if not derived:
        return (), found.status, found.note
    return derived, "glob" if any(file.glob for file in derived) else "static", found.note


def _derived(read: FileRead) -> RequiredFile:
    path = read.path.removeprefix("/data/").removeprefix("./")
    return RequiredFile(path=path, glob=read.glob, reader=read.reader, expression=read.expression)


def _refuse_missing(where: str, question: Question, gold: Gold) -> None:
    missing = [file.path for file in gold.required_files if not file.matches]
    if missing and question.files:
        raise SuiteError(
            f"{where}: a required file is not in the data",
            found=missing[0],
            expected=f"a path below the room {_room(question)}",
        )
