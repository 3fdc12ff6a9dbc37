import json

from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.gold import Check, Gold
from benchwright.labels import Labels
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.scoring import keep_scores, score_run
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import Task
from benchwright.trajectory import Answered, Usage


def make_run(folder):
    """Two questions, two wordings, two temperatures; raw answers are right, clean ones at the first temperature only."""
    tasks = [Task(id=name, question="How many?", variants={"raw": "n?", "clean": "How many?"}) for name in ("a", "b")]
    golds = [Gold(task_id=task.id, answer="42", checks=(Check(scorer="response"),)) for task in tasks]
    labels = [Labels(task_id=task.id, dataset="SHOP", categories=("Statistics",)) for task in tasks]
    suite = Suite.write(folder / "suite", SuiteInfo(name="small", reference="dsbc"), tasks, labels, golds)
    cells = [
        Cell(agent="single_code", model="m", variant=variant, generation={"temperature": at}, suite_digest=suite.digest)
        for variant in ("raw", "clean")
        for at in (0.0, 0.7)
    ]
    spec = RunSpec(suite="small", suite_folder=str(suite.folder), suite_digest=suite.digest, cells=tuple(cells))
    run = RunFolder.create(folder / "run", spec)
    for cell in cells:
        for task in tasks:
            right = cell.variant == "raw" or cell.generation["temperature"] == 0.0
            run.record(
                Attempt(
                    cell=cell.id,
                    task_id=task.id,
                    ending=Answered(),
                    answer="42" if right else "41",
                    usage=Usage(input_tokens=10, output_tokens=5, cost_usd=0.5),
                )
            )
    keep_scores(score_run(suite, run), run)
    return run.path


def analyse(*arguments):
    return CliRunner().invoke(app, ["analyse", *map(str, arguments)])


def test_a_run_is_told_in_tables_for_people_and_in_one_document(tmp_path):
    run = make_run(tmp_path)
    shown = analyse(run).stdout
    for part in (
        "accuracy by setup",
        "Raw against clean",
        "Statistics",
        "SHOP",
        "incorrect",
        "0.50000",
        "100.000",
        "50.000",
    ):
        assert part in shown
    document = json.loads(analyse(run, "--json").stdout)
    assert {"classes", "cells", "domains", "agreement"} == document["failures"].keys()
    clean = next(row for row in document["accuracy"] if row["variant"] == "clean")
    assert (clean["right"], clean["n"], clean["sd"]) == (2, 4, 0.5)
    assert (clean["highest"]["temperature"], clean["lowest"]["temperature"]) == (0.0, 0.7)
    assert document["mode"] == "sound"
    assert json.loads(analyse(run, "--mode", "reference", "--json").stdout)["mode"] == "reference"


def test_what_cannot_be_analysed_is_named(tmp_path):
    run = make_run(tmp_path)
    assert "a run is named twice" in str(analyse(run, run).exception)
    (run / "scores" / "sound.parquet").unlink()
    assert "no sound scores" in str(analyse(run).exception)
