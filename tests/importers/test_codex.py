import json

import pytest

from benchwright.importers import IMPORTERS
from benchwright.importers.arguments import script
from benchwright.importers.reads import evidence
from benchwright.reading.places import Places
from benchwright.trajectory import Usage


def parse(path):
    return IMPORTERS["codex"].parse(path)


def item(event, identity, kind, **more):
    return {"type": f"item.{event}", "item": {"id": identity, "type": kind, **more}}


def turn(**usage):
    return {"type": "turn.completed", "usage": usage}


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("/bin/bash -lc 'head -5 \"a b.csv\"'", 'head -5 "a b.csv"'),
        ("bash -lc \"python - <<'PY'\\nprint(1)\\nPY\"", "python - <<'PY'\\nprint(1)\\nPY"),
        (["bash", "-lc", "ls"], "ls"),
        (["ls", "a b"], "ls 'a b'"),
        (["apply_patch", "*** Begin Patch\n+it's"], "apply_patch <<'EOF'\n*** Begin Patch\n+it's\nEOF"),
        ("ls -la", "ls -la"),
        ("bash -lc 'open", "bash -lc 'open"),
        (None, ""),
        (5, ""),
    ],
)
def test_the_script_is_taken_out_of_the_shell_that_ran_it(command, text):
    assert script(command) == text


def test_calls_take_the_words_before_them_and_those_side_by_side_share_a_step(lines):
    log = lines(
        "x.jsonl",
        {"type": "thread.started", "thread_id": "a"},
        {"type": "turn.started"},
        item("completed", "0", "reasoning", text="**Looking**"),
        item("completed", "1", "agent_message", text="I look."),
        item("started", "2", "command_execution", command="bash -lc ls", status="in_progress"),
        item("started", "3", "command_execution", command="bash -lc pwd", status="in_progress"),
        item("completed", "3", "command_execution", command="bash -lc pwd", aggregated_output="/w\n", exit_code=0),
        item(
            "completed",
            "2",
            "command_execution",
            command="bash -lc ls",
            aggregated_output="",
            exit_code=1,
            status="failed",
        ),
        item("completed", "4", "file_change", changes=[{"path": "/w/a.py", "kind": "add"}], status="completed"),
        item(
            "completed",
            "5",
            "mcp_tool_call",
            server="s",
            tool="t",
            arguments={"x": 1},
            result={"content": [{"text": "ok"}]},
        ),
        item("updated", "6", "todo_list", items=[]),
        item("completed", "7", "agent_message", text="5"),
        turn(input_tokens=100, cached_input_tokens=40, output_tokens=7, reasoning_output_tokens=3),
        turn(input_tokens=10, cached_input_tokens=0, output_tokens=1),
    )
    (found,) = parse(log)
    assert [[call.id for call in step.calls] for step in found.steps] == [["2", "3"], ["4"], ["5"], []]
    assert (found.steps[0].thought, found.steps[0].text) == ("**Looking**", "I look.")
    assert [(call.output, call.exit_code, call.is_error) for call in found.steps[0].calls] == [
        ("", 1, True),
        ("/w\n", 0, False),
    ]
    assert (found.steps[1].calls[0].kind, found.steps[1].calls[0].path) == ("edit", "/w/a.py")
    assert found.steps[2].calls[0].output == "ok"
    assert found.usage == Usage(input_tokens=70, cache_read_tokens=40, output_tokens=8, reasoning_tokens=3)
    assert (found.answer.text, found.answer.source, found.ending.kind) == ("5", "last_message", "answered")


def test_errors_on_the_way_are_not_fatal_and_a_failed_turn_is(lines):
    error = {"type": "error", "message": "Reconnecting... 2/5"}
    (fine,) = parse(lines("a.jsonl", error, item("completed", "1", "agent_message", text="5"), turn(output_tokens=1)))
    failed = {"type": "turn.failed", "error": {"message": "429 too many requests"}}
    (broken,) = parse(lines("b.jsonl", item("completed", "1", "agent_message", text="5"), error, failed))
    assert fine.ending.kind == "answered"
    assert (broken.ending.kind, broken.ending.fault, broken.ending.detail) == (
        "broke",
        "model",
        "429 too many requests",
    )


