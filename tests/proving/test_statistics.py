import json

import pytest
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.labels import Labels
from benchwright.proving.statistics import statistics
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import Task

SKILLS = {
    "a1": ("load", "join"),
    "a2": ("load", "join"),
    "a3": ("load", "rank"),
    "b1": ("load", "plot"),
    "c1": ("odd",),
}


@pytest.fixture
def suite(tmp_path):
    tasks = [Task(id=task_id, question=f"One two three {task_id}") for task_id in SKILLS]
    steps = [{"id": f"s{number}"} for number in range(1, 4)]
    labels = [
        Labels(
            task_id=task_id,
            domain=task_id[0],
            skills=skills,
            extra={"writer": "template:x", "workflow": steps} if task_id == "a1" else {},
        )
        for task_id, skills in SKILLS.items()
    ]
    return Suite.write(tmp_path / "suite", SuiteInfo(name="counted"), tasks, labels)


def test_skills_are_counted_by_tasks_and_held_against_all_that_there_are(suite):
    counted = statistics(suite, ["load", "join", "rank", "plot", "never", "neither", "nor", "none"])
    assert (counted.distinct_skills, counted.skills_once, counted.skills_in_three) == (5, 3, 1)
    assert counted.tasks_a_skill.model_dump() == {"count": 5, "mean": 1.8, "median": 1, "least": 1, "most": 4}
    assert counted.coverage.model_dump() == {
        "skills": 8,
        "covered": 4,
        "share": 0.5,
        "in_three": 1,
        "foreign": ("odd",),
    }
    assert statistics(suite).coverage is None


def test_the_skills_that_tell_most_of_a_domain_are_those_that_others_lack(suite):
    told = {domain.domain: dict(domain.representative) for domain in statistics(suite).domains}
    assert told["a"]["load"] == pytest.approx(1.22, abs=0.01)  # three tasks, two of three domains; rank weighs log 3
    assert told["a"]["join"] == pytest.approx(2.2, abs=0.01)  # two tasks, one of three domains: 2 * log 3
    assert list(told["c"]) == ["odd"]


def test_workflows_and_writers_of_generated_tasks_are_counted_and_of_others_not_known(suite):
    counted = statistics(suite)
    assert (counted.workflow_steps.count, counted.workflow_steps.mean) == (1, 3.0)
    assert counted.writers == {"template:x": 1}
    assert counted.question_words.mean == 4


def test_the_command_tells_coverage_and_refuses_a_file_without_skills(suite, tmp_path):
    (tmp_path / "skills.jsonl").write_text('{"skill": "load"}\n{"name": "never"}\n{"name": "below", "top": false}\n')
    arguments = ["suites", "show", str(suite.folder), "--stats", "--skills"]
    told = CliRunner().invoke(app, [*arguments, str(tmp_path / "skills.jsonl"), "--json"])
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["coverage"]["share"] == 0.5
    (tmp_path / "other.jsonl").write_text('{"x": 1}\n')
    assert isinstance(CliRunner().invoke(app, [*arguments, str(tmp_path / "other.jsonl")]).exception, InputError)
