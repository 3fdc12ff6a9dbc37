import json

import pytest

from benchwright.importers import IMPORTERS
from benchwright.trajectory import Usage


def parse(path):
    return IMPORTERS["mini_swe_agent"].parse(path)


@pytest.fixture
def document(tmp_path):
    def write(value):
        path = tmp_path / "x.traj.json"
        path.write_text(json.dumps(value, indent=2))
        return path

    return write


CONFIG = {
    "agent": {"step_limit": 50, "cost_limit": 3.0},
    "model": {"model_name": "openai/gpt-5"},
    "environment": {"cwd": "/w"},
}


def info(status, submission="", cost=0.5, version="1.14.0", asked=1):
    stats = {"instance_cost": cost, "api_calls": asked}
    return {
        "exit_status": status,
        "submission": submission,
        "model_stats": stats,
        "mini_version": version,
        "config": CONFIG,
    }


def response(**usage):
    return {"id": "r", "model": "gpt-5-2025-08-07", "usage": {"prompt_tokens": 100, "completion_tokens": 9, **usage}}


def test_version_one_has_its_command_in_a_block_and_what_came_back_in_tags(document):
    cached = {"prompt_tokens_details": {"cached_tokens": 60}, "completion_tokens_details": {"reasoning_tokens": 4}}
    messages = [
        {"role": "system", "content": "You are."},
        {"role": "user", "content": "Count."},
        {
            "role": "assistant",
            "content": "THOUGHT: I look.\n\n```bash\ncat a.csv\n```",
            "extra": {"response": response(**cached)},
        },
        {"role": "user", "content": "<returncode>1</returncode>\n<output>\nno file\n</output>"},
        {"role": "assistant", "content": "```bash\nls\n```\n```bash\npwd\n```"},
        {"role": "user", "content": "Please give exactly one command."},
        {"role": "assistant", "content": "```bash\necho MINI_SWE_AGENT_FINAL_OUTPUT && cat result.txt\n```"},
        {"role": "user", "content": "38%"},
    ]
    (found,) = parse(
        document({"info": info("Submitted", "38%"), "messages": messages, "trajectory_format": "mini-swe-agent-1"})
    )
    assert [[call.text for call in step.calls] for step in found.steps] == [
        ["cat a.csv"],
        [],
        ["echo MINI_SWE_AGENT_FINAL_OUTPUT && cat result.txt"],
    ]
    call = found.steps[0].calls[0]
    assert (call.output, call.exit_code, call.is_error) == ("no file", 1, True)
    assert found.steps[0].usage == Usage(input_tokens=40, cache_read_tokens=60, output_tokens=9, reasoning_tokens=4)
    assert (found.usage.input_tokens, found.usage.uncounted_calls) == (40, 2)
    assert (found.prompt, found.cwd, found.model, found.logged_cost_usd) == ("Count.", "/w", "openai/gpt-5", 0.5)
    assert (found.answer.text, found.answer.source, found.ending.kind) == ("38%", "submission", "answered")


def test_version_two_has_tool_calls_and_an_exit_message(document):
    def call(identity, command):
        return {
            "id": identity,
            "type": "function",
            "function": {"name": "bash", "arguments": json.dumps({"command": command})},
        }

    messages = [
        {"role": "system", "content": "You are."},
        {"role": "user", "content": "Count."},
        {
            "role": "assistant",
            "content": "I look.",
            "reasoning_content": "Hm.",
            "tool_calls": [call("1", "cat a.csv"), call("2", "cat b.csv")],
            "extra": {
                "actions": [{"command": "cat a.csv", "tool_call_id": "1"}],
                "response": response(),
                "timestamp": 10.0,
            },
        },
        {
            "role": "tool",
            "tool_call_id": "2",
            "content": "",
            "extra": {"raw_output": "B", "returncode": 0, "timestamp": 12.5},
        },
        {"role": "tool", "tool_call_id": "1", "content": "", "extra": {"raw_output": "A", "returncode": 3}},
        {"role": "exit", "content": "38%", "extra": {"exit_status": "Submitted", "submission": "38%\n"}},
    ]
    value = {"info": info("Submitted", "38%\n", version="2.2.7"), "messages": messages, "instance_id": "s-1"}
    (found,) = parse(document({**value, "trajectory_format": "mini-swe-agent-1.1"}))
    (step,) = found.steps
    assert [(one.text, one.output, one.exit_code) for one in step.calls] == [
        ("cat a.csv", "A", 3),
        ("cat b.csv", "B", 0),
    ]
    assert (step.thought, step.text, step.started, found.ended) == ("Hm.", "I look.", 10.0, 12.5)
    assert (found.harness_version, found.session, found.answer.text) == ("2.2.7", "s-1", "38%\n")


def test_replies_of_the_responses_interface(document):
    messages = [
        {"role": "user", "content": "Count."},
        {
            "object": "response",
            "model": "gpt-5",
            "usage": {"input_tokens": 100, "output_tokens": 9, "input_tokens_details": {"cached_tokens": 30}},
            "output": [
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
                {"type": "message", "content": [{"type": "output_text", "text": "I look."}]},
                {"type": "function_call", "call_id": "1", "name": "bash", "arguments": '{"command": "ls"}'},
            ],
        },
        {
            "type": "function_call_output",
            "call_id": "1",
            "output": "<returncode>0</returncode>\n<output>\nA\n</output>",
        },
    ]
    (found,) = parse(document({"info": info("LimitsExceeded", cost=3.2), "messages": messages}))
    (step,) = found.steps
    assert (step.thought, step.text, step.calls[0].text, step.calls[0].output) == ("Hm.", "I look.", "ls", "A")
    assert found.usage == Usage(input_tokens=70, cache_read_tokens=30, output_tokens=9)


