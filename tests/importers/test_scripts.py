"""Scripts that were written earlier in a log, and commands that programs hand to a shell: what they read."""

import json

import pytest

from benchwright.importers.commands import commands_of
from benchwright.importers.reads import evidence
from benchwright.reading.places import Places
from benchwright.trajectory import Call, Step, Trajectory

ROOM = frozenset({"a.csv", "b.csv", "c.csv", "sub/d.csv"})
SCRIPT = "#!/bin/bash\nhead /data/a.csv\npython3 - <<'P'\nopen('/data/b.csv')\nP\n"


def follow(*calls):
    steps = tuple(Step(index=n, calls=(call,)) for n, call in enumerate(calls, 1))
    return evidence(
        Trajectory(cwd="/w", steps=steps), Places({"r": ROOM}, {"/data": "r"}), ("result.txt",), keeps_folder=True
    )


def reads(*calls):
    return {file.path: file.certain for file in follow(*calls).accesses.files}


def shell(text, **more):
    return Call(id="1", tool="bash", kind="shell", text=text, **more)


def cell(code, **more):
    return Call(id="1", tool="python", kind="python", text=code, **more)


def wrote(path, text):
    return Call(id="0", tool="write", kind="write", path=path, text=text)


BOTH = {"a.csv": True, "b.csv": True}


@pytest.mark.parametrize(
    "call",
    [
        "./x.sh",
        "/w/x.sh",
        "chmod +x x.sh && ./x.sh",
        "bash x.sh",
        "sh -e ./x.sh",
        "sudo ./x.sh",
        "timeout 60 ./x.sh | tail -1",
        "source x.sh",
        ". ./x.sh",
        "cd /tmp && ../w/x.sh",
        "if true; then ./x.sh; fi",
        "cp x.sh y.sh; bash y.sh",
    ],
)
def test_a_script_is_followed_however_it_is_called(call):
    assert reads(wrote("/w/x.sh", SCRIPT), shell(call)) == BOTH
    assert reads(shell(f"cat > x.sh <<'EOF'\n{SCRIPT}EOF"), shell(call)) == BOTH


def test_a_python_program_may_be_called_by_its_path_too():
    program = "#!/usr/bin/env python3\nopen('/data/b.csv')\n"
    assert reads(wrote("/w/p.py", program), shell("chmod +x p.py; ./p.py /data/a.csv")) == {
        "b.csv": True,
        "a.csv": False,
    }


@pytest.mark.parametrize("call", ["bash x.sh /data/a.csv b.csv", "./x.sh /data/a.csv b.csv"])
def test_what_a_script_is_told_stands_for_its_arguments(call):
    assert reads(wrote("/w/x.sh", 'cat "$1"\ncat /data/${2}\n'), shell(call)) == BOTH
    assert reads(wrote("/w/x.sh", "cd /data\nfor f in $@; do cat $f; done\n"), shell(call)) == BOTH


def test_a_script_that_was_changed_or_removed_is_not_known_and_that_is_counted():
    for change in ("sed -i s/a/b/ x.sh", "python3 -c \"open('x.sh', 'a')\""):
        found = follow(wrote("/w/x.sh", SCRIPT), shell(change), shell("./x.sh"))
        assert (found.accesses.files, found.accesses.unresolved) == ((), 1)
    assert follow(shell("bash there_before.sh")).accesses.unresolved == 1
    assert follow(shell("./there_before; /usr/bin/ls")).accesses.files == ()


