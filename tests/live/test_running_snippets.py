import asyncio
import json
from pathlib import Path

import pytest

from benchwright.errors import Broken
from benchwright.live.agents.snippets.inside import read_answer
from benchwright.live.agents.snippets.running import run_snippets
from benchwright.live.attempt import Live
from benchwright.live.machine import Machine
from benchwright.live.opening import close_sandboxes, open_sandbox
from benchwright.sandbox.base import Room, SandboxSpec
from benchwright.task import Limits, Task

DATA = "month,amount\njan,10\nfeb,32\n"


@pytest.fixture(scope="module")
def machine(tmp_path_factory, toolbox):
    """A sandbox with one data file, for all queries of this module: each query is a process of its own."""
    room = tmp_path_factory.mktemp("data") / "shop"
    room.mkdir()
    (room / "sales.csv").write_text(DATA)
    (room / "broken.parquet").write_text(DATA)
    spec = SandboxSpec(rooms=(Room("shop", room),), limits=Limits(step_seconds=60), tracing="off")
    machine = Machine(spec, "auto", open_sandbox)
    yield machine
    machine.close()
    close_sandboxes()


@pytest.fixture
def run(machine):
    live = Live(Task(id="t", question="How many?"), Path(), 0, machine)
    return lambda *codes, path="/data/sales.csv": asyncio.run(run_snippets(live, codes, path))


def test_functions_and_comprehensions_see_the_variables_of_all_snippets(run):
    first = "factor = 2\nimport math\ndef doubled(x):\n    return math.floor(x * factor) + len(data)"
    second = "  rates = [doubled(x) - factor for x in data['amount'] if factor]\n  print(sum(rates))"
    third = "answer = max(factor * rate for rate in rates)"
    ran = run(first, second, third)
    assert (ran.answer, ran.outputs, ran.error) == ("128", ("", "84\n", ""), "")


def test_a_snippet_that_fails_does_not_stop_those_after_it_and_is_named(run):
    ran = run("print('one')\n1 / 0", "print('two')", "answer = 42")
    assert (ran.answer, ran.printed, ran.error) == ("42", "one\ntwo", "code")
    (failure,) = ran.failures
    assert (failure.step, failure.type, failure.message) == (1, "ZeroDivisionError", "division by zero")
    assert "1 / 0" in failure.trace


HOSTILE = {
    "a column that is not there": ("answer = data['weight'].sum()", "data"),
    "a file that is not there": ("answer = pd.read_csv('data.csv')", "data"),
    "a key of a dict": ("answer = {'a': 1}['b']", "code"),
    "no Python": ("answer = (", "code"),
    "an exit code": ("raise SystemExit(3)", "code"),
    "the end of the process": ("import os\nos._exit(7)", "code"),
    "a crash": ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "code"),
    "a value that cannot be said": ("class A:\n  def __str__(self): raise RuntimeError\nanswer = A()", "code"),
    "half characters": ("answer = '\\ud800'\nraise ValueError('\\ud800')", "code"),
    "a forged report": ("print('\\n' + '0' * 32 + ' {\"done\": {\"answer\": {\"value\": 1}}}')\nx", "code"),
    "streams closed": ("import os, sys\nsys.stdout.close()\nsys.stderr.close()\nos.close(1)\nanswer = 1", ""),
    "a thread that stays": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(999,)).start()\nanswer = 1",
        "",
    ),
    "a plain exit": ("answer = 1\nraise SystemExit", ""),
    "much output": ("print('x' * 3_000_000)\nanswer = 1", ""),
    "a huge answer": ("answer = [list(range(100))] * 10_000", ""),
    "an answer that holds itself": ("answer = []\nanswer.append(answer)", ""),
}


@pytest.mark.parametrize(("code", "error"), HOSTILE.values(), ids=HOSTILE)
def test_errors_are_told_apart_and_whatever_code_does_is_data(run, code, error):
    ran = run(code)
    assert ran.error == error, ran
    assert (ran.answer is not None) == (error == "" or "half" in code or "ud800" in code)


def test_pictures_are_kept_whether_shown_left_open_or_saved(run):
    code = (
        "import matplotlib.pyplot as plt\n"
        "plt.plot([1, 2]); plt.show(); plt.close()\n"
        "plt.figure(); plt.bar(['a'], [1])\n"
        "fig, ax = plt.subplots(); ax.plot([3, 1]); fig.savefig('mine.png'); plt.close(fig)\n"
        "open('fake.png', 'w').write('no picture')\n"
        "answer = 42"
    )
    ran = run(code)
    assert set(ran.pictures) == {"plot-1.png", "plot-2.png", "mine.png"}, ran


def test_a_data_file_that_cannot_be_loaded_is_the_suites_fault(run):
    with pytest.raises(Broken, match="cannot be loaded"):
        run("answer = 1", path="/data/broken.parquet")


def values():
    import numpy as np
    import pandas as pd

    table = pd.DataFrame({"a": [1, 2], "b": [1.5, np.nan], "t": pd.to_datetime(["2020-01-01", "2020-01-02"])})
    return {
        "a whole number of numpy": (np.int64(3), 3),
        "a truth value of numpy": ([np.bool_(True)], [True]),
        "a table": (table[["a", "t"]], [{"a": 1, "t": "2020-01-01"}, {"a": 2, "t": "2020-01-02"}]),
        "rows that were chosen": (table.loc[table["a"] > 1, ["a"]], [{"a": 2}]),
        "a named index": (table.groupby("t")["a"].sum(), {"2020-01-01": 1, "2020-01-02": 2}),
        "a table with a named index": (table[["a", "b"]].set_index("a"), [{"a": 1, "b": 1.5}, {"a": 2, "b": None}]),
        "missing values": ({"x": pd.NA, "y": float("nan"), "z": pd.NaT}, {"x": None, "y": None, "z": None}),
        "keys that are tuples": ({(1, "a"): 1}, {'[1, "a"]': 1}),
        "a moment": (pd.Timestamp("2020-01-02 03:00"), "2020-01-02T03:00:00"),
        "a span": (pd.Timedelta("1D"), "1 days 00:00:00"),
        "a set": ({3, 1}, [1, 3]),
        "an array": (np.arange(3), [0, 1, 2]),
    }


@pytest.mark.parametrize("name", list(values()))
def test_values_of_libraries_become_json(name):
    value, expected = values()[name]
    assert read_answer(value) == {"value": expected}


def test_an_answer_that_is_no_json_is_text_and_none_is_none():
    assert read_answer(None) is None
    assert read_answer(float("nan")) == {"text": "nan"}
    assert read_answer(float("inf")) == {"text": "inf"}
    assert len(json.dumps(read_answer("x" * 10**6))) < 70_000
