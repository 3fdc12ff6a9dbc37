import json

from benchwright.importers import IMPORTERS
from benchwright.importers.reads import evidence
from benchwright.reading.places import Places
from benchwright.trajectory import Usage


def parse(path):
    return IMPORTERS["openhands"].parse(path)


HEAD = {"kind": "SystemPromptEvent", "source": "agent", "system_prompt": {"text": "You are."}, "tools": []}


def action(identity, tool, response, **given):
    call = {"id": f"c-{identity}", "name": tool, "arguments": json.dumps(given)}
    about = {"tool_name": tool, "tool_call_id": f"c-{identity}", "tool_call": call, "llm_response_id": response}
    about |= {"thought": [{"type": "text", "text": f"Thought of {identity}."}], "reasoning_content": "Hm."}
    stamp = "2026-01-01T00:00:00.000000"
    return {"kind": "ActionEvent", "id": identity, "source": "agent", "timestamp": stamp, "action": given, **about}


def observation(identity, text, **more):
    told = {"content": [{"type": "text", "text": text}], "is_error": False, **more}
    return {"kind": "ObservationEvent", "action_id": identity, "tool_call_id": f"c-{identity}", "observation": told}


def message(source, text):
    return {"kind": "MessageEvent", "source": source, "llm_message": {"role": source, "content": [{"text": text}]}}


def test_parallel_calls_join_by_the_action_and_not_by_order(lines):
    log = lines(
        "x.jsonl",
        HEAD,
        message("user", "Count."),
        action("a", "terminal", "r1", command="cat a.csv"),
        action("b", "terminal", "r1", command="cat b.csv"),
        observation("b", "cat b.csv\r\n\x1b[?2004lB", exit_code=0),
        observation("a", "A\x1b[0m", metadata={"exit_code": 1, "working_dir": "/w"}),
        action("c", "file_editor", "r2", command="create", path="/w/s.py", file_text="print(5)"),
        observation("c", "made"),
        action("d", "file_editor", "r3", command="view", path="/data"),
        observation("d", "Here's the files and directories up to 2 levels deep in /data"),
        action("e", "finish", "r4", message="5"),
    )
    (found,) = parse(log)
    assert [len(step.calls) for step in found.steps] == [2, 1, 1, 1]
    assert [(call.output, call.exit_code) for call in found.steps[0].calls] == [("A", 1), ("B", 0)]
    assert [step.calls[0].kind for step in found.steps] == ["shell", "write", "list", "submit"]
    assert (found.steps[1].calls[0].text, found.steps[1].calls[0].path) == ("print(5)", "/w/s.py")
    assert (found.prompt, found.answer.text, found.ending.kind) == ("Count.", "5", "answered")
    assert (found.usage.uncounted_calls, found.usage.cost_usd) == (4, None)


def reads(found):
    places = Places({"r": frozenset({"a.csv", "sub/a.csv"})}, {"/w/data": "r"})
    accesses = evidence(found, places, (), keeps_folder=True).accesses
    return [file.path for file in accesses.files]


def test_a_terminal_is_where_its_last_observation_says_and_begins_anew_when_it_is_reset(lines):
    told = {"exit_code": 0, "working_dir": "/w/data/sub"}
    away = (action("a", "terminal", "r1", command="enter_the_data"), observation("a", "", metadata=told))
    look = (action("c", "terminal", "r3", command="cat a.csv"), observation("c", "x"))
    (found,) = parse(lines("x.jsonl", HEAD, *away, *look))
    assert reads(found) == ["sub/a.csv"]
    reset = (action("b", "terminal", "r2", command="", reset=True), observation("b", "reset"))
    (found,) = parse(lines("y.jsonl", HEAD, *away, *reset, *look))
    assert reads(found.model_copy(update={"cwd": "/w/data"})) == ["a.csv"]
    moved = (action("a", "terminal", "r1", command="cd /w/data/sub"), observation("a", ""))
    (found,) = parse(lines("z.jsonl", HEAD, *moved, *look))
    assert reads(found) == ["sub/a.csv"]