def test_a_rerun_behind_another_is_a_second_attempt(lines):
    def one(thread, answer):
        yield {"type": "thread.started", "thread_id": thread}
        yield item("completed", "1", "agent_message", text=answer)
        yield turn(input_tokens=5, output_tokens=5)

    found = parse(lines("x.jsonl", *one("a", "4"), "----- STDERR -----", *one("b", "5")))
    assert [(each.answer.text, each.usage.input_tokens) for each in found] == [("4", 5), ("5", 5)]


def msg(kind, **more):
    return {"id": "0", "msg": {"type": kind, **more}}


def test_the_old_form(lines):
    total = {"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 9, "reasoning_output_tokens": 4}
    log = lines(
        "x.jsonl",
        {"model": "gpt-5", "workdir": "/w", "sandbox": "read-only"},
        {"prompt": "Count."},
        msg("task_started"),
        msg("agent_reasoning", text="Hm."),
        msg("agent_message", message="I look."),
        msg("exec_command_begin", call_id="c1", command=["bash", "-lc", "cat a.csv"], cwd="/w/sub"),
        msg("exec_command_output_delta", call_id="c1", chunk="eA=="),
        msg("exec_command_end", call_id="c1", stdout="x", stderr="y", exit_code=3),
        msg("patch_apply_begin", call_id="c2", changes={"/w/result.txt": {"add": {"content": "5\n"}}}),
        msg("patch_apply_end", call_id="c2", success=True, stdout="done"),
        msg("token_count", info={"total_token_usage": {"input_tokens": 1, "output_tokens": 1}}),
        msg("token_count", info={"total_token_usage": total}),
        msg("agent_message", message="5"),
        msg("task_complete", last_agent_message="5"),
    )
    (found,) = parse(log)
    assert (found.model, found.cwd, found.prompt) == ("gpt-5", "/w", "Count.")
    assert [[(call.kind, call.text, call.path, call.exit_code) for call in step.calls] for step in found.steps][:1] == [
        [("shell", "cat a.csv", "/w/sub", 3)]
    ]
    assert (found.steps[0].calls[0].output, len(found.steps)) == ("xy", 3)
    assert found.usage == Usage(input_tokens=40, cache_read_tokens=60, output_tokens=9, reasoning_tokens=4)
    assert (found.answer.text, found.ending.kind) == ("5", "answered")


def payload(kind, **more):
    return {"timestamp": "2026-01-01T00:00:00.000Z", "type": kind, "payload": more}


def test_a_rollout_file(lines):
    arguments = json.dumps({"command": ["bash", "-lc", "head a.csv"], "workdir": "/w/data"})
    newer = json.dumps({"cmd": "wc -l b.csv", "workdir": "/w"})
    code = 'const r = await tools.exec_command({"cmd": "cat c.csv", "workdir": "/w"}); text(r);'
    patch = "*** Begin Patch\n*** Add File: result.txt\n+5\n*** End Patch"
    usage = {"input_tokens": 50, "cached_input_tokens": 20, "output_tokens": 5, "reasoning_output_tokens": 1}
    log = lines(
        "rollout.jsonl",
        payload("session_meta", id="s", cwd="/w", cli_version="0.50.0"),
        payload("turn_context", cwd="/w", model="gpt-5.1"),
        payload(
            "response_item",
            type="message",
            role="user",
            content=[{"type": "input_text", "text": "<environment_context>"}],
        ),
        payload("response_item", type="message", role="user", content=[{"type": "input_text", "text": "Count."}]),
        payload("event_msg", type="user_message", message="Count."),
        payload(
            "response_item", type="reasoning", summary=[{"type": "summary_text", "text": "Hm."}], encrypted_content="x"
        ),
        payload("response_item", type="function_call", name="shell", arguments=arguments, call_id="1"),
        payload(
            "response_item",
            type="function_call_output",
            call_id="1",
            output=json.dumps({"output": "x", "metadata": {"exit_code": 2}}),
        ),
        payload("response_item", type="function_call", name="exec_command", arguments=newer, call_id="2"),
        payload(
            "response_item",
            type="function_call_output",
            call_id="2",
            output="Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n7\n",
        ),
        payload("response_item", type="custom_tool_call", name="apply_patch", input=patch, call_id="3"),
        payload("response_item", type="custom_tool_call_output", call_id="3", output="Exit code: 0\nOutput:\nDone"),
        payload("response_item", type="custom_tool_call", name="exec", input=code, call_id="4"),
        payload("event_msg", type="token_count", info={"total_token_usage": usage, "last_token_usage": usage}),
        payload("response_item", type="message", role="assistant", content=[{"type": "output_text", "text": "5"}]),
        payload("event_msg", type="agent_message", message="5"),
        payload("event_msg", type="task_complete", last_agent_message="5"),
    )
    (found,) = parse(log)
    calls = [
        (call.kind, call.text, call.path, call.output, call.exit_code) for step in found.steps for call in step.calls
    ]
    assert calls == [
        ("shell", "head a.csv", "/w/data", "x", 2),
        ("shell", "wc -l b.csv", "/w", "7\n", 0),
        ("edit", patch, "", "Done", 0),
        ("shell", "cat c.csv", "/w", "", None),
    ]
    assert (found.prompt, found.model, found.harness_version, found.session) == ("Count.", "gpt-5.1", "0.50.0", "s")
    assert found.usage == Usage(input_tokens=30, cache_read_tokens=20, output_tokens=5, reasoning_tokens=1)
    assert (found.answer.text, found.ending.kind, len(found.steps)) == ("5", "answered", 5)


def test_an_early_rollout_has_bare_items(lines):
    log = lines(
        "rollout.jsonl",
        {"id": "s", "timestamp": "2025-06-01T00:00:00Z", "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Count."}]},
        {"type": "local_shell_call", "call_id": "1", "action": {"type": "exec", "command": ["bash", "-lc", "ls"]}},
        {"type": "function_call_output", "call_id": "1", "output": '{"output": "x", "metadata": {"exit_code": 0}}'},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "5"}]},
    )
    (found,) = parse(log)
    assert [call.text for step in found.steps for call in step.calls] == ["ls"]
    assert (found.session, found.prompt, found.answer.text) == ("s", "Count.", "5")


