"""What a suite holds, in the figures that benchmark papers give: files and MB a task, lines, skills, formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import log
from statistics import fmean, median
from typing import Any

from benchwright.files import Record
from benchwright.proving.answer_kinds import answer_kind
from benchwright.proving.guideline import split_parts
from benchwright.proving.lint.base import Case, cases
from benchwright.proving.lint.rooms import required_paths, room_files, rooms_here
from benchwright.proving.solutions import effective_lines
from benchwright.suite import Suite

_MB = 1_000_000
_REPRESENTATIVE = 2
_FAMILIES = {
    "structured": "csv tsv tab xlsx xls xlsm ods parquet feather arrow orc sav dta rds sas7bdat npy npz h5 hdf5 nc",
    "semi-structured": "json jsonl ndjson geojson yaml yml toml log",
    "markup": "html htm xml md kml tex rst",
    "text": "txt dat arff pdf doc docx rtf",
    "database": "sqlite sqlite3 db duckdb sql mdb",
    "script": "py r ipynb sh sas do",
    "binary": "png jpg jpeg gif bmp tif tiff wav mp3 mp4 zip tar bin pkl pickle shp dbf shx prj mat model",
}
_FAMILY_OF = {suffix: family for family, suffixes in _FAMILIES.items() for suffix in suffixes.split()}
_PACKED = frozenset({"gz", "bz2", "xz", "zst"})


class Spread(Record):
    """How one number is spread over tasks; `count` tasks have it."""

    count: int
    mean: float
    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Spread | None:
        """The spread of the values that are known; None where none is."""
        known = [value for value in values if value is not None]
        if not known:
            return None
        return cls(count=len(known), mean=fmean(known), median=median(known), least=min(known), most=max(known))


class DomainStatistics(Record):
    """One domain: its rooms' files and MB, and what one of its tasks has around it, requires and needs."""

    domain: str
    tasks: int
    files: int | None
    megabytes: float | None
    room_files: Spread | None
    room_megabytes: Spread | None
    required_files: Spread | None
    required_megabytes: Spread | None
    skills: Spread | None
    representative: tuple[tuple[str, float], ...] = ()
    """The skills that tell most of the domain, with their weight: tasks here that need one, by the logarithm of how few
    domains have it (TF-IDF, as in the paper's Table 3)."""


class Coverage(Record):
    """How many of the skills that there are some task needs; `foreign` are those of the suite that are none of them."""

    skills: int
    covered: int
    share: float
    in_three: int
    foreign: tuple[str, ...]


class SuiteStatistics(Record):
    """The figures of one suite. A figure that is not known is None, never 0.

    `formats` counts files by suffix (compression taken off), `modalities` by family; both over the rooms that are
    here, else over the required files (`formats_of` says which). `skills_once` and `skills_in_three` count skills that
    one task alone, and that three or more need. `writers` and `workflow_steps` are known of generated tasks.
    """

    suite: str
    release: str
    digest: str
    tasks: int
    subsets: dict[str, int]
    total: DomainStatistics
    domains: tuple[DomainStatistics, ...]
    rooms: int
    rooms_here: int
    solution_lines: Spread | None
    workflow_steps: Spread | None
    question_words: Spread | None
    distinct_skills: int
    skills_once: int
    skills_in_three: int
    tasks_a_skill: Spread | None
    coverage: Coverage | None
    distinct_categories: int
    writers: dict[str, int]
    outputs: dict[str, int]
    table_outputs: int
    answer_types: dict[str, int]
    answer_parts: Spread | None
    difficulties: dict[str, int]
    required_statuses: dict[str, int]
    required_counts: dict[str, int]
    formats: dict[str, int]
    formats_of: str
    modalities: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """Everything as plain JSON values, None where a figure is not known."""
        return self.model_dump(mode="json")


def statistics(suite: Suite, universe: Collection[str] = ()) -> SuiteStatistics:
    """Count what a suite holds; sizes of required files need the rooms on this machine.

    `universe` are the skills that there are, for coverage.
    """
    listed = list(cases(suite))
    needs = Counter(skill for case in listed for skill in dict.fromkeys(case.labels.skills))
    formats, formats_of = _formats(suite, listed)
    modalities = Counter[str]()
    for suffix, count in formats.items():
        modalities[_FAMILY_OF.get(suffix, "other")] += count
    return SuiteStatistics(
        suite=suite.name,
        release=suite.info.release,
        digest=suite.digest,
        tasks=len(listed),
        subsets={name: len(suite.subset(name)) for name in suite.subsets},
        total=_domain(suite, "", listed),
        domains=_domains(suite, listed),
        rooms=len(suite.info.rooms),
        rooms_here=len(rooms_here(suite)),
        solution_lines=Spread.of(_lines(case) for case in listed),
        workflow_steps=Spread.of(_steps(case) for case in listed),
        question_words=Spread.of(len(case.task.question.split()) for case in listed),
        distinct_skills=len(needs),
        skills_once=sum(count == 1 for count in needs.values()),
        skills_in_three=sum(count >= 3 for count in needs.values()),
        tasks_a_skill=Spread.of(needs.values()),
        coverage=_coverage(needs, universe) if universe else None,
        distinct_categories=len({category for case in listed for category in case.labels.categories}),
        writers=_counted(str(case.labels.extra["writer"]) for case in listed if case.labels.extra.get("writer")),
        outputs=_counted(output.kind for case in listed for output in case.task.outputs),
        table_outputs=sum(any(output.kind == "table" for output in case.task.outputs) for case in listed),
        answer_types=_counted(kind for case in listed for kind in _answer_types(case)),
        answer_parts=Spread.of(len(split_parts(case.answer)) for case in listed if case.answer),
        difficulties=_counted(case.labels.difficulty for case in listed if case.labels.difficulty),
        required_statuses=_counted(case.gold.required_files_status for case in listed),
        required_counts=_counted(str(len(case.gold.required_files)) for case in listed),
        formats=formats,
        formats_of=formats_of,
        modalities=_ordered(modalities),
    )


