import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchwright.live.agents.da_agent_actions import READ_CHARACTERS, Bash, PythonFile, Sql, Terminate, action_in

PROGRAM = 'import re\nprint(re.sub(r"\\\\d+", "#", "a1"))\n'
PYTHON = f'Thought: I compute.\nAction: Python(file_path="a.py"):\n```python\n{PROGRAM}```'

BOTH = {
    "a command": ('Thought: look\nAction: Bash(code="ls -l")', Bash("ls -l")),
    "escaped quotes": ('Action: Bash(code="echo \\"hi\\"")', Bash('echo "hi"')),
    "single quotes": ("Action: Bash(code='ls')", Bash("ls")),
    "no action word": ('Bash(code="ls")', Bash("ls")),
    "rows": (
        'Action: SQL(file_path="shop.db", command="SELECT 1", output="direct")',
        Sql("shop.db", "SELECT 1", "direct"),
    ),
    "a table": (
        'Action: SQL(file_path="a.duckdb", command="SELECT a, b FROM t", output="out.csv")',
        Sql("a.duckdb", "SELECT a, b FROM t", "out.csv"),
    ),
    "the end": ('Thought: done\nAction: Terminate(output="42")', Terminate("42")),
    "the end in brackets": ('Action: Terminate(output="a (b)")', Terminate("a (b)")),
    "an invented observation": ('Action: Bash(code="ls")\nObservation: a.csv\nThought: well', Bash("ls")),
    "markdown around names": (
        'Action: Python(file\\_path="a.py"):\n```python\nx = 1\n```',
        PythonFile("a.py", "x = 1\n"),
    ),
    "nothing": ("I have no idea.", None),
    "an empty reply": ("", None),
}


@pytest.mark.parametrize(("reply", "action"), BOTH.values(), ids=BOTH)
@pytest.mark.parametrize("parser", ["fixed", "published"])
def test_what_both_parsers_read_alike(reply, action, parser):
    found = action_in(reply, parser)
    if isinstance(found, PythonFile):
        found = PythonFile(found.path, found.code.rstrip("\n") + "\n")
    assert found == action


FAULTS = {
    "a command ends at its first closing bracket": (
        'Action: Bash(code="cat $(ls | head -1) | wc -l")',
        Bash('"cat $(ls | head -1'),
        Bash("cat $(ls | head -1) | wc -l"),
    ),
    "the last command of a reply is the one that runs": (
        'Action: Bash(code="ls")\nAction: Bash(code="rm a.csv")',
        Bash("rm a.csv"),
        Bash("ls"),
    ),
    "two blocks of code become one with the fences inside": (
        'Action: Python(file_path="a.py"):\n```python\na = 1\n```\nand then\n```python\nb = 2\n```',
        PythonFile("a.py", "a = 1\n```\nand then\n```python\nb = 2"),
        PythonFile("a.py", "a = 1\n"),
    ),
    "two backslashes become one": (
        PYTHON,
        PythonFile("a.py", PROGRAM.replace("\\\\", "\\").strip()),
        PythonFile("a.py", PROGRAM),
    ),
    "the word Thought ends an action": (
        'Action: Bash(code="echo Thought")',
        None,
        Bash("echo Thought"),
    ),
    "the word Observation ends an action": (
        'Action: Terminate(output="Observation 7")',
        None,
        Terminate("Observation 7"),
    ),
    "a command is taken before a program that only mentions it": (
        'Action: Python(file_path="a.py"):\n```python\nprint("Bash(code=ls)")\n```',
        Bash("ls"),
        PythonFile("a.py", 'print("Bash(code=ls)")\n'),
    ),
    "arguments in another order": (
        'Action: SQL(command="SELECT 1", file_path="a.db")',
        None,
        Sql("a.db", "SELECT 1", "direct"),
    ),
    "a program whose end was cut off": (
        'Action: Python(file_path="a.py"):\n```python\nx = 1\n',
        None,
        PythonFile("a.py", "x = 1\n"),
    ),
}


