import pytest
from tests.importers.sessions import claude

from benchwright.importers import IMPORTERS
from benchwright.prices import prices
from benchwright.trajectory import Usage


def parse(path):
    return IMPORTERS["claude_code"].parse(path)


def assistant(message, *blocks, **usage):
    told = {"usage": usage} if usage else {}
    return {
        "type": "assistant",
        "message": {"id": message, "model": "claude-opus-4-5", "content": list(blocks), **told},
    }


def use(identity, name, **given):
    return {"type": "tool_use", "id": identity, "name": name, "input": given}


def came(identity, content, raw=None, **more):
    block = {"type": "tool_result", "tool_use_id": identity, "content": content, **more}
    line = {"type": "user", "message": {"role": "user", "content": [block]}}
    return line if raw is None else {**line, "tool_use_result": raw}


SAID = {"type": "text", "text": "I look."}


def test_lines_of_one_message_are_one_step_also_with_text_behind_a_call(lines):
    log = lines(
        "x.jsonl",
        assistant("m1", {"type": "thinking", "thought": "", "thinking": "Where is it?"}),
        assistant("m1", use("t1", "Bash", command="ls")),
        assistant("m1", SAID),
        assistant("m1", use("t2", "Read", file_path="/d/a.csv"), use("t1", "Bash", command="ls")),
        came("t2", "     1→a,b\n\n<system-reminder>\nBe careful.\n</system-reminder>\n"),
        came("t1", "a.csv", {"stdout": "a.csv", "stderr": "", "interrupted": False}),
    )
    (trajectory,) = parse(log)
    (step,) = trajectory.steps
    assert (step.thought, step.text, [call.id for call in step.calls]) == ("Where is it?", "I look.", ["t1", "t2"])
    assert [(call.kind, call.output, call.exit_code) for call in step.calls] == [
        ("shell", "a.csv", 0),
        ("read", "     1→a,b", None),
    ]


@pytest.mark.parametrize(
    ("content", "raw", "exit_code", "output"),
    [
        ("Exit code 2\nno such file", "Error: Exit code 2\nno such file", 2, "Exit code 2\nno such file"),
        ("<tool_use_error>Not read yet.</tool_use_error>", "Error: Not read yet.", None, "Not read yet."),
        ([{"type": "text", "text": "stopped"}], {"stdout": "", "stderr": "", "interrupted": True}, None, "stopped"),
    ],
)
def test_a_call_that_failed_is_told_in_several_ways(lines, content, raw, exit_code, output):
    log = lines("x.jsonl", assistant("m", use("t", "Bash", command="x")), came("t", content, raw))
    (call,) = parse(log)[0].steps[0].calls
    assert (call.is_error, call.exit_code, call.output) == (True, exit_code, output)


def test_a_marker_of_left_out_output_is_seen(lines):
    log = lines("x.jsonl", assistant("m", use("t", "Bash", command="x")), came("t", "a\n[... 输出过长，已省略 ...]\nz"))
    assert parse(log)[0].steps[0].calls[0].truncated


def test_a_stream_that_breaks_off_counts_too_few_tokens_and_says_so(lines):
    (whole,) = parse(lines("a.jsonl", *claude()))
    (torn,) = parse(lines("b.jsonl", *claude(result=False)))
    assert (whole.ending.kind, whole.usage.uncounted_calls) == ("answered", 0)
    assert (torn.ending.kind, torn.ending.fault, torn.usage.uncounted_calls) == ("broke", "agent", 2)
    assert (torn.answer.text, torn.logged_cost_usd) == ("5", None)


@pytest.mark.parametrize(
    ("result", "ending"),
    [
        ({"subtype": "error_max_turns", "is_error": False}, ("limit", "messages")),
        ({"subtype": "error_max_budget_usd"}, ("limit", "cost")),
        ({"subtype": "success", "is_error": True, "result": "API Error: 529 overloaded"}, ("broke", "model")),
        ({"subtype": "error_during_execution", "is_error": True}, ("broke", "agent")),
    ],
)
def test_endings_are_those_of_the_result(lines, result, ending):
    (found,) = parse(lines("x.jsonl", assistant("m", SAID), {"type": "result", **result}))
    assert (found.ending.kind, getattr(found.ending, "which", None) or found.ending.fault) == ending


