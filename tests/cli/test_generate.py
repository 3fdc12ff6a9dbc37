import json
import random

import pytest
from tests.generation.templates.conftest import AnySkill
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.generation.material import prepare
from benchwright.generation.templates import TemplateWriter
from benchwright.generation.workflow import Wanted
from benchwright.suite import Suite

SKILLS = ("Data Loading with Pandas", "Filtering Rows", "Group Aggregation")


def run(*words):
    return CliRunner().invoke(app, ["generate", *map(str, words)])


@pytest.fixture
def data(tmp_path):
    drawn = random.Random(1)
    for name, columns in (("orders", "order,state,price"), ("visits", "visit,page,seconds")):
        rows = [f"{n},{drawn.choice('abcd')},{drawn.randrange(10, 9000)}" for n in range(120)]
        (tmp_path / "data").mkdir(exist_ok=True)
        (tmp_path / "data" / f"{name}.csv").write_text("\n".join([columns, *rows, ""]))
    return tmp_path / "data"


@pytest.fixture
def skills(tmp_path):
    path = tmp_path / "skills.jsonl"
    path.write_text("".join(json.dumps({"skill": name, "description": f"{name}."}) + "\n" for name in SKILLS))
    return path


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "no --out"),
        (("--out", "x", "--writer", "unheard"), "no writer 'unheard'"),
        (("--out", "x", "--writer", "model"), "no model to write"),
        (("--out", "x", "--model", "mockllm/model"), "the writer template asks no model"),
    ],
)
def test_what_is_missing_or_does_not_fit_is_said_before_anything_is_made(data, skills, tmp_path, options, told):
    options = [tmp_path / "suite" if word == "x" else word for word in options]
    done = run("--data", data, "--skills", skills, *options)
    assert done.exit_code != 0
    assert told in str(done.exception)
    assert not (tmp_path / "suite").exists()


def test_a_folder_becomes_a_suite_and_the_same_command_says_it_again(data, tmp_path, toolbox):
    [room] = prepare(data, tmp_path / "other", tmp_path / "work", lambda _: None)
    drafts = TemplateWriter().drafts(room.material, Wanted(AnySkill(), 30))
    skills = {step.skill for draft in drafts for step in draft.workflow.steps}
    (tmp_path / "skills.jsonl").write_text(
        "".join(json.dumps({"skill": name, "description": ""}) + "\n" for name in sorted(skills))
    )
    words = "--data", data, "--skills", tmp_path / "skills.jsonl", "--out", tmp_path / "suite", "--tasks", 2
    done = run(*words, "--json")
    if "isolate attempts" in str(done.exception):
        pytest.skip(str(done.exception))
    assert done.exit_code == 0, done.exception
    document = json.loads(done.stdout)
    suite = Suite.open(tmp_path / "suite")
    assert document["tasks"] == len(suite.tasks) == 2
    assert set(document["skills"]) == {name for labels in suite.labels.values() for name in labels.skills}
    assert document["why"] == "enough"
    again = run(*words)
    assert again.exit_code == 0
    assert f"{len(document['skills'])} of {len(skills)} skills are needed by a task" in again.stdout
    other = run(*words, "--seed", 1)
    assert "begun with other seed" in str(other.exception)
