import json

import pytest

from benchwright.importers import IMPORTERS
from benchwright.trajectory import Usage


def parse(path):
    return IMPORTERS["smolagents"].parse(path)


def action(number, code, observations="", *, error=None, **more):
    call = {"id": f"call_{number}", "type": "function", "function": {"name": "python_interpreter", "arguments": code}}
    return {
        "step_number": number,
        "timing": {"start_time": 100.0 + number, "end_time": 101.0 + number, "duration": 1.0},
        "model_input_messages": [{"role": "user", "content": [{"type": "text", "text": "long"}]}],
        "tool_calls": [call],
        "error": error,
        "model_output_message": {"role": "assistant", "content": "x", "raw": {"model": "qwen"}},
        "model_output": f"Thought: {number}\n<code>\n{code}\n</code>",
        "code_action": code,
        "observations": observations,
        "action_output": None,
        "token_usage": {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110},
        "is_final_answer": False,
        **more,
    }


TASK = {"task": "Count.", "task_images": None}
PLAN = {"model_input_messages": [], "plan": "Look, then count.", "token_usage": {"input_tokens": 7, "output_tokens": 3}}
STEPS = [
    {"system_prompt": "You are."},
    TASK,
    PLAN,
    action(1, "import pandas as pd\nd = '/data/'", "ok"),
    action(2, "print(pd.read_csv(d + 'a.csv'))", "", error={"type": "AgentExecutionError", "message": "no file"}),
    action(3, "final_answer(5)", "Last output from code snippet:\n5", action_output=5, is_final_answer=True),
]


@pytest.mark.parametrize("form", ["list", "lines", "result", "run"])
def test_the_memory_in_each_of_its_forms(tmp_path, form):
    path = tmp_path / "x.json"
    if form == "list":
        path.write_text(json.dumps(STEPS, indent=1))
    elif form == "lines":
        path.write_text("\n".join(map(json.dumps, STEPS)))
    elif form == "result":
        path.write_text(json.dumps({"output": 5, "state": "success", "steps": STEPS, "token_usage": None}))
    else:
        path.write_text(json.dumps({"task_id": "s-1", "memory": STEPS, "model_id": "qwen"}))
    (found,) = parse(path)
    assert (found.prompt, found.answer.text, found.answer.source, found.ending.kind) == (
        "Count.",
        "5",
        "submission",
        "answered",
    )
    assert [len(step.calls) for step in found.steps] == [1, 1, 1]
    failed = found.steps[1].calls[0]
    assert (failed.kind, failed.is_error, failed.output) == ("python", True, "no file")
    assert found.usage == Usage(input_tokens=307, output_tokens=33)
    assert found.steps[0].usage == Usage(input_tokens=107, output_tokens=13)  # with the plan before it
    assert (found.steps[0].thought, found.model, found.ended - found.started) == ("Look, then count.", "qwen", 3.0)


def test_calls_whose_ids_are_missing_or_given_twice_are_told_apart(lines):
    odd = action(2, "2") | {"tool_calls": []}
    log = lines("x.jsonl", TASK, action(2, "1"), odd, action(2, "3"), odd)
    (found,) = parse(log)
    ids = [call.id for step in found.steps for call in step.calls]
    assert (ids[0], len(set(ids)), len(ids)) == ("call_2", 4, 4)


def test_a_run_at_its_limit_and_one_that_breaks_off(lines):
    limit = {"type": "AgentMaxStepsError", "message": "Reached max steps."}
    (most,) = parse(lines("a.jsonl", TASK, action(1, "1"), action(2, "2", error=limit)))
    (torn,) = parse(lines("b.jsonl", TASK, action(1, "1")))
    (model,) = parse(lines("c.jsonl", TASK, action(1, "1", error={"type": "AgentGenerationError", "message": "429"})))
    assert [
        (run.ending.kind, getattr(run.ending, "fault", getattr(run.ending, "which", None)))
        for run in (most, torn, model)
    ] == [
        ("limit", "messages"),
        ("broke", "agent"),
        ("broke", "model"),
    ]