def session(kind, message, uuid, **more):
    line = {"type": kind, "message": message, "uuid": uuid, "sessionId": "s", "cwd": "/w", "version": "2.0.1"}
    return {**line, "timestamp": f"2026-01-01T00:00:0{uuid}.000Z", **more}


def test_a_session_file_counts_each_message_once(lines):
    usage = {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 7, "cache_read_input_tokens": 3}
    reply = {"id": "m1", "model": "claude-opus-4-5", "stop_reason": "end_turn", "usage": usage}
    log = lines(
        "s.jsonl",
        {"type": "summary", "summary": "Earlier", "leafUuid": "x"},
        {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
        session("user", {"role": "user", "content": "<caveat>"}, "0", isMeta=True),
        session("user", {"role": "user", "content": "Count the rows."}, "1"),
        session("assistant", {**reply, "content": [use("t", "Bash", command="wc -l a.csv")]}, "2"),
        session("user", {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "5"}]}, "3"),
        session("assistant", {**reply, "content": [SAID]}, "4"),
        session("assistant", {**reply, "content": [SAID]}, "4"),
        session("assistant", {"id": "m2", "model": "<synthetic>", "content": [SAID], "usage": usage}, "5"),
    )
    (found,) = parse(log)
    assert found.usage == Usage(input_tokens=10, output_tokens=5, cache_write_tokens=7, cache_read_tokens=3)
    assert (found.prompt, found.cwd, found.session, found.harness_version) == ("Count the rows.", "/w", "s", "2.0.1")
    assert (found.model, found.ending.kind, found.ended - found.started) == ("claude-opus-4-5", "answered", 5.0)
    assert found.steps[0].usage == found.usage


def test_sub_agents_are_steps_and_their_words_no_answer(lines):
    inner = {
        **assistant("i", {"type": "text", "text": "inner"}, use("u", "Grep", pattern="x")),
        "parent_tool_use_id": "t",
    }
    log = lines("x.jsonl", assistant("m", use("t", "Task", prompt="look")), assistant("n", SAID), inner)
    (found,) = parse(log)
    assert [[call.kind for call in step.calls] for step in found.steps] == [["other"], [], ["search"]]
    assert found.answer.text == "I look."


def test_results_of_unknown_calls_and_odd_values_are_passed_over(lines):
    log = lines(
        "x.jsonl",
        came("nobody", "x"),
        {"type": "assistant", "message": None},
        {"type": "assistant", "message": {"id": 5, "content": [5, None, {"type": "text", "text": 7}], "usage": "x"}},
        assistant("m", SAID, input_tokens=-5, output_tokens=True, cache_read_input_tokens=1e400),
        {"type": "result", "modelUsage": {"x": None, "y": {"inputTokens": "5"}}, "total_cost_usd": "much", "usage": []},
        {"type": "user"},
        {"type": None},
    )
    (found,) = parse(log)
    assert (found.usage.input_tokens, found.logged_cost_usd, found.answer.text) == (0, None, "I look.")
    assert "a result belongs to no call that the log shows" in found.notes


def test_words_of_the_program_itself_are_no_answer(lines):
    """An error of the service, told as if the model had said it."""
    said = {"type": "text", "text": "API Error: 529 overloaded"}
    error = {
        "type": "assistant",
        "isApiErrorMessage": True,
        "sessionId": "one",
        "message": {"id": "e", "model": "<synthetic>", "stop_reason": "stop_sequence", "content": [said]},
    }
    (trajectory,) = parse(
        lines("x.jsonl", assistant("m1", use("t1", "Bash", command="ls")), came("t1", "a.csv"), error)
    )
    assert (trajectory.ending.kind, trajectory.ending.fault, trajectory.answer) == ("broke", "model", None)
    assert trajectory.ending.detail == "API Error: 529 overloaded"


