import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.generation.tiny_writer import SKILLS, TinyWriter

from benchwright.errors import InputError
from benchwright.files import index_folder
from benchwright.generation.executing import Machine
from benchwright.generation.finishing import KEPT
from benchwright.generation.journal import Began, Chosen, Ended, Journal, Passed, Refused, Written, read_journal
from benchwright.generation.material import prepare, rooms_in, to_relate
from benchwright.generation.pipeline import WORK, Request, generate
from benchwright.generation.rounds import Goal
from benchwright.generation.writing import Proved, is_empty_file
from benchwright.proving import CheckOptions, ProofOptions, check
from benchwright.sandbox.choice import Providers
from benchwright.suite import Suite

BEGAN = Began(version=1, tasks=1, seed=0, writer="w", rooms={"a": "0"}, skills="0")


@pytest.fixture(scope="module")
def generated(material, small_toolbox, tmp_path_factory):
    """A suite that was generated undisturbed, one that was killed ten times, and how often it was."""
    base = tmp_path_factory.mktemp("generated")
    base.chmod(0o755)
    program = Path(__file__).with_name("killing.py")
    paths = [material.folder, base / "whole" / "suite", base / "cut" / "suite", small_toolbox]
    done = subprocess.run([sys.executable, program, *paths], capture_output=True, text=True, check=False)
    if "EnvironmentFault" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    return paths[1], paths[2], json.loads(done.stdout)["kills"]


def test_killed_at_ten_points_it_goes_on_to_the_same_suite(generated):
    whole, cut, kills = generated
    assert kills == 10

    def content(folder):
        entries = {entry.path: entry.sha256 for entry in index_folder(folder)}
        return {path: digest for path, digest in entries.items() if path != "checks.json" and "outputs/" not in path}

    assert content(cut) == content(whole)


def test_the_suite_says_what_its_tasks_need_and_nothing_of_their_answers_where_agents_look(generated):
    suite = Suite.open(generated[0])
    assert len(suite.tasks) == 5
    public = (suite.folder / "tasks.jsonl").read_text() + (suite.folder / "labels.jsonl").read_text()
    for task_id, gold in suite.golds.items():
        assert gold.answer not in public
        assert [file.path for file in gold.required_files] == ["orders.csv"]
        labels = suite.label(task_id)
        assert labels.skills == ("Filtering Rows",)
        assert labels.answer_type == "number"
        assert [step["skill"] for step in labels.extra["workflow"]][1] == "Filtering Rows"
        assert "code" not in labels.extra["workflow"][0]
    kept = [json.loads(line) for line in (suite.folder / WORK / KEPT).read_text().splitlines()]
    assert [one["task_id"] for one in kept] == list(suite.tasks)


def test_a_generated_suite_is_checked_without_a_fault(generated, small_toolbox):
    providers = Providers()
    options = ProofOptions(open=lambda spec: providers.open(spec, "auto"), toolbox=small_toolbox, parallel=2)
    report = check(Suite.open(generated[0]), CheckOptions(proofs=options))
    providers.close()
    assert report.clean, report.findings
    assert report.proofs.proved == 5


def test_every_decision_is_in_the_journal(generated):
    entries = list(read_journal(generated[0] / WORK / "journal.jsonl"))
    assert isinstance(entries[0], Began)
    assert isinstance(entries[-1], Ended)
    reasons = {entry.rejection.reason for entry in entries if isinstance(entry, Refused)}
    assert reasons >= {"no_material", "trivial_answer", "near_duplicate"}
    passed = {entry.proved.draft for entry in entries if isinstance(entry, Passed)}
    assert {entry.draft for entry in entries if isinstance(entry, Chosen)} <= passed


def test_a_folder_of_something_else_is_not_touched(material, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="in the way"):
        generate(Request(material.folder, tmp_path, Goal(1, SKILLS)), TinyWriter(), Machine(Providers().open))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_journal_tells_its_decisions_again_and_refuses_others(tmp_path):
    path = tmp_path / "suite" / "gold" / "generation" / "journal.jsonl"
    with Journal(path, BEGAN) as journal:
        journal.decided(Written(round=1, room="a"))
        journal.decided(Passed(round=1, proved=Proved(draft="d", answer="ü\ud800")))
    with path.open("ab") as stream:
        stream.write(b'{"kind":"chosen","draft"')
    with Journal(path, BEGAN) as journal:
        assert journal.again(Passed) is None
        journal.decided(Written(round=1, room="a"))
        assert journal.again(Passed).proved.draft == "d"
        assert not journal.replaying
        journal.decided(Chosen(draft="d", task_id="a-001"))
    assert [entry.kind for entry in read_journal(path)] == ["began", "written", "passed", "chosen"]
    with Journal(path, BEGAN) as journal, pytest.raises(InputError, match="decision 2 does not follow"):
        journal.decided(Written(round=2, room="a"))
    with pytest.raises(InputError, match="begun with other seed"):
        Journal(path, BEGAN.model_copy(update={"seed": 1}))
    with pytest.raises(InputError, match="begun with other version"):
        Journal(path, BEGAN.model_copy(update={"version": 2}))
    path.write_text('{"kind":"unheard"}\n')
    with pytest.raises(InputError, match="line 1: no decision"):
        Journal(path, BEGAN)


