"""Suites for `inspect eval`, and logs of Inspect as runs."""

import json
import os
import subprocess
import sys

import inspect_ai
import pytest
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes, model_graded_qa
from inspect_ai.solver import generate
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.importers import Settings
from benchwright.live.inspect_logs import import_inspect
from benchwright.publishing.inspect_package import export_inspect
from benchwright.run import RunFolder
from benchwright.scoring import score_predictions, score_run
from benchwright.suite import Selection, Suite

TURNS = (
    {"calls": [{"tool": "bash", "arguments": {"command": "cat /data/north/sales.csv > by_month.csv; ls /"}}]},
    {"calls": [{"tool": "submit", "arguments": {"answer": "42"}}]},
)


@pytest.fixture
def evaluated(small, tmp_path, toolbox):
    """Two tasks as a package, attempted by `inspect eval` with a script in place of a model; the package and the logs."""
    out = tmp_path / "package"
    export_inspect(small, Selection(ids=("total", "table")), out)
    script = tmp_path / "script.jsonl"
    script.write_text("".join(json.dumps({"text": "", **turn}) + "\n" for turn in TURNS))
    command = [sys.executable, "-m", "inspect_ai", "eval", "small.py", "--model", f"scripted/{script}"]
    variables = {**os.environ, "INSPECT_LOG_DIR": str(tmp_path / "logs"), "INSPECT_DISPLAY": "none"}
    done = subprocess.run(command, cwd=out, env=variables, capture_output=True, text=True, timeout=800, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return out, tmp_path / "logs"


def test_inspect_eval_of_a_package_scores_as_we_do_and_its_log_becomes_a_run_with_measured_reads(
    evaluated, small, tmp_path
):
    from inspect_ai.log import list_eval_logs, read_eval_log

    out, logs = evaluated
    suite = Suite.open(out / "suite")
    log = read_eval_log(list_eval_logs(str(logs))[0])
    theirs = {s.id: {name: score.value for name, score in s.scores.items()} for s in log.samples}
    assert theirs == {
        name: {"sound": 1.0, "reference": 1.0, "discovery": theirs[name]["discovery"]} for name in suite.tasks
    }
    assert theirs["total"]["discovery"] == 1.0
    done = import_inspect([logs], suite, tmp_path / "run", Settings())
    ours = {row.scores.task_id: row.scores for row in score_run(suite, done.folder).rows}
    for name, scores in ours.items():
        assert {"sound": scores.sound.value, "reference": scores.reference.value} == {
            mode: theirs[name][mode] for mode in ("sound", "reference")
        }
    attempt = next(attempt for attempt in done.attempts if attempt.task_id == "total")
    assert [file.path for file in attempt.accesses.files] == ["north/sales.csv"]
    assert attempt.accesses.kind == "measured"
    assert attempt.wall_seconds > 0
    handed_in = tmp_path / "outputs" / "table" / "by_month.csv"
    handed_in.parent.mkdir(parents=True)
    handed_in.write_bytes((small.room_path("shop") / "north" / "sales.csv").read_bytes())
    of_files = {row.scores.task_id: row.scores for row in score_predictions(suite, tmp_path / "outputs").rows}
    assert of_files["table"].sound.value == theirs["table"]["sound"]
    assert "gold" not in json.dumps([sample.model_dump(mode="json")["metadata"] for sample in log.samples])


def test_the_whole_suite_keeps_its_digests_and_an_earlier_package_makes_way(small, tmp_path):
    for _ in range(2):
        made = export_inspect(small, Selection(), tmp_path / "package").suite
    assert (made.digest, made.gold_digest) == (small.digest, small.gold_digest)
    assert "small.py" in {path.name for path in (tmp_path / "package").iterdir()}
    compile((tmp_path / "package" / "small.py").read_text(), "small.py", "exec")


def test_a_package_needs_gold(small, tmp_path):
    (small.folder / "gold" / "gold.jsonl").unlink()
    with pytest.raises(InputError, match="holds no gold"):
        export_inspect(Suite.open(small.folder), Selection(), tmp_path / "package")


@pytest.fixture
def others_log(tmp_path):
    """A log of a plain Inspect task that knows nothing of us but the tasks' ids."""
    samples = [Sample(id=name, input="What was sold in all?", target="42") for name in ("total", "filed")]
    used = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)  # without it Inspect fetches a tokenizer
    answers = [
        ModelOutput.from_content("mockllm/model", text).model_copy(update={"usage": used})
        for text in ("42", "41", "40", "42")
    ]
    task = inspect_ai.Task(dataset=samples, solver=generate(), scorer=includes(), name="theirs", epochs=2)
    (log,) = inspect_ai.eval(
        task,
        model=get_model("mockllm/model", custom_outputs=answers),
        log_dir=str(tmp_path / "logs"),
        display="none",
        max_samples=1,
    )
    assert log.status == "success"
    return tmp_path / "logs", log


def test_a_log_of_a_plain_task_over_the_same_ids_becomes_a_run(others_log, small, tmp_path):
    logs, log = others_log
    told = CliRunner().invoke(
        app, ["import", "inspect", str(logs), "--suite", str(small.folder), "--out", str(tmp_path / "run"), "--json"]
    )
    assert told.exit_code == 0, told.stderr
    run = RunFolder.open(tmp_path / "run")
    answers = {(a.task_id, a.epoch): a.answer for a in run.attempts().values()}
    assert answers == {(s.id, s.epoch): s.output.completion for s in log.samples}
    scored = {(row.scores.task_id, row.epoch): row.scores.sound.value for row in score_run(small, run).rows}
    assert scored == {key: float(answer == "42") for key, answer in answers.items()}
    (cell,) = run.spec.cells
    assert {a.usage.output_tokens for a in run.attempts().values()} == {1}
    assert (cell.agent, cell.model) == ("generate", "mockllm/model")
    assert {a.accesses.kind for a in run.attempts().values()} == {"not_measured"}


def test_what_scorers_ask_of_models_is_not_what_the_attempt_took(small, tmp_path):
    def said(text, tokens):
        used = ModelUsage(input_tokens=tokens, output_tokens=1, total_tokens=tokens + 1)
        return ModelOutput.from_content("mockllm/model", text).model_copy(update={"usage": used})

    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "settings.json").write_text('{"version": 2}')
    model = get_model("mockllm/model", custom_outputs=[said("42", 9), said("GRADE: C", 500)])
    sample = Sample(id="total", input="What was sold in all?", target="42")
    task = inspect_ai.Task(dataset=[sample], solver=generate(), scorer=model_graded_qa(), name="theirs")
    told = {"log_dir": str(tmp_path / "logs"), "log_format": "json", "display": "none"}
    (log,) = inspect_ai.eval(task, model=model, **told)
    assert log.samples[0].model_usage["mockllm/model"].input_tokens == 509
    (attempt,) = import_inspect([tmp_path / "logs"], small, tmp_path / "run", Settings()).attempts
    assert (attempt.usage.input_tokens, attempt.usage.output_tokens, attempt.answer) == (9, 1, "42")


def test_what_is_no_log_of_inspect_is_said_in_one_message(small, tmp_path):
    for name, data in (("a.eval", b"no zip"), ("b.json", b"{}"), ("c.txt", b"")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(InputError, match="log of Inspect"):
            import_inspect([tmp_path / name], small, tmp_path / "run", Settings())
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="no attempt"):
        import_inspect([tmp_path / "none"], small, tmp_path / "run", Settings())