def test_appended_reruns_are_split_at_their_system_prompts(lines):
    log = lines("x.jsonl", HEAD, message("agent", "4"), HEAD, message("agent", "5"))
    assert [found.answer.text for found in parse(log)] == ["4", "5"]


def test_a_log_that_breaks_off_and_errors_of_the_conversation(lines):
    torn = lines("a.jsonl", HEAD, action("a", "terminal", "r", command="ls"))
    error = {"kind": "ConversationErrorEvent", "code": "LLMAuthenticationError", "detail": "no key"}
    model = lines("b.jsonl", HEAD, action("a", "terminal", "r", command="ls"), error)
    limit = {**error, "code": "MaxIterationsReached", "detail": "Agent reached maximum iterations limit (100)"}
    steps = lines("c.jsonl", HEAD, action("a", "terminal", "r", command="ls"), limit)
    endings = [parse(path)[0].ending for path in (torn, model, steps)]
    assert [(end.kind, getattr(end, "fault", getattr(end, "which", None))) for end in endings] == [
        ("broke", "agent"),
        ("broke", "model"),
        ("limit", "messages"),
    ]


def test_stats_among_the_updates_of_the_state_tell_usage(lines):
    usage = {
        "model": "m",
        "prompt_tokens": 100,
        "completion_tokens": 5,
        "cache_read_tokens": 60,
        "cache_write_tokens": 10,
    }
    stats = {"usage_to_metrics": {"agent": {"accumulated_cost": 0.5, "accumulated_token_usage": usage}}}
    update = {"kind": "ConversationStateUpdateEvent", "key": "stats", "value": stats}
    (found,) = parse(lines("x.jsonl", HEAD, message("agent", "5"), update))
    assert found.usage == Usage(input_tokens=30, output_tokens=5, cache_read_tokens=60, cache_write_tokens=10)
    assert (found.model, found.logged_cost_usd) == ("m", 0.5)