def test_a_session_that_was_interrupted_has_not_answered(lines):
    ask = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": "Count."}}
    reply = {"id": "m1", "stop_reason": "end_turn", "content": [SAID]}
    said = {"type": "text", "text": "[Request interrupted by user]"}
    cut = {"id": "m2", "model": "<synthetic>", "content": [said]}
    whole = [ask, {"type": "assistant", "sessionId": "s", "message": reply}]
    assert parse(lines("x.jsonl", *whole))[0].ending.kind == "answered"
    (found,) = parse(lines("y.jsonl", *whole, {"type": "assistant", "sessionId": "s", "message": cut}))
    assert found.ending.kind == "broke"


@pytest.mark.parametrize(
    "refusal",
    [
        "Claude requested permissions to use Bash, but you haven't granted it yet.",
        "The user doesn't want to proceed with this tool use. The tool use was rejected",
        "<tool_use_error>InputValidationError: Bash failed</tool_use_error>",
    ],
)
def test_a_call_that_was_never_carried_out_read_nothing(lines, refusal):
    log = lines("x.jsonl", assistant("m1", use("t1", "Bash", command="cat x")), came("t1", refusal, is_error=True))
    (trajectory,) = parse(log)
    assert trajectory.steps[0].calls[0].kind == "other"


def test_a_second_beginning_of_one_session_goes_on_with_it(lines):
    """Background tasks and streamed input give one session several results."""
    first, second = list(claude()), list(claude(answer="7"))
    (trajectory,) = parse(lines("x.jsonl", *first, *second))
    assert trajectory.answer.text == "7"
    assert len(parse(lines("y.jsonl", *first, *claude(session="two")))) == 2


def result(cost, **tokens):
    names = {"input": "inputTokens", "output": "outputTokens", "read": "cacheReadInputTokens"}
    model = {names[name]: count for name, count in tokens.items()}
    usage = {"input_tokens": 1, "output_tokens": 1}
    told = {"total_cost_usd": cost, "usage": usage, "modelUsage": {"claude-opus-4-5": model}}
    return {"type": "result", "subtype": "success", "is_error": False, "result": "5", "session_id": "s", **told}


def test_of_several_results_the_last_tells_the_tokens_and_dollars_of_the_whole_session(lines):
    first, second = result(0.1, input=10, output=5), result(0.3, input=30, output=15, read=7)
    log = lines("x.jsonl", assistant("m1", SAID), first, assistant("m2", SAID), second)
    (found,) = parse(log)
    assert found.usage == Usage(input_tokens=30, output_tokens=15, cache_read_tokens=7)
    assert found.logged_cost_usd == 0.3


def test_what_a_sub_agent_was_asked_is_not_the_prompt_of_the_session(lines):
    asked = {"type": "user", "parent_tool_use_id": "t", "message": {"role": "user", "content": [SAID]}}
    (found,) = parse(lines("x.jsonl", assistant("m", use("t", "Task", prompt="I look.")), asked, result(0.1)))
    assert found.prompt == ""


@pytest.mark.parametrize("model", ["<synthetic>", "claude-opus-4-5"])
def test_the_words_of_an_error_of_the_model_are_no_answer(lines, model):
    line = assistant("m", {"type": "text", "text": "API Error: 401 authentication_error"}) | {"isApiErrorMessage": True}
    line["message"]["model"] = model
    (found,) = parse(lines("x.jsonl", line))
    assert (found.answer, found.ending.kind, found.ending.fault) == (None, "broke", "model")


def test_a_command_in_the_background_has_its_exit_code_where_its_output_is_fetched(lines):
    begun = {"stdout": "", "stderr": "", "interrupted": False, "backgroundTaskId": "b"}
    log = lines(
        "x.jsonl",
        assistant("m1", use("t1", "Bash", command="python x.py", run_in_background=True)),
        came("t1", "running", begun),
        assistant("m2", use("t2", "BashOutput", bash_id="b")),
        came("t2", "boom", {"shellId": "b", "status": "completed", "exitCode": 3}),
    )
    (found,) = parse(log)
    assert [step.calls[0].exit_code for step in found.steps] == [3, 3]
    assert found.steps[0].calls[0].output == "running\nboom"