def test_a_script_that_calls_itself_comes_to_an_end():
    assert reads(wrote("/w/x.sh", f"{SCRIPT}./x.sh\n"), shell("./x.sh")) == BOTH
    again = "import os\nopen('/data/a.csv')\nos.system('python p.py')\n"
    assert reads(wrote("/w/p.py", again), shell("python p.py")) == {"a.csv": True}


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos.system('head /data/a.csv; cat /data/b.csv')",
        "import subprocess\nsubprocess.run('cat /data/a.csv /data/b.csv', shell=True)",
        "import subprocess as sp\nprint(sp.check_output(['cat', '/data/a.csv', '/data/b.csv']).decode())",
        "from subprocess import run, PIPE\nresult = run(['cat', '/data/a.csv', '/data/b.csv'], stdout=PIPE)",
        "import os\nfor_all = '/data'\nos.popen(f'cat {for_all}/a.csv {for_all}/b.csv').read()",
        "import subprocess, sys\nsubprocess.check_call([sys.executable, '-c', \"open('/data/a.csv'); open('/data/b.csv')\"])",
        "import os\ncommand = 'cat /data/a.csv /data/b.csv'\nos.system(command)",
        "import os, subprocess\nopen('/w/q.sh', 'w').write('cat /data/a.csv /data/b.csv')\nsubprocess.call(['bash', '/w/q.sh'])",
    ],
)
def test_what_a_program_hands_to_a_shell_is_followed(code):
    assert reads(cell(code)) == BOTH
    assert reads(shell(f"python3 - <<'E'\n{code}\nE")) == BOTH
    assert reads(cell("x = 1"), cell(code), cell("y = 2")) == BOTH


def test_a_command_inside_a_function_or_a_condition_is_not_certain():
    code = "import os\ndef f():\n    os.system('cat /data/a.csv')\nif f:\n    os.system('python -c \"open(\\'/data/b.csv\\')\"')"
    assert reads(cell(code)) == {"a.csv": False, "b.csv": False}


def test_commands_behind_a_failed_import_did_not_run():
    code = "import os\nos.system('cat /data/a.csv')\nimport nothing\nos.system('cat /data/b.csv')"
    failed = 'Traceback\n  File "<stdin>", line 3\nModuleNotFoundError: No module named "nothing"'
    assert reads(cell(code, output=failed, is_error=True)) == {"a.csv": True}


def test_a_command_leaves_the_folder_of_the_shell_as_it_was_and_may_write_the_answer():
    moved = cell("import os\nos.system('cd /data && echo 42 > /w/result.txt')")
    found = follow(moved, cell("import os\nos.system('cat a.csv')"), shell("cat a.csv"))
    assert (found.accesses.files, found.answer.text) == ((), "42")


def test_what_is_no_command_is_none_and_odd_programs_are_passed_over():
    for code in (
        "import os.path\nsystem('cat x')",
        "import os\nos.system()",
        "import os\nos.listdir('x')",
        "subprocess.run(" * 3000,
    ):
        assert commands_of(code) == []


ARGUED = """import argparse
from pathlib import Path
p = argparse.ArgumentParser()
p.add_argument("first")
p.add_argument("--second", "-s", default="/data/c.csv", type=Path)
p.add_argument("--more", nargs="+", default=[])
a = p.parse_args()
open(a.first)
a.second.read_text()
for path in a.more:
    open(path)
"""


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("python x.py /data/a.csv", {"a.csv": True, "c.csv": True}),
        ("python x.py /data/a.csv --second /data/b.csv", BOTH),
        ("python x.py --second=/data/b.csv /data/a.csv", BOTH),
        ("cd /data && python /w/x.py a.csv -s b.csv --more c.csv sub/d.csv", BOTH | {"c.csv": True, "sub/d.csv": True}),
        ("for n in a b; do python x.py /data/$n.csv; done", BOTH | {"c.csv": True}),
    ],
)
def test_a_program_reads_what_its_command_line_names(call, found):
    assert reads(wrote("/w/x.py", ARGUED), shell(call)) == found


@pytest.mark.parametrize(
    "call",
    [
        "export D=/data; python x.py",
        "D=/data python x.py",
        "D=/data\nexport D\npython3 - <<'E'\nimport os, sys\nopen(os.environ['D'] + '/a.csv')\nopen(os.getenv('D') + '/b.csv')\nE",
    ],
)
def test_a_program_reads_what_its_environment_names(call):
    code = (
        "import os\nfor n in 'ab':\n    open(f\"{os.environ['D']}/{n}.csv\")\nopen(os.environ.get('E', '/data/a.csv'))"
    )
    assert reads(wrote("/w/x.py", code), shell(call)) == BOTH


