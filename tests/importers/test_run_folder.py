import gzip
import json

import pytest
from tests.importers.sessions import claude
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.importers import IMPORTERS, Settings, import_logs
from benchwright.run import RunFolder
from benchwright.scoring import score_run


def imported(suite, out, *logs, kind="claude_code", **settings):
    return import_logs(IMPORTERS[kind], logs, suite, out, Settings(**settings))


def test_a_log_becomes_a_run_that_is_scored_with_its_discovery_marked_as_estimated(suite, lines, tmp_path):
    done = imported(suite, tmp_path / "run", lines("instance-s-1.jsonl", *claude()))
    (attempt,) = RunFolder.open(tmp_path / "run").attempts().values()
    assert (attempt.task_id, attempt.answer, attempt.ending.kind, attempt.steps) == ("s-1", "5", "answered", 2)
    assert [(item.path, item.room, item.step) for item in attempt.accesses.files] == [("shop/source/sales.csv", "r", 1)]
    assert attempt.usage.cost_usd == pytest.approx((100 * 3 + 20 * 15 + 50 * 0.3) / 1e6)
    assert attempt.wall_seconds == 1.5
    document = score_run(suite, done.folder).document()
    (task,) = document["tasks"]
    assert (task["sound"]["score"], task["discovery"]["score"], task["discovery"]["estimated"]) == (1.0, 1.0, True)
    assert document["discovery"]["sound"]["measured"] == 0
    assert document["discovery"]["estimated"]["mean"] == 1.0


def test_the_transcript_is_kept_with_the_logs_own_cost_beside_ours(suite, lines, tmp_path):
    done = imported(suite, tmp_path / "run", lines("s-1.jsonl", *claude()))
    (attempt,) = done.attempts
    kept = done.folder.transcripts.read(attempt.uuid)
    assert (kept.logged_cost_usd, kept.usage) == (0.25, attempt.usage)
    assert [call.text for step in kept.steps for call in step.calls] == ["head /data/shop/source/sales.csv"]
    assert done.folder.transcripts.read("f" * 32) is None
    with pytest.raises(InputError, match="uuid"):
        done.folder.transcripts.read("../../etc/passwd")


def test_reruns_appended_to_one_log_and_further_logs_are_epochs(suite, lines, tmp_path):
    both = lines("a-s-1.jsonl", *claude(answer="4"), "----- STDERR -----", *claude(session="two"))
    third = lines("b-s-1.jsonl", *claude(session="three", answer="6"))
    done = imported(suite, tmp_path / "run", both, third)
    assert [(item.epoch, item.answer) for item in done.attempts] == [(1, "4"), (2, "5"), (3, "6")]
    assert score_run(suite, done.folder).document()["sound"]["n"] == 3


def test_importing_again_changes_nothing(suite, lines, tmp_path):
    log = lines("s-1.jsonl", *claude())
    first = imported(suite, tmp_path / "run", log).attempts
    assert imported(suite, tmp_path / "run", log).attempts == first
    assert len(RunFolder.open(tmp_path / "run").attempts()) == 1


@pytest.mark.parametrize(
    ("name", "session"),
    [
        ("instance-s-1.jsonl", claude()),
        ("s-1/log.jsonl", claude()),
        ("task_s-1/out/log.jsonl", claude()),
        ("x.jsonl", claude(session="s-1")),
        ("x.jsonl", claude(prompt="You are an analyst.\nHow many  sales were made\nin all? Write result.txt")),
    ],
)
def test_the_task_is_told_by_name_folder_session_or_question(suite, lines, tmp_path, name, session):
    assert imported(suite, tmp_path / "run", lines(name, *session)).attempts[0].task_id == "s-1"


def test_a_log_of_no_task_is_left_out_and_the_others_are_kept(suite, lines, tmp_path):
    done = imported(suite, tmp_path / "run", lines("odd.jsonl", *claude()), lines("s-1.jsonl", *claude()))
    assert len(done.attempts) == 1
    assert [why for _, why in done.left_out] == ["which task it is an attempt at is not told"]
    with pytest.raises(InputError, match="no attempt was found"):
        imported(suite, tmp_path / "other", lines("odd.jsonl", *claude()))
    assert not (tmp_path / "other").exists()
    assert imported(suite, tmp_path / "told", lines("odd.jsonl", *claude()), task="s-2").attempts[0].task_id == "s-2"


def test_output_files_are_kept_where_the_log_shows_their_text(suite, lines, tmp_path):
    written = "cat > left.csv <<'EOF'\nshop,left\na,1\nEOF"
    done = imported(suite, tmp_path / "run", lines("s-2.jsonl", *claude(written)))
    (attempt,) = done.attempts
    kept = done.folder.artifacts.locate(attempt.files["left.csv"].sha256)
    assert kept.read_text() == "shop,left\na,1\n"