PUBLISHED = {
    "a block that names no language": ('Python(file_path="a.py"):\n```\nx = 1\n```', PythonFile("a.py", "x = 1")),
    "a block of another name": ('Python(file_path="a.py")\n``` py3 \r\nx = 1\r\n```', PythonFile("a.py", "x = 1")),
    "a block of Python goes before one without a name": (
        'Python(file_path="a.py"):\n```\nb = 1\n```\n```python\nx = 1\n```',
        PythonFile("a.py", "x = 1"),
    ),
    "a fence that says more than a name": ('Python(file_path="a.py"):\n```python for you\nx = 1\n```', None),
    "the argument's other name": ('Python(filepath="a.py"):\n```python\nx = 1\n```', PythonFile("a.py", "x = 1")),
    "blanks around a name": ('Python(file_path= "a.py" ):\n```python\n\nx = 1\n```', PythonFile("a.py", "x = 1")),
    "a program without a block": ('Action: Python(file_path="a.py"):\nx = 1', None),
    "a name in other quotes": ("Python(file_path='a.py'):\n```python\nx = 1\n```", PythonFile("a.py", "x = 1")),
    "text behind the block": ('Python(file_path="a.py"):\n```python\nx = 1\n```\nSo.', PythonFile("a.py", "x = 1")),
    "three single quotes": ("Python(file_path=\"a.py\"):\n'''python\nx = 1\n'''", PythonFile("a.py", "x = 1")),
    "an action that Observation leaves nothing of": ("Action: Observation: Bash(code='ls')", Bash("ls")),
    "the word in quotes": ('"Action": Bash(code="ls") Observation: Bash(code="pwd")', Bash("ls")),
    "no word, and an observation": ('Bash(code="ls")\nObservation: Bash(code="pwd")', Bash("ls")),
    "the word at the end of a line": ('Action:\nBash(code="ls")\nThought: Bash(code="pwd")', Bash("pwd")),
    "a command in no quotes": ("Action: Bash(code=ls -l)", Bash("ls -l")),
    "quotes on one side": ('Action: Bash(code="ls)', Bash('"ls')),
    "quotes in quotes": ("""Action: Bash(code="grep 'a' \\"b\\".csv")""", Bash("grep 'a' \"b\".csv")),
    "a blank before the quotes": ('Action: Bash(code= "ls")', Bash('"ls"')),
    "no command": ("Action: Bash(code=)", Bash("")),
    "the last statement that is whole": (
        'SQL(file_path="a.db", command="SELECT 1", output="direct")\nSQL(file_path="b.db", command="SELECT 2")',
        Sql("a.db", "SELECT 1", "direct"),
    ),
    "a bracket in a statement": (
        'SQL(file_path="a.db", command="SELECT COUNT(*) FROM t", output="o.csv")',
        Sql("a.db", "SELECT COUNT(*) FROM t", "o.csv"),
    ),
    "a bracket in an output": (
        'SQL(file_path="a.db", command="SELECT 1", output="o(1).csv")',
        Sql("a.db", "SELECT 1", '"o(1'),
    ),
    "a statement without an output": ('SQL(file_path="a.db", command="SELECT 1")', None),
    "no blank between arguments": ('SQL(file_path="a.db",command="SELECT 1",output="direct")', None),
    "two ends": ('Terminate(output="a")\nTerminate(output="b")', Terminate('a")\nTerminate(output="b')),
    "an end in no quotes": ("Action: Terminate(output=42)", Terminate("42")),
    "an end without an argument": ("Action: Terminate()", None),
    "an end that never closes": ('Action: Terminate(output="42"', None),
    "an empty end": ('Terminate(output="")', Terminate("")),
    "a command before an end": ('Terminate(output="x")\nBash(code="ls")', Bash("ls")),
    "a program before a statement": (
        'SQL(file_path="a", command="b", output="c")\nPython(file_path="a.py"):\n```python\nx\n```',
        PythonFile("a.py", "x"),
    ),
    "another case of letters": ('action: bash(code="ls")', None),
}


@pytest.mark.parametrize(("reply", "action"), PUBLISHED.values(), ids=PUBLISHED)
def test_what_the_published_parser_makes_of_other_forms(reply, action):
    assert action_in(reply, "published") == action


@pytest.mark.parametrize(("reply", "published", "fixed"), FAULTS.values(), ids=FAULTS)
def test_the_published_parser_keeps_its_faults_and_ours_has_none_of_them(reply, published, fixed):
    assert action_in(reply, "published") == published
    assert action_in(reply) == fixed


