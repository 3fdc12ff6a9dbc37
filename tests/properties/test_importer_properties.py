"""Whatever is done to a log, an importer never raises and keeps what was whole."""

import json
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.importers import IMPORTERS
from benchwright.importers.reads import evidence
from benchwright.reading.places import Places, Spot, normal
from benchwright.reading.shell import Shell
from benchwright.trajectory import Trajectory


def claude(n):
    yield {"type": "system", "subtype": "init", "session_id": "s", "cwd": "/w", "model": "claude-opus-4-5"}
    for i in range(n):
        use = {"type": "tool_use", "id": f"t{i}", "name": "Bash", "input": {"command": f"cat /data/{i}.csv"}}
        yield {"type": "assistant", "message": {"id": f"m{i}", "content": [use], "usage": {"input_tokens": 1}}}
        yield {
            "type": "user",
            "message": {"content": [{"type": "tool_result", "tool_use_id": f"t{i}", "content": "x"}]},
        }
    yield {"type": "result", "subtype": "success", "result": "5", "usage": {"input_tokens": n}, "total_cost_usd": 1.5}


def codex(n):
    yield {"type": "thread.started", "thread_id": "s"}
    for i in range(n):
        item = {"id": f"t{i}", "type": "command_execution", "command": f"bash -lc 'cat /data/{i}.csv'", "exit_code": 0}
        yield {"type": "item.completed", "item": item}
    yield {"type": "turn.completed", "usage": {"input_tokens": 10, "cached_input_tokens": 5, "output_tokens": n}}


def rollout(n):
    yield {"type": "session_meta", "payload": {"id": "s", "cwd": "/w"}}
    for i in range(n):
        given = json.dumps({"command": ["bash", "-lc", f"cat /data/{i}.csv"]})
        call = {"type": "function_call", "name": "shell", "call_id": f"t{i}", "arguments": given}
        yield {"type": "response_item", "payload": call}
        yield {"type": "response_item", "payload": {"type": "function_call_output", "call_id": f"t{i}", "output": "x"}}


def openhands(n):
    yield {"kind": "SystemPromptEvent", "system_prompt": {"text": "x"}}
    for i in range(n):
        action = {"command": f"cat /data/{i}.csv", "kind": "TerminalAction"}
        about = {"tool_name": "terminal", "tool_call_id": f"t{i}", "llm_response_id": f"r{i}"}
        yield {"kind": "ActionEvent", "id": f"a{i}", "action": action, **about}
        yield {
            "kind": "ObservationEvent",
            "action_id": f"a{i}",
            "observation": {"content": [{"text": "x"}], "exit_code": 0},
        }


def early(n):
    for i in range(n):
        yield {"id": 2 * i, "source": "agent", "action": "run", "args": {"command": f"cat /data/{i}.csv"}}
        yield {"id": 2 * i + 1, "observation": "run", "cause": 2 * i, "content": "x", "extras": {"exit_code": 0}}


def mini(n):
    for i in range(n):
        yield {"role": "assistant", "content": f"```bash\ncat /data/{i}.csv\n```"}
        yield {"role": "user", "content": "<returncode>0</returncode>\n<output>\nx\n</output>"}


def smol(n):
    yield {"task": "Count."}
    for i in range(n):
        yield {"step_number": i, "code_action": f"open('/data/{i}.csv').read()", "observations": "x", "token_usage": {}}


LOGS = {
    "claude_code": claude,
    "codex": codex,
    "codex rollout": rollout,
    "openhands": openhands,
    "openhands early": early,
    "mini_swe_agent": mini,
    "smolagents": smol,
}
NAMES = st.sampled_from(sorted(LOGS))


def parse(name, data):
    importer = IMPORTERS[name.split()[0]]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log.jsonl")
        path.write_bytes(data)
        found = importer.parse(path)
    for trajectory in found:
        places = Places({"r": None}, {"/data": "r"})
        holds(trajectory, evidence(trajectory, places, ["result.txt"], keeps_folder=importer.keeps_folder).accesses)
    return found


def calls_of(trajectory):
    return [call for step in trajectory.steps for call in step.calls]


def commands(found):
    return [call.text for trajectory in found for call in calls_of(trajectory)]


