import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from benchwright.chat.asking import Ledger, Limits, Question, Spent, ask_all
from benchwright.chat.asking.asking import schema_of
from benchwright.chat.base import Message
from benchwright.chat.scripted import ScriptedChat, ScriptedReply
from benchwright.errors import Broken, InputError
from benchwright.files import Record
from benchwright.trajectory import Usage


class Word(Record):
    title: str


class Words(Record):
    words: tuple[Word, ...]


class Asked:
    """A scripted model that counts how often it was asked."""

    def __init__(self, script):
        self.calls = 0
        self._script = script

    def model(self):
        def script(messages):
            self.calls += 1
            return self._script(messages)

        return ScriptedChat(script)


def question(key, **more):
    return Question(key, (Message("user", f"say {key}"),), Word, **more)


def echo(messages):
    return ScriptedReply(text=json.dumps({"title": messages[0].text.removeprefix("say ")}))


USUAL = Limits()


def ask(path, model, questions, limits=USUAL, told=lambda _: None):
    with Ledger.open(path) as ledger:
        return asyncio.run(ask_all(model, "words", questions, ledger, limits, told))


def test_every_question_is_answered_in_order_and_asked_once(tmp_path):
    asked = Asked(echo)
    questions = [question(f"k{n}") for n in range(30)]
    first = ask(tmp_path / "l", asked.model(), questions)
    assert list(first) == [each.key for each in questions]
    assert [found.read(Word).title for found in first.values()] == list(first)
    again = ask(tmp_path / "l", asked.model(), questions)
    assert asked.calls == 30
    assert {key: found.value for key, found in again.items()} == {key: found.value for key, found in first.items()}
    assert not any(found.asked_now for found in again.values())


def test_a_question_that_changed_is_asked_again(tmp_path):
    asked = Asked(echo)
    ask(tmp_path / "l", asked.model(), [question("a")])
    ask(tmp_path / "l", asked.model(), [question("a", rule="stricter")])
    assert asked.calls == 2


def test_a_complaint_is_fed_back_and_the_tokens_of_rejected_replies_count(tmp_path):
    seen = []

    def script(messages):
        seen.append([message.text for message in messages])
        return ScriptedReply(text='{"title": "good"}' if len(messages) > 1 else '{"title": "bad"}')

    found = ask(tmp_path / "l", ScriptedChat(script), [question("a", check=lambda w: "too bad" * (w.title == "bad"))])
    assert found["a"].value == {"title": "good"}
    assert (found["a"].attempts, found["a"].usage.input_tokens) == (2, 200)
    assert "too bad" in seen[1][-1]


def test_a_question_that_fails_is_kept_with_its_reason_and_asked_again_by_the_next_run(tmp_path):
    failed = ask(tmp_path / "l", ScriptedChat(lambda _: ScriptedReply(text="no")), [question("a"), question("b")])
    assert {found.status for found in failed.values()} == {"failed"}
    assert failed["a"].reason == "the reply holds no JSON object"
    found = ask(tmp_path / "l", ScriptedChat(echo), [question("a"), question("b")])
    assert (found["a"].status, found["a"].attempts, found["a"].usage.input_tokens) == ("done", 4, 400)


def test_a_reply_of_another_form_says_what_is_wrong(tmp_path):
    found = ask(tmp_path / "l", ScriptedChat(lambda _: ScriptedReply(text='{"name": 1}')), [question("a")])
    assert "title: Field required" in found["a"].reason


def test_a_budget_of_tokens_stops_and_a_larger_one_goes_on(tmp_path):
    asked = Asked(echo)
    questions = [question(f"k{n}") for n in range(10)]
    with pytest.raises(Spent, match="budget"):
        ask(tmp_path / "l", asked.model(), questions, Limits(at_once=1, tokens=360))
    assert asked.calls == 3
    with pytest.raises(Spent, match="budget"):  # what was used before counts
        ask(tmp_path / "l", asked.model(), questions, Limits(at_once=1, tokens=360))
    assert asked.calls == 3
    assert len(ask(tmp_path / "l", asked.model(), questions, Limits(tokens=10_000))) == 10
    assert asked.calls == 10


