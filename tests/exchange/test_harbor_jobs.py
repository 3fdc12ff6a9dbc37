"""Jobs of Harbor as runs: who attempted what, how it ended, what was handed in, read and used."""

import json

import pytest
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.importers import Settings, import_logs, importer
from benchwright.run import RunFolder
from benchwright.scoring import score_run


def trial(jobs, task, *, number=1, error=None, tokens=None, handed_in=None, trajectory=None):
    """A trial's folder as Harbor 0.26 lays it down."""
    name = f"{task}__{number}"
    folder = jobs / "job" / name
    (folder / "agent").mkdir(parents=True)
    (folder / "artifacts" / "workspace").mkdir(parents=True)
    for file, text in (handed_in or {}).items():
        (folder / "artifacts" / "workspace" / file).write_text(text)
    if trajectory is not None:
        (folder / "agent" / "trajectory.json").write_text(json.dumps(trajectory))
    result = {
        "schema_version": 1,
        "trial_name": name,
        "task_name": f"benchwright/small-{task}",
        "task_id": {"path": f"/elsewhere/tasks/{task}"},
        "agent_info": {"name": "terminus-2", "version": "2.0", "model_info": {"name": "m", "provider": "p"}},
        "agent_result": tokens and {"n_input_tokens": 100, "n_cache_tokens": 40, "n_output_tokens": 7, "cost_usd": 0.5},
        "verifier_result": {"rewards": {"reward": 1.0}},
        "exception_info": error and {"exception_type": error, "exception_message": "told"},
        "agent_execution": {"started_at": "2026-11-30T16:00:00Z", "finished_at": "2026-11-30T16:01:30Z"},
    }
    (folder / "result.json").write_text(json.dumps(result))
    (jobs / "job" / "result.json").write_text(json.dumps({"n_total_trials": 1, "stats": {}}))
    return folder


def reading(command):
    """An ATIF trajectory of one command."""
    call = {"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": command}}
    results = [{"source_call_id": "c1", "content": "month,amount"}]
    return {
        "schema_version": "ATIF-v1.6",
        "agent": {"name": "terminus-2", "version": "2.0", "model_name": "m"},
        "steps": [
            {"step_id": 1, "source": "user", "message": "What was sold in all?"},
            {"step_id": 2, "source": "agent", "message": "", "tool_calls": [call], "observation": {"results": results}},
        ],
    }


def imported(jobs, suite, out):
    return import_logs(importer("harbor"), [jobs], suite, out, Settings())


def test_a_trial_is_an_attempt_with_its_answer_steps_tokens_and_estimated_reads(small, tmp_path):
    jobs = tmp_path / "jobs"
    trial(jobs, "total", handed_in={"answer.txt": "42\n"}, tokens=True, trajectory=reading("cat /data/north/sales.csv"))
    done = imported(jobs, small, tmp_path / "run")
    (attempt,) = done.attempts
    assert (attempt.task_id, attempt.answer, attempt.ending.kind, attempt.steps) == ("total", "42", "answered", 1)
    assert (attempt.usage.input_tokens, attempt.usage.cache_read_tokens, attempt.usage.output_tokens) == (60, 40, 7)
    assert attempt.wall_seconds == 90
    assert [file.path for file in attempt.accesses.files] == ["north/sales.csv"]
    assert attempt.accesses.kind == "estimated"
    (cell,) = done.folder.spec.cells
    assert (cell.agent, cell.model) == ("terminus-2", "p/m")
    kept = done.folder.transcripts.read(attempt.uuid)
    assert kept.logged_cost_usd == 0.5
    assert "Harbor's own rewards: reward 1.0" in kept.notes


def test_handed_in_files_and_answers_score_as_they_do_for_the_verifier(small, tmp_path):
    jobs = tmp_path / "jobs"
    trial(jobs, "table", handed_in={"by_month.csv": "month,amount\njan,10\nfeb,32\n"})
    trial(jobs, "total", handed_in={"answer.txt": "41"})
    trial(jobs, "filed", handed_in={"answer.txt": "41", "result.txt": "42"})
    done = imported(jobs, small, tmp_path / "run")
    scored = {row.scores.task_id: row.scores.sound.value for row in score_run(small, done.folder).rows}
    assert scored == {"table": 1, "total": 0, "filed": 1}