NULL = {"stop_reason": None}
TASK = {"agentId": "a1", "status": "completed", "content": [], "usage": {"input_tokens": 9}}


def reply(uuid, message, *blocks, usage=None, **more):
    """A line of a session file; what its message is told beside its content stands in `more`."""
    told = {"id": message, "model": "claude-opus-4-5", "content": list(blocks), "usage": usage or {}}
    return session("assistant", told | more, uuid)


def asked(uuid, words, **more):
    return session("user", {"role": "user", "content": words}, uuid, **more)


def given(uuid, identity, content, **more):
    block = {"type": "tool_result", "tool_use_id": identity, "content": content}
    return session("user", {"content": [block]}, uuid, **more)


END = {"stop_reason": "end_turn"}
INNER = {"isSidechain": True, "agentId": "a1"}
TOOK = {"input_tokens": 10, "output_tokens": 5}


def in_folder(lines, name="s"):
    """A session whose sub-agent has a file of its own, and that file, in the folder of a project."""
    main = lines(
        f"p/{name}.jsonl",
        asked("1", "Count the rows."),
        reply("2", "m1", use("t", "Task", prompt="look"), usage=TOOK, stop_reason="tool_use"),
        given("6", "t", "done", toolUseResult=TASK),
        reply("7", "m2", SAID, usage=TOOK, **END),
    )
    inner = [
        {**asked("3", "look"), **INNER},
        {**reply("4", "i1", use("u", "Bash", command="cat a.csv"), usage=TOOK, stop_reason="tool_use"), **INNER},
        {**given("5", "u", "1,2"), **INNER},
        {**reply("8", "i2", {"type": "text", "text": "two rows"}, usage=TOOK, **END), **INNER},
    ]
    return main, inner


@pytest.mark.parametrize(
    "place", ["p/s/subagents/agent-a1.jsonl", "p/s/subagents/wf/agent-a1.jsonl", "p/agent-a1.jsonl"]
)
def test_what_sub_agents_did_in_files_of_their_own_is_part_of_the_session_and_no_attempt(lines, place):
    main, inner = in_folder(lines)
    part = lines(place, *inner)
    lines("p/s/tool-results/x.txt", "a long output")
    lines("p/sessions-index.json", {"version": 1})
    assert list(IMPORTERS["claude_code"].find(main.parent)) == [main]
    (found,) = parse(main)
    assert [[call.text for call in step.calls] for step in found.steps] == [
        ['{"prompt": "look"}'],
        ["cat a.csv"],
        [],
        [],
    ]
    assert found.usage == Usage(input_tokens=40, output_tokens=20)
    assert (found.prompt, found.answer.text, found.ending.kind) == ("Count the rows.", "I look.", "answered")
    (alone,) = parse(part)
    assert len(alone.steps) == 2


def test_a_sub_agent_that_is_not_in_the_log_leaves_the_tokens_uncounted(lines):
    main, _ = in_folder(lines)
    (found,) = parse(main)
    assert (found.usage.input_tokens, found.usage.uncounted_calls) == (20, 1)
    assert "1 sub-agents are not in the log, nor what they read and took" in found.notes


def test_a_sub_agents_file_without_its_session_is_a_log_of_its_own(lines):
    _, inner = in_folder(lines, "other")
    part = lines("q/agent-a1.jsonl", *inner, {**INNER, "sessionId": "../../etc"})
    assert list(IMPORTERS["claude_code"].find(part.parent)) == [part]