def test_a_variable_before_a_command_stands_for_it_alone():
    assert reads(shell("D=/data; D=/other cat $D/b.csv; cat $D/a.csv")) == BOTH


@pytest.mark.parametrize(
    "code",
    [
        "import lib\nlib.load('a')\nlib.load('b')",
        "import lib as l, os\nfor n in ('a', 'b'): l.load(n)",
        "from lib import load\nload('a'); load('b')",
        "from lib import *\nload('a'); load('b')",
        "import sys; import lib; lib.load('a'); lib.load('b')",
        "from middle import both\nboth()",
    ],
)
def test_the_agents_own_modules_are_part_of_its_programs(code):
    module = (
        "ROOT = '/data'\ndef load(n):\n    return open(f'{ROOT}/{n}.csv')\nif __name__ == '__main__':\n    load('c')\n"
    )
    middle = "import lib\ndef both():\n    lib.load('a')\n    lib.load('b')\n"
    made = wrote("/w/lib.py", module), wrote("/w/middle.py", middle)
    assert reads(*made, shell(f"python3 - <<'E'\n{code}\nE")) == BOTH
    assert reads(*made, cell(code)) == BOTH


def test_a_module_is_run_by_its_name():
    assert (
        reads(wrote("/w/x.py", "open('/data/a.csv')"), shell("python -m x; python3 -m json.tool /data/b.csv")) == BOTH
    )


def test_a_module_that_imports_itself_ends():
    assert reads(wrote("/w/lib.py", "import lib\nopen('/data/a.csv')"), shell("python -c 'import lib'")) == {
        "a.csv": True
    }


@pytest.mark.parametrize(
    "call", ["cat x.py | python3", "echo \"open('/data/a.csv'); open('/data/b.csv')\" | python", "python < x.py"]
)
def test_a_program_may_come_through_a_pipe(call):
    assert reads(wrote("/w/x.py", "open('/data/a.csv')\nopen('/data/b.csv')"), shell(call)) == BOTH


def test_a_command_that_a_program_runs_in_another_folder():
    assert reads(cell("import subprocess\nsubprocess.run(['cat', 'd.csv'], cwd='/data/sub')")) == {"sub/d.csv": True}


R = "x <- read.csv('/data/a.csv')\nwriteLines('5', 'result.txt')\n"


@pytest.mark.parametrize(
    "call",
    ["Rscript x.R", "Rscript --vanilla ./x.R", "R CMD BATCH x.R", "R --no-save < x.R", "chmod +x x.R; ./x.R"],
)
def test_a_program_in_r_is_followed_however_it_is_called(call):
    program = f"#!/usr/bin/env Rscript\n{R}"
    found = follow(wrote("/w/x.R", program), shell(call))
    assert [(file.path, file.certain) for file in found.accesses.files] == [("a.csv", True)]
    assert found.answer.text == "5"


@pytest.mark.parametrize(
    "call",
    [
        f"Rscript - <<'E'\n{R}E",
        "Rscript -e \"x <- read.csv('/data/a.csv')\" -e 'print(x)'",
        "node -e \"require('fs').readFileSync('/data/a.csv')\"",
        "node <<'E'\nconst p = '/data/a.csv'; require('fs').readFileSync(p)\nE",
        "julia -e 'using CSV; CSV.File(\"/data/a.csv\")'",
    ],
)
def test_programs_in_other_languages_are_followed_where_they_stand_in_the_command(call):
    assert reads(shell(call, exit_code=0)) == {"a.csv": True}
    assert reads(shell(call, exit_code=1)) == {"a.csv": False}
    assert reads(shell(f"{call} | head", exit_code=0, output="Error in file(x)\nExecution halted")) in (
        {"a.csv": False},
        {},
    )
    assert reads(shell(f"false || {call}")) in ({"a.csv": False}, {"a.csv": True})


