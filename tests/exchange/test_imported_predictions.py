"""Predictions files as runs that score as the files do."""

import json

import pytest
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.run import RunFolder
from benchwright.scoring import Predictor, import_predictions, score_predictions, score_run


def written(path, *rows):
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def test_a_run_of_predictions_scores_as_the_file_does_and_a_task_without_one_counts_as_0(small, tmp_path):
    file = written(tmp_path / "p.jsonl", {"instance_id": "total", "prediction": "42"}, {"id": "filed", "answer": "41"})
    done = import_predictions([file], small, tmp_path / "run", Predictor("theirs", "openai/gpt-5"))
    of_run = score_run(small, done.folder).document()
    of_file = score_predictions(small, file).document()
    for mode in ("sound", "reference"):
        assert of_run[mode]["mean"] == of_file[mode]["mean"]
        assert of_run[mode]["scored"] == of_file[mode]["scored"]
    endings = {attempt.task_id: attempt.ending.kind for attempt in done.attempts}
    assert endings == {"total": "answered", "filed": "answered", "table": "gave_up", "chart": "gave_up"}
    assert {attempt.accesses.kind for attempt in done.attempts} == {"not_measured"}
    assert done.folder.spec.cells[0].title == "theirs imported openai/gpt-5"


def test_a_folder_of_outputs_comes_with_its_files(small, tmp_path):
    table = tmp_path / "outputs" / "table" / "by_month.csv"
    table.parent.mkdir(parents=True)
    table.write_text("month,amount\njan,10\nfeb,32\n")
    done = import_predictions([tmp_path / "outputs"], small, tmp_path / "run", Predictor())
    scored = {row.scores.task_id: row.scores.sound for row in score_run(small, done.folder).rows}
    assert scored["table"].value == 1


def test_several_files_are_epochs_and_importing_again_changes_nothing(small, tmp_path):
    files = [written(tmp_path / f"{n}.jsonl", {"id": "total", "answer": str(n)}) for n in (41, 42)]
    first = import_predictions(files, small, tmp_path / "run", Predictor())
    again = import_predictions(files, small, tmp_path / "run", Predictor())
    answers = {key.epoch: attempt.answer for key, attempt in again.folder.attempts().items() if key.task_id == "total"}
    assert answers == {1: "41", 2: "42"}
    assert len(first.attempts) == len(again.attempts) == 8


def test_bad_lines_unknown_ids_and_duplicates_are_told_and_lose_nothing(small, tmp_path):
    rows = ("{", {"id": "nope", "answer": "1"}, {"id": "total", "answer": "1"}, {"id": "total", "answer": "42"})
    file = written(tmp_path / "p.jsonl", *rows)
    command = ["import", "predictions", str(file), "--suite", str(small.folder), "--out", str(tmp_path / "run")]
    told = CliRunner().invoke(app, [*command, "--agent", "theirs", "--json"])
    assert told.exit_code == 1
    document = json.loads(told.stdout)
    assert len(document["left_out"]) == 3
    assert {row["task"]: row["answer"] for row in document["attempts"]}["total"] == "42"
    assert RunFolder.open(tmp_path / "run").spec.cells[0].agent == "theirs"


def test_claims_of_files_read_are_no_measurement(small, tmp_path):
    row = {"id": "total", "answer": "42", "metadata": {"files_accessed": ["north/sales.csv"]}}
    done = import_predictions([written(tmp_path / "p.jsonl", row)], small, tmp_path / "run", Predictor())
    assert "claims 1 files read" in next(a for a in done.attempts if a.task_id == "total").accesses.reason


def test_files_without_a_prediction_and_options_of_other_formats_are_refused(small, tmp_path):
    with pytest.raises(InputError, match="holds no prediction"):
        import_predictions(
            [written(tmp_path / "p.jsonl", {"id": "nope", "answer": "1"})], small, tmp_path / "run", Predictor()
        )
    assert not (tmp_path / "run").exists()
    command = [
        "import",
        "atif",
        str(tmp_path),
        "--suite",
        str(small.folder),
        "--out",
        str(tmp_path / "run"),
        "--agent",
        "x",
    ]
    assert isinstance(CliRunner().invoke(app, command).exception, InputError)
