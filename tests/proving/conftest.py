"""Suites to prove: the official CoDA-Bench file where it is here, and a small clean one of our own."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from benchwright.gold import Gold, Solution
from benchwright.labels import Labels
from benchwright.proving.findings import Finding
from benchwright.proving.lint import lint
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task

Pair = tuple[Task, Gold]


def _key(row: dict) -> tuple[str, str, str]:
    return row["question"], row["answer"], row["reference_code"]


@pytest.fixture(scope="session")
def coda(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Suite:
    """The official file as a suite, built here so that these tests need no loader."""
    rows = json.loads((shared / "data/coda_bench/coda_bench.json").read_text("utf-8"))
    hard = {_key(row) for row in json.loads((shared / "data/coda_bench/coda_bench_hard.json").read_text("utf-8"))}
    return Suite.write(
        tmp_path_factory.mktemp("coda"),
        SuiteInfo(name="coda_bench", rooms={row["release_community"]: RoomInfo() for row in rows}),
        [
            Task(
                id=str(row["instance_id"]),
                question=row["question"],
                guidelines=row["answer_guidelines"],
                data=(DataMount(room=row["release_community"]),),
            )
            for row in rows
        ],
        [
            Labels(
                task_id=str(row["instance_id"]),
                dataset=row["dataset"],
                subsets=("full", "hard") if _key(row) in hard else ("full",),
            )
            for row in rows
        ],
        [
            Gold(
                task_id=str(row["instance_id"]),
                answer=row["answer"],
                solution=Solution(code=row["reference_code"] or "pass"),
            )
            for row in rows
        ],
    )


@pytest.fixture(scope="session")
def coda_findings(coda: Suite) -> tuple[Finding, ...]:
    """What the lint finds in the official file."""
    return lint(coda)


OWN = [
    ("How many orders were shipped in May 2021?", "Answer must be a single integer.", "1482"),
    (
        "Which region sold most, and how many units were that?",
        "Answer must be in the format: Region; Count. The count must be an integer.",
        "Upper Valley; 5310",
    ),
    (
        "What share of trips ended after midnight?",
        "Answer must be a percentage rounded to one decimal place (e.g., 45.6%).",
        "12.8%",
    ),
    (
        "What are the mean, median and largest flow of the river in 2019?",
        "Answer format: mean; median; maximum. Round each value to 2 decimal places, separated by semicolons.",
        "14.21; 12.90; 88.05",
    ),
    (
        "On which day was the first reading above 40 degrees?",
        "Answer must be a date in YYYY-MM-DD format.",
        "2018-07-14",
    ),
    (
        "Which two stations reported least often, and how often did each report?",
        "Provide the answer as four values separated by semicolons (e.g., Alpha; 10; Beta; 20). Fewest reports first.",
        "Marl Hill; 31; East Quay; 44",
    ),
    (
        "What percentage of members renewed in the first quarter, and what percentage in the second?",
        "Provide two integer percentages separated by a semicolon (e.g., 10%; 20%).",
        "61%; 58%",
    ),
    (
        "Which supplier has the highest late rate, and what is it?",
        "Format: Supplier Name; Rate%. Round to the nearest integer (e.g., Acme; 12%).",
        "Brandt & Sons; 27%",
    ),
]


@pytest.fixture(scope="session")
def own_pairs() -> list[Pair]:
    return [
        (Task(id=f"own{index}", question=question, guidelines=guideline), Gold(task_id=f"own{index}", answer=answer))
        for index, (question, guideline, answer) in enumerate(OWN)
    ]


@pytest.fixture
def suite_of(tmp_path: Path) -> Callable[[Sequence[Pair]], Suite]:
    """Make a suite of tasks and golds (their rooms declared, not present)."""
    made = iter(range(10_000))

    def build(pairs: Sequence[Pair]) -> Suite:
        rooms = {mount.room: RoomInfo() for task, _ in pairs for mount in task.data}
        info = SuiteInfo(name="planted", rooms=rooms)
        return Suite.write(
            tmp_path / str(next(made)), info, [task for task, _ in pairs], (), [gold for _, gold in pairs]
        )

    return build
