"""Builds the suite from a list of questions and a folder of data files."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchwright.errors import SuiteError
from benchwright.files import FileEntry, index_folder
from benchwright.gold import Check, Gold, RequiredFile, Solution
from benchwright.labels import Labels
from benchwright.suite import RoomInfo, Suite, SuiteInfo, write_room_index
from benchwright.suites.base import BuildRequest
from benchwright.suites.dsbc.corrections import RELEASE, Corrected, corrected, published_corrections
from benchwright.suites.dsbc.programs import program
from benchwright.suites.dsbc.records import Question, read_questions
from benchwright.suites.required import RoomFiles, resolve
from benchwright.suites.staging import staged
from benchwright.task import DataMount, Limits, Task

MOUNT = "/data"
PUBLISHED = "published"
QUERY_SECONDS = 90.0
"""How long the code of one query may run (paper, section 7.3 and appendix B)."""


class DsbcLoader:
    """Questions with gold answers and solutions, one data file each; variants `raw` and `clean`."""

    name = "dsbc"
    title = "DSBC: questions over one data file each, in a raw and a clean wording"
    sources: Mapping[str, str] = {
        "queries": "the questions, with the published columns (.csv, .jsonl, .parquet), or worked ones (.jsonl)",
        "data": "a folder with the data files, e.g. weather_dataset.csv or WEATHER_TRAIN.csv",
    }

    def load(self, request: BuildRequest) -> Suite:
        """Build the suite folder. Release `corrected` lays the published corrections over the golds, and says so.

        A SuiteError names the record and column that is wrong, or the data file that is not there.
        """
        for name in self.sources:
            if name not in request.sources:
                raise SuiteError(f"no {name} given", expected=f"--{name} PATH: {self.sources[name]}")
        if request.release not in {"", PUBLISHED, RELEASE}:
            raise SuiteError(
                f"dsbc has no release {request.release!r}", expected=f"{PUBLISHED} (the default) or {RELEASE}"
            )
        questions = read_questions(request.sources["queries"])
        overlay = published_corrections()
        laid = corrected(questions, overlay) if request.release == RELEASE else Corrected(tuple(questions), (), (), ())
        for unfit in laid.unfit:
            request.progress(f"question {unfit}: the correction does not fit its gold, which is left as it is")
        files = _data_files(laid.questions, request.sources["data"])
        with staged(request.out) as folder:
            _write(folder, laid, files, _info(request.release or PUBLISHED, laid, f"{overlay.date}, {overlay.source}"))
        return Suite.open(request.out)


def short_name(dataset: str) -> str:
    """`WEATHER Dataset` as the name of a room: `weather`."""
    name = re.sub(r"\W+", "_", re.sub(r"(?i)\bdata ?set\b", "", dataset).strip()).strip("_").lower()
    if not name:
        raise SuiteError("a data set without a name", found=repr(dataset), expected='a name like "WEATHER Dataset"')
    return name


def _data_files(questions: Sequence[Question], folder: Path) -> dict[str, Path]:
    """The data file of each room."""
    rooms: dict[str, Path] = {}
    missing: dict[str, str] = {}
    for question in questions:
        name = short_name(question.dataset)
        path = rooms.get(name) or _find(folder, name, question.file)
        if path is None:
            missing[name] = question.id
        else:
            rooms[name] = path
    if missing:
        name, question_id = next(iter(missing.items()))
        raise SuiteError(
            f"{folder} has no data for {len(missing)} data sets: {', '.join(missing)}",
            found=f"question {question_id} needs one",
            expected=f"{name}_dataset.csv or {name.upper()}_TRAIN.csv",
            hint="leave out the questions whose data are not here",
        )
    return rooms


def _find(folder: Path, name: str, file: str) -> Path | None:
    """The file that a question names, or the one of that data set by its published names; never outside the folder."""
    wanted = [file.casefold()] if file else [f"{name}_dataset.csv", f"{name}_train.csv", f"{name}.csv"]
    entries = {path.name.casefold(): path for path in sorted(folder.iterdir()) if path.is_file()}
    return next((entries[each] for each in wanted if each in entries), None)


def _info(release: str, laid: Corrected, overlay: str) -> SuiteInfo:
    said = [f"gold corrections of {overlay}", f"replaced: {', '.join(laid.replaced) or 'none'}"]
    said += [f"{word}: {', '.join(ids)}" for word, ids in (("noted", laid.noted), ("unfit", laid.unfit)) if ids]
    return SuiteInfo(
        name="dsbc",
        release=release,
        title=DsbcLoader.title,
        description="; ".join(said) if release == RELEASE else "golds as published",
        licence="questions: Apache-2.0 by the paper; each data file has its own",
        source="DSBC",
        reference="dsbc",
    )


def _write(folder: Path, laid: Corrected, files: Mapping[str, Path], info: SuiteInfo) -> None:
    indexes: dict[str, tuple[FileEntry, ...]] = {}
    for room, path in files.items():
        place = folder / "data" / room
        place.mkdir(parents=True)
        shutil.copyfile(path, place / path.name)
        indexes[room] = tuple(index_folder(place))
        write_room_index(folder, room, indexes[room])
    rooms = {room: RoomInfo.of_index(index) for room, index in indexes.items()}
    looked_up = {room: RoomFiles(index) for room, index in indexes.items()}
    changed = {*laid.replaced, *laid.noted}
    Suite.write(
        folder,
        info.model_copy(update={"rooms": rooms}),
        [_task(question) for question in laid.questions],
        [_labels(question, question.id in changed) for question in laid.questions],
        [resolve(_gold(question, files), looked_up, short_name(question.dataset)) for question in laid.questions],
    )


def _task(question: Question) -> Task:
    variants = {"clean": question.clean} | ({"raw": question.raw} if question.raw else {})
    return Task(
        id=question.id,
        question=question.clean,
        variants=variants,
        data=(DataMount(room=short_name(question.dataset), target=MOUNT),),
        limits=Limits(step_seconds=QUERY_SECONDS),
    )


def _labels(question: Question, changed: bool) -> Labels:
    return Labels(
        task_id=question.id,
        domain=short_name(question.dataset),
        categories=question.categories,
        answer_type=question.answer_type,
        dataset=question.dataset,
        source="DSBC",
        extra={
            "n_categories": len(question.categories),
            **({"unknown_categories": list(question.unknown_categories)} if question.unknown_categories else {}),
            **({"corrected": True} if changed else {}),
        },
    )


def _gold(question: Question, files: Mapping[str, Path]) -> Gold:
    room = short_name(question.dataset)
    name = files[room].name
    typed = {"answer_type": question.answer_type, "tolerance": question.tolerance}
    code = program(question.code, f"{MOUNT}/{name}", room) if question.code else ""
    return Gold(
        task_id=question.id,
        answer=question.answer or None,
        checks=(Check(scorer="response", options={key: value for key, value in typed.items() if value}),),
        required_files=(RequiredFile(path=name),),
        required_files_status="declared",
        solution=Solution(code=code) if code else None,
    )
