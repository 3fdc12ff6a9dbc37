import pytest
from tests.importers.sessions import claude

from benchwright.importers import IMPORTERS
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
    assert [step.calls[0].exit_code for step in found.steps] == [None, 3]
