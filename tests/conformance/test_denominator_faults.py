"""What one bad file of several costs its task: itself, whatever is wrong with it and wherever it stands."""

import json

import pytest

from benchwright.gold import Check, Gold
from benchwright.scoring import Job, score_attempt, score_predictions
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import OutputSpec, Task
from benchwright.trajectory import Submission

NAMES = tuple(f"out{number}.json" for number in range(5))
RIGHT = json.dumps({"v": 1}).encode()
UNDECODABLE = b"\xff\xfe\x00\xd8{"


@pytest.fixture
def suite(tmp_path):
    outputs = tuple(OutputSpec(kind="document", name=name) for name in NAMES)
    checks = tuple(Check(scorer="document", output=name, golds=("g.json",)) for name in NAMES)
    gold = Gold(task_id="t", checks=checks, files=("g.json",))
    made = Suite.write(tmp_path / "s", SuiteInfo(name="s"), [Task(id="t", question="?", outputs=outputs)], (), [gold])
    made.gold_files("t").mkdir(parents=True)
    (made.gold_files("t") / "g.json").write_bytes(RIGHT)
    return made


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        ({0: RIGHT, 1: UNDECODABLE}, 0.2),
        ({0: UNDECODABLE, 1: RIGHT, 2: RIGHT, 3: RIGHT, 4: RIGHT}, 0.8),
        ({0: RIGHT, 1: RIGHT, 2: RIGHT, 3: RIGHT, 4: UNDECODABLE}, 0.8),
        ({4: RIGHT}, 0.2),
        ({}, 0.0),
        ({0: RIGHT, 1: b"[" * 100_000, 2: RIGHT, 3: b"", 4: RIGHT}, 0.6),
    ],
)
def test_a_missing_or_undecodable_file_is_0_for_its_own_check_only(suite, tmp_path, contents, expected):
    files = {}
    for number, content in contents.items():
        path = tmp_path / NAMES[number]
        path.write_bytes(content)
        files[NAMES[number]] = path
    verdict = score_attempt(suite, Job("t", Submission(files=files), modes=("sound",))).sound
    assert verdict.value == pytest.approx(expected)


def test_the_same_through_a_folder_of_outputs_and_worker_processes(suite, tmp_path):
    folder = tmp_path / "out" / "t"
    folder.mkdir(parents=True)
    for name in NAMES[:4]:
        (folder / name).write_bytes(RIGHT)
    (folder / NAMES[3]).unlink()
    (folder / NAMES[3]).symlink_to(suite.gold_files("t") / "g.json")
    (folder / NAMES[4]).symlink_to("/dev/zero")
    document = score_predictions(suite, tmp_path / "out", ("sound",)).document()
    assert document["sound"]["mean"] == pytest.approx(0.6)
    assert [check["sound"]["score"] for check in document["tasks"][0]["checks"]] == [1, 1, 1, 0, 0]