def test_an_unknown_price_is_unknown_and_a_model_may_be_told(suite, tmp_path, lines):
    log = lines(
        "s-1.jsonl",
        {"type": "thread.started", "thread_id": "x"},
        {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": "5"}},
        {"type": "turn.completed", "usage": {"input_tokens": 1000, "cached_input_tokens": 400, "output_tokens": 10}},
    )
    unknown = imported(suite, tmp_path / "a", log, kind="codex").attempts[0]
    known = imported(suite, tmp_path / "b", log, kind="codex", model="openai/gpt-5.1").attempts[0]
    assert unknown.usage.cost_usd is None
    assert known.usage.cost_usd == pytest.approx((600 * 1.25 + 400 * 0.125 + 10 * 10) / 1e6)


def test_a_key_in_a_log_is_not_passed_on(suite, lines, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-abcdefghijklmnop1234")
    log = lines("s-1.jsonl", *claude("echo sk-abcdefghijklmnop1234"))
    done = imported(suite, tmp_path / "run", log)
    (attempt,) = done.attempts
    kept = done.folder.transcripts.read(attempt.uuid)
    assert kept.steps[0].calls[0].text == "echo [secret]"


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_the_command_imports_scores_exports_and_imports_again(suite, lines, tmp_path):
    folder = tmp_path / "logs"
    lines("logs/s-1.jsonl", *claude())
    (folder / "s-2.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, claude(session="b"))).encode()))
    out = tmp_path / "run"
    done = run("import", "claude_code", folder, "--suite", suite.folder, "--out", out, "--json")
    assert done.exit_code == 0
    assert [item["task"] for item in json.loads(done.stdout)["attempts"]] == ["s-1", "s-2"]
    assert run("score", suite.folder, out, "--json").exit_code == 0
    assert run("export", "atif", out, "--out", tmp_path / "atif").exit_code == 0
    again = run("import", "atif", tmp_path / "atif", "--suite", suite.folder, "--out", tmp_path / "back", "--json")
    before, after = json.loads(done.stdout)["attempts"], json.loads(again.stdout)["attempts"]
    for name in ("task", "answer", "steps", "usage", "accesses", "ending"):
        assert [item[name] for item in after] == [item[name] for item in before]


def test_what_is_wrong_is_one_message(suite, lines, tmp_path):
    log = lines("s-1.jsonl", *claude())
    unknown = run("import", "cursor", log, "--suite", suite.folder, "--out", tmp_path / "x")
    assert isinstance(unknown.exception, InputError)
    assert "claude_code, codex" in unknown.exception.text()
    missing = run("import", "codex", tmp_path / "no.jsonl", "--suite", suite.folder, "--out", tmp_path / "x")
    assert isinstance(missing.exception, InputError)
    assert "no.jsonl" in missing.exception.text()
    odd = run(
        "import", "claude_code", log, lines("odd.jsonl", *claude()), "--suite", suite.folder, "--out", tmp_path / "x"
    )
    assert odd.exit_code == 1


def answered(suite, lines, out, *commands):
    """The answer of a session of these commands, each with what it showed; the last message is 9."""
    log = [next(claude())]
    for number, (command, shown) in enumerate(commands):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
        came = {"type": "tool_result", "tool_use_id": f"t{number}", "content": shown}
        log.append({"type": "assistant", "message": {"id": f"m{number}", "content": [call]}})
        log.append({"type": "user", "message": {"content": [came]}, "tool_use_result": {"stdout": shown, "stderr": ""}})
    said = {"type": "assistant", "message": {"id": "last", "content": [{"type": "text", "text": "9"}]}}
    end = {"type": "result", "subtype": "success", "is_error": False, "result": "9"}
    done = imported(suite, out, lines("s-1.jsonl", *log, said, end))
    return done.attempts[0]


PYTHON = "python3 - <<'E'\nfrom pathlib import Path\nPath('result.txt').write_text('2')\nE"


@pytest.mark.parametrize(
    ("commands", "answer"),
    [
        ([("echo 1 > result.txt", ""), (PYTHON, "")], "2"),
        ([("echo 1 > result.txt", ""), ("sed -i s/1/2/ result.txt", "")], "9"),
        ([("cat > result.txt <<E\n$(python3 x.py)\nE", "")], "9"),
        ([("n=5\ncat > result.txt <<E\n$n\nE", "")], "5"),
        ([("python3 x.py > result.txt", ""), ("cat result.txt", "7\n")], "7"),
        ([("python3 x.py > result.txt", ""), ("cat -A result.txt", "7$\n")], "9"),
        ([("python3 x.py > result.txt", ""), ("head -1 result.txt", "7\n")], "9"),
    ],
)
def test_the_answers_file_counts_as_far_as_the_log_tells_what_is_in_it(suite, lines, tmp_path, commands, answer):
    assert answered(suite, lines, tmp_path / "run", *commands).answer == answer


def test_a_folder_that_the_program_went_back_to_is_where_it_is(suite, lines, tmp_path):
    commands = [
        ("cd /data/shop/source && ls", "sales.csv\nShell cwd was reset to /w"),
        ("cat data/notes.json", "{}"),
    ]
    attempt = answered(suite, lines, tmp_path / "run", *commands)
    assert [item.path for item in attempt.accesses.files] == ["notes.json"]


def test_folders_of_events_become_one_attempt_each(suite, tmp_path):
    for name, file, answer in (("s-1", "sales.csv", "5"), ("s-2", "stock.csv", "6")):
        inside = tmp_path / "logs" / f"instance_{name}" / "events"
        inside.mkdir(parents=True)
        action = {"command": f"cat /data/shop/source/{file}"}
        events = [
            {"kind": "SystemPromptEvent", "system_prompt": {"text": "You are."}},
            {"kind": "ActionEvent", "id": "a", "tool_name": "terminal", "tool_call_id": "c", "action": action},
            {
                "kind": "ActionEvent",
                "id": "b",
                "tool_name": "finish",
                "tool_call_id": "d",
                "action": {"message": answer},
            },
        ]
        for number, event in enumerate(events):
            (inside / f"event-{number:05d}-x.json").write_text(json.dumps(event))
        state = {"agent": {"llm": {"model": "m"}}, "stats": {"usage_to_metrics": {}}}
        (inside.parent / "base_state.json").write_text(json.dumps(state))
    done = imported(suite, tmp_path / "run", tmp_path / "logs", kind="openhands")
    assert [(one.task_id, one.answer, [file.path for file in one.accesses.files]) for one in done.attempts] == [
        ("s-1", "5", ["shop/source/sales.csv"]),
        ("s-2", "6", ["shop/source/stock.csv"]),
    ]
    assert [why for _, why in done.left_out] == []