@pytest.mark.parametrize(
    ("error", "kind", "which"),
    [
        (None, "answered", None),
        ("AgentTimeoutError", "limit", "wall"),
        ("VerifierTimeoutError", "answered", None),
        ("RewardFileNotFoundError", "answered", None),
        ("NonZeroAgentExitCodeError", "broke", "agent"),
        ("ApiRateLimitError", "broke", "model"),
        ("EnvironmentStartTimeoutError", "broke", "sandbox"),
    ],
)
def test_errors_are_told_apart_by_whose_they_are(small, tmp_path, error, kind, which):
    trial(tmp_path / "jobs", "total", error=error, handed_in={"answer.txt": "42"})
    (attempt,) = imported(tmp_path / "jobs", small, tmp_path / "run").attempts
    ending = attempt.ending.to_json()
    assert ending["kind"] == kind
    assert ending.get("which", ending.get("fault")) == which


def test_trials_of_one_task_are_epochs_and_the_jobs_own_result_is_no_trial(small, tmp_path):
    jobs = tmp_path / "jobs"
    for number in (1, 2, 3):
        trial(jobs, "total", number=number, handed_in={"answer.txt": str(number)})
    done = imported(jobs, small, tmp_path / "run")
    assert [(attempt.epoch, attempt.answer) for attempt in done.attempts] == [(1, "1"), (2, "2"), (3, "3")]
    assert not done.left_out


def test_tasks_from_a_registry_are_known_by_their_name_alone(small, tmp_path):
    folder = trial(tmp_path / "jobs", "total", handed_in={"answer.txt": "42"})
    result = json.loads((folder / "result.json").read_text())
    (folder / "result.json").write_text(
        json.dumps({**result, "task_id": {"org": "benchwright", "name": "small-total"}})
    )
    folder.rename(folder.with_name("x__1"))
    (attempt,) = imported(tmp_path / "jobs", small, tmp_path / "run").attempts
    assert attempt.task_id == "total"


def test_a_link_that_an_agent_left_is_not_followed(small, tmp_path):
    (tmp_path / "secret").write_text("42")
    folder = trial(tmp_path / "jobs", "total")
    (folder / "artifacts" / "workspace" / "answer.txt").symlink_to(tmp_path / "secret")
    other = trial(tmp_path / "jobs", "filed")
    (other / "artifacts" / "workspace").rmdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "result.txt").write_text("42")
    (other / "artifacts" / "workspace").symlink_to(tmp_path / "outside")
    done = imported(tmp_path / "jobs", small, tmp_path / "run")
    assert [attempt.answer for attempt in done.attempts] == [None, None]
    assert {attempt.ending.kind for attempt in done.attempts} == {"gave_up"}


@pytest.mark.parametrize(
    "damage", ["", "{", "[1, 2]", '{"trial_name": 7}', '{"trial_name": "x", "agent_info": [], "task_id": 3}']
)
def test_damaged_results_are_left_out_or_taken_as_far_as_they_go(small, tmp_path, damage):
    trial(tmp_path / "jobs", "total", handed_in={"answer.txt": "42"})
    folder = trial(tmp_path / "jobs", "table")
    (folder / "result.json").write_text(damage)
    (folder / "agent" / "trajectory.json").write_text("\x00 no json")
    done = imported(tmp_path / "jobs", small, tmp_path / "run")
    assert "total" in {attempt.task_id for attempt in done.attempts}


def test_a_folder_without_trials_is_an_error_and_the_command_makes_a_run_that_scores(small, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no attempt was found"):
        imported(tmp_path / "empty", small, tmp_path / "run")
    trial(tmp_path / "jobs", "total", handed_in={"answer.txt": "42"})
    out = tmp_path / "made"
    command = ["import", "harbor", str(tmp_path / "jobs"), "--suite", str(small.folder), "--out", str(out), "--json"]
    told = CliRunner().invoke(app, command)
    assert told.exit_code == 0
    assert json.loads(told.stdout)["attempts"][0]["answer"] == "42"
    assert score_run(small, RunFolder.open(out)).document()["sound"]["mean"] == 1
