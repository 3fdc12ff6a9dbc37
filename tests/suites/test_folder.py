import json
import os
import shutil
from pathlib import Path

import pytest

from benchwright.errors import InputError, SuiteError
from benchwright.suite import Suite
from benchwright.suites.base import BuildRequest
from benchwright.suites.folder import FolderLoader

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def build(tmp_path):
    (tmp_path / "data" / "shop").mkdir(parents=True)
    (tmp_path / "data" / "shop" / "a.csv").write_text("x\n1\n")
    (tmp_path / "data" / "b.csv").write_text("x\n2\n")
    (tmp_path / "solution.py").write_text("import pandas as pd\nprint(pd.read_csv('/data/shop/a.csv').x.sum())\n")
    (tmp_path / "gold.csv").write_text("x\n1\n")

    def run(rows, name="questions.jsonl", progress=lambda _: None, **sources):
        text = rows if isinstance(rows, str) else "\n".join(json.dumps(row) for row in rows)
        (tmp_path / name).write_text(text)
        request = BuildRequest(
            out=tmp_path / "My Suite!",
            sources={"questions": tmp_path / name, "data": tmp_path / "data"} | sources,
            progress=progress,
        )
        return FolderLoader().load(request)

    return run


def row(**values):
    return {"question": "What is the sum of x?", "answer": "1"} | values


def test_the_example_is_what_is_built_from_its_questions(tmp_path):
    questions = EXAMPLES / "questions"
    sources = {
        "questions": questions / "questions.jsonl",
        "data": questions / "data",
        "about": questions / "about.toml",
    }
    again = FolderLoader().load(BuildRequest(out=tmp_path / "suite", sources=sources))
    kept = Suite.open(EXAMPLES / "suite")
    assert (again.digest, again.gold_digest) == (kept.digest, kept.gold_digest)
    assert again.room_index("main") == kept.room_index("main")
    assert [task.outputs[0].kind for task in kept.tasks.values()] == ["answer", "answer", "table"]
    assert all(gold.discovery_known for gold in kept.golds.values())


def test_the_shortest_form_is_a_question_and_an_answer(build):
    suite = build([row(), row()])
    assert list(suite.tasks) == ["1", "2"]
    assert (suite.name, suite.golds["1"].required_files_status) == ("my_suite_", "unknown")
    assert (suite.folder / "data" / "main" / "shop" / "a.csv").read_text() == "x\n1\n"
    assert suite.info.rooms["main"].files == 2


def test_required_files_are_declared_or_derived_from_the_solution(build):
    suite = build([row(files=["shop/*.csv"]), row(solution="solution.py")])
    declared, derived = suite.golds["1"], suite.golds["2"]
    assert (declared.required_files_status, declared.required_files[0].matches) == ("declared", ("shop/a.csv",))
    assert (derived.required_files_status, derived.required_files[0].path) == ("static", "shop/a.csv")
    assert derived.solution.code.startswith("import pandas")


def test_a_table_is_checked_against_its_gold_file(build):
    suite = build([{"question": "Give x.", "output": "out.csv", "gold": "gold.csv", "check": {"ordered": True}}])
    (check,) = suite.golds["1"].checks
    assert (check.scorer, check.output, check.golds, check.options) == (
        "table",
        "out.csv",
        ("out.csv",),
        {"ordered": True},
    )
    assert (suite.gold_files("1") / "out.csv").read_text() == "x\n1\n"
    assert suite.tasks["1"].outputs[0].name == "out.csv"


def test_rows_of_a_csv_file_are_the_same(build):
    suite = build("id,question,answer,files,subsets\nq,How much?,1; 2,shop/a.csv; b.csv,hard\n", name="q.csv")
    assert suite.golds["q"].answer == "1; 2"
    assert [file.path for file in suite.golds["q"].required_files] == ["shop/a.csv", "b.csv"]
    assert suite.subset("hard") == ("q",)


def test_each_named_room_is_a_folder_below_the_data(build):
    suite = build([row(room="shop", files=["a.csv"])])
    assert set(suite.info.rooms) == {"shop"}
    assert suite.tasks["1"].data[0].room == "shop"


def test_links_and_special_files_are_not_copied_into_a_room_and_told(build, tmp_path):
    (tmp_path / "secret.txt").write_text("x")
    (tmp_path / "data" / "shop" / "link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "data" / "folder").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "data" / "pipe")
    said = []
    assert build([row()], progress=said.append).info.rooms["main"].files == 2
    assert said[-1] == "room main: 3 links or special files are left out: folder, pipe, shop/link.txt"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("", "no questions"),
        ("{", "line 1: not valid JSON"),
        ([row(), {"answer": "1"}], "line 2: not a valid Question"),
        ([{"question": "x"}], "give either `answer` or `gold`"),
        ([row(gold="gold.csv", output="o.csv")], "give either `answer` or `gold`"),
        ([{"question": "x", "gold": "gold.csv"}], "belong together"),
        ([row(fles=[])], "not a valid Question"),
        ([row(files=["shop/none.csv"])], "line 1: a required file is not in the data"),
        ([row(solution="none.py")], "line 1: no such file beside the questions: none.py"),
        ([row(solution="../../etc/passwd")], "no such file beside the questions"),
        ([row(room="none")], "line 1: no such data folder"),
        ([row(id="a"), row(id="a")], "line 2: the id a is taken"),
        ([row(id="2"), row()], "line 2: the id 2 is taken"),
    ],
)
def test_a_wrong_row_is_named_and_nothing_is_built(build, tmp_path, rows, message):
    with pytest.raises(InputError, match=message):
        build(rows)
    assert not (tmp_path / "My Suite!").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".My Suite!")]


def test_an_existing_suite_makes_way_only_for_one_that_is_whole(build, tmp_path):
    build([row()])
    with pytest.raises(InputError, match="no such data folder"):
        build([row(room="none")])
    assert list(Suite.open(tmp_path / "My Suite!").tasks) == ["1"]
    assert list(build([row(id="new")]).tasks) == ["new"]


def test_about_fills_the_description_and_unknown_keys_are_refused(build, tmp_path):
    about = tmp_path / "about.toml"
    about.write_text('name = "mine"\ntitle = "T"\nreference = "coda_bench"')
    suite = build([row()], about=about)
    assert (suite.name, suite.info.title, suite.info.reference) == ("mine", "T", "coda_bench")
    about.write_text("rooms = 1")
    with pytest.raises(SuiteError, match="unknown key 'rooms'"):
        build([row()], about=about)


def test_missing_and_unknown_sources_are_refused(tmp_path):
    with pytest.raises(SuiteError, match="no questions given"):
        FolderLoader().load(BuildRequest(out=tmp_path / "s"))
    shutil.copytree(EXAMPLES / "questions", tmp_path / "q")
    sources = {"questions": tmp_path / "q" / "questions.jsonl", "data": tmp_path / "q" / "data", "x": tmp_path}
    with pytest.raises(SuiteError, match="no source 'x'"):
        FolderLoader().load(BuildRequest(out=tmp_path / "s", sources=sources))