def test_a_run_that_failed_before_its_first_item_is_an_attempt_that_the_model_broke(lines):
    head = {"type": "thread.started", "thread_id": "one"}
    failed = {"type": "turn.failed", "error": {"message": "401 Unauthorized"}}
    (trajectory,) = parse(lines("x.jsonl", head, {"type": "error", "message": "401 Unauthorized"}, failed))
    assert (trajectory.ending.kind, trajectory.ending.fault) == ("broke", "model")


@pytest.mark.parametrize(("last", "kind"), [("It is 5.", "answered"), ("", "broke")])
def test_a_rollout_that_keeps_no_end_of_turns_ended_if_the_agent_spoke_last(lines, last, kind):
    def kept(payload):
        return {"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": payload}

    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": last}]}
    log = lines(
        "x.jsonl",
        {"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "one", "cwd": "/w"}},
        kept({"type": "function_call", "name": "shell", "call_id": "c", "arguments": '{"command": ["ls"]}'}),
        kept({"type": "function_call_output", "call_id": "c", "output": "a.csv"}),
        *([kept(said)] if last else []),
    )
    (trajectory,) = parse(log)
    assert trajectory.ending.kind == kind


def test_the_usage_of_a_turn_is_the_total_of_its_thread(lines):
    log = lines(
        "x.jsonl",
        {"type": "thread.started", "thread_id": "one"},
        item("completed", "1", "agent_message", text="Hm."),
        turn(input_tokens=100, cached_input_tokens=40, output_tokens=7),
        item("completed", "2", "agent_message", text="5"),
        turn(input_tokens=250, cached_input_tokens=90, output_tokens=9),
    )
    (found,) = parse(log)
    assert found.usage == Usage(input_tokens=160, cache_read_tokens=90, output_tokens=9)


@pytest.mark.parametrize(
    ("code", "text", "path"),
    [
        ('const r = await tools.exec_command({"cmd": "cat c.csv", "workdir": "/w"}); text(r);', "cat c.csv", "/w"),
        (
            "await tools.exec_command({cmd: 'cat \\'a b\\'.csv', workdir: \"/w\", yield_time_ms: 1000})",
            "cat 'a b'.csv",
            "/w",
        ),
        ("await tools.exec_command({ cmd: `cat <<E\nx\nE` })", "cat <<E\nx\nE", ""),
        ("await tools.exec_command({cmd})", None, ""),
    ],
)
def test_a_command_in_the_models_program_is_read_as_json_or_as_javascript_writes_it(lines, code, text, path):
    item = {"type": "custom_tool_call", "name": "exec", "input": code, "call_id": "1"}
    (found,) = parse(lines("r.jsonl", payload("session_meta", id="s", cwd="/w"), payload("response_item", **item)))
    (call,) = found.steps[0].calls
    assert (call.kind, call.text, call.path) == (("shell", text, path) if text else ("other", code, ""))


def test_every_command_of_the_models_program_counts_each_in_a_shell_of_its_own(lines):
    code = (
        'const [a, b] = await Promise.all([tools.exec_command({"cmd": "cd sub; cat b.csv"}),\n'
        "tools.exec_command({cmd: 'cat a.csv', workdir: '/data'}),\n"
        'tools.exec_command({cmd: `python3 - <<E\nopen("/data/c.csv")\nE`}), tools.exec_command({cmd: `cat ${name}`})]);'
    )
    item = {"type": "custom_tool_call", "name": "exec", "input": code, "call_id": "1"}
    (found,) = parse(lines("r.jsonl", payload("session_meta", id="s", cwd="/data"), payload("response_item", **item)))
    places = Places({"r": frozenset({"a.csv", "sub/b.csv", "c.csv", "d.csv"})}, {"/data": "r"})
    accesses = evidence(found, places, (), keeps_folder=False).accesses
    assert [file.path for file in accesses.files] == ["sub/b.csv", "a.csv", "c.csv"]
    assert accesses.unresolved == 1


def test_a_thread_that_is_taken_up_again_is_one_attempt_with_the_total_that_is_told_last(lines):
    def part(command, words, **usage):
        yield {"type": "thread.started", "thread_id": "one"}
        yield item("completed", "item_0", "command_execution", command=command, aggregated_output="", exit_code=0)
        yield item("completed", "item_1", "agent_message", text=words)
        yield turn(**usage)

    first = part("bash -lc ls", "Hm.", input_tokens=100, cached_input_tokens=20, output_tokens=5)
    second = part("bash -lc pwd", "5", input_tokens=300, cached_input_tokens=120, output_tokens=15)
    (found,) = parse(lines("x.jsonl", *first, *second))
    assert [call.text for step in found.steps for call in step.calls] == ["ls", "pwd"]
    assert found.usage == Usage(input_tokens=180, cache_read_tokens=120, output_tokens=15)
    assert (found.answer.text, found.ending.kind) == ("5", "answered")


def test_a_thread_that_is_taken_up_again_and_breaks_off_did_not_end(lines):
    head = {"type": "thread.started", "thread_id": "one"}
    (found,) = parse(lines("x.jsonl", head, item("completed", "1", "agent_message", text="Hm."), turn(), head))
    assert found.ending.kind == "broke"


def test_commands_that_were_declined_failed_and_read_nothing_and_tokens_written_to_the_cache_are_a_class(lines):
    refused = item("completed", "1", "command_execution", command="bash -lc 'cat /data/a.csv'", status="declined")
    plan = item("completed", "2", "plan", text="Look first.")
    usage = {"input_tokens": 100, "cached_input_tokens": 20, "cache_write_input_tokens": 30, "output_tokens": 5}
    (found,) = parse(lines("x.jsonl", refused, plan, item("completed", "3", "agent_message", text="5"), turn(**usage)))
    (call,) = [call for step in found.steps for call in step.calls]
    assert (call.kind, call.is_error, found.steps[0].succeeded) == ("other", True, False)
    assert (found.steps[1].thought, found.steps[1].text) == ("Look first.", "5")
    assert found.usage == Usage(input_tokens=50, cache_read_tokens=20, cache_write_tokens=30, output_tokens=5)


@pytest.mark.parametrize("kind", ["add", {"type": "add"}])
def test_an_added_file_whose_text_is_told_may_hold_the_answer(lines, kind):
    change = {"path": "/w/result.txt", "kind": kind, "diff": "42\n"}
    (found,) = parse(lines("x.jsonl", item("completed", "1", "file_change", changes=[change], status="completed")))
    answer = evidence(found, Places({"r": frozenset()}, {"/data": "r"}), ("result.txt",), keeps_folder=False).answer
    assert (answer.text, answer.source) == ("42", "result_file")


def test_before_there_were_totals_each_count_was_a_replys_own(lines):
    one = {"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 9, "reasoning_output_tokens": 4}
    (found,) = parse(lines("x.jsonl", msg("agent_message", message="5"), *[msg("token_count", **one)] * 2))
    assert found.usage == Usage(input_tokens=80, cache_read_tokens=120, output_tokens=18, reasoning_tokens=8)


def test_a_total_that_falls_begins_anew(lines):
    def count(given, made):
        total = {"input_tokens": given, "output_tokens": made}
        return payload("event_msg", type="token_count", info={"total_token_usage": total})

    said = payload("response_item", type="message", role="assistant", content=[{"type": "output_text", "text": "5"}])
    counts = [count(100, 10), count(200, 20), count(50, 5), count(80, 8)]
    (found,) = parse(lines("r.jsonl", payload("session_meta", id="s"), said, *counts))
    assert found.usage == Usage(input_tokens=280, output_tokens=28)


@pytest.mark.parametrize(
    ("output", "kind", "failed"),
    [
        ("exec_command failed for `cat`: rejected", "other", True),
        ({"content": "execution error: Io", "success": False}, "other", True),
        ("aborted by user after 3.1s", "shell", True),
        ({"content": '{"output": "1,2", "metadata": {"exit_code": 0}}', "success": True}, "shell", False),
        ([{"type": "input_text", "text": "1,2"}], "shell", False),
    ],
)
def test_a_command_that_was_never_carried_out_read_nothing(lines, output, kind, failed):
    call = {"type": "function_call", "name": "shell_command", "arguments": '{"command": "cat a.csv"}', "call_id": "1"}
    came = {"type": "function_call_output", "call_id": "1", "output": output}
    log = lines(
        "r.jsonl", payload("session_meta", id="s"), payload("response_item", **call), payload("response_item", **came)
    )
    found = parse(log)[0].steps[0].calls[0]
    assert (found.kind, found.is_error, found.output == "1,2") == (kind, failed, not failed)


@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ("read_file", {"file_path": "/data/a.csv"}, "read"),
        ("list_dir", {"dir_path": "/data"}, "list"),
        ("grep_files", {"pattern": "x", "path": "/data"}, "search"),
        ("view_image", {"path": "/data/a.png"}, "read"),
        ("mcp__files__read_text_file", {"path": "/data/a.csv"}, "read"),
    ],
)
def test_calls_that_read_files_name_them_in_several_ways(lines, tool, arguments, kind):
    call = {"type": "function_call", "name": tool, "arguments": json.dumps(arguments), "call_id": "1"}
    (found,) = parse(lines("r.jsonl", payload("session_meta", id="s"), payload("response_item", **call)))
    (call,) = found.steps[0].calls
    assert (call.kind, call.path) == (kind, next(value for value in arguments.values() if value.startswith("/")))


