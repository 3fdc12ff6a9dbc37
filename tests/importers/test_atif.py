import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import Fault
from benchwright.importers import IMPORTERS
from benchwright.importers.atif import document_of
from benchwright.importers.atif.reading import trajectory_of
from benchwright.importers.base import keeps_folder
from benchwright.importers.reads import evidence
from benchwright.reading.places import Places
from benchwright.trajectory import (
    Answered,
    Broke,
    Call,
    Estimated,
    FileAccess,
    FinalAnswer,
    GaveUp,
    LimitHit,
    Step,
    Trajectory,
    Usage,
)

WORDS = st.text(max_size=30) | st.sampled_from(
    ["", "{}", '{"b": 1, "a": [2]}', '{"command": "ls"}', "null", '"x"', "[1]"]
)
MOMENT = st.none() | st.floats(0, 2e9)
TOKENS = st.integers(0, 10**9)
USAGE = st.builds(
    Usage,
    input_tokens=TOKENS,
    output_tokens=TOKENS,
    cache_read_tokens=TOKENS,
    cache_write_tokens=TOKENS,
    reasoning_tokens=TOKENS,
    cost_usd=st.none() | st.floats(0, 1e6),
    uncounted_calls=st.integers(0, 9),
)
KINDS = st.sampled_from(["shell", "python", "sql", "read", "search", "write", "edit", "list", "submit", "other"])
CALL = st.builds(
    Call,
    id=st.uuids().map(str),
    tool=WORDS,
    kind=KINDS,
    text=WORDS,
    path=WORDS,
    output=WORDS,
    exit_code=st.none() | st.integers(-5, 300),
    is_error=st.booleans(),
    truncated=st.booleans(),
    started=MOMENT,
    ended=MOMENT,
)
STEP = st.builds(
    Step,
    index=st.just(1),
    thought=WORDS,
    text=WORDS,
    calls=st.lists(CALL, max_size=3).map(tuple),
    usage=st.none() | USAGE,
    model=WORDS,
    started=MOMENT,
)
ENDINGS = st.sampled_from([None, Answered(), GaveUp(detail="x"), LimitHit(which="cost"), Broke(fault=Fault.MODEL)])
TRAJECTORY = st.builds(
    Trajectory,
    steps=st.lists(STEP, max_size=4).map(
        lambda s: tuple(x.model_copy(update={"index": n}) for n, x in enumerate(s, 1))
    ),
    usage=USAGE,
    model=WORDS,
    harness=st.sampled_from(["claude_code", "react"]),
    harness_version=st.sampled_from(["", "2.1"]),
    prompt=WORDS,
    cwd=WORDS,
    session=WORDS,
    models=st.dictionaries(WORDS, USAGE, max_size=2),
    logged_cost_usd=st.none() | st.floats(0, 1e6),
    started=MOMENT,
    ended=MOMENT,
    seconds=MOMENT,
    answer=st.none() | st.builds(FinalAnswer, text=WORDS, source=st.just("submission")),
    ending=ENDINGS,
    notes=st.lists(WORDS, max_size=2).map(tuple),
)


@given(TRAJECTORY)
@settings(max_examples=60)
def test_what_is_written_is_read_back_the_same(trajectory):
    document = document_of(trajectory, "id")
    found = trajectory_of(json.loads(json.dumps(document, allow_nan=False)))
    assert found.steps == trajectory.steps
    assert found == trajectory


@given(TRAJECTORY)
@settings(max_examples=20)
def test_a_document_keeps_the_rules_of_the_format(trajectory):
    document = document_of(trajectory, "id")
    allowed = {"schema_version", "session_id", "trajectory_id", "agent", "steps", "final_metrics", "extra"}
    in_step = {"step_id", "timestamp", "source", "model_name", "message", "reasoning_content", "tool_calls"}
    assert set(document) <= allowed
    assert document["agent"]["name"]
    assert document["agent"]["version"]
    assert [step["step_id"] for step in document["steps"]] == list(range(1, len(document["steps"]) + 1))
    for step in document["steps"]:
        assert set(step) <= in_step | {"observation", "metrics", "extra"}
        calls = {call["tool_call_id"] for call in step.get("tool_calls", ())}
        assert all(isinstance(call["arguments"], dict) and call["function_name"] for call in step.get("tool_calls", ()))
        assert {result["source_call_id"] for result in step.get("observation", {}).get("results", ())} <= calls
        assert step["source"] == "agent" or not {"metrics", "tool_calls", "model_name"} & set(step)