def test_tool_calling_agents_and_a_second_task(lines):
    call = {"id": "1", "type": "function", "function": {"name": "read_file", "arguments": {"path": "/data/a.csv"}}}
    last = {"id": "2", "type": "function", "function": {"name": "final_answer", "arguments": {"answer": "5"}}}
    log = lines(
        "x.jsonl",
        TASK,
        {"step_number": 1, "tool_calls": [call], "observations": "A"},
        {"step_number": 2, "tool_calls": [last], "action_output": "5"},
        {"task": "Count again."},
        {"step_number": 1, "tool_calls": [call], "observations": "A"},
    )
    first, second = parse(log)
    assert [(one.kind, one.path, one.text) for step in first.steps for one in step.calls][1] == ("submit", "", "5")
    assert (first.steps[0].calls[0].kind, first.steps[0].calls[0].path) == ("read", "/data/a.csv")
    assert (first.answer.text, second.prompt, second.answer) == ("5", "Count again.", None)


def test_an_attempt_that_the_model_broke_before_its_first_reply_is_kept(lines):
    error = {"type": "AgentGenerationError", "message": "Error in generating model output: 401"}
    (found,) = parse(lines("x.jsonl", TASK, {"step_number": 1, "tool_calls": None, "error": error}))
    assert (found.prompt, found.ending.kind, found.ending.fault) == ("Count.", "broke", "model")


def test_tokens_from_a_cache_are_told_apart_where_the_models_own_count_fits(lines):
    def told(prompt):
        usage = {"prompt_tokens": prompt, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 60}}
        return {"role": "assistant", "content": "x", "raw": {"model": "qwen", "usage": usage}}

    fits, other = action(1, "1", model_output_message=told(100)), action(2, "2", model_output_message=told(90))
    (found,) = parse(lines("x.jsonl", TASK, fits, other))
    assert found.steps[0].usage == Usage(input_tokens=40, cache_read_tokens=60, output_tokens=10)
    assert found.steps[1].usage == Usage(input_tokens=100, output_tokens=10)


def test_the_answer_that_is_asked_for_at_the_limit_is_no_step_of_its_own(lines):
    error = {"type": "AgentMaxStepsError", "message": "Reached max steps."}
    used = {"input_tokens": 5, "output_tokens": 5}
    last = {"step_number": 3, "error": error, "action_output": "41", "token_usage": used, "model_output": "41"}
    (found,) = parse(lines("x.jsonl", TASK, action(1, "1", "ok"), action(2, "2", "ok"), last))
    assert (len(found.steps), found.successful_steps, found.answer.text) == (2, 2, "41")
    assert (found.ending.which, found.usage) == ("messages", Usage(input_tokens=205, output_tokens=25))


def test_a_plan_behind_which_nothing_came_is_kept(lines):
    (found,) = parse(lines("x.jsonl", TASK, action(1, "1", "ok"), PLAN))
    assert [step.thought for step in found.steps] == ["", "Look, then count."]


PRINTED = """\x1b[33m╭───────────────────────── New run ──────────────────────────╮\x1b[0m
│                                                            │
│ How many rows are there,                                   │
│ and why?                                                   │
│                                                            │
╰─ LiteLLMModel - openai/gpt-4o ─────────────────────────────╯
━━━━━━━━━━━━━━━━━━━━━━━━━━━ Step 1 ━━━━━━━━━━━━━━━━━━━━━━━━━━━
 ─ Executing parsed code: ──────────────────────────────────
  import pandas as pd
  for n in ('a', 'b'):
      print(pd.read_csv(f'/data/{n}.csv'))
 ────────────────────────────────────────────────────────────
Execution logs:
x

Out: None
[Step 1: Duration 1.50 seconds| Input tokens: 2,000 | Output tokens: 80]
━━━━━━━━━━━━━━━━━━━━━━━━━━━ Step 2 ━━━━━━━━━━━━━━━━━━━━━━━━━━━
╭─ Executing this code: ─────────────────────────────────────╮
│   1 import nothing                                         │
│   2 print(1)                                               │
╰────────────────────────────────────────────────────────────╯
Code execution failed at line 'import nothing' due to: InterpreterError: Import of nothing is not allowed.
[Step 2: Duration 0.50 seconds| Input tokens: 4,500 | Output tokens: 120]
━━━━━━━━━━━━━━━━━━━━━━━━━━━ Step 3 ━━━━━━━━━━━━━━━━━━━━━━━━━━━
╭────────────────────────────────────────────────────────────╮
│ Calling tool: 'look' with arguments: {'path': 'a.csv'}     │
╰────────────────────────────────────────────────────────────╯
Observations: fine
Final answer: 42
rows
[Step 3: Duration 1.00 seconds| Input tokens: 7,000 | Output tokens: 130]
"""


