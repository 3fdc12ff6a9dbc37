import pytest
from inspect_ai.log import read_eval_log

from benchwright.chat.scripted import ScriptedReply, register
from benchwright.errors import InputError
from benchwright.suite import Selection
from benchwright.trajectory import Answered, LimitHit

from .conftest import script, spec_for

pytestmark = pytest.mark.slow


def python(code, name="a.py"):
    return f'Thought: go\nAction: Python(file_path="{name}"):\n```python\n{code}\n```'


def played(run_suite, suite, lines, ids=("a",), **request):
    """Attempts at these tasks, each with what the model was shown and said; `lines` are what it says, by task."""
    if not isinstance(lines, str):
        parts = [(task, text) for task, texts in zip(ids, lines, strict=True) for text in texts]
        lines = script("da_agent", *(ScriptedReply(text=text, match=f"({task})") for task, text in parts))
    outcome = run_suite(suite, "da_agent", models=(lines,), selection=Selection(ids=ids), **request)
    (log,) = outcome.folder.logs.glob("*.eval")
    told = {sample.id: [message.text for message in sample.messages] for sample in read_eval_log(str(log)).samples}
    return [
        (attempt, told[attempt.task_id])
        for attempt in sorted(outcome.folder.attempts().values(), key=lambda one: one.task_id)
    ]


TERMINATE = 'Thought: done\nAction: Terminate(output="42")'
TABLES = """
import sqlite3, duckdb
with sqlite3.connect("a.sqlite") as one:
    one.execute("CREATE TABLE t (name TEXT, n INTEGER)")
    one.executemany("INSERT INTO t VALUES (?, ?)", [("x", 40), ("y", 2)])
duckdb.connect("b.db").execute("CREATE TABLE t AS SELECT 7 AS seven")
"""


def sql(path, command, output="direct"):
    return f'Thought: go\nAction: SQL(file_path="{path}", command="{command}", output="{output}")'


def test_every_action_does_what_it_says(suite, run_suite):
    lines = (
        'Thought: look\nAction: Bash(code="mkdir made && cd made && wc -l < /data/sales.csv")',
        python(TABLES),
        sql("a.sqlite", "SELECT SUM(n) AS total FROM t"),
        sql("b.db", "SELECT * FROM t", "seven.csv"),
        sql("a.sqlite", "SELECT * FROM t", "rows.parquet"),
        sql("a.sqlite", "SELECT * FROM t", "rows.xlsx"),
        sql("a.sqlite", "UPDATE t SET n = 0"),
        sql("a.sqlite", "SELECT absent"),
        sql("none.db", "SELECT 1"),
        sql("a.py", "SELECT 1"),
        sql("b.db", "SELECT COUNT(*) FROM 'rows.parquet'"),
        'Action: Bash(code="cat seven.csv; ls *.xlsx")',
        'Action: Bash(code="true")',
        python("pass", "/proc/none.py"),
        TERMINATE,
    )
    ((attempt, told),) = played(run_suite, suite, [lines])
    assert (attempt.ending, attempt.answer) == (Answered(), "42")
    assert (attempt.steps, attempt.successful_steps) == (15, 11)
    observed = [text.removeprefix("Observation: ") for text in told[3::2]]
    assert observed[:2] == ["3", "a.py executed successfully. No output."]
    assert observed[2] == "total\n42\n[1 rows]"
    assert observed[3] == "1 rows written to seven.csv"
    assert "no rows" in observed[6]
    assert "no such column" in observed[7]
    assert "no such database file" in observed[8]
    assert "neither" in observed[9]
    assert observed[10].splitlines()[1:] == ["2", "[1 rows]"]
    assert observed[11] == "seven\n7\nrows.xlsx"
    assert observed[12] == "Command executed successfully. No output."
    assert "cannot be written" in observed[13]


def test_the_model_sees_the_task_and_the_last_fifteen_steps_and_the_log_all_of_them(suite, run_suite):
    shown = []

    def talk(messages):
        shown.append([message.text for message in messages])
        number = len(shown)
        return ScriptedReply(text=TERMINATE if number == 20 else f'Action: Bash(code="echo step {number}")')

    register("window", talk)
    ((attempt, told),) = played(run_suite, suite, "scripted/window")
    assert attempt.steps == 20
    assert [len(messages) for messages in shown] == [2 + 2 * min(number, 15) for number in range(20)]
    assert all("What was sold in all (a)?" in messages[1] for messages in shown)
    assert shown[19][2] == 'Action: Bash(code="echo step 5")'
    assert sum(text.startswith("Observation: step") for text in told) == 19


def test_what_stops_an_attempt(suite, run_suite):
    again = 'Action: Bash(code="echo x >> made; cat made")'
    other = 'Action: Bash(code="true")'
    lines = (
        (again, again, again, TERMINATE),
        (again, again, other, again, again, TERMINATE),
        ("Well.", other, "Hm.", "Oh.", "Ah.", TERMINATE),
    )
    same, later, unread = played(run_suite, suite, lines, ("a", "b", "c"))
    assert same[0].ending == LimitHit(which="messages", detail="the same action three times in a row")
    assert (same[0].steps, same[0].successful_steps) == (3, 1)
    assert "not carried out again" in same[1][5]
    assert later[0].ending == Answered()
    assert later[1][9] == "Observation: x\nx"
    assert unread[0].ending == LimitHit(which="messages", detail="4 replies without an action that could be read")
    assert (unread[0].steps, unread[0].successful_steps) == (5, 1)


def test_what_is_too_long_is_cut_off(suite, run_suite):
    lines = (
        ('Action: Bash(code="sleep 600")', TERMINATE),
        (
            python("while True: pass"),
            'Action: Bash(code="cd /data && exit")',
            python("import os; print(os.getcwd())"),
            TERMINATE,
        ),
        (python("print('x' * 5000)"), TERMINATE),
    )
    slow, busy, long = played(run_suite, suite, lines, ("a", "b", "c"), limits={"step_seconds": 10})
    assert {attempt.ending for attempt, _ in (slow, busy, long)} == {Answered()}
    assert all("ended by the step limit" in told[3] for _, told in (slow, busy))
    assert (slow[0].successful_steps, busy[0].successful_steps) == (1, 3)
    assert busy[1][7] == "Observation: /workspace"  # where the shell begins anew
    assert long[1][3] == f"Observation: {'x' * 3000}\n[2000 more characters are not shown]"


FAULTY = (
    ('Action: Bash(code="echo $(echo 7)")', TERMINATE),
    ('Action: Bash(code="cd /data && ls")', 'Action: Bash(code="pwd")', TERMINATE),
    ('Action: Bash(code="echo venv")', TERMINATE),
)


@pytest.mark.parametrize(
    ("preset", "observed"),
    [
        ("", ("7", "sales.csv\nstaff.csv", "venv")),
        ("published", ("bash: ", "The folder is now /data", "Creating a Python")),
    ],
)
def test_faults_of_the_published_harness_come_with_a_preset(suite, run_suite, preset, observed):
    attempts = played(run_suite, suite, FAULTY, ("a", "b", "c"), preset=preset)
    for (_, told), expected in zip(attempts, observed, strict=True):
        assert told[3].removeprefix("Observation: ").startswith(expected)
    assert attempts[1][1][5] == "Observation: /data"


def test_a_preset_that_is_not_there_is_named(suite):
    with pytest.raises(InputError, match="no preset 'nonsense'"):
        spec_for(suite, "da_agent", models=(script("one", ScriptedReply(text=TERMINATE)),), preset="nonsense")
