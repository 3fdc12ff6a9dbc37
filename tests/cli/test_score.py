import json
import subprocess
import sys

import pytest

from benchwright.gold import Gold
from benchwright.labels import Labels
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import Task
from benchwright.trajectory import Answered


@pytest.fixture
def suite(tmp_path):
    tasks = [Task(id=name, question="?", guidelines="Answer with an integer.") for name in ("0", "1", "2")]
    golds = [Gold(task_id=name, answer="5") for name in ("0", "1", "2")]
    labels = [Labels(task_id="0", subsets=("full", "hard"))]
    return Suite.write(tmp_path / "suite", SuiteInfo(name="small", reference="coda_bench"), tasks, labels, golds)


def score(*arguments):
    command = [sys.executable, "-c", "from benchwright.cli import main; main()", "score", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def predictions(tmp_path):
    def write(text):
        path = tmp_path / "p.jsonl"
        path.write_text(text, encoding="utf-8")
        return path

    return write


GOOD = '{"instance_id": 0, "prediction": "5"}\n{"instance_id": 1, "prediction": "6"}\n'


def test_a_clean_file_is_scored_into_one_json_document_on_stdout(suite, predictions):
    done = score(suite.folder, predictions(GOOD), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout, parse_constant=lambda name: pytest.fail(f"not strict JSON: {name}"))
    assert document["n_tasks"] == 3
    assert document["sound"]["mean"] == document["reference"]["exact_accuracy"] == pytest.approx(1 / 3)
    assert document["subsets"]["hard"]["sound"]["mean"] == 1


def test_faulty_tasks_are_named_and_the_mean_without_them_is_told(suite, predictions):
    checks = {"format": 1, "digest": suite.digest, "gold_digest": suite.gold_digest, "proofs": {}}
    (suite.folder / "checks.json").write_text(json.dumps(checks | {"faulty": {"sound": ["1"], "reference": []}}))
    document = json.loads(score(suite.folder, predictions(GOOD), "--json").stdout)
    assert document["faulty_ids"] == {"reference": [], "sound": ["1"]}
    assert document["sound"]["without_faulty"]["mean"] == pytest.approx(1 / 2)
    shown = " ".join(score(suite.folder, predictions(GOOD)).stdout.replace("│", " ").split())
    assert "faulty tasks under sound, sound without them 0.500" in shown


@pytest.mark.parametrize(
    "line",
    ["{broken", '{"instance_id": 0, "prediction": "5"}', '{"instance_id": "zz", "prediction": "5"}'],
    ids=["bad line", "duplicate", "unknown id"],
)
def test_a_flawed_file_is_scored_all_the_same_with_exit_code_one(suite, predictions, line):
    done = score(suite.folder, predictions(GOOD + line), "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["sound"]["mean"] == pytest.approx(1 / 3)


def test_people_get_tables_that_name_what_is_odd_and_no_control_characters(suite, predictions):
    done = score(suite.folder, predictions(GOOD + '{"instance_id": "\\u001b[31m[red]", "prediction": "5"}\n{'))
    assert done.returncode == 1
    for text in ("sound", "0.333", "measured", "line 4: not valid JSON", "tasks without a prediction", "[red]"):
        assert text in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere", "p.jsonl"), "no suite 'nowhere'"),
        (("{suite}", "none.jsonl"), "no such predictions"),
        (("{suite}", "{suite}/tasks.jsonl", "--subset", "odd"), "no subset 'odd'"),
        (("{suite}", "{suite}/tasks.jsonl", "--mode", "best"), "best"),
    ],
)
def test_wrong_input_is_one_message_and_exit_code_two(suite, arguments, message):
    done = score(*(argument.format(suite=suite.folder) for argument in arguments))
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_folder_is_scored_and_its_scores_are_kept(suite, tmp_path):
    cell = Cell(agent="constant", suite_digest=suite.digest)
    spec = RunSpec(suite="small", suite_folder=str(suite.folder), suite_digest=suite.digest, cells=(cell,))
    run = RunFolder.create(tmp_path / "run", spec)
    for name in suite.tasks:
        run.record(Attempt(cell=cell.id, task_id=name, epoch=1, ending=Answered(), answer="5"))
    done = score(suite.folder, run.path, "--json")
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert document["sound"]["mean"] == 1
    assert document["cells"][0]["title"] == "constant"
    assert {path.name for path in (run.path / "scores").iterdir()} == {
        "reference.parquet",
        "sound.parquet",
        "discovery.parquet",
    }
    assert score(suite.folder, run.path, "--json").stdout == done.stdout


def test_nothing_to_score_is_exit_code_two_and_prints_no_numbers(suite, predictions, tmp_path):
    (tmp_path / "empty").mkdir()
    for given in (predictions(""), tmp_path / "empty"):
        done = score(suite.folder, given, "--json")
        assert (done.returncode, done.stdout) == (2, "")
        assert "holds no prediction for a task of suite small" in done.stderr
        assert "hint: " in done.stderr


def test_scores_that_cannot_be_kept_are_told_all_the_same(suite, tmp_path):
    cell = Cell(agent="constant", suite_digest=suite.digest)
    spec = RunSpec(suite="small", suite_folder=str(suite.folder), suite_digest=suite.digest, cells=(cell,))
    run = RunFolder.create(tmp_path / "run", spec)
    for name in suite.tasks:
        run.record(Attempt(cell=cell.id, task_id=name, epoch=1, ending=Answered(), answer="5"))
    (run.path / "scores").write_text("a file where a folder should be")
    done = score(suite.folder, run.path, "--json")
    assert done.returncode == 1
    assert "could not be kept" in done.stderr
    assert json.loads(done.stdout)["sound"]["mean"] == 1


def test_attempts_that_a_damaged_journal_has_lost_are_not_taken_for_attempts_that_nobody_made(suite, tmp_path):
    cell = Cell(agent="x", suite_digest=suite.digest)
    spec = RunSpec(suite="small", suite_folder=str(suite.folder), suite_digest=suite.digest, cells=(cell,))
    run = RunFolder.create(tmp_path / "run", spec)
    for name in ("0", "1"):
        run.record(Attempt(cell=cell.id, task_id=name, epoch=1, ending=Answered(), answer="5"))
    assert "damaged" not in score(suite.folder, run.path).stderr
    with run.events_path.open("r+b") as journal:
        journal.truncate(run.events_path.stat().st_size - 9)
    done = score(suite.folder, run.path)
    assert done.returncode == 1
    assert "events.jsonl: 1 damaged lines passed over (line 2)" in done.stderr
    assert "benchwright run" in done.stderr