def test_what_is_printed_while_an_agent_works(tmp_path):
    path = tmp_path / "x.log"
    path.write_text(PRINTED)
    (found,) = parse(path)
    first, second, third = (step.calls[0] for step in found.steps)
    assert (found.prompt, found.model, found.seconds) == ("How many rows are there,\nand why?", "openai/gpt-4o", 3.0)
    assert first.text == "import pandas as pd\nfor n in ('a', 'b'):\n    print(pd.read_csv(f'/data/{n}.csv'))"
    assert (first.kind, first.is_error, first.output) == ("python", False, "Execution logs:\nx\n\nOut: None")
    assert (second.text, second.is_error) == ("import nothing\nprint(1)", True)
    assert (third.tool, third.text) == ("look", '{"path": "a.csv"}')
    assert [step.usage.input_tokens for step in found.steps] == [2000, 2500, 2500]  # what is printed is the sum so far
    assert found.usage == Usage(input_tokens=7000, output_tokens=130)
    assert (found.answer.text, found.ending.kind, found.successful_steps) == ("42\nrows", "answered", 2)


@pytest.mark.parametrize(
    ("last", "ending"),
    [
        ("Reached max steps.\nFinal answer: 41", ("limit", "messages")),
        ("Error in generating model output:\n401", ("broke", "model")),
        ("x", ("broke", "agent")),
    ],
)
def test_how_a_printed_run_ended(tmp_path, last, ending):
    path = tmp_path / "x.log"
    path.write_text(PRINTED.replace("Observations: fine\nFinal answer: 42\nrows", last))
    (found,) = parse(path)
    assert (found.ending.kind, getattr(found.ending, "which", getattr(found.ending, "fault", None))) == ending


def test_two_printed_runs_and_a_text_of_another_kind(tmp_path):
    path = tmp_path / "x.log"
    path.write_text(PRINTED + PRINTED.replace("42", "43"))
    assert [run.answer.text for run in parse(path)] == ["42\nrows", "43\nrows"]
    path.write_text("something else\n" * 50)
    assert parse(path) == ()


CALL = {"id": "c1", "type": "function", "function": {"name": "python_interpreter", "arguments": "open('/d/a.csv')"}}


def told(role, words):
    return {"role": role, "content": [{"type": "text", "text": words}]}


def test_answers_of_its_own_benchmark_scripts(lines):
    record = {"model_id": "gpt-4o", "question": "Count.", "answer": "5", "token_counts": {"input": 90, "output": 9}}
    record |= {"start_time": 1.7e9, "end_time": 1.7e9 + 5}
    messages = [
        told("system", "You are."),
        told("user", "New task:\nCount."),
        told("assistant", "I look."),
        told("tool-call", f"Calling tools:\n{[CALL]}"),
        told("tool-response", "Observation:\nExecution logs:\n5"),
        told("tool-response", "Call id: c1\nError:\nno"),
    ]
    log = lines(
        "x.jsonl",
        {**record, "intermediate_steps": messages},
        {
            **record,
            "intermediate_steps": "[TaskStep(task='Count.')]",
            "prediction": "6",
            "iteration_limit_exceeded": True,
        },
        {**record, "intermediate_steps": [told("tool-call", "Calling tools:\n__import__('os')")], "agent_error": "Oh"},
    )
    first, second, third = IMPORTERS["smolagents"].parse(log)
    (call,) = first.steps[0].calls
    assert (call.kind, call.text, call.is_error) == ("python", "open('/d/a.csv')", True)
    assert call.output == "Execution logs:\n5\nCall id: c1\nError:\nno"
    assert (first.prompt, first.answer.text, first.model, first.ended - first.started) == ("Count.", "5", "gpt-4o", 5.0)
    assert first.usage == Usage(input_tokens=90, output_tokens=9)
    assert (second.steps, second.ending.kind, third.ending.kind) == ((), "limit", "broke")
    assert "what was done is not kept in a form that can be read" in second.notes


def test_a_runs_full_result_tells_its_time(lines):
    timing = {"start_time": 1.7e9, "end_time": 1.7e9 + 9, "duration": 8.5}
    step = {"step_number": 1, "model_output": "x", "timing": {"start_time": 1.7e9 + 1, "end_time": 1.7e9 + 2}}
    (found,) = IMPORTERS["smolagents"].parse(
        lines("x.json", {"output": "5", "state": "success", "steps": [step], "timing": timing})
    )
    assert (found.ended - found.started, found.seconds) == (9.0, 8.5)