def test_a_program_in_another_language_that_the_log_does_not_show_is_counted_and_its_words_may_be_files():
    assert follow(shell("Rscript other.R")).accesses.unresolved == 1
    assert reads(wrote("/w/x.js", "console.log(process.argv)"), shell("node x.js /data/b.csv")) == {"b.csv": False}


@pytest.mark.parametrize(
    "code",
    [
        "exec(open('x.py').read())",
        "exec(compile(open('x.py').read(), 'x.py', 'exec'))",
        "import runpy\nrunpy.run_path('x.py')",
    ],
)
def test_a_program_that_runs_another_within_itself(code):
    written = wrote("/w/x.py", "open('/data/a.csv')")
    assert reads(written, shell(f"python3 - <<'E'\n{code}\nE", exit_code=0)) == {"a.csv": True}
    nested = code.replace("exec(", "    exec(").replace("runpy.run", "    runpy.run")
    assert reads(written, shell(f"python3 - <<'E'\nif 1:\n    pass\n{nested}\nE")).get("a.csv") is not True
    assert reads(written, cell("%run x.py")) == {"a.csv": True}


@pytest.mark.parametrize("code", ["!python x.py", "%run x.py", "import os\n!python x.py", "%%bash\nls\npython x.py"])
def test_a_cell_runs_programs_by_its_shell(code):
    assert reads(wrote("/w/x.py", "open('/data/a.csv')"), cell(code)) == {"a.csv": True}
    assert reads(cell("%%bash\ncd /data\nhead b.csv")) == {"b.csv": True}


A, B = wrote("/w/a.py", "open('/data/a.csv')\nx"), wrote("/w/b.py", "open('/data/b.csv')")
FAILED = 'Traceback (most recent call last):\n  File "/w/a.py", line 2, in <module>\n    x\nNameError: x'


@pytest.mark.parametrize(
    ("command", "output", "code", "found"),
    [
        ("python a.py && python b.py", "", 0, BOTH),
        ("python a.py && python b.py", FAILED, 1, {"a.csv": True}),
        ("python a.py; python b.py", FAILED, 1, BOTH),
        ("python a.py && (cd /tmp; python /w/b.py)", FAILED, 1, {"a.csv": True}),
        ("python a.py &&\n python b.py; python b.py", FAILED, 1, BOTH),
        ("pip install pandas && python b.py", "ERROR: No matching distribution found for pandas", 1, {"b.csv": False}),
        ("pip install pandas; python b.py", "ERROR: No matching distribution found for pandas", 0, {"b.csv": True}),
        ("cd /w && python a.py", FAILED, 1, {"a.csv": True}),
    ],
)
def test_what_stands_behind_a_failure_was_never_run(command, output, code, found):
    assert reads(A, B, shell(command, output=output, exit_code=code, is_error=code != 0)) == found


def notebook(*cells):
    return json.dumps(
        {"cells": [{"cell_type": "markdown", "source": "x"}, *({"cell_type": "code", "source": c} for c in cells)]}
    )


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("jupyter nbconvert --to notebook --execute --inplace n.ipynb", BOTH),
        ("papermill n.ipynb out.ipynb", BOTH),
        ("jupyter nbconvert --to script n.ipynb", {}),
        ("jupyter nbconvert --execute other.ipynb", {}),
    ],
)
def test_a_notebook_that_is_carried_out_is_a_program(command, found):
    text = notebook(["%matplotlib inline\n", "f = '/data/a.csv'\n", "open(f)"], "open('/data/b.csv')")
    assert reads(wrote("/w/n.ipynb", text), shell(command, exit_code=0)) == found
    assert reads(wrote("/w/n.ipynb", "no notebook"), shell(command)) == {}