OTHER = """
import sys
from pathlib import Path
from benchwright.errors import InputError
from benchwright.generation.journal import Began, Journal
try:
    Journal(Path(sys.argv[1]), Began(version=1, tasks=1, seed=0, writer="w", rooms={"a": "0"}, skills="0"))
except InputError as error:
    print(error)
"""


def test_two_processes_do_not_generate_one_suite(tmp_path):
    path = tmp_path / "suite" / "gold" / "generation" / "journal.jsonl"
    with Journal(path, BEGAN) as journal:
        other = subprocess.run([sys.executable, "-c", OTHER, path], capture_output=True, text=True, check=True)
        assert f"{tmp_path / 'suite'} is being generated" in other.stdout
        journal.decided(Written(round=1, room="a"))
    assert not subprocess.run([sys.executable, "-c", OTHER, path], capture_output=True, text=True, check=True).stdout


def test_rooms_are_the_folders_of_a_folder_or_the_folder_itself(tmp_path):
    for name in ("b b", "a", "empty", ".hidden"):
        (tmp_path / name).mkdir()
    (tmp_path / "b b" / "x.csv").write_text("x\n1\n")
    (tmp_path / "a" / "deep").mkdir()
    (tmp_path / "a" / "deep" / "y.csv").write_text("y\n1\n")
    assert list(rooms_in(tmp_path)) == ["a", "b_b"]
    (tmp_path / "b_b").mkdir()
    (tmp_path / "b_b" / "z.csv").write_text("z\n1\n")
    with pytest.raises(InputError, match="would be called b_b"):
        rooms_in(tmp_path)
    (tmp_path / "top.csv").write_text("x\n1\n")
    assert list(rooms_in(tmp_path).values()) == [tmp_path.resolve()]
    with pytest.raises(InputError, match="holds no files"):
        rooms_in(tmp_path / "empty")


def test_a_room_is_copied_without_links_and_hidden_files_for_everybody_to_read(tmp_path):
    source = tmp_path / "data"
    (source / "part").mkdir(parents=True, mode=0o700)
    (source / "part" / "x.csv").write_text("x\n1\n2\n")
    (source / ".secret").write_text("no")
    (source / "link.csv").symlink_to("/etc/passwd")
    (source / "part" / "x.csv").chmod(0o600)
    [room] = prepare(source, tmp_path / "suite", tmp_path / "work", lambda _: None)
    assert [entry.path for entry in room.index] == ["part/x.csv"]
    assert (room.folder / "part" / "x.csv").stat().st_mode & 0o777 == 0o644
    assert list(room.material.files) == ["part/x.csv"]


def test_of_a_room_with_very_many_tables_the_first_are_related_and_that_is_said():
    said = []
    assert to_relate("abc", "shop", said.append, most=3) == "abc"
    assert not said
    assert to_relate("abcd", "shop", said.append, most=3) == "abc"
    assert "4 tables" in said[0]


@pytest.mark.parametrize(
    ("name", "content", "empty"),
    [
        ("a.csv", b"x,y\n", True),
        ("a.csv", b"x,y\n1,2\n", False),
        ("a.json", b'{"x": null, "y": []}', True),
        ("a.json", b'{"x": 0}', False),
        ("a.json", b"{", True),
        ("a.txt", b" \n", True),
        ("a.png", b"\x89PNG", False),
    ],
)
def test_an_output_that_says_nothing_is_told_from_one_that_does(name, content, empty):
    assert is_empty_file(name, content) is empty


def test_a_suite_among_its_own_data_is_refused(material, tmp_path):
    request = Request(material.folder, material.folder / "sub", Goal(1, SKILLS, 0))
    with pytest.raises(InputError, match="lies in the data"):
        generate(request, TinyWriter(), None)
    assert not (material.folder / "sub").exists()
