"""Logs whose authors would like the importer to take for ever, or all memory; each test takes a second or so."""

import re
import time

import pytest

from benchwright.importers import IMPORTERS, base
from benchwright.importers.reads import evidence
from benchwright.reading.places import Places

ROOM = frozenset(f"d{n}/source/f{m}.csv" for n in range(100) for m in range(20))


def followed(kind, path):
    (trajectory,) = IMPORTERS[kind].parse(path)
    places = Places({"r": ROOM}, {"/data": "r"})
    return trajectory, evidence(trajectory, places, ["result.txt"], keeps_folder=IMPORTERS[kind].keeps_folder)


def calls(number, command, output="x"):
    for n in range(number):
        use = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": command}}
        yield {"type": "assistant", "message": {"id": f"m{n}", "content": [use]}}
        yield {
            "type": "user",
            "message": {"content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": output}]},
        }


def command(code):
    return {"type": "item.completed", "item": {"id": "1", "type": "command_execution", "command": code}}


LONG_TEXTS = {
    "reminders": ("claude_code", 50_000, lambda n: calls(3, "ls", "<system-reminder>" * n)),
    "a link": ("claude_code", 200_000, lambda n: calls(3, "ls", "lrwxrwxrwx 1 " + "a " * n)),
    "missing files": ("claude_code", 50_000, lambda n: calls(3, "cat /data/d1/source/f1.csv", "No such file " * n)),
    "patterns": ("claude_code", 152, lambda n: calls(n, "cat /data/*/*/*.csv")),
    "stars": ("claude_code", 200, lambda n: calls(n, "cat /data/*a*b*c*d*e*f*g*h*/x")),
    "opened tags": ("mini_swe_agent", 50_000, lambda n: [{"role": "assistant", "content": "<mswea_bash_command>" * n}]),
    "opened outputs": (
        "mini_swe_agent",
        100_000,
        lambda n: [{"role": "assistant", "content": "```bash\nls\n```"}, {"role": "user", "content": "<output>" * n}],
    ),
    "empty lines": (
        "smolagents",
        150_000,
        lambda n: [{"task": "x"}, {"step_number": 1, "code_action": "\n" * n, "observations": "x"}],
    ),
    "quotes": ("codex", 100_000, lambda n: [command("'" * n)]),
}


def seconds_of(work):
    began = time.process_time()
    work()
    return time.process_time() - began


def grows_like_its_length(work, length, tries=5):
    """Whether eight times the length takes about eight times as long: a square takes 64 times, at every try.

    One try says little on a busy machine, where a collection of garbage may fall into either.
    """
    tried = ((seconds_of(lambda: work(length // 8)), seconds_of(lambda: work(length))) for _ in range(tries))
    return any(long < 20 * short + 0.1 for short, long in tried)


def test_the_measure_of_these_tests_sees_a_square():
    assert not grows_like_its_length(lambda n: re.findall("<x>.*?</x>", "<x>" * n), 6_000)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("name", LONG_TEXTS)
def test_no_text_takes_the_square_of_its_length(lines, name):
    kind, length, values = LONG_TEXTS[name]
    logs = {n: lines(f"{n}.jsonl", *values(n)) for n in (length // 8, length)}
    found = []
    assert grows_like_its_length(lambda n: found.append(followed(kind, logs[n])[0]), length)
    outputs = [call.output for step in found[-1].steps for call in step.calls]
    assert all(len(output) < base.LONGEST_OUTPUT + 100 for output in outputs)


def test_patterns_over_a_large_room_are_counted_and_then_not_followed(lines):
    _, few = followed("claude_code", lines("few.jsonl", *calls(1, "cat /data/*/*/*.csv")))
    _, many = followed(
        "claude_code", lines("many.jsonl", *calls(150, "cat /data/*/*/*.csv"), *calls(1, "head /data/d1/source/f1.csv"))
    )
    assert len(few.accesses.files) == len(many.accesses.files) == 2000


def test_an_output_is_kept_up_to_a_bound_and_marked(lines, monkeypatch):
    log = lines("log.jsonl", *calls(1, "ls", "a" * 5000 + "z" * 5000))
    assert len(followed("claude_code", log)[0].steps[0].calls[0].output) == 10_000  # without the bound it is whole
    monkeypatch.setattr(base, "LONGEST_OUTPUT", 1000)
    (call,) = followed("claude_code", log)[0].steps[0].calls
    assert (call.truncated, call.output[:2], call.output[-2:], len(call.output) < 1100) == (True, "aa", "zz", True)


def test_steps_beyond_a_bound_are_left_out_and_that_is_said(lines, monkeypatch):
    monkeypatch.setattr(base, "MOST_STEPS", 5)
    trajectory, _ = followed("claude_code", lines("log.jsonl", *calls(8, "ls")))
    assert len(trajectory.steps) == 5
    assert any("more than 5 steps" in note for note in trajectory.notes)


def test_text_of_an_attempt_beyond_a_bound_is_left_out(lines, monkeypatch):
    monkeypatch.setattr(base, "MOST_TEXT", 1000)
    trajectory, _ = followed("claude_code", lines("log.jsonl", *calls(5, "ls", "x" * 400)))
    assert sum(len(call.output) for step in trajectory.steps for call in step.calls) < 1500
    assert trajectory.steps[-1].calls[0].truncated


def test_code_in_a_log_is_never_run(lines, tmp_path):
    mark = tmp_path / "mark"
    code = f"import os; os.system('touch {mark}'); open('{mark}', 'w')"
    followed("claude_code", lines("a.jsonl", *calls(1, f'python3 -c "{code}"; touch {mark}; $(touch {mark})')))
    followed(
        "smolagents", lines("b.jsonl", {"task": "x"}, {"step_number": 1, "code_action": code, "observations": "x"})
    )
    assert not mark.exists()


def test_changes_of_a_long_text_are_counted_and_then_not_followed(lines):
    def edits(number):
        def use(identity, name, **given):
            call = {"type": "tool_use", "id": identity, "name": name, "input": {"file_path": "/w/result.txt", **given}}
            return {"type": "assistant", "message": {"id": identity, "content": [call]}}

        yield use("t", "Write", content="5" + " " * 1_000_000)
        yield from (use(f"t{n}", "Edit", old_string="5", new_string="5") for n in range(number))

    began = time.process_time()
    (few, many) = (followed("claude_code", lines(f"{n}.jsonl", *edits(n)))[1].answer for n in (10, 2000))
    assert (few.text.strip(), many) == ("5", None)
    assert time.process_time() - began < 20
