"""A small suite of twenty tasks, and runs over it in which agents are right on the first so many."""

import pytest

from benchwright.gold import Gold, RequiredFile
from benchwright.labels import Labels
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.scoring import keep_scores, score_run
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task
from benchwright.trajectory import Answered, FileAccess, GaveUp, Measured, Usage

TASKS = [f"t{number:02}" for number in range(20)]


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    return Suite.write(
        tmp_path_factory.mktemp("compared") / "suite",
        SuiteInfo(name="small", rooms={"r": RoomInfo(files=20)}),
        [Task(id=name, question=f"What is {name}?", data=(DataMount(room="r"),)) for name in TASKS],
        [
            Labels(task_id=name, domain="low" if place < 10 else "high", dataset=f"d{place // 2}", skills=("join",))
            for place, name in enumerate(TASKS)
        ],
        [
            Gold(
                task_id=name,
                answer=name,
                required_files=(RequiredFile(path="x.csv"),),
                required_files_status="declared",
            )
            for name in TASKS
        ],
    )


@pytest.fixture(scope="module")
def make(suite, tmp_path_factory):
    """A scored run in which an agent is right on the first tasks; further agents are further cells."""

    def run(name, *rights, agents=("a", "b"), **more):
        cells = tuple(Cell(agent=agent, suite_digest=suite.digest) for agent in agents[: len(rights)])
        spec = RunSpec(
            suite="small", suite_folder=str(suite.folder), suite_digest=suite.digest, cells=cells, epochs=2, **more
        )
        folder = RunFolder.create(tmp_path_factory.mktemp("runs") / name, spec)
        seen = Measured(tracer="fanotify", files=(FileAccess(path="x.csv"),), room_files=20)
        for cell, right in zip(cells, rights, strict=True):
            for place, task in enumerate(TASKS):
                for epoch in (1, 2):
                    answer, ending = (task, Answered()) if place < right else (None, GaveUp())
                    folder.record(
                        Attempt(
                            cell=cell.id,
                            task_id=task,
                            epoch=epoch,
                            ending=ending,
                            answer=answer,
                            accesses=seen,
                            steps=epoch,
                            wall_seconds=2.0,
                            usage=Usage(cost_usd=0.25),
                        )
                    )
        keep_scores(score_run(suite, folder), folder)
        return folder

    return run


@pytest.fixture(scope="module")
def first(make):
    return make("first", 4)


@pytest.fixture(scope="module")
def second(make):
    return make("second", 16)
