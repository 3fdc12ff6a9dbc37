"""A small suite, and runs over it of agents that are right on the first so many tasks; names and texts are hostile."""

import pytest

from benchwright.gold import Gold, RequiredFile
from benchwright.labels import Labels
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.scoring import keep_scores, score_run
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task
from benchwright.trajectory import Answered, Broke, FileAccess, GaveUp, LimitHit, Measured, Usage

HOSTILE = "<script>alert(1)</script>"
TASKS = [f"t{number:02}" for number in range(12)]


def labels(place, name):
    domain = "shops" if place < 6 else f"law & {HOSTILE}"
    skills = ("join", "filter") if place % 2 else ("filter",)
    return Labels(
        task_id=name,
        domain=domain,
        categories=("clean", "join")[: 1 + place % 2],
        dataset=f"d{place // 2}",
        skills=skills,
        difficulty="hard" if place % 3 == 0 else "easy",
    )


@pytest.fixture(scope="session")
def suite(tmp_path_factory):
    golds = [
        Gold(
            task_id=name,
            answer=f"gold-of-{name}",
            required_files=(RequiredFile(path="x.csv"),),
            required_files_status="declared",
        )
        for name in TASKS
    ]
    return Suite.write(
        tmp_path_factory.mktemp("reported") / "suite",
        SuiteInfo(name="small", title=f"Small {HOSTILE}", rooms={"r": RoomInfo(files=20)}),
        [Task(id=name, question=f"What is {name}? {HOSTILE}", data=(DataMount(room="r"),)) for name in TASKS],
        [labels(place, name) for place, name in enumerate(TASKS)],
        golds,
    )


ENDINGS = (GaveUp(), LimitHit(which="wall"), Broke(fault="agent"))


def attempt(cell, task, place, right, epoch):
    answered = place < right
    return Attempt(
        cell=cell.id,
        task_id=task,
        epoch=epoch,
        ending=Answered() if answered else ENDINGS[place % 3],
        answer=f"gold-of-{task}" if answered else None,
        accesses=Measured(tracer="fanotify", files=(FileAccess(path="x.csv", step=1),), room_files=20),
        steps=2 + place,
        successful_steps=1 + place,
        wall_seconds=2.0 + place,
        usage=Usage(input_tokens=1000, output_tokens=100, cost_usd=0.01 * (place + 1)),
        isolation={"sandbox": "namespace"},
    )


@pytest.fixture(scope="session")
def make(suite, tmp_path_factory):
    """A scored run; `rights` are how many tasks each agent gets right."""

    def run(name, rights, **more):
        cells = tuple(Cell(agent=agent, suite_digest=suite.digest, **more.pop(agent, {})) for agent in rights)
        spec = RunSpec(
            suite="small", suite_folder=str(suite.folder), suite_digest=suite.digest, cells=cells, epochs=2, **more
        )
        folder = RunFolder.create(tmp_path_factory.mktemp("runs") / name, spec)
        for cell, right in zip(cells, rights.values(), strict=True):
            for place, task in enumerate(TASKS):
                for epoch in (1, 2):
                    folder.record(attempt(cell, task, place, right, epoch))
        keep_scores(score_run(suite, folder), folder)
        return folder

    return run


@pytest.fixture(scope="session")
def run(make):
    return make("first", {f"a {HOSTILE}": 10, "b": 3, "c": 2})


@pytest.fixture(scope="session")
def page_path(run, asked, tmp_path_factory):
    """The report of the run as a page."""
    out = tmp_path_factory.mktemp("report") / "report.html"
    asked("report", run.path, "--out", out)
    return out
