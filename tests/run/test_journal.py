import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import Fault
from benchwright.run import Attempt, Spend
from benchwright.run.journal import Journal
from benchwright.run.tables import read_attempt_table, write_attempt_table
from benchwright.trajectory import Answered, Broke, FileAccess, LimitHit, Measured, Usage


def attempt(task_id, **values) -> Attempt:
    return Attempt(**{"cell": "c", "task_id": task_id, "uuid": f"u-{task_id}", "ending": Answered(), **values})


def filled(path, count=6) -> Journal:
    """A session, and for each attempt one paid call and its record."""
    journal = Journal(path)
    journal.append("session", number=1)
    for number in range(count):
        journal.append("usage", model="m", tokens=10, usd=0.5, sample=f"u-t{number}")
        usage = Usage(input_tokens=6, output_tokens=4, cost_usd=0.5)
        journal.append("attempt", attempt=attempt(f"t{number}", answer=str(number), usage=usage).to_json())
    return journal


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32), kind=st.sampled_from(["cut", "flip", "zeros", "hole", "insert", "digit"]))
def test_a_damaged_journal_gives_true_records_and_names_the_damaged_lines(tmp_path_factory, seed, kind):
    journal = filled(tmp_path_factory.mktemp("journal") / "events.jsonl")
    true, whole = journal.attempts(), journal.path.read_bytes()
    draw = random.Random(seed)
    journal.path.write_bytes(damaged(whole, kind, draw))
    left = journal.attempts()
    assert all(true[key] == left[key] for key in left)
    assert len(left) >= len(true) - 2
    assert journal.path.read_bytes() == whole or len(left) == len(true) or kind == "cut" or journal.damage()
    assert 0 <= journal.spend().usd <= 3.0
    journal.append("attempt", attempt=attempt("later").to_json())
    assert {key.task_id for key in journal.attempts()} == {key.task_id for key in left} | {"later"}


def damaged(whole: bytes, kind: str, draw: random.Random) -> bytes:
    at = draw.randrange(len(whole))
    width = draw.randrange(1, 40)
    if kind == "cut":
        return whole[: -draw.randrange(1, min(200, len(whole)))]
    if kind == "digit":
        digits = [place for place in range(len(whole)) if whole[place : place + 1].isdigit()]
        at = draw.choice(digits)
        return whole[:at] + (b"7" if whole[at : at + 1] != b"7" else b"3") + whole[at + 1 :]
    middle = {
        "flip": bytes([whole[at] ^ (1 << draw.randrange(8))]),
        "zeros": bytes(len(whole[at : at + width])),
        "hole": b"",
        "insert": draw.randbytes(width) + whole[at : at + 1],
    }[kind]
    taken = width if kind in ("zeros", "hole") else 1
    return whole[:at] + middle + whole[at + taken :]


def test_a_changed_digit_is_damage_though_the_line_is_still_json(tmp_path):
    journal = filled(tmp_path / "events.jsonl", 2)
    text = journal.path.read_text()
    journal.path.write_text(text.replace('"answer":"1"', '"answer":"9"'))
    assert [found.answer for found in journal.attempts().values()] == ["0"]
    assert [part.line for part in journal.damage()] == [5]


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        "7",
        "null",
        '{"event":"attempt"}',
        '{"event":"usage","at":NaN,"tokens":1}',
        '{"event":"usage","at":true}',
        '{"event":3,"at":1.0}',
        '{"event":"attempt","at":1.0}',
        '{"event":"attempt","at":1.0,"attempt":{"task_id":"x"}}',
        '{"event":"usage","at":1.0,"tokens":-5,"usd":-1.0}',
        '{"event":"usage","at":1.0,"tokens":"many"}',
        '{"event":"usage","at":1.0,"tokens":5,"usd":Infinity}',
        '{"event":"session","at":1e999}',
        "{" * 100_000,
        "\x00\x00\x00",
    ],
)
def test_lines_that_no_journal_writes_count_for_nothing_and_are_named(tmp_path, line):
    path = tmp_path / "events.jsonl"
    path.write_text(line + "\n")
    journal = Journal(path)
    assert len(journal.damage()) == 1
    assert (journal.attempts(), journal.spend()) == ({}, Spend())
    filled(path)
    assert len(journal.attempts()) == 6


