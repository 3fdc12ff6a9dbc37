"""`benchwright generate --writer model` with scripted models."""

import json

import pytest
from tests.generation.modelled.conversation import FILL, JOIN, SKILLS, SUM, Author, write_room
from typer.testing import CliRunner

from benchwright.chat.scripted import register
from benchwright.cli import app
from benchwright.errors import EnvironmentFault, InputError
from benchwright.live.opening import close_sandboxes
from benchwright.sandbox.base import SandboxSpec
from benchwright.sandbox.choice import Providers
from benchwright.suite import Suite


def generate(data, skills, out, *options):
    words = [
        "generate",
        "--data",
        data,
        "--skills",
        skills,
        "--out",
        out,
        "--tasks",
        "1",
        "--writer",
        "model",
        *options,
    ]
    return CliRunner().invoke(app, list(map(str, words)))


@pytest.fixture(scope="module", autouse=True)
def sandboxes():
    yield
    close_sandboxes()


@pytest.fixture
def skills(tmp_path):
    path = tmp_path / "skills.jsonl"
    wanted = {name: SKILLS[name] for name in (SUM, FILL, JOIN)}
    path.write_text("".join(json.dumps({"skill": name, "description": text}) + "\n" for name, text in wanted.items()))
    return path


def test_a_model_writes_another_judges_and_a_proved_suite_comes_of_it(tmp_path, skills, toolbox):
    providers = Providers()
    try:
        providers.open(SandboxSpec(tracing="off"), "auto").close()
    except EnvironmentFault as error:
        pytest.skip(str(error))
    finally:
        providers.close()
    author, judge = Author(), Author()
    register("author", author)
    register("judge", judge)
    data, out = write_room(tmp_path / "data"), tmp_path / "suite"
    tmp_path.chmod(0o755)
    models = ("--model", "scripted/author", "--judge-model", "scripted/judge", "--no-values", "--json")
    done = generate(data, skills, out, *models)
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["tasks"] == 1
    assert document["asked"] == {
        "calls": author.calls + judge.calls,
        "tokens": 120 * (author.calls + judge.calls),
        "usd": None,
    }
    assert set(document["skills"]) == {SUM, FILL, JOIN}
    (labels,) = Suite.open(out).labels.values()
    assert labels.extra["writer"] == "model:scripted/author"
    assert "insert Joining Tables by Key: kept" in done.stderr
    assert (set(judge.asked), author.asked["criterion"]) == ({"criterion"}, 0)
    assert not any("Bea" in messages[1].text for kind, messages in author.prompts if kind == "initial")
    calls = author.calls + judge.calls
    assert json.loads(generate(data, skills, out, *models).stdout) == document
    assert author.calls + judge.calls == calls


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--model", "scripted/author"), "the judge is the writer"),
        (("--model", "scripted/author", "--judge-model", "scripted/author"), "the judge is the writer"),
        (("--model", "scripted/author", "--same-judge", "--budget-usd", "1"), "a budget in dollars"),
    ],
)
def test_what_models_cannot_do_is_said_first(tmp_path, skills, options, told):
    register("author", Author())
    done = generate(write_room(tmp_path / "data"), skills, tmp_path / "suite", *options)
    assert isinstance(done.exception, InputError)
    assert told in str(done.exception)
    assert not (tmp_path / "suite" / "tasks.jsonl").exists()
