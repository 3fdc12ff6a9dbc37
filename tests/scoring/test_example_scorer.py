import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.gold import Check, Gold
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import Task

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "custom_scorer.py"


@pytest.fixture
def package(tmp_path):
    """The example as a package that is installed, with the entry point that its docstring shows."""
    folder = tmp_path / "site"
    info = folder / "custom_scorer-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: custom-scorer\nVersion: 1\n")
    (point,) = [line.strip() for line in EXAMPLE.read_text().splitlines() if line.startswith("    close_number =")]
    (info / "entry_points.txt").write_text(f"[benchwright.scorers]\n{point.replace(chr(34), '')}\n")
    (folder / EXAMPLE.name).write_bytes(EXAMPLE.read_bytes())
    return folder


def suite_of(folder, gold):
    tasks = [Task(id=name, question="How many?") for name in ("exact", "near", "far", "words", "none")]
    check = Check(scorer="close_number", options={"tolerance": 0.1})
    golds = [Gold(task_id=task.id, answer=gold, checks=(check,)) for task in tasks]
    return Suite.write(folder, SuiteInfo(name="close"), tasks, golds=golds)


@pytest.mark.parametrize(
    ("gold", "values"), [("200", [1.0, 0.5, 0.0, 0.0, 0.0]), ("many", [None, None, None, None, None])]
)
def test_the_example_of_an_own_scorer_works_as_it_stands(package, tmp_path, gold, values):
    suite = suite_of(tmp_path / "suite", gold)
    answers = {"exact": "200", "near": " 190 ", "far": "20000", "words": "two hundred", "none": "inf"}
    lines = [json.dumps({"task_id": name, "prediction": answer}) for name, answer in answers.items()]
    (tmp_path / "p.jsonl").write_text("\n".join(lines))
    command = [sys.executable, "-c", "from benchwright.cli import main; main()", "score", suite.folder]
    environment = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run(
        [*map(str, command), str(tmp_path / "p.jsonl"), "--json"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [task["sound"]["score"] for task in json.loads(done.stdout)["tasks"]] == [
        value if value is None else pytest.approx(value) for value in values
    ]