def answer_of(found):
    return evidence(found, Places({"r": frozenset()}, {"/data": "r"}), ("result.txt",), keeps_folder=False).answer


def test_a_patch_changes_the_text_that_is_known_of_a_file(lines):
    add = "*** Begin Patch\n*** Add File: draft.txt\n+one\n+two\n+three\n*** End Patch"
    change = (
        "*** Begin Patch\n*** Update File: draft.txt\n*** Move to: result.txt\n@@ one\n-two\n+2\n three \n"
        "*** End of File\n*** End Patch"
    )
    refused = "*** Begin Patch\n*** Add File: result.txt\n+no\n*** End Patch"

    def patch(identity, text, output):
        yield payload("response_item", type="custom_tool_call", name="apply_patch", input=text, call_id=identity)
        yield payload("response_item", type="custom_tool_call_output", call_id=identity, output=output)

    log = lines(
        "r.jsonl",
        payload("session_meta", id="s", cwd="/w"),
        *patch("1", add, "Success. Updated the following files:\nA draft.txt"),
        *patch("2", change, '{"output": "Success", "metadata": {"exit_code": 0}}'),
        *patch("3", refused, "apply_patch verification failed: Failed to find expected lines"),
    )
    answer = answer_of(parse(log)[0])
    assert (answer.text, answer.source) == ("one\n2\nthree ", "result_file")