def test_the_progress_of_a_sub_agent_tells_what_it_did(lines):
    inner = {"type": "assistant", "timestamp": "2026-01-01T00:00:03.000Z"}
    inner["message"] = {"id": "i1", "content": [use("u", "Read", file_path="/d/a.csv")], "usage": TOOK}
    told = {"type": "agent_progress", "agentId": "a1", "message": inner}
    log = lines(
        "s.jsonl",
        reply("2", "m1", use("t", "Task", prompt="look"), usage=TOOK, stop_reason="tool_use"),
        *({"type": "progress", "uuid": f"p{n}", "sessionId": "s", "data": told} for n in range(2)),
        given("6", "t", "done", toolUseResult=TASK),
        reply("7", "m2", SAID, usage=TOOK, **END),
    )
    (found,) = parse(log)
    assert [[call.path for call in step.calls] for step in found.steps] == [[""], ["/d/a.csv"], []]
    assert found.usage == Usage(input_tokens=30, output_tokens=15)


def test_messages_of_which_the_log_never_tells_the_end_are_counted_too_low_and_say_so(lines):
    """Versions of late 2025 and early 2026 keep only how far a message had come when each of its blocks was whole."""
    log = lines(
        "s.jsonl",
        asked("1", "Count."),
        reply("2", "m1", use("t", "Bash", command="ls"), usage={"input_tokens": 3, "output_tokens": 1}, **NULL),
        given("3", "t", "a.csv"),
        reply("4", "m2", SAID, usage={"input_tokens": 5, "output_tokens": 2}, **NULL),
    )
    (found,) = parse(log)
    assert (found.usage.input_tokens, found.usage.output_tokens, found.usage.uncounted_calls) == (8, 3, 2)
    assert (found.ending.kind, found.answer.text, [step.usage for step in found.steps]) == (
        "answered",
        "I look.",
        [None, None],
    )


@pytest.mark.parametrize(
    ("behind", "kind"),
    [
        ([], "answered"),
        ([asked("5", "And the columns?")], "broke"),
        ([asked("5", [{"type": "text", "text": "[Request interrupted by user]"}])], "broke"),
        ([reply("5", "m3", use("u", "Bash", command="ls"), **NULL)], "broke"),
        ([{**reply("5", "i", use("u", "Bash", command="ls"), **NULL), **INNER}], "answered"),
        ([asked("5", "<task-notification>", isMeta=True)], "answered"),
    ],
)
def test_a_session_whose_last_word_is_not_the_agents_broke_off(lines, behind, kind):
    log = lines("s.jsonl", asked("1", "Count."), reply("4", "m2", SAID, **NULL), *behind)
    assert parse(log)[0].ending.kind == kind


def test_a_sub_agents_end_is_not_the_sessions(lines):
    inner = {**reply("5", "i", SAID, **END), **INNER}
    log = lines("s.jsonl", reply("4", "m", use("t", "Task", prompt="x"), stop_reason="tool_use"), inner)
    assert parse(log)[0].ending.kind == "broke"


@pytest.mark.parametrize(
    ("line", "prompt"),
    [
        (asked("1", "This session is being continued.", isCompactSummary=True, isVisibleInTranscriptOnly=True), ""),
        (asked("1", "<local-command-stdout>x</local-command-stdout>"), ""),
        (asked("1", "<command-name>/clear</command-name>\n<command-args></command-args>"), ""),
        (asked("1", "<command-name>/ask</command-name>\n<command-args>How many?</command-args>"), "How many?"),
        (asked("1", "<system-reminder>\nx\n</system-reminder>\nHow many?"), "How many?"),
        ({"type": "user", "isSynthetic": True, "message": {"content": "Base directory for this skill"}}, ""),
    ],
)
def test_what_the_program_writes_as_the_users_words_is_not_the_prompt(lines, line, prompt):
    (found,) = parse(lines("s.jsonl", line, reply("2", "m", SAID, **END)))
    assert found.prompt == prompt


def test_files_of_sessions_one_behind_the_other_are_attempts_of_their_own(lines):
    first = [asked("1", "Count.", parentUuid=None), reply("2", "m1", SAID, **END)]
    second = [
        asked("3", "Count.", parentUuid=None, sessionId="s2"),
        {**reply("4", "m2", SAID, **END), "sessionId": "s2"},
    ]
    resumed = {**asked("5", "Go on.", parentUuid="2"), "sessionId": "s2"}
    assert [found.session for found in parse(lines("x.jsonl", *first, *second))] == ["s", "s2"]
    assert [found.session for found in parse(lines("y.jsonl", *first, resumed, *second[1:]))] == ["s"]