def _domain(suite: Suite, name: str, listed: Sequence[Case]) -> DomainStatistics:
    rooms = {mount.room for case in listed for mount in case.task.data}
    sizes = {room: _room_size(suite, room) for room in rooms}
    around = [[sizes[mount.room] for mount in case.task.data] for case in listed if case.task.data]
    return DomainStatistics(
        domain=name,
        tasks=len(listed),
        files=_total(files for files, _ in sizes.values()),
        megabytes=_megabytes(_total(size for _, size in sizes.values())),
        room_files=Spread.of(_total(files for files, _ in rooms) for rooms in around),
        room_megabytes=Spread.of(_megabytes(_total(size for _, size in rooms)) for rooms in around),
        required_files=Spread.of(len(case.gold.required_files) for case in listed if case.gold.discovery_known),
        required_megabytes=Spread.of(_required_megabytes(suite, case) for case in listed),
        skills=Spread.of(len(case.labels.skills) for case in listed if case.labels.skills),
    )


def _domains(suite: Suite, listed: Sequence[Case]) -> tuple[DomainStatistics, ...]:
    """Every domain by name, with the skills that are its own."""
    names = sorted({case.labels.domain for case in listed} - {""})
    grouped = {name: [case for case in listed if case.labels.domain == name] for name in names}
    needs = {name: Counter(skill for case in grouped[name] for skill in set(case.labels.skills)) for name in names}
    found_in = Counter(skill for each in needs.values() for skill in each)
    found = []
    for name in names:
        weights = {skill: count * log(len(names) / found_in[skill]) for skill, count in needs[name].items()}
        first = sorted((skill for skill in weights if weights[skill] > 0), key=lambda skill: (-weights[skill], skill))
        told = tuple((skill, round(weights[skill], 2)) for skill in first[:_REPRESENTATIVE])
        found.append(_domain(suite, name, grouped[name]).model_copy(update={"representative": told}))
    return tuple(found)


def _coverage(needs: Mapping[str, int], universe: Collection[str]) -> Coverage:
    known = set(universe)
    covered = [skill for skill in needs if skill in known]
    return Coverage(
        skills=len(known),
        covered=len(covered),
        share=len(covered) / len(known),
        in_three=sum(needs[skill] >= 3 for skill in covered),
        foreign=tuple(sorted(set(needs) - known)),
    )


def _steps(case: Case) -> int | None:
    """Steps of a generated task's workflow."""
    steps = case.labels.extra.get("workflow")
    return len(steps) if isinstance(steps, list) else None


def _room_size(suite: Suite, room: str) -> tuple[int | None, int | None]:
    """Files and bytes of a room: as suite.toml says, else counted where the room is here."""
    info, here = suite.info.rooms[room], room_files(suite).get(room)
    if here is None or (info.files is not None and info.bytes is not None):
        return info.files, info.bytes
    return len(here.entries), sum(entry.size for entry in here.entries.values())


def _required_megabytes(suite: Suite, case: Case) -> float | None:
    if not case.gold.discovery_known:
        return None
    paths = required_paths(suite, case)
    return _megabytes(sum(path.stat().st_size for path in paths)) if paths else None


def _total(values: Iterable[int | None]) -> int | None:
    """The sum; None where one of the values is not known, or there is none."""
    listed = list(values)
    known = [value for value in listed if value is not None]
    return sum(known) if known and len(known) == len(listed) else None


def _megabytes(size: int | None) -> float | None:
    return None if size is None else size / _MB


def _lines(case: Case) -> int | None:
    return effective_lines(case.gold.solution.code) if case.gold.solution else None


def _answer_types(case: Case) -> Iterator[str]:
    """The label's answer type (one a part, where it names several), else the kinds of the gold's parts."""
    if case.labels.answer_type:
        yield from (name.strip() for name in case.labels.answer_type.split(";"))
    elif case.answer:
        yield from (answer_kind(part) for part in split_parts(case.answer))


def _formats(suite: Suite, listed: Sequence[Case]) -> tuple[dict[str, int], str]:
    here = [file for room in room_files(suite).values() for file in room.entries]
    if here:
        return _counted(_suffix(file) for file in here), "rooms"
    required = {file.path for case in listed for file in case.gold.required_files}
    return _counted(_suffix(file) for file in required), "required files"


def _suffix(path: str) -> str:
    parts = path.rpartition("/")[2].lower().split(".")[1:]
    while len(parts) > 1 and parts[-1] in _PACKED:
        parts.pop()
    return parts[-1] if parts else "none"


def _counted(values: Iterable[str]) -> dict[str, int]:
    return _ordered(Counter(values))


def _ordered(counts: Counter[str]) -> dict[str, int]:
    """The most frequent first; equal ones by name."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