FOREIGN = {
    "schema_version": "ATIF-v1.5",
    "session_id": "s",
    "agent": {"name": "terminus-2", "version": "1.0", "model_name": "gpt-5"},
    "steps": [
        {"step_id": 1, "source": "system", "message": "You are."},
        {"step_id": 2, "source": "user", "message": [{"type": "text", "text": "Count."}]},
        {
            "step_id": 3,
            "source": "agent",
            "timestamp": "2026-01-01T00:00:00Z",
            "message": "I look.",
            "reasoning_content": "Hm.",
            "tool_calls": [
                {"tool_call_id": "1", "function_name": "bash_command", "arguments": {"command": "cat a.csv"}}
            ],
            "observation": {"results": [{"source_call_id": "1", "content": "A"}]},
            "metrics": {"prompt_tokens": 100, "completion_tokens": 9, "cached_tokens": 60, "cost_usd": 0.1},
        },
        {"step_id": 4, "source": "agent", "message": "5"},
    ],
    "final_metrics": {
        "total_prompt_tokens": 200,
        "total_completion_tokens": 19,
        "total_cached_tokens": 60,
        "total_cost_usd": 0.2,
    },
}


def test_a_document_of_another_program(tmp_path):
    path = tmp_path / "trajectory.json"
    path.write_text(json.dumps(FOREIGN))
    (found,) = IMPORTERS["atif"].parse(path)
    (call,) = found.steps[0].calls
    assert (call.kind, call.text, call.output) == ("shell", "cat a.csv", "A")
    assert (found.prompt, found.harness, found.model, found.session) == ("Count.", "terminus-2", "gpt-5", "s")
    assert found.usage == Usage(input_tokens=140, output_tokens=19, cache_read_tokens=60)
    assert found.steps[0].usage == Usage(input_tokens=40, output_tokens=9, cache_read_tokens=60)
    assert (found.logged_cost_usd, found.answer.text, found.ending.kind) == (0.2, "5", "answered")


def test_keystrokes_are_a_command(tmp_path):
    text = json.dumps(FOREIGN).replace('"command": "cat a.csv"', '"keystrokes": "cat a.csv"')
    assert "keystrokes" in text
    (tmp_path / "trajectory.json").write_text(text)
    (found,) = IMPORTERS["atif"].parse(tmp_path / "trajectory.json")
    assert (found.steps[0].calls[0].kind, found.steps[0].calls[0].text) == ("shell", "cat a.csv")


@pytest.mark.parametrize("damage", [{"steps": 5}, {"usage": "x"}, {"ending": {"kind": "nonsense"}}, {"unknown": 1}, 7])
def test_damage_to_what_we_keep_leaves_what_the_format_tells(damage):
    trajectory = Trajectory(
        steps=(Step(index=1, text="5", calls=(Call(id="1", tool="Bash", kind="shell", text="ls"),)),),
        harness="x",
        accesses=Estimated(files=(FileAccess(path="a.csv"),)),
    )
    document = document_of(trajectory, "id")
    document["extra"]["benchwright"] = damage
    document["steps"][0]["extra"]["benchwright"] = damage
    document["steps"][0]["tool_calls"][0]["extra"]["benchwright"] = damage
    assert trajectory_of(document).steps[0].calls[0].text in ("ls", '{"command": "ls"}')


def foreign(*steps, **more):
    """A document of another program."""
    agent = {"name": "terminus-2", "version": "1", "model_name": "m"}
    steps = [{"step_id": number, "source": "agent", "message": "x", **step} for number, step in enumerate(steps, 1)]
    return {"schema_version": "ATIF-v1.6", "session_id": "s", "agent": agent, "steps": steps, **more}


def made(tool, content="", **arguments):
    call = {"tool_call_id": "c", "function_name": tool, "arguments": arguments}
    return {"tool_calls": [call], "observation": {"results": [{"source_call_id": "c", "content": content}]}}


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        (made("finish", message="42"), "42"),
        (made("final_answer", answer=42), "42"),
        (made("submit", submission="42"), "42"),
        (made("submit", answer={"n": 42}), '{"n": 42}'),
        (made("mark_task_complete"), "x"),
    ],
)
def test_what_another_program_hands_in_under_its_own_names(tmp_path, step, answer):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(foreign(step)))
    (found,) = IMPORTERS["atif"].parse(path)
    assert (found.answer.text, found.ending.kind) == (answer, "answered")


