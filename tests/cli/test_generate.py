import json
import random

import pytest
from typer.testing import CliRunner

from benchwright.cli import app

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