EARLY = [
    {"id": 0, "source": "agent", "action": "system", "args": {"content": "You are."}},
    {"id": 1, "source": "user", "action": "message", "args": {"content": "Count."}},
    {
        "id": 2,
        "source": "agent",
        "action": "run",
        "args": {"command": "cat a.csv", "thought": "I look."},
        "tool_call_metadata": {
            "function_name": "execute_bash",
            "tool_call_id": "t",
            "model_response": {
                "id": "r1",
                "model": "claude-sonnet-4",
                "usage": {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
            },
        },
    },
    {
        "id": 3,
        "source": "agent",
        "observation": "run",
        "content": "A",
        "cause": 2,
        "extras": {"metadata": {"exit_code": 0}},
    },
    {"id": 4, "source": "agent", "action": "run_ipython", "args": {"code": "print(5)"}},
    {"id": 5, "observation": "run_ipython", "content": "5", "cause": 4},
    {"id": 6, "source": "agent", "action": "edit", "args": {"command": "view", "path": "/data/a.csv"}},
    {"id": 7, "observation": "read", "content": "A", "cause": 6},
    {"id": 8, "source": "agent", "action": "finish", "args": {"final_thought": "It is 5."}},
]


def test_an_early_trajectory_as_a_list_in_lines_and_in_an_evaluation(tmp_path, lines):
    whole = tmp_path / "list.json"
    whole.write_text(json.dumps(EARLY, indent=2))
    metrics = {
        "accumulated_cost": 0.25,
        "accumulated_token_usage": {"model": "m", "prompt_tokens": 9, "completion_tokens": 1},
    }
    record = {"instance_id": "s-1", "history": EARLY, "metrics": metrics, "metadata": {"llm_config": {"model": "m"}}}
    pairs = [[EARLY[2], EARLY[3]], [EARLY[8], {"observation": "null", "content": ""}]]
    found = [
        *parse(whole),
        *parse(lines("lines.jsonl", *EARLY)),
        *parse(lines("output.jsonl", record, {**record, "instance_id": "s-2", "history": pairs})),
    ]
    assert [each.answer.text for each in found] == ["It is 5."] * 4
    for each in found[:3]:
        calls = [(call.kind, call.output, call.exit_code) for step in each.steps for call in step.calls]
        assert calls == [("shell", "A", 0), ("python", "5", None), ("read", "A", None)]
        assert (each.prompt, each.ending.kind) == ("Count.", "answered")
    assert found[0].steps[0].usage == Usage(input_tokens=6, output_tokens=2, cache_read_tokens=4)
    assert [(each.session, each.logged_cost_usd, each.model) for each in found[2:]] == [
        ("s-1", 0.25, "m"),
        ("s-2", 0.25, "m"),
    ]
    assert found[2].usage == Usage(input_tokens=9, output_tokens=1)


def test_an_early_run_that_hits_its_limit(lines):
    state = {"id": 9, "observation": "agent_state_changed", "content": ""}
    reason = "RuntimeError: Agent reached maximum iteration. Current iteration: 30"
    log = lines("x.jsonl", *EARLY[:4], {**state, "extras": {"agent_state": "error", "reason": reason}})
    assert (parse(log)[0].ending.kind, parse(log)[0].ending.which) == ("limit", "messages")


def test_uses_of_one_model_add_up(lines):
    def used(tokens, out):
        usage = {"model": "gpt-5", "prompt_tokens": tokens, "completion_tokens": out}
        return {"model_name": "gpt-5", "accumulated_cost": 0.25, "accumulated_token_usage": usage}

    stats = {"usage_to_metrics": {"agent": used(100, 9), "condenser": used(50, 3)}}
    state = {"kind": "ConversationStateUpdateEvent", "source": "environment", "key": "stats", "value": stats}
    act = (action("a", "terminal", "r1", command="ls"), observation("a", "x", exit_code=0))
    (found,) = parse(lines("x.jsonl", HEAD, message("user", "Count."), *act, state))
    assert (found.usage.input_tokens, found.usage.output_tokens, found.logged_cost_usd) == (150, 12, 0.5)


def test_a_call_that_was_refused_read_nothing(lines):
    refused = {"kind": "AgentErrorEvent", "tool_call_id": "c-a", "tool_name": "terminal", "error": "bad arguments"}
    log = lines("x.jsonl", HEAD, message("user", "Count."), action("a", "terminal", "r1", command="cat a"), refused)
    (found,) = parse(log)
    assert (found.steps[0].calls[0].kind, found.steps[0].calls[0].is_error) == ("other", True)


def failed(code):
    return {"kind": "ConversationErrorEvent", "source": "environment", "code": code, "detail": "no"}


def status(name):
    return {"kind": "ConversationStateUpdateEvent", "key": "execution_status", "value": name}


def test_an_attempt_that_the_model_broke_before_its_first_reply_is_kept(lines):
    (found,) = parse(lines("x.jsonl", HEAD, message("user", "Count."), failed("LLMAuthenticationError")))
    reason = {"agent_state": "error", "reason": "STATUS$ERROR_LLM_AUTHENTICATION"}
    state = {"id": 1, "observation": "agent_state_changed", "content": "", "extras": reason}
    asked = {"id": 0, "source": "user", "action": "message", "args": {"content": "Count."}}
    (early,) = parse(lines("y.jsonl", asked, state))
    assert [(one.prompt, one.ending.kind, one.ending.fault) for one in (found, early)] == [
        ("Count.", "broke", "model")
    ] * 2


def test_the_status_of_a_conversation_says_how_it_ended_where_nothing_else_does(lines):
    work = (HEAD, action("a", "terminal", "r1", command="ls"), observation("a", "x", exit_code=0))
    (stuck,) = parse(lines("x.jsonl", *work, status("running"), status("stuck")))
    (done,) = parse(lines("y.jsonl", *work, action("b", "finish", "r2", message="5"), status("error")))
    assert (stuck.ending.kind, stuck.ending.detail) == ("broke", "the conversation's status: stuck")
    assert done.ending.kind == "answered"


def test_a_folder_of_events_is_one_log_in_the_order_of_their_numbers(tmp_path):
    events = [
        HEAD,
        message("user", "Count."),
        *(action(str(n), "terminal", f"r{n}", command=f"ls {n}") for n in range(9)),
    ]
    events.append(action("z", "finish", "r", message="5"))
    spent = {"accumulated_cost": 0.5, "accumulated_token_usage": {"prompt_tokens": 10, "completion_tokens": 2}}
    state = {"agent": {"llm": {"model": "m"}}, "stats": {"usage_to_metrics": {"agent": {"model_name": "m", **spent}}}}
    inside = tmp_path / "instance_7" / "events"
    inside.mkdir(parents=True)
    for number, event in enumerate(events):
        (inside / f"event-{number:05d}-{number}.json").write_text(json.dumps(event))
    (inside.parent / "base_state.json").write_text(json.dumps(state))
    (inside / ".eventlog.lock").write_text("")
    assert list(IMPORTERS["openhands"].find(tmp_path)) == [inside]
    for path in (inside, inside.parent):
        (found,) = parse(path)
        assert [call.text for step in found.steps for call in step.calls] == [*(f"ls {n}" for n in range(9)), "5"]
        assert (found.usage.input_tokens, found.logged_cost_usd, found.model) == (10, 0.5, "m")


def test_numbered_events_of_early_sessions_and_files_beside_them_are_found(tmp_path):
    inside = tmp_path / "sessions" / "one" / "events"
    inside.mkdir(parents=True)
    events = [{"id": 0, "source": "user", "action": "message", "args": {"content": "Count."}}]
    events += [{"id": n, "source": "agent", "action": "run", "args": {"command": f"ls {n}"}} for n in range(1, 12)]
    for event in events:
        (inside / f"{event['id']}.json").write_text(json.dumps(event))
    (tmp_path / "other.jsonl").write_text(json.dumps(HEAD))
    assert list(IMPORTERS["openhands"].find(tmp_path)) == [inside, tmp_path / "other.jsonl"]
    (found,) = parse(inside)
    assert [call.text for step in found.steps for call in step.calls] == [f"ls {n}" for n in range(1, 12)]


def test_a_cell_of_early_versions_that_ended_with_an_error_failed(lines):
    asked = {"id": 1, "source": "agent", "action": "run_ipython", "args": {"code": "import x"}}

    def came(words):
        return {"id": 2, "cause": 1, "observation": "run_ipython", "content": words, "success": True}

    words = "ModuleNotFoundError                       Traceback (most recent call last)\nCell In[1], line 1\n"
    (bad,), (good,) = parse(lines("x.jsonl", asked, came(words))), parse(lines("y.jsonl", asked, came("5")))
    assert [one.steps[0].succeeded for one in (bad, good)] == [False, True]


def test_an_action_that_the_user_rejected_was_never_carried_out(lines):
    rejected = {"kind": "UserRejectObservation", "action_id": "a", "rejection_reason": "No.", "tool_name": "terminal"}
    (found,) = parse(lines("x.jsonl", HEAD, action("a", "terminal", "r", command="cat /w/data/a.csv"), rejected))
    (call,) = found.steps[0].calls
    assert (call.kind, call.is_error, call.output, reads(found)) == ("other", True, "No.", [])


def test_tools_of_other_presets_read_write_and_patch_files(lines):
    patch = "*** Begin Patch\n*** Update File: /w/s.py\n@@\n-print(1)\n+open('/w/data/a.csv')\n*** End Patch"
    log = lines(
        "x.jsonl",
        HEAD,
        action("a", "read_file", "r1", file_path="/w/data/sub/a.csv"),
        observation("a", "x"),
        action("b", "write_file", "r2", file_path="/w/s.py", content="print(1)\n"),
        observation("b", "made"),
        action("c", "apply_patch", "r3", patch=patch),
        observation("c", "done"),
        action("d", "task_tracker", "r4", command="plan", task_list=[]),
        observation("d", "planned"),
        action("e", "terminal", "r5", command="python /w/s.py"),
        observation("e", ""),
    )
    (found,) = parse(log)
    assert [step.calls[0].kind for step in found.steps] == ["read", "write", "edit", "other", "shell"]
    assert reads(found) == ["sub/a.csv", "a.csv"]


def test_calls_of_an_agent_that_openhands_only_speaks_to(lines):
    def told(identity, kind, given, came, **more):
        about = {"tool_call_id": identity, "title": "t", "tool_kind": kind, "raw_input": given, "raw_output": came}
        return {"kind": "ACPToolCallEvent", "source": "agent", **about, **more}

    command = {"command": ["bash", "-lc", "cat /w/data/a.csv"], "cwd": "/w"}
    log = lines(
        "x.jsonl",
        HEAD,
        told("1", "execute", command, None, status="in_progress"),
        told("1", "execute", command, {"formatted_output": "1,2", "exit_code": 3}, status="failed"),
        told("2", "read", {"file_path": "/w/data/sub/a.csv"}, "x", status="completed"),
        action("e", "finish", "r4", message="5"),
    )
    (found,) = parse(log)
    calls = [call for step in found.steps[:2] for call in step.calls]
    assert [(call.kind, call.tool, call.exit_code, call.is_error) for call in calls] == [
        ("shell", "t", 3, True),
        ("read", "t", None, False),
    ]
    assert (calls[0].output, reads(found), found.answer.text) == ("1,2", ["a.csv", "sub/a.csv"], "5")


def test_a_cost_of_nothing_is_not_known(lines):
    usage = {"prompt_tokens": 100, "completion_tokens": 5}
    stats = {"usage_to_metrics": {"agent": {"accumulated_cost": 0.0, "accumulated_token_usage": usage}}}
    update = {"kind": "ConversationStateUpdateEvent", "key": "stats", "value": stats}
    assert parse(lines("x.jsonl", HEAD, message("agent", "5"), update))[0].logged_cost_usd is None


def test_what_sub_agents_did_in_folders_of_their_own_is_part_of_the_conversation(lines):
    def at(second, event):
        return {**event, "timestamp": f"2026-01-01T00:00:0{second}"}

    def keep(folder, *events):
        for number, event in enumerate(events):
            path = lines(f"{folder}/events/event-{number:05}-x.json", event)
        return path.parent

    task = at(1, action("t", "task", "r1", prompt="look"))
    main = keep("c", HEAD, task, at(4, observation("t", "done")), at(5, action("e", "finish", "r2", message="5")))
    inner = at(2, action("i", "terminal", "r9", command="cat /w/data/a.csv"))
    keep("c/subagents/1", HEAD, inner, at(3, action("f", "finish", "r8", message="inner")))
    assert list(IMPORTERS["openhands"].find(main.parent)) == [main]
    (found,) = parse(main)
    assert [step.calls[0].tool for step in found.steps] == ["task", "terminal", "finish", "finish"]
    assert (reads(found), found.answer.text) == (["a.csv"], "5")


def test_evaluations_of_the_sdk_tell_the_instance_the_model_and_the_tokens_around_the_events(lines):
    usage = {"prompt_tokens": 100, "completion_tokens": 5, "cache_read_tokens": 60}
    record = {
        "instance_id": 7,
        "instruction": "Count.",
        "history": [HEAD, action("a", "terminal", "r", command="ls"), observation("a", "x")],
        "metrics": {"accumulated_cost": 0.5, "accumulated_token_usage": usage},
        "metadata": {"llm": {"model": "openai/gpt-5"}},
    }
    stuck = {**record, "instance_id": "s-2", "error": "RuntimeError: it broke"}
    limit = {**record, "instance_id": True, "error": "Agent reached maximum iterations limit (100)"}
    found = parse(lines("output.jsonl", record, stuck, limit))
    assert [each.session for each in found] == ["7", "s-2", ""]
    assert [each.ending.kind for each in found] == ["broke", "broke", "limit"]
    assert (found[0].prompt, found[0].model, found[0].logged_cost_usd) == ("Count.", "openai/gpt-5", 0.5)
    assert found[0].usage == Usage(input_tokens=40, output_tokens=5, cache_read_tokens=60)
    assert found[1].ending.detail == "RuntimeError: it broke"