@pytest.mark.parametrize(
    ("content", "code", "failed"),
    [
        ("x\n[exit code 3]", 3, True),
        ("Exit code 1\nTraceback", 1, True),
        ("exit_code: 0", 0, False),
        ("x\n[The command completed with exit code 2.]", 2, True),
        ("<returncode>1</returncode>\n<output>\nx\n</output>", 1, True),
        ("Wall time: 1 seconds\nProcess exited with code 4\nOutput:\nx", 4, True),
        ('{"output": "x", "metadata": {"exit_code": 3}}', 3, True),
        ('{"output": "x", "returncode": 0}', 0, False),
        ('{"output": "x"}', None, False),
        ("x\n[error] tool reported failure", None, True),
        ("the exit code 3 is odd", None, False),
    ],
)
def test_exit_codes_that_stand_in_what_came_back(tmp_path, content, code, failed):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(foreign(made("bash", content, command="ls"), {"message": "5"})))
    call = IMPORTERS["atif"].parse(path)[0].steps[0].calls[0]
    assert (call.exit_code, call.is_error) == (code, failed)


@pytest.mark.parametrize("total", [300, 310])
def test_steps_tell_more_classes_of_tokens_than_totals_do(tmp_path, total):
    extra = {"cache_creation_input_tokens": 20, "reasoning_output_tokens": 4}
    metrics = {"prompt_tokens": 100, "completion_tokens": 10, "cached_tokens": 40, "extra": extra}
    plain = {"prompt_tokens": 200, "completion_tokens": 5}
    final = {"total_prompt_tokens": total, "total_completion_tokens": 15, "total_cached_tokens": 40}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(foreign({"metrics": metrics}, {"metrics": plain}, final_metrics=final)))
    classes = {"cache_write_tokens": 20, "reasoning_tokens": 4} if total == 300 else {}
    (found,) = IMPORTERS["atif"].parse(path)
    left = total - 40 - classes.get("cache_write_tokens", 0)
    assert found.usage == Usage(input_tokens=left, output_tokens=15, cache_read_tokens=40, **classes)


@pytest.mark.parametrize(
    ("step", "kind", "text", "path"),
    [
        (made("str_replace_editor", command="view", path="/d/a.csv"), "read", None, "/d/a.csv"),
        (made("file_editor", command="create", path="/w/x.py", file_text="x"), "write", "x", "/w/x.py"),
        (made("shell", command=["bash", "-lc", "cat a.csv"], workdir="/d"), "shell", "cat a.csv", "/d"),
        (made("exec_command", cmd="cat a.csv", workdir="/d"), "shell", "cat a.csv", "/d"),
        (made("run_shell_command", command="cat a.csv", directory="/d"), "shell", "cat a.csv", "/d"),
        (made("read_file", absolute_path="/d/a.csv"), "read", None, "/d/a.csv"),
        (made("read", filePath="/d/a.csv"), "read", None, "/d/a.csv"),
        (made("Read", file_path="/d/a.csv"), "read", None, "/d/a.csv"),
        (made("developer__text_editor", command="view", path="/d/a.csv"), "read", None, "/d/a.csv"),
        (made("apply_patch", input="*** Begin Patch"), "edit", "*** Begin Patch", ""),
        (made("task_tracker", command="plan", task_list=[]), "other", None, ""),
        (made("execute_ipython_cell", code="1"), "python", "1", ""),
        (made("bash", cmd="cat a.csv"), "shell", "cat a.csv", ""),
        (made("bash_session", action="type_submit", input="cat a.csv"), "shell", "cat a.csv", ""),
    ],
)
def test_tools_of_many_programs_under_their_own_names(tmp_path, step, kind, text, path):
    (tmp_path / "x.json").write_text(json.dumps(foreign(step)))
    call = IMPORTERS["atif"].parse(tmp_path / "x.json")[0].steps[0].calls[0]
    assert (call.kind, call.path) == (kind, path)
    assert text in (None, call.text)


def test_several_files_of_one_call_are_read(tmp_path):
    (tmp_path / "x.json").write_text(json.dumps(foreign(made("read_multiple_files", paths=["/d/a.csv", "/d/b.csv"]))))
    (found,) = IMPORTERS["atif"].parse(tmp_path / "x.json")
    places = Places({"r": frozenset({"a.csv", "b.csv", "c.csv"})}, {"/d": "r"})
    accesses = evidence(found, places, (), keeps_folder=True).accesses
    assert [file.path for file in accesses.files] == ["a.csv", "b.csv"]


