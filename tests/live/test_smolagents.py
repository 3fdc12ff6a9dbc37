import contextlib
import os
import threading
import time
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from benchwright.chat.scripted import ScriptedReply, register
from benchwright.errors import InputError
from benchwright.suite import RoomInfo, Selection, Suite, SuiteInfo
from benchwright.task import DataMount, Task
from benchwright.trajectory import Answered, Broke, LimitHit

from .conftest import script, spec_for

pytest.importorskip("smolagents", reason="needs the extra smolagents")

from benchwright.live.agents.smolagents import PRESETS
from benchwright.live.agents.smolagents_library import readable, refuse_imports

pytestmark = pytest.mark.slow


def code(text, thought="go"):
    return ScriptedReply(text=f"Thought: {thought}\n<code>\n{text}\n</code>")


PLAN = ScriptedReply(text="1. look 2. answer<end_plan>")
DSBC = "dsbc-8"  # without plans, so that a script is a reply a step


@pytest.fixture
def suite(tmp_path):
    """Three tasks over one file, as DSBC's are; the answer to each is 42."""
    room = tmp_path / "suite" / "data" / "shop"
    room.mkdir(parents=True)
    (room / "sales.csv").write_text("month,amount\njan,10\nfeb,32\n")
    tasks = [
        Task(
            id=name, question=f"What was sold in all ({name})?", guidelines="an integer", data=(DataMount(room="shop"),)
        )
        for name in ("a", "b", "c")
    ]
    return Suite.write(tmp_path / "suite", SuiteInfo(name="small", rooms={"shop": RoomInfo(files=1)}), tasks)


def played(run_suite, suite, model, *ids, **request):
    """Attempts in the order of their tasks, each with what the log holds of the conversation."""
    outcome = run_suite(suite, "smolagents", models=(model,), selection=Selection(ids=ids or ("a",)), **request)
    (log,) = outcome.folder.logs.glob("*.eval")
    told = {sample.id: [message.text for message in sample.messages] for sample in read_eval_log(str(log)).samples}
    attempts = sorted(outcome.folder.attempts().values(), key=lambda attempt: attempt.task_id)
    return [(attempt, told[attempt.task_id]) for attempt in attempts]


def of(task, *replies):
    return [reply.model_copy(update={"match": f"({task})"}) for reply in replies]


def test_one_python_lives_as_long_as_the_task_and_the_final_answer_is_handed_in(suite, run_suite):
    model = script(
        "smol",
        PLAN,
        code("import csv\nrows = list(csv.DictReader(open('/data/sales.csv')))\nprint(len(rows), 'rows')"),
        code("total = sum(int(row['amount']) for row in rows)\nprint(total / 0)"),
        code("final_answer(total)"),
    )
    ((attempt, told),) = played(run_suite, suite, model)
    assert (attempt.ending, attempt.answer) == (Answered(), "42")
    assert (attempt.steps, attempt.successful_steps) == (3, 2)
    assert attempt.usage.input_tokens == 400
    assert [access.step for access in attempt.accesses.files] == [1]
    assert any("2 rows" in text for text in told)
    assert any("ZeroDivisionError" in text for text in told)


@pytest.fixture
def place(tmp_path):
    return Path(f"/tmp/benchwright-{os.getpid()}-{tmp_path.name}")


def test_no_code_of_the_model_runs_in_our_process(suite, run_suite, place):
    probe = f"import os, pathlib\npathlib.Path({str(place)!r}).write_text('here')\n"
    model = script("probe", PLAN, code(probe + "final_answer([os.getpid(), os.uname().nodename, dict(os.environ)])"))
    ((attempt, _),) = played(run_suite, suite, model)
    assert attempt.ending == Answered()
    assert not place.exists()
    assert os.uname().nodename not in attempt.answer


def test_the_librarys_own_executor_would_run_it_here(place):
    from smolagents import LocalPythonExecutor

    executor = LocalPythonExecutor(["*"])
    executor.send_tools({})
    executor(f"import pathlib\npathlib.Path({str(place)!r}).write_text('here')\n")
    assert place.exists()
    place.unlink()


def test_what_ends_or_does_not_end_a_task(suite, run_suite):
    lines = [
        *of(
            "a",
            code("try:\n    final_answer(1)\nexcept BaseException:\n    pass"),
            code("1 / 0"),
            code("final_answer({'n': 2})"),
        ),
        *of("b", code("final_answer = 7\nos_exit = __import__('os')._exit\nos_exit(3)"), code("final_answer('again')")),
        *of("c", *[code(f"print({step})") for step in range(8)], ScriptedReply(text="perhaps 42")),
    ]
    model = script("endings", *lines)
    caught, dead, endless = played(run_suite, suite, model, "a", "b", "c", preset=DSBC)
    assert (caught[0].ending, caught[0].answer, caught[0].successful_steps) == (Answered(), '{"n": 2}', 2)
    assert (dead[0].ending, dead[0].answer) == (Answered(), "again")
    assert endless[0].ending == LimitHit(which="messages", detail="8 steps without a final answer")
    assert (endless[0].answer, endless[0].steps) == ("perhaps 42", 8)