def test_commands_of_a_session_file_start_where_its_lines_say(lines):
    def run(uuid, folder):
        return {**reply(uuid, f"m{uuid}", use(f"t{uuid}", "Bash", command="cat a.csv"), **NULL), "cwd": folder}

    (moved,) = parse(lines("x.jsonl", run("1", "/w"), run("2", "/w/data"), run("3", "/w")))
    assert [step.calls[0].path for step in moved.steps] == ["/w", "/w/data", "/w"]
    two = [use(f"u{n}", "Bash", command="cat a.csv") for n in range(2)]
    side_by_side = {**reply("4", "m4", *two, **NULL), "cwd": "/w"}
    (both,) = parse(lines("z.jsonl", side_by_side, run("5", "/w/data")))
    assert [call.path for call in both.steps[0].calls] == ["/w", ""]
    (stayed,) = parse(lines("y.jsonl", run("1", "/w"), run("2", "/w")))
    assert [step.calls[0].path for step in stayed.steps] == ["", ""]


def test_a_session_that_another_process_takes_up_again_costs_what_both_do(lines):
    first, second = result(0.3, input=30, output=15, read=7), result(0.1, input=10, output=20)
    took = [{**each, "duration_ms": 1500} for each in (first, second)]
    log = lines("x.jsonl", assistant("m1", SAID), took[0], assistant("m2", SAID), took[1])
    (found,) = parse(log)
    assert found.usage == Usage(input_tokens=40, output_tokens=35, cache_read_tokens=7)
    assert (found.logged_cost_usd, found.seconds) == (pytest.approx(0.4), 3.0)


def test_results_of_versions_without_totals_by_model_add_up(lines):
    told = {"type": "result", "subtype": "success", "usage": TOOK, "cost_usd": 0.1}
    (found,) = parse(lines("x.jsonl", assistant("m1", SAID), told, assistant("m2", SAID), {**told, "cost_usd": 0.2}))
    assert (found.usage, found.logged_cost_usd) == (Usage(input_tokens=20, output_tokens=10), 0.2)


def test_what_comes_behind_the_last_result_is_not_counted_by_it(lines):
    (found,) = parse(lines("x.jsonl", assistant("m1", SAID), result(0.1, input=9), assistant("m2", SAID)))
    assert (found.ending.kind, found.usage.uncounted_calls, found.models) == ("broke", 1, {})


def test_a_result_that_tells_no_tokens_leaves_them_uncounted(lines):
    none = {"type": "result", "subtype": "error_during_execution", "is_error": True, "modelUsage": {}}
    usage = {"input_tokens": 0, "output_tokens": 0}
    (found,) = parse(lines("x.jsonl", assistant("m1", SAID, input_tokens=5), {**none, "usage": usage}))
    assert (found.usage.input_tokens, found.usage.uncounted_calls) == (5, 1)


def test_the_tokens_of_sub_agents_of_a_stream_are_those_by_model(lines):
    inner = {**assistant("i", SAID), "parent_tool_use_id": "t"}
    log = lines("x.jsonl", assistant("m", use("t", "Task", prompt="x")), inner, result(0.1, input=90, output=9))
    (found,) = parse(log)
    assert found.usage == Usage(input_tokens=90, output_tokens=9)


def test_an_answer_in_a_form_that_was_asked_for_is_the_last_message_where_there_are_no_words(lines):
    told = {"type": "result", "subtype": "success", "result": "", "structured_output": {"answer": 5}}
    (found,) = parse(lines("x.jsonl", assistant("m", use("t", "StructuredOutput", answer=5)), told))
    assert found.answer.text == '{"answer": 5}'


def test_the_programs_own_words_are_no_step(lines):
    said = {"type": "text", "text": "API Error: 500"}
    error = {
        "type": "assistant",
        "error": "server_error",
        "message": {"id": "e", "model": "<synthetic>", "content": [said]},
    }
    (found,) = parse(lines("x.jsonl", {"type": "system", "subtype": "init"}, assistant("m", SAID), error))
    assert (len(found.steps), found.ending.fault, found.ending.detail) == (1, "model", "API Error: 500")


