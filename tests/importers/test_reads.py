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
        (THREE, stopped(3, "ValueError: no"), {"a.csv": True, "b.csv": True, "c.csv": True}),
        (THREE, "ModuleNotFoundError: No module named 'x'", dict.fromkeys(("a.csv", "b.csv", "c.csv"), False)),
        (INSIDE, stopped(5, "ImportError: no", ("<stdin>", 3)), {"a.csv": True, "b.csv": False}),
        ("import x; open('/data/a.csv')", stopped(1), {"a.csv": False}),
    ],
)
def test_what_a_program_read_that_ended_at_an_import(code, output, found):
    assert reads(script(code, output)) == found


def refused(statement, error="InterpreterError: Import of x is not allowed. Authorized imports are: []"):
    return f"Code execution failed at line '{statement}' due to: {error}"


@pytest.mark.parametrize(
    ("output", "found"),
    [
        (refused("import x"), {"a.csv": True, "b.csv": False}),
        (refused("import x", "InterpreterError: Import from x is not allowed."), {"a.csv": True, "b.csv": False}),
        (refused("import x", "ModuleNotFoundError: No module named 'x'"), {"a.csv": True, "b.csv": False}),
        (refused("import x", "ValueError: odd"), {"a.csv": True, "b.csv": True, "c.csv": True}),
        ("Cell In[7], line 3\nModuleNotFoundError: No module named 'x'", {"a.csv": True, "b.csv": False}),
        ("ModuleNotFoundError: No module named 'x'", dict.fromkeys(("a.csv", "b.csv", "c.csv"), False)),
    ],
)
def test_what_a_cell_read_that_ended_at_an_import_also_behind_other_cells(output, found):
    assert reads(cell(THREE, output)) == found
    assert reads(cell("import os\n\nimport sys"), cell(THREE, output)) == found