@pytest.mark.parametrize(
    ("name", "kept"), [("codex", False), ("mini-swe-agent", False), ("gemini-cli", False), ("claude-code", True)]
)
def test_whether_a_shell_keeps_its_folder_is_told_by_the_name_of_the_program(name, kept):
    assert keeps_folder(IMPORTERS["atif"], name) is kept
    assert not keeps_folder(IMPORTERS["codex"], "claude-code")


@pytest.mark.parametrize(("second", "total"), [(250, 250), (90, 190)])
def test_a_trajectory_goes_on_in_the_files_that_it_names(tmp_path, second, total):
    """Their totals go on from those before, or are their own."""

    def totals(given):
        return {"total_prompt_tokens": given, "total_completion_tokens": 5, "total_cost_usd": given / 100}

    copied = {"message": "old", "is_copied_context": True}
    first = foreign(
        {"message": "I look."}, final_metrics=totals(100), continued_trajectory_ref="trajectory.cont-1.json"
    )
    third = foreign(copied, {"message": "5"}, final_metrics=totals(second), continued_trajectory_ref="trajectory.json")
    (tmp_path / "trajectory.json").write_text(json.dumps(first))
    (tmp_path / "trajectory.cont-1.json").write_text(json.dumps(third))
    assert [path.name for path in IMPORTERS["atif"].find(tmp_path)] == ["trajectory.json"]
    (found,) = IMPORTERS["atif"].parse(tmp_path / "trajectory.json")
    assert [step.text for step in found.steps] == ["I look.", "5"]
    assert (found.answer.text, found.usage.input_tokens, found.logged_cost_usd) == ("5", total, total / 100)


@pytest.mark.parametrize("named", ["../secret.json", "/etc/x.json", "missing.json", 5])
def test_a_trajectory_goes_on_in_no_file_elsewhere(tmp_path, named):
    folder = tmp_path / "log"
    folder.mkdir()
    (tmp_path / "secret.json").write_text(json.dumps(foreign({"message": "secret"})))
    (folder / "x.json").write_text(json.dumps(foreign({"message": "5"}, continued_trajectory_ref=named)))
    (found,) = IMPORTERS["atif"].parse(folder / "x.json")
    assert [step.text for step in found.steps] == ["5"]


def test_what_sub_agents_did_stands_within_the_document_and_is_part_of_the_attempt(tmp_path):
    inside = foreign({**made("bash", command="cat /d/a.csv"), "message": "inner"}, {"message": "inner answer"})
    document = foreign({"message": "5"}, subagent_trajectories=[inside], final_metrics={"total_prompt_tokens": 9})
    (tmp_path / "x.json").write_text(json.dumps(document))
    (found,) = IMPORTERS["atif"].parse(tmp_path / "x.json")
    assert [call.text for step in found.steps for call in step.calls] == ["cat /d/a.csv"]
    assert (found.answer.text, found.ending.kind, found.usage.input_tokens) == ("5", "answered", 9)


def test_results_without_the_id_of_their_call_are_those_of_the_calls_in_their_order(tmp_path):
    calls = [{"tool_call_id": str(n), "function_name": "bash", "arguments": {"command": "ls"}} for n in range(2)]
    results = [{"content": "a"}, {"content": "b"}, {"content": "c"}]
    (tmp_path / "x.json").write_text(json.dumps(foreign({"tool_calls": calls, "observation": {"results": results}})))
    (found,) = IMPORTERS["atif"].parse(tmp_path / "x.json")
    assert [call.output for call in found.steps[0].calls] == ["a", "b"]


def test_ids_of_calls_may_be_those_of_every_step_anew(tmp_path):
    (tmp_path / "x.json").write_text(
        json.dumps(foreign(made("bash", "a", command="ls"), made("bash", "b", command="pwd")))
    )
    (found,) = IMPORTERS["atif"].parse(tmp_path / "x.json")
    assert [step.calls[0].output for step in found.steps] == ["a", "b"]


@pytest.mark.parametrize(
    ("more", "cost"), [({"metrics": {"cost_usd": 0.2}}, 0.3), ({}, None), ({"llm_call_count": 0}, 0.1)]
)
def test_without_totals_what_it_cost_is_the_sum_over_steps_where_each_tells_it(tmp_path, more, cost):
    first = {"metrics": {"prompt_tokens": 5, "completion_tokens": 1, "cost_usd": 0.1}}
    (tmp_path / "x.json").write_text(json.dumps(foreign(first, {"message": "5", **more})))
    (found,) = IMPORTERS["atif"].parse(tmp_path / "x.json")
    assert found.logged_cost_usd == (None if cost is None else pytest.approx(cost))
    assert found.usage.uncounted_calls == (not more)