@pytest.mark.parametrize(
    "command",
    [
        "cd /w && apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: result.txt\n+it's 5\n*** End Patch\nEOF",
        ["apply_patch", "*** Begin Patch\n*** Add File: result.txt\n+it's 5\n*** End Patch"],
    ],
)
def test_a_patch_in_a_command_line_is_carried_out(lines, command):
    call = {"type": "function_call", "name": "shell", "arguments": json.dumps({"command": command}), "call_id": "1"}
    (found,) = parse(lines("r.jsonl", payload("session_meta", id="s", cwd="/w"), payload("response_item", **call)))
    assert answer_of(found).text == "it's 5"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"type": "update", "unified_diff": "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"}, "a\nc"),
        ({"update": {"unified_diff": "@@ -2 +2 @@\n-b\n+c\n", "move_path": None}}, "a\nc"),
        ({"type": "update", "unified_diff": "@@ -1 +1 @@\n-x\n+c\n"}, None),
        ({"type": "delete", "content": "a\nb\n"}, None),
    ],
)
def test_events_tell_how_a_file_changed(lines, change, text):
    log = lines(
        "x.jsonl",
        msg("patch_apply_begin", call_id="1", changes={"/w/result.txt": {"type": "add", "content": "a\nb\n"}}),
        msg("patch_apply_end", call_id="1", success=True),
        msg("patch_apply_begin", call_id="2", changes={"/w/result.txt": change}),
        msg("patch_apply_end", call_id="2", success=True),
    )
    answer = answer_of(parse(log)[0])
    assert (answer.text if answer else None) == text


