"""What holds for every text and every database: range, repetition, identity, what does not count, and that errors never help."""

import json
import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.gold import Check, Gold
from benchwright.scorers.base import Expected
from benchwright.scorers.database import DatabaseScorer
from benchwright.scorers.text import TextScorer
from benchwright.task import Task
from benchwright.trajectory import Submission

PATIENT = settings(deadline=None, max_examples=40)
WORDS = st.lists(st.sampled_from(["Rate", "of", "café", "12.5", "7%", "not", "higher", "1,234", "–", "n"]), max_size=8)
CELLS = st.one_of(st.none(), st.integers(-9, 9), st.text("ab é", max_size=3), st.sampled_from([0.5, 1e300, -2.25]))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("place")


def value(place, scorer, gold, found, **options):
    """What the file `found` is worth against the file `gold`, both of bytes."""
    (place / "gold").mkdir(exist_ok=True)
    (place / "gold" / "g").write_bytes(gold)
    (place / "out").write_bytes(found)
    check = Check(scorer=scorer.name, output="out", golds=("g",), options=options)
    expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), check, place / "gold")
    scores = [scorer.score(Submission(files={"out": place / "out"}), expected) for _ in range(2)]
    assert scores[0] == scores[1]
    assert 0 <= scores[0].value <= 1
    return scores[0].value


@PATIENT
@given(WORDS, st.binary(max_size=30), st.sampled_from(["exact", "fuzzy"]))
def test_any_bytes_have_a_value_against_any_text_and_the_same_one_again(place, words, found, mode):
    assert value(place, TextScorer(), " ".join(words).encode(), found, mode=mode) in {0.0, 1.0}


@PATIENT
@given(
    WORDS,
    st.sampled_from([" ", "\n", "\r\n\t", "  "]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.sampled_from([str, str.upper, str.lower]),
    st.sampled_from(["exact", "fuzzy"]),
)
def test_a_text_is_right_for_itself_whatever_its_gaps_case_and_encoding(place, words, gap, encoding, case, mode):
    found = case(gap.join(words) + gap).encode(encoding)
    assert value(place, TextScorer(), " ".join(words).encode(), found, mode=mode) == 1.0


@PATIENT
@given(WORDS, st.integers(0, 8), st.sampled_from(["12.6", "not", "8%", "0"]), st.sampled_from(["exact", "fuzzy"]))
def test_another_number_or_a_denial_more_is_wrong_wherever_it_stands(place, words, spot, more, mode):
    found = [*words[:spot], more, *words[spot:]]
    assert value(place, TextScorer(), " ".join(words).encode(), " ".join(found).encode(), mode=mode) == 0.0


@PATIENT
@given(WORDS, st.lists(st.sampled_from(["x", "0", "word"]), min_size=1, max_size=4))
def test_a_text_that_is_wrong_stays_wrong_with_more_that_is_wrong(place, words, more):
    text, found = " ".join(words), list(words)
    for each in more:
        found.append(each)
        assert value(place, TextScorer(), text.encode(), " ".join(found).encode()) == 0.0


def database(place, tables):
    """A database file of tables with the columns k, v and w."""
    path = place / "made"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    for name, rows in tables.items():
        connection.execute(f"CREATE TABLE {name} (k TEXT, v, w)")
        connection.executemany(
            f"INSERT INTO {name} VALUES (?, ?, ?)", [(f"key {n}", *row) for n, row in enumerate(rows)]
        )
    connection.commit()
    connection.close()
    return path.read_bytes()


ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5)
CREDITS = st.sampled_from(["all", "cells", "columns"])


@settings(PATIENT, max_examples=20)
@given(ROWS, ROWS, CREDITS)
def test_any_database_has_a_value_against_another_and_is_right_for_itself(place, gold, found, credit):
    one, other = database(place, {"t": gold, "s": found}), database(place, {"t": found})
    value(place, DatabaseScorer(), one, other, credit=credit)
    assert value(place, DatabaseScorer(), one, one, credit=credit) == 1.0


@PATIENT
@given(ROWS, st.permutations(range(5)), CREDITS)
def test_the_order_of_rows_and_tables_and_tables_besides_do_not_count(place, rows, order, credit):
    gold = database(place, {"t": rows, "s": rows[:1]})
    connection = sqlite3.connect(":memory:")
    connection.deserialize(gold)
    connection.executescript("CREATE TABLE more (x); CREATE TABLE moved AS SELECT * FROM t; DROP TABLE t")
    connection.execute("CREATE TABLE T (w, v, k)")
    kept = connection.execute("SELECT w, v, k FROM moved").fetchall()
    connection.executemany("INSERT INTO T VALUES (?, ?, ?)", [kept[n] for n in order if n < len(kept)])
    connection.commit()
    assert value(place, DatabaseScorer(), gold, bytes(connection.serialize()), credit=credit) == 1.0
    connection.close()


@settings(PATIENT, max_examples=12)
@given(ROWS, st.randoms(use_true_random=False), CREDITS)
def test_each_further_wrong_cell_lost_row_or_lost_table_never_helps(place, rows, chance, credit):
    gold, before = database(place, {"t": rows, "s": rows}), 1.0
    spots = [(row, column) for row in range(len(rows)) for column in (0, 1)]
    chance.shuffle(spots)
    found = [list(row) for row in rows]
    for row, column in spots[:3]:
        found[row][column] = json.dumps(["wrong", row, column])
        now = value(place, DatabaseScorer(), gold, database(place, {"t": found, "s": rows}), credit=credit, key=["k"])
        assert now <= before + 1e-12
        before = now
    for tables in ({"t": found[:-1], "s": rows}, {"t": found[:-1]}, {}):
        now = value(place, DatabaseScorer(), gold, database(place, tables), credit=credit, key=["k"])
        assert now <= before + 1e-12
        before = now
    assert before == 0.0