def test_a_step_that_takes_too_long_is_ended_and_replies_without_code_are_told_so(suite, run_suite):
    lines = [
        *of("a", code("import time\ntime.sleep(600)"), code("final_answer('went on')")),
        *of(
            "b", ScriptedReply(text="I do not know."), code("import os\nprint(os.getcwd())"), code("final_answer('b')")
        ),
    ]
    slow, silent = played(run_suite, suite, script("slow", *lines), "a", "b", preset=DSBC, limits={"step_seconds": 15})
    assert (slow[0].answer, slow[0].successful_steps) == ("went on", 1)
    assert any("ended by the step limit" in text for text in slow[1])
    assert (silent[0].answer, silent[0].steps, silent[0].successful_steps) == ("b", 3, 1)
    assert any("Import of os is not allowed" in text for text in silent[1])
    assert "/data/sales.csv" in silent[1][1]
    assert "integer" not in silent[1][1]  # no more than the question and the place of the data


def agents_at_work():
    return [thread for thread in threading.enumerate() if thread.name == "benchwright-agent"]


@pytest.mark.parametrize("busy", ["in the sandbox", "with the model"])
def test_the_thread_ends_when_the_attempts_time_is_over(suite, run_suite, busy):
    if busy == "in the sandbox":
        model = script("busy", PLAN, code("import time\nwhile True: time.sleep(1)"))
    else:
        model = script("busy", PLAN.model_copy(update={"seconds": 120}))
    ((attempt, _),) = played(run_suite, suite, model, limits={"wall_seconds": 6})
    assert isinstance(attempt.ending, LimitHit)
    assert attempt.ending.which == "wall"
    ends = time.monotonic() + 100
    while agents_at_work() and time.monotonic() < ends:
        time.sleep(0.05)
    assert not agents_at_work()


def test_limits_of_tokens_and_faults_of_the_model_end_an_attempt_as_what_they_are(suite, run_suite):
    def talk(messages):
        if any("(a)" in message.text for message in messages):
            return code("print(1)")
        return ScriptedReply(error="503 from the provider")

    register("ends", talk)
    tokens, broken = played(run_suite, suite, "scripted/ends", "a", "b", limits={"tokens": 500})
    assert isinstance(tokens[0].ending, LimitHit)
    assert tokens[0].ending.which == "tokens"
    assert isinstance(broken[0].ending, Broke)
    assert broken[0].ending.fault == "model"


def test_imports_are_refused_as_the_library_does_and_all_others_let_through():
    allowed = PRESETS["dsbc-8"].imports
    for text in (
        "import pandas as pd",
        "from matplotlib import pyplot as plt",
        "import sklearn.linear_model",
        "x =",
        "import collections",
    ):
        refuse_imports(text, allowed)
    for text in ("import os", "from subprocess import run", "def f():\n    import pathlib.x"):
        with pytest.raises(ImportError, match="not allowed"):
            refuse_imports(text, allowed)
        refuse_imports(text, ("*",))


@pytest.mark.parametrize("opening", ["```python", "<code>", "final_answer(", "(", "-", "not ", "a.", "lambda:"])
def test_a_reply_of_any_form_is_read_in_bounded_time(opening):
    from smolagents.local_python_executor import fix_final_answer_code
    from smolagents.utils import parse_code_blobs

    began = time.process_time()
    text = readable(opening * 100_000)
    with contextlib.suppress(ValueError, MemoryError, RecursionError):
        parse_code_blobs(text, ("<code>", "</code>"))
    fix_final_answer_code(text)
    refuse_imports(text, ("pandas",))
    assert time.process_time() - began < 20.0


def test_a_reply_with_a_few_blocks_is_read_as_it_is():
    text = "Thought: go\n<code>\nx = 1\n</code>\n```python\ny\n```" * 10
    assert readable(text) == text


def test_presets_are_those_of_the_papers(suite):
    assert [(PRESETS[name].max_steps, PRESETS[name].step_seconds) for name in ("", "dsbc-8", "dsbc-5")] == [
        (40, 300),
        (8, 90),
        (5, 90),
    ]
    with pytest.raises(InputError, match="no preset"):
        spec_for(suite, "smolagents", models=(script("one", PLAN),), preset="dsbc-7")