def test_an_error_behind_which_nothing_comes_is_the_models(lines):
    head = {"type": "thread.started", "thread_id": "a"}
    command = item("completed", "1", "command_execution", command="ls", aggregated_output="", exit_code=0)
    error = {"type": "error", "message": "exceeded retry limit, last status: 429"}
    (broken,) = parse(lines("a.jsonl", head, command, error))
    (torn,) = parse(lines("b.jsonl", head, error, command))
    assert [(each.ending.kind, each.ending.fault) for each in (broken, torn)] == [
        ("broke", "model"),
        ("broke", "agent"),
    ]


def test_sub_agents_that_are_not_in_the_log_leave_the_tokens_uncounted(lines):
    spawn = item(
        "completed", "1", "collab_tool_call", tool="spawn_agent", receiver_thread_ids=["b"], status="completed"
    )
    said = item("completed", "2", "agent_message", text="5")
    (found,) = parse(lines("x.jsonl", spawn, said, turn(input_tokens=5, output_tokens=5)))
    assert (found.usage.input_tokens, found.usage.uncounted_calls) == (5, 1)


def kept(kind, **more):
    return payload("response_item", type=kind, **more)


def count(given, made):
    total = {"input_tokens": given, "output_tokens": made}
    return payload("event_msg", type="token_count", info={"total_token_usage": total, "last_token_usage": total})