@pytest.mark.parametrize(
    ("about", "ending"),
    [
        (info("LimitsExceeded", cost=3.2), ("limit", "cost")),
        (info("LimitsExceeded", cost=0.1), ("limit", "messages")),
        (info("RuntimeError"), ("broke", "agent")),
        (info("ContextWindowExceededError"), ("broke", "agent")),
        (info("AuthenticationError"), ("broke", "model")),
        (info("RateLimitError"), ("broke", "model")),
        (info("litellm.AuthenticationError"), ("broke", "model")),
        (info("OpenRouterAuthenticationError"), ("broke", "model")),
        (info("RequestyAPIError"), ("broke", "model")),
        (info("ReadTimeout"), ("broke", "model")),
        (info("RetryError") | {"traceback": "x\nlitellm.exceptions.AuthenticationError: bad key"}, ("broke", "model")),
        (info("RuntimeError") | {"traceback": "openai.RateLimitError: slow"}, ("broke", "model")),
        (info("FileNotFoundError"), ("broke", "agent")),
        (info("TimeoutExpired"), ("broke", "agent")),
        (info("UserInterruption"), ("gave_up", None)),
        ({}, ("broke", "agent")),
    ],
)
def test_endings(document, about, ending):
    messages = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "```bash\nls\n```"}]
    (found,) = parse(document({"info": about, "messages": messages}))
    assert (found.ending.kind, getattr(found.ending, "which", getattr(found.ending, "fault", None))) == ending


def test_a_torn_document_keeps_the_messages_that_are_whole(document):
    messages = [{"role": "user", "content": "Count."}]
    for number in range(5):
        messages += [
            {"role": "assistant", "content": f"```bash\nls {number}\n```"},
            {"role": "user", "content": f"<returncode>0</returncode>\n<output>\n{number}\n</output>"},
        ]
    path = document({"messages": messages, "info": info("Submitted", "5")})
    path.write_text(path.read_text()[: path.read_text().index("ls 3") + 2])
    (found,) = parse(path)
    assert [call.text for step in found.steps for call in step.calls] == ["ls 0", "ls 1", "ls 2"]
    assert "the log is torn; what was whole is kept" in found.notes


def test_running_out_of_time_is_a_limit(document):
    messages = [{"role": "user", "content": "Count."}, {"role": "assistant", "content": "Hm."}]
    (found,) = parse(document({"info": info("TimeExceeded"), "messages": messages}))
    assert (found.ending.kind, found.ending.which) == ("limit", "wall")


@pytest.mark.parametrize("place", ["info", "exit"])
def test_the_words_of_an_error_are_no_answer(document, place):
    words = "litellm.AuthenticationError: AnthropicException - invalid x-api-key"
    told = {"exit_status": "AuthenticationError", "submission": words, "exception_str": words}
    messages = [{"role": "user", "content": "Count."}]
    if place == "exit":
        messages.append({"role": "exit", "content": words, "extra": told})
    (found,) = parse(document({"info": info("AuthenticationError", words), "messages": messages}))
    assert (found.answer, found.ending.kind, found.ending.fault) == (None, "broke", "model")
    assert words in found.ending.detail


def test_replies_that_are_not_kept_are_counted_and_a_cost_of_nothing_is_not_known(document):
    """Replies that could not be read cost something, too; and models without a known price cost nothing."""
    reply = {"role": "assistant", "content": "```bash\nls\n```", "extra": {"response": response()}}
    kept = info("LimitsExceeded", cost=0.0, asked=3)
    (found,) = parse(document({"info": kept, "messages": [{"role": "user", "content": "Count."}, reply]}))
    assert (found.usage.input_tokens, found.usage.uncounted_calls, found.logged_cost_usd) == (100, 2, None)
    assert "2 replies of the model are not kept, nor their tokens" in found.notes
    (whole,) = parse(document({"info": info("LimitsExceeded"), "messages": [{"role": "user", "content": "x"}, reply]}))
    assert (whole.usage.uncounted_calls, whole.logged_cost_usd) == (0, 0.5)


def test_a_long_command_that_was_killed_failed(document):
    command = "python x.py " + "a" * 500
    killed = f"The last command <command>{command}</command> timed out and has been killed.\nThe output was:\n<output>\n</output>"
    messages = [
        {"role": "user", "content": "Count."},
        {"role": "assistant", "content": f"```bash\n{command}\n```"},
        {"role": "user", "content": killed},
    ]
    (found,) = parse(document({"info": info("LimitsExceeded"), "messages": messages}))
    assert found.steps[0].calls[0].is_error


def test_without_a_total_what_it_cost_is_the_sum_over_replies(document):
    extra = {"response": response(), "cost": 0.25}
    replies = [{"role": "assistant", "content": "```bash\nls\n```", "extra": extra} for _ in range(2)]
    (found,) = parse(document({"info": {}, "messages": [{"role": "user", "content": "Count."}, *replies]}))
    assert found.logged_cost_usd == 0.5
