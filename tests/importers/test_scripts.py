"""Scripts that were written earlier in a log, and commands that programs hand to a shell: what they read."""

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