def run(identity, command):
    yield kept("function_call", name="exec_command", arguments=json.dumps({"cmd": command}), call_id=identity)
    yield kept("function_call_output", call_id=identity, output="Process exited with code 0\nOutput:\nx")


@pytest.mark.parametrize("taken_over", [False, True])
def test_what_sub_agents_did_in_rollouts_of_their_own_is_part_of_the_session(lines, taken_over):
    """A sub-agent's rollout may begin with the history of the thread that sent it, and with its totals."""
    head = payload("session_meta", id="main", cwd="/w", source="exec")
    before = [*run("c1", "ls"), count(100, 10)]
    spawn = kept("function_call", name="spawn_agent", arguments="{}", call_id="c2")
    spawned = kept("function_call_output", call_id="c2", output='{"agent_id": "sub"}')
    said = kept("message", role="assistant", content=[{"type": "output_text", "text": "5"}])
    main = lines("d/rollout-1-main.jsonl", head, *before, spawn, spawned, said, count(300, 30))
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "main", "depth": 1}}}
    inner = kept("message", role="assistant", content=[{"type": "output_text", "text": "two rows"}])
    lines(
        "d/rollout-2-sub.jsonl",
        payload("session_meta", id="sub", cwd="/w", source=source),
        *([head, *before] if taken_over else []),
        *run("c3", "cat a.csv"),
        inner,
        count(150, 17) if taken_over else count(50, 7),
    )
    assert list(IMPORTERS["codex"].find(main.parent)) == [main]
    (found,) = parse(main)
    texts = [call.text for step in found.steps for call in step.calls if call.kind == "shell"]
    assert texts == ["ls", "cat a.csv"]
    assert found.usage == Usage(input_tokens=350, output_tokens=37)
    assert (found.answer.text, found.ending.kind, found.session) == ("5", "answered", "main")


def test_a_command_that_goes_on_ends_as_the_call_that_waits_for_it_tells(lines):
    def call(identity, name, output, **given):
        yield kept("function_call", name=name, arguments=json.dumps(given), call_id=identity)
        yield kept("function_call_output", call_id=identity, output=output)

    going_on = "Wall time: 1 seconds\nProcess running with session ID 42\nOutput:\n"
    log = lines(
        "r.jsonl",
        payload("session_meta", id="s", cwd="/w"),
        *call("1", "exec_command", f"{going_on}one\n", cmd="python3 x.py"),
        *call("2", "write_stdin", f"{going_on}two\n", session_id=42, chars=""),
        *call("3", "write_stdin", "Process exited with code 1\nOutput:\nthree\n", session_id=42, chars=""),
    )
    calls = [step.calls[0] for step in parse(log)[0].steps]
    assert [(call.output, call.exit_code) for call in calls] == [
        ("one\ntwo\nthree\n", 1),
        ("two\n", None),
        ("three\n", 1),
    ]


@pytest.mark.parametrize(
    ("result", "output", "failed"),
    [
        ({"Ok": {"content": [{"type": "text", "text": "1,2"}], "isError": False}}, "1,2", False),
        ({"Ok": {"content": [{"type": "text", "text": "no"}], "isError": True}}, "no", True),
        ({"Err": "timed out"}, '{"Err": "timed out"}', True),
    ],
)
def test_calls_of_servers_in_the_old_form(lines, result, output, failed):
    asked = {"server": "files", "tool": "read_text_file", "arguments": {"path": "/data/a.csv"}}
    log = lines(
        "x.jsonl",
        msg("mcp_tool_call_begin", call_id="1", invocation=asked),
        msg("mcp_tool_call_end", call_id="1", invocation=asked, result=result),
    )
    (call,) = parse(log)[0].steps[0].calls
    assert (call.kind, call.path, call.output, call.is_error) == ("read", "/data/a.csv", output, failed)
