"""Programs that read every file of a pattern, and such as may read only some."""

import pytest

from benchwright.importers.reads import evidence
from benchwright.importers.whole_loops import turns_of
from benchwright.reading.places import Places
from benchwright.trajectory import Call, Step, Trajectory

ROOM = frozenset({"m/1.csv", "m/2.csv", "n.csv"})


def certain(code, **more):
    call = Call(id="1", tool="bash", kind="shell", text=f"python3 - <<'E'\n{code}\nE", **{"exit_code": 0, **more})
    trajectory = Trajectory(cwd="/w", steps=(Step(index=1, calls=(call,)),))
    accesses = evidence(trajectory, Places({"r": ROOM}, {"/data": "r"}), (), keeps_folder=True).accesses
    return {file.path: file.certain for file in accesses.files}


EVERY = {"m/1.csv": True, "m/2.csv": True}
SOME = {"m/1.csv": False, "m/2.csv": False}
HEAD = "import glob, os, pandas as pd\nfrom pathlib import Path\n"
P = "glob.glob('/data/m/*.csv')"


@pytest.mark.parametrize(
    "code",
    [
        f"for f in {P}:\n    print(pd.read_csv(f).shape)",
        f"for f in sorted({P}, reverse=True):\n    d = pd.read_csv(f)\n    if len(d):\n        print(f)",
        f"files = sorted({P})\nprint(files[:3])\nfor i, f in enumerate(files):\n    d = pd.read_csv(f)",
        f"d = pd.concat([pd.read_csv(f) for f in {P}])",
        f"d = {{f: pd.read_csv(f) for f in {P}}}",
        "for f in Path('/data/m').glob('*.csv'):\n    with open(f) as h:\n        h.read()",
        "for f in Path('/data/m').rglob('*.csv'):\n    f.read_text()",
        "for f in Path('/data/m').glob('*.csv'):\n    pd.read_csv(str(f))",
    ],
)
def test_every_file_of_a_pattern_is_read_for_certain_where_a_loop_comes_to_each(code):
    assert certain(HEAD + code) == EVERY


@pytest.mark.parametrize(
    "code",
    [
        f"pd.read_csv({P}[0])",
        f"for f in {P}[:1]:\n    pd.read_csv(f)",
        f"for f in {P}:\n    pd.read_csv(f)\n    break",
        f"for f in {P}:\n    if '1' in f:\n        continue\n    pd.read_csv(f)",
        f"for f in {P}:\n    if '1' in f:\n        pd.read_csv(f)",
        f"for f in {P}:\n    d = pd.read_csv(f) if '1' in f else None",
        f"[pd.read_csv(f) for f in {P} if '1' in f]",
        f"next(pd.read_csv(f) for f in {P})",
        f"def load():\n    for f in {P}:\n        pd.read_csv(f)\nload()",
        f"files = {P}\nfiles = files[:1]\nfor f in files:\n    pd.read_csv(f)",
        f"for f in {P}:\n    try:\n        pd.read_csv(f)\n    except ValueError:\n        pass",
        f"for d in {P}:\n    pd.read_csv({P}[0])",
        f"for f in {P}:\n    pd.read_csv('/data/m/' + name(f) + '.csv')",
        f"if os.environ.get('X'):\n    for f in {P}:\n        pd.read_csv(f)",
    ],
)
def test_it_is_left_open_where_some_may_be_left_out(code):
    assert certain(HEAD + code) == SOME


def test_a_program_that_failed_read_every_file_only_where_it_came_behind_the_loop():
    code = f"{HEAD}for f in {P}:\n    d = pd.read_csv(f)\nprint(d.x)"
    told = 'Traceback (most recent call last):\n  File "<stdin>", line {}, in <module>\nKeyError: 1'
    assert certain(code, exit_code=1, output=told.format(5)) == EVERY
    assert certain(code, exit_code=1, output=told.format(4)) == SOME


@pytest.mark.parametrize("code", ["glob(", "glob\0", "for f in glob.glob('x'):\n  pass" * 2, "(" * 5000 + "glob"])
def test_what_is_no_program_has_no_loops(code):
    assert turns_of(code) == ()