def holds(trajectory, accesses):
    """What is true of an attempt whatever its log holds."""
    assert Trajectory.model_validate_json(trajectory.model_dump_json()) == trajectory
    assert [step.index for step in trajectory.steps] == list(range(1, len(trajectory.steps) + 1))
    ids = [call.id for call in calls_of(trajectory)]
    assert len(ids) == len(set(ids))
    used = [trajectory.usage, *trajectory.models.values(), *(step.usage for step in trajectory.steps if step.usage)]
    assert all(count >= 0 for usage in used for _, count in usage if count is not None)
    assert trajectory.started is None or trajectory.started <= trajectory.ended
    assert trajectory.ending is not None
    assert accesses.kind == ("estimated" if ids else "not_measured")
    for file in accesses.files if ids else ():
        assert (file.room, file.path.startswith("/"), ".." in file.path.split("/")) == ("r", False, False)
        assert 1 <= file.step <= len(trajectory.steps)


def log_of(name, n=4):
    return "".join(f"{json.dumps(value)}\n" for value in LOGS[name](n)).encode()


@pytest.mark.parametrize("name", sorted(LOGS))
def test_the_logs_of_these_tests_are_read(name):
    found = commands(parse(name, log_of(name)))
    assert len(found) == 4
    assert "/data/3.csv" in found[3]


@given(NAMES, st.data())
@settings(max_examples=60)
def test_a_log_that_is_cut_anywhere_keeps_every_call_whose_line_is_whole(name, data):
    whole = log_of(name)
    cut = data.draw(st.integers(0, len(whole)))
    kept = commands(parse(name, whole[:cut]))
    assert kept == commands(parse(name, whole))[: len(kept)]
    lines_whole = whole[:cut].count(b"\n")
    calls_whole = sum(b"/data/" in line for line in whole.split(b"\n")[:lines_whole])
    assert len(kept) >= calls_whole


@given(NAMES, st.integers(0, 2**32), st.integers(1, 40))
@settings(max_examples=60)
def test_bytes_changed_anywhere_leave_what_is_true_of_every_attempt(name, seed, times):
    dice, changed = random.Random(seed), bytearray(log_of(name))
    for _ in range(times):
        place = dice.randrange(len(changed))
        if dice.random() < 0.5:
            changed[place] = dice.randrange(256)
        else:
            del changed[place]
        if dice.random() < 0.3:
            changed[place:place] = dice.choice(
                (b'"', b"{", b"}", b"[", b"]", b",", b"\\", b"\n", b"\x00", b"\\ud800", b"1e999")
            )
    found = parse(name, bytes(changed))
    assert len(commands(found)) <= 4 + times  # a line that is cut in two may be two


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def altered(value, dice, replacement):
    """The value with one part of it, anywhere, replaced."""
    if isinstance(value, dict) and value and dice.random() < 0.8:
        key = dice.choice(sorted(value))
        return {**value, key: altered(value[key], dice, replacement)}
    if isinstance(value, list) and value and dice.random() < 0.8:
        place = dice.randrange(len(value))
        return [*value[:place], altered(value[place], dice, replacement), *value[place + 1 :]]
    return replacement


@given(NAMES, st.integers(0, 2**32), st.lists(JSON, min_size=1, max_size=5))
@settings(max_examples=120)
def test_values_of_any_kind_anywhere_leave_what_is_true_of_every_attempt(name, seed, replacements):
    dice, values = random.Random(seed), list(LOGS[name](3))
    for replacement in replacements:
        place = dice.randrange(len(values))
        values[place] = altered(values[place], dice, replacement)
    found = parse(name, "".join(f"{json.dumps(value)}\n" for value in values).encode("utf-8", errors="replace"))
    untouched = set(commands(parse(name, log_of(name, 3))))
    assert len(untouched - set(commands(found))) <= len(replacements)


@given(st.text(alphabet="ab/. $(){}[]'\"`\\|&;<>\n#*?=-~!EOF", max_size=60))
@settings(max_examples=150)
def test_any_command_line_opens_only_files_of_the_room(command):
    shell = Shell(Places({"r": frozenset({"a/b.csv"})}, {"/data": "r"}), "/w", "/w")
    doings = shell.run(command)
    assert {opened.spot for opened in doings.opened} <= {Spot("r", "a/b.csv")}
    assert (shell.depth, doings.unresolved >= 0, shell.cwd == normal(shell.cwd)) == (0, True, True)


@given(
    st.lists(
        st.sampled_from(
            "for f in $f do done if then fi while ( ) { } | && ; > < << cat a.csv cd $(ls) EOF \n 'x' \"$a\"".split(" ")
        ),
        max_size=25,
    )
)
@settings(max_examples=100)
def test_any_words_of_the_shell_in_any_order_open_only_what_they_name(words):
    shell = Shell(Places({"r": None}, {"/data": "r"}), "/data", "/data")
    opened = shell.run(" ".join(words)).opened
    assert all(one.spot.room == "r" and one.spot.path.rsplit("/", 1)[-1] == "a.csv" for one in opened)
    assert not opened or "a.csv" in words
    assert shell.depth == 0