def test_a_budget_in_dollars_holds_where_costs_are_known_and_is_refused_where_not(tmp_path):
    def paid(messages):
        reply = echo(messages)
        return reply.model_copy(update={"usage": Usage(input_tokens=1, cost_usd=0.5)})

    questions = [question(f"k{n}") for n in range(10)]
    with pytest.raises(Spent, match="dollars"):
        ask(tmp_path / "l", ScriptedChat(paid), questions, Limits(at_once=1, usd=1.0))
    with pytest.raises(InputError, match="cannot be kept"):
        ask(tmp_path / "m", ScriptedChat(echo), questions, Limits(at_once=1, usd=1.0))


def test_a_model_that_is_down_ends_the_work_and_not_every_question(tmp_path):
    asked = Asked(lambda _: ScriptedReply(error="connection refused"))
    questions = [question(f"k{n}") for n in range(500)]
    with pytest.raises(Broken, match="20 times in a row"):
        ask(tmp_path / "l", asked.model(), questions)
    assert asked.calls < 40
    assert len(ask(tmp_path / "l", ScriptedChat(echo), questions)) == 500


def test_no_more_calls_are_in_flight_than_allowed(tmp_path):
    flying, most = 0, 0

    class Slow:
        name = "slow"

        async def reply(self, messages, schema=None):
            nonlocal flying, most
            flying += 1
            most = max(most, flying)
            await asyncio.sleep(0.001)
            flying -= 1
            return await ScriptedChat(echo).reply(messages)

    ask(tmp_path / "l", Slow(), [question(f"k{n}") for n in range(20)], Limits(at_once=3))
    assert most == 3


def test_a_key_twice_and_a_file_that_is_no_ledger_are_refused(tmp_path):
    with pytest.raises(InputError, match="twice"):
        ask(tmp_path / "l", ScriptedChat(echo), [question("a"), question("a")])
    (tmp_path / "text").write_text("not a database at all, but text " * 100)
    with pytest.raises(InputError, match="cannot be used"):
        ask(tmp_path / "text", ScriptedChat(echo), [])


def test_a_second_process_is_refused_while_one_works(tmp_path):
    code = f"from pathlib import Path\nfrom benchwright.chat.asking import Ledger\nwith Ledger.open(Path({str(tmp_path / 'l')!r})): pass"
    with Ledger.open(tmp_path / "l"):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "cannot be used" in done.stderr
    subprocess.run([sys.executable, "-c", code], check=True)


KILLED = """
import asyncio, json, os, signal, sys
from pathlib import Path
sys.path.insert(0, {here!r})
from test_asking import ask, echo, question
from benchwright.chat.scripted import ScriptedChat
calls = 0
def script(messages):
    global calls
    calls += 1
    if calls == {after}:
        os.kill(os.getpid(), signal.SIGKILL)
    return echo(messages)
ask(Path({path!r}), ScriptedChat(script), [question(f"k{{n}}") for n in range(10)])
"""


def test_what_was_answered_before_a_kill_is_not_asked_again(tmp_path):
    code = KILLED.format(here=os.path.dirname(__file__), after=7, path=str(tmp_path / "l"))
    killed = subprocess.run([sys.executable, "-c", code], check=False)
    assert killed.returncode == -signal.SIGKILL
    asked = Asked(echo)
    assert len(ask(tmp_path / "l", asked.model(), [question(f"k{n}") for n in range(10)])) == 10
    assert asked.calls <= 10 - 6 + 1


def test_half_a_surrogate_pair_in_a_reply_is_kept(tmp_path):
    model = ScriptedChat(lambda _: ScriptedReply(text='{"title": "\\ud800"}'))
    found = ask(tmp_path / "l", model, [question("a")])
    assert found["a"].status in ("done", "failed")
    assert sqlite3.connect(tmp_path / "l").execute("SELECT count(*) FROM answers").fetchone() == (1,)


def test_a_schema_has_no_references_and_keeps_a_field_called_title():
    schema = schema_of(Words)
    assert "$ref" not in json.dumps(schema)
    assert schema["properties"]["words"]["items"]["properties"] == {"title": {"type": "string"}}
