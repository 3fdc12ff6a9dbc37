"""Programs that ended before their time: what they read, may have read, and did not read."""

import pytest

from benchwright.importers.reads import evidence
from benchwright.reading.places import Places
from benchwright.trajectory import Call, Step, Trajectory

ROOM = frozenset({"a.csv", "b.csv", "c.csv"})


def reads(*calls):
    """What these calls seem to read, each with whether that is certain."""
    trajectory = Trajectory(cwd="/w", steps=tuple(Step(index=n, calls=(call,)) for n, call in enumerate(calls, 1)))
    found = evidence(trajectory, Places({"r": ROOM}, {"/data": "r"}), (), keeps_folder=True)
    return {file.path: file.certain for file in found.accesses.files}


def script(code, output=""):
    return Call(id="1", tool="bash", kind="shell", text=f"python3 - <<'E'\n{code}\nE", output=output)


def cell(code, output=""):
    return Call(id="1", tool="python", kind="python", text=code, output=output, is_error=bool(output))


def stopped(line, error="ModuleNotFoundError: No module named 'x'", *more):
    frames = "".join(f'  File "{name}", line {at}, in x\n' for name, at in (("<stdin>", line), *more))
    return f"Traceback (most recent call last):\n{frames}{error}"


THREE = "import pandas as pd\nopen('/data/a.csv')\nimport x; open('/data/b.csv')\nopen('/data/c.csv')"
INSIDE = "def f():\n    open('/data/a.csv')\n    import x\n    open('/data/b.csv')\nf()\nopen('/data/c.csv')"
LIBRARY = "/usr/lib/python3/site-packages/y.py"


@pytest.mark.parametrize(
    ("code", "output", "found"),
    [
        (THREE, "", {"a.csv": True, "b.csv": True, "c.csv": True}),
        (THREE, stopped(3), {"a.csv": True, "b.csv": False}),
        (THREE, stopped(3, "ImportError: no", (LIBRARY, 1)), {"a.csv": True, "b.csv": False}),
        (THREE, stopped(3, "ValueError: no"), {"a.csv": True, "b.csv": False}),
        (THREE, "ModuleNotFoundError: No module named 'x'", dict.fromkeys(("a.csv", "b.csv", "c.csv"), False)),
        (INSIDE, stopped(5, "ImportError: no", ("<stdin>", 3)), {"a.csv": True}),
        (INSIDE, stopped(5, "KeyError: 'x'", ("<stdin>", 4)), {"a.csv": True, "b.csv": False}),
        (INSIDE, stopped(6, "KeyError: 'x'"), {"a.csv": True, "b.csv": True, "c.csv": False}),
        ("import x; open('/data/a.csv')", stopped(1), {"a.csv": False}),
    ],
)
def test_what_a_program_read_that_ended_before_its_time(code, output, found):
    assert reads(script(code, output)) == found


def refused(statement, error="InterpreterError: Import of x is not allowed. Authorized imports are: []"):
    return f"Code execution failed at line '{statement}' due to: {error}"


@pytest.mark.parametrize(
    ("output", "found"),
    [
        (refused("import x"), {"a.csv": True, "b.csv": False}),
        (refused("import x", "InterpreterError: Import from x is not allowed."), {"a.csv": True, "b.csv": False}),
        (refused("import x", "ModuleNotFoundError: No module named 'x'"), {"a.csv": True, "b.csv": False}),
        (refused("import x", "ValueError: odd"), {"a.csv": True, "b.csv": False}),
        ("Cell In[7], line 3\nModuleNotFoundError: No module named 'x'", {"a.csv": True, "b.csv": False}),
        ("ModuleNotFoundError: No module named 'x'", dict.fromkeys(("a.csv", "b.csv", "c.csv"), False)),
    ],
)
def test_what_a_cell_read_that_ended_before_its_time_also_behind_other_cells(output, found):
    assert reads(cell(THREE, output)) == found
    assert reads(cell("import os\n\nimport sys"), cell(THREE, output)) == found


LOADS = "def load(n):\n    data = open(f'/data/{n}.csv')\n    return data['x']\nload('a')\nload('b')\n"
LOOP = "for n in ('a', 'b', 'c'):\n    data = open(f'/data/{n}.csv')\n    print(data['x'])\n"
LONG = "data = (\n    open('/data/a.csv')\n    .x(\n        open('/data/b.csv')\n    )\n)\nopen('/data/c.csv')\n"
TRIED = "import traceback\ntry:\n    open('/data/a.csv').x()\nexcept Exception:\n    traceback.print_exc()\nopen('/data/b.csv')\n"