FIXED = {
    "quotes that were not escaped": ('Bash(code="python -c "print(1)"")', Bash('python -c "print(1)"')),
    "quotes in the middle of a line": ('Action: Bash(code="echo "a" && echo ")b"")\n', Bash('echo "a" && echo ")b"')),
    "several lines": (
        'Action: Bash(code="for f in *.csv; do\n  head -1 "$f"\ndone")',
        Bash('for f in *.csv; do\n  head -1 "$f"\ndone'),
    ),
    "three quotes": ('Action: Bash(code="""grep "a" b.csv""")', Bash('grep "a" b.csv')),
    "code marks around the action": ('**Action:** `Bash(code="ls")`', Bash("ls")),
    "an action in the thought": ('Thought: Bash(code="rm -r /") would be bad.\nAction: Bash(code="ls")', Bash("ls")),
    "text after the action": ('Action: Bash(code="ls") and then I look.\nAction: Bash(code="pwd")', Bash("ls")),
    "brackets in a statement": (
        'Action: SQL(file_path="a.db", command="SELECT COUNT("x") FROM t WHERE a IN (1, 2)", output="direct")',
        Sql("a.db", 'SELECT COUNT("x") FROM t WHERE a IN (1, 2)', "direct"),
    ),
    "an answer without quotes": ("Action: Terminate(output=42 (in all))", Terminate("42 (in all)")),
    "an empty answer": ('Action: Terminate(output="")', Terminate("")),
    "a block that names no language": (
        'Action: Python(file_path="a.py")\n```\nx = 1\n```',
        PythonFile("a.py", "x = 1\n"),
    ),
    "a block on the same line": (
        'Action: Python(file_path="a.py"): ```python\nx = 1\n```',
        PythonFile("a.py", "x = 1\n"),
    ),
    "a fence inside a text": (
        'Python(file_path="a.py"):\n```python\nx = """\n  ```json```\n"""\n```',
        PythonFile("a.py", 'x = """\n  ```json```\n"""\n'),
    ),
    "a program without a name": ('Action: Python(file_path=""):\n```python\nx = 1\n```', None),
    "a program without code": ('Action: Python(file_path="a.py")', None),
    "a command that never ends": ('Action: Bash(code="ls', None),
}


@pytest.mark.parametrize(("reply", "action"), FIXED.values(), ids=FIXED)
def test_what_models_write_in_all_its_forms(reply, action):
    assert action_in(reply) == action


QUOTABLE = st.text(st.characters(exclude_characters="\\", exclude_categories=["Cs"])).map(str.strip)


@given(QUOTABLE)
@example('a")\nb')
@example("Thought: a\nAction: b")
@example('echo "$(date)"')
def test_a_command_that_is_quoted_as_asked_comes_back_as_it_was(command):
    quoted = command.replace('"', '\\"')
    assert action_in(f'Thought: go\nAction: Bash(code="{quoted}")') == Bash(command)


@given(st.text(st.characters(exclude_characters="`", exclude_categories=["Cs"]), min_size=1))
def test_a_program_comes_back_to_the_character(program):
    reply = f'Thought: go\nAction: Python(file_path="a.py"):\n```python\n{program}\n```'
    assert action_in(reply) == PythonFile("a.py", f"{program}\n")


PIECES = st.sampled_from(
    [
        *("Action:", "Thought:", "Observation", "Bash(code=", "Python(file_path=", "SQL(file_path=", ", command="),
        *(", output=", "Terminate(output=", ")", '"', "'", '"""', "```", "```python\n", "\n", "\\", "\\_", "'''"),
        *(" ", "x", "é", "\ud800"),
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join), st.sampled_from(["fixed", "published"]))
def test_no_reply_makes_a_parser_fail(reply, parser):
    action = action_in(reply, parser)
    assert action is None or isinstance(action, Bash | PythonFile | Sql | Terminate)


HOSTILE = [
    "Action:", "Action" + "*" * 50, 'Bash(code="', 'Bash(code="a")', "Python(file_path=", 'Python(file_path="a"):\n```python\n',
    "SQL(file_path=, command=", "SQL(file_path=a, command=b, output=", "Terminate(output=", "```python\n", '"', '" ', '"   ,', "',", "\\",
    "Action: ", "* ", "\t", "\n", "'''", "Thought: \n", "command=", 'Bash(code="\\', "Bash(code=\n", "`",
]  # fmt: skip


@pytest.mark.parametrize("parser", ["fixed", "published"])
@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("start", ["", 'Action: Bash(code="'], ids=["bare", "in a command"])
def test_a_reply_of_any_length_is_read_in_bounded_time(piece, start, parser):
    reply = start + piece * (2 * READ_CHARACTERS // len(piece))
    began = time.process_time()
    action_in(reply, parser)
    assert time.process_time() - began < 20.0


def test_a_line_of_the_command_that_ends_like_the_action_does_not_end_it():
    command = 'cat <<\'EOF\' > a.py\nprint("x")\nf("y")\nEOF\npython a.py'
    assert action_in(f'Thought: write\nAction: Bash(code="{command}")', "fixed") == Bash(command)