def test_journals_from_before_the_seal_are_read_and_bare_lines_after_it_are_not(tmp_path):
    path = tmp_path / "events.jsonl"
    old, new = attempt("old").to_json(), attempt("forged").to_json()
    path.write_text(json.dumps({"event": "attempt", "at": 1.0, "attempt": old}) + "\n")
    journal = Journal(path)
    journal.append("attempt", attempt=attempt("t").to_json())
    with path.open("a") as stream:
        stream.write(json.dumps({"event": "attempt", "at": 3.0, "attempt": new}) + "\n")
    assert {key.task_id for key in journal.attempts()} == {"old", "t"}
    assert [part.line for part in journal.damage()] == [3]


def test_money_of_lost_lines_is_counted_by_the_attempts_record_and_none_twice(tmp_path):
    journal = filled(tmp_path / "events.jsonl", 3)
    assert journal.spend().usd == 1.5
    lines = journal.path.read_text().splitlines(keepends=True)
    journal.path.write_text("".join(line for line in lines if '"usage","model"' not in line))
    assert (journal.spend().usd, journal.spend().tokens) == (1.5, 30)


def test_calls_that_did_not_say_their_tokens_are_counted_and_are_not_free(tmp_path):
    journal = filled(tmp_path / "events.jsonl", 1)
    journal.append("usage", model="m", tokens=None, usd=None, sample="u-x")
    assert (journal.spend().uncounted, journal.spend().tokens) == (1, 10)
    journal.append("attempt", attempt=attempt("y", usage=Usage(uncounted_calls=2)).to_json())
    assert journal.spend().uncounted == 3


def test_mending_a_folder_is_not_time_spent(tmp_path):
    path = tmp_path / "events.jsonl"
    lines = [("session", 100.0, {}), ("usage", 130.0, {}), ("set_aside", 9000.0, {"restored_from": "logs/x.eval"})]
    path.write_text("".join(json.dumps({"event": kind, "at": at, **more}) + "\n" for kind, at, more in lines))
    assert Journal(path).spend().seconds == 30.0


ATTEMPTS = (
    attempt("a", answer="4\ud7ff", usage=Usage(input_tokens=3, cache_write_tokens=2, cost_usd=2.0), wall_seconds=1.0),
    attempt("b", ending=LimitHit(which="wall", detail="1800 s"), accesses=Measured(tracer="strace", room_files=3)),
    attempt("c", ending=Broke(fault=Fault.AGENT, detail="no"), error="trace", isolation={"level": "namespace"}),
    attempt("d", accesses=Measured(tracer="fanotify", files=(FileAccess(path="x.csv", step=1),)), model="m"),
    attempt("e", epoch=3, usage=Usage(uncounted_calls=2, reasoning_tokens=7), working_seconds=0.1),
)


def test_attempts_read_back_equal_from_their_table(tmp_path):
    write_attempt_table(tmp_path / "attempts.parquet", ATTEMPTS, ())
    assert read_attempt_table(tmp_path / "attempts.parquet") == ATTEMPTS


def test_a_damaged_table_of_attempts_is_refused_or_unchanged(tmp_path):
    from benchwright.errors import InputError

    path = tmp_path / "attempts.parquet"
    write_attempt_table(path, ATTEMPTS, ())
    whole, draw, refused = path.read_bytes(), random.Random(3), 0
    for turn in range(120):
        path.write_bytes(damaged(whole, ("cut", "flip", "zeros", "hole", "insert")[turn % 5], draw))
        try:
            assert read_attempt_table(path) == ATTEMPTS
        except InputError:
            refused += 1
    assert refused > 60