@pytest.mark.parametrize(
    ("code", "output", "found"),
    [
        (LOADS, stopped(4, "KeyError: 'x'", ("<stdin>", 3)), {"a.csv": True}),
        (LOADS, stopped(5, "KeyError: 'x'", ("<stdin>", 3)), {"a.csv": True, "b.csv": True}),
        (LOADS, stopped(5, "OSError: x", ("<stdin>", 2), (LIBRARY, 9)), {"a.csv": True, "b.csv": False}),
        (LOOP, stopped(3, "KeyError: 'x'"), {"a.csv": True, "b.csv": False, "c.csv": False}),
        (LONG, stopped(2, "AttributeError: x"), {"a.csv": False, "b.csv": False}),
        (TRIED, stopped(3, "AttributeError: x") + "\nand on\nit\ngoes\nhere\n", {"a.csv": True, "b.csv": True}),
        (THREE, f"{stopped(1, 'KeyError: 1')}\n\nDuring handling\n\n{stopped(4, 'ValueError: 2')}", None),
        (THREE, '  File "<stdin>", line 2\n    x = (\nSyntaxError: never closed', {}),
        (THREE, "KeyError: 'x'", dict.fromkeys(("a.csv", "b.csv", "c.csv"), True)),
        (THREE, "bash: python3: command not found", {"a.csv": True, "b.csv": True, "c.csv": True}),
    ],
)
def test_what_had_run_goes_by_the_lines_of_the_calls_that_led_to_the_end(code, output, found):
    expected = {"a.csv": True, "b.csv": True, "c.csv": False} if found is None else found
    assert reads(script(code, output)) == expected


@pytest.mark.parametrize(
    ("output", "found"),
    [
        ("bash: python3: command not found", {}),
        ("python3: can't open file '/w/x.py': [Errno 2] No such file or directory", {}),
        ("KeyError: 'x'", dict.fromkeys(("a.csv", "b.csv", "c.csv"), False)),
        ('  File "<stdin>", line 3, in f\nKeyError: 1', dict.fromkeys(("a.csv", "b.csv", "c.csv"), False)),
        ("done, but not well", dict.fromkeys(("a.csv", "b.csv", "c.csv"), True)),
    ],
)
def test_what_a_failed_program_read_of_which_no_line_is_told(output, found):
    call = script(THREE, output).model_copy(update={"exit_code": 1, "is_error": True})
    assert reads(call) == found


def test_of_several_programs_in_one_call_the_one_that_a_traceback_names_ended():
    files = [
        Call(id="0", tool="w", kind="write", path=f"/w/{n}.py", text=f"x = 1\nopen('/data/{n}.csv')\n") for n in "ab"
    ]
    output = stopped(1, "KeyError: 1").replace("<stdin>", "/w/b.py")
    both = Call(id="1", tool="bash", kind="shell", text="python a.py; python b.py", output=output)
    assert reads(*files, both) == {"a.csv": True}


def test_files_that_may_not_be_read_are_not():
    denied = Call(
        id="1", tool="bash", kind="shell", text="cat /data/a.csv", output="cat: /data/a.csv: Permission denied"
    )
    assert reads(denied) == {}
    assert reads(denied.model_copy(update={"output": "a,b"})) == {"a.csv": True}


def test_where_a_file_is_not_there_what_stands_in_for_it_may_have_been_read():
    code = "try:\n    open('/data/no.csv')\nexcept OSError:\n    open('/data/a.csv')\nopen('/data/b.csv')"
    assert reads(script(code)) == {"a.csv": False, "b.csv": True}


def test_a_program_that_ended_well_came_to_its_end_whatever_it_prints():
    printed = script(TRIED, stopped(3, "AttributeError: x"))
    assert reads(printed.model_copy(update={"exit_code": 0})) == {"a.csv": True, "b.csv": True}
    piped = printed.model_copy(update={"exit_code": 0, "text": f"{printed.text} | tail -3"})
    assert reads(piped) == {"a.csv": False}
    followed = printed.model_copy(update={"exit_code": 0, "text": f"{printed.text}\nls"})
    assert reads(followed) == {"a.csv": False}


def test_of_a_program_behind_a_pipe_the_name_of_an_error_may_be_all_that_is_left():
    call = Call(
        id="1", tool="b", kind="shell", text="python3 -c 'open(\"/data/a.csv\")' | tail -1", output="KeyError: 1"
    )
    assert reads(call) == {"a.csv": False}
    assert reads(call.model_copy(update={"output": "UserWarning: 1"})) == {"a.csv": True}


def test_behind_a_folder_that_is_not_there_nothing_is_certain():
    call = Call(
        id="1", tool="b", kind="shell", text="cd nowhere && cat /data/a.csv", output="bash: cd: nowhere: No such file"
    )
    assert reads(call.model_copy(update={"exit_code": 1, "is_error": True})) == {"a.csv": False}
    assert reads(call.model_copy(update={"output": "a,b"})) == {"a.csv": True}