def kept(short, long):
    """Usage of a prompt whose caches are kept for five minutes, and for an hour."""
    apart = {"ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": long}
    return {"input_tokens": 1, "output_tokens": 1, "cache_creation_input_tokens": short + long, "cache_creation": apart}


def billed(*names, written=100):
    used = {"inputTokens": 1, "outputTokens": 1, "cacheCreationInputTokens": written}
    return {"type": "result", "subtype": "success", "modelUsage": dict.fromkeys(names, used)}


ONE = ("claude-opus-4-5",)
TWO = ("claude-opus-4-5", "claude-haiku-4-5")


@pytest.mark.parametrize(
    ("usage", "names", "long", "dollars"),
    [
        (kept(100, 0), ONE, 0, 5 + 25 + 625),
        (kept(0, 100), ONE, 100, 5 + 25 + 1000),
        (kept(60, 40), ONE, 40, 5 + 25 + 60 * 6.25 + 40 * 10),
        (kept(0, 100), TWO, 200, 5 + 25 + 1000 + 1 + 5 + 200),
        (kept(60, 40), TWO, 0, None),
    ],
)
def test_what_a_cache_keeps_for_an_hour_costs_more(lines, usage, names, long, dollars):
    (found,) = parse(lines("x.jsonl", assistant("m1", SAID), {**billed(*names), "usage": usage}))
    cost = prices().cost(found.models or {"claude-opus-4-5": found.usage})
    assert found.usage.cache_write_long_tokens == long
    assert cost == (None if dollars is None else pytest.approx(dollars / 1e6))


def test_replies_of_session_files_tell_for_how_long_caches_keep_them(lines):
    both = [reply("1", "m1", SAID, usage=kept(60, 40), **END), reply("2", "m2", SAID, usage=kept(0, 10), **END)]
    (found,) = parse(lines("s.jsonl", *both))
    assert (found.usage.cache_write_tokens, found.usage.cache_write_long_tokens) == (110, 50)
    assert prices().cost(found.models) == pytest.approx((2 * 30 + 60 * 6.25 + 50 * 10) / 1e6)


def test_partial_messages_count_what_a_stream_without_its_result_took(lines):
    def part(kind, **more):
        return {"type": "stream_event", "parent_tool_use_id": None, "event": {"type": kind, **more}}

    start = part("message_start", message={"id": "m1", "usage": {"input_tokens": 10, "output_tokens": 1}})
    end = part("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 55})
    init = {"type": "system", "subtype": "init", "model": "claude-opus-4-5"}
    (found,) = parse(lines("x.jsonl", init, start, assistant("m1", SAID, input_tokens=10, output_tokens=1), end))
    assert found.usage == Usage(input_tokens=10, output_tokens=55)
    assert (found.steps[0].usage, found.models) == (found.usage, {"claude-opus-4-5": found.usage})
    (torn,) = parse(lines("y.jsonl", init, start, assistant("m1", SAID, input_tokens=10, output_tokens=1)))
    assert torn.usage.uncounted_calls == 1


def test_a_task_in_the_background_tells_how_it_ended_in_its_newer_form_too(lines):
    begun = {"stdout": "", "stderr": "", "interrupted": False, "backgroundTaskId": "b"}
    fetched = {"retrieval_status": "success", "task": {"task_id": "b", "status": "completed", "exitCode": 0}}
    log = lines(
        "x.jsonl",
        assistant("m1", use("t1", "Bash", command="python x.py", run_in_background=True)),
        came("t1", "running", begun),
        assistant("m2", use("t2", "TaskOutput", task_id="b", block=True)),
        came("t2", "done", fetched),
        {"type": "result", "subtype": "error_during_execution", "errors": ["one", "two"]},
    )
    (found,) = parse(log)
    assert [(step.calls[0].exit_code, step.calls[0].is_error) for step in found.steps] == [(0, False), (0, False)]
    assert found.ending.detail == "one; two"
