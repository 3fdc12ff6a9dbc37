import pytest

from benchwright.errors import Broken, EnvironmentFault, Fault, InputError
from benchwright.suite import Suite, SuiteInfo
from benchwright.suites import built, families, find, loader
from benchwright.suites.base import BuildRequest
from benchwright.suites.lake import LakeLoader
from benchwright.suites.registry import made
from benchwright.task import Task


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
    return Suite.write(tmp_path / "suites" / "mine", SuiteInfo(name="mine"), [Task(id="a", question="?")])


def test_a_suite_is_found_by_folder_and_by_name(kept):
    assert find(str(kept.folder)).name == "mine"
    assert find("mine").folder == kept.folder
    assert built() == {"mine": kept.folder}


def test_an_unknown_suite_is_one_clear_error(kept):
    with pytest.raises(InputError, match=r"no suite 'other'(.|\n)*one of: lake, mine\n") as caught:
        find("other")
    for name in set(families()) - {"lake"}:
        assert f"benchwright suites build {name} --" in caught.value.hint
    assert "benchwright suites fetch coda_bench" in caught.value.hint
    assert "did you mean" not in caught.value.hint
    with pytest.raises(InputError, match="did you mean dsbc"):
        find("dbsc")


def test_a_folder_that_is_no_suite_hides_no_suite_of_its_name(kept, tmp_path, monkeypatch):
    (tmp_path / "work" / "mine").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")
    assert find("mine").folder == kept.folder
    (tmp_path / "work" / "dsbc").mkdir()
    with pytest.raises(InputError, match="not a suite folder: dsbc"):
        find("dsbc")


class FullDisk(LakeLoader):
    """A family whose own process finds the disk full."""

    def load(self, request):
        raise Broken(Fault.SUITE, "could not be written", found="OSError: [Errno 28] No space left on device")


def test_a_disk_that_is_full_in_a_process_of_a_family_is_told_as_such(tmp_path):
    with pytest.raises(EnvironmentFault, match=r"cannot be written(.|\n)*No space left on device"):
        made(FullDisk(), BuildRequest(out=tmp_path / "lake"))


def test_a_family_that_needs_files_is_not_built_by_its_name(kept):
    with pytest.raises(InputError, match=r"no suite 'coda_bench'(.|\n)*hint: benchwright suites build coda_bench"):
        find("coda_bench")


def test_families_are_listed_and_an_unknown_one_names_them():
    assert {"coda_bench", "folder"} <= set(families())
    assert loader("coda_bench").name == "coda_bench"
    with pytest.raises(InputError, match="coda_bench"):
        loader("nothing")


@pytest.mark.slow
def test_a_built_in_suite_of_an_earlier_release_is_built_anew(kept):
    folder = kept.folder.parent / "lake"
    Suite.write(folder, SuiteInfo(name="lake", release="0"), [Task(id="a", question="?")])
    said = []
    assert find("lake", said.append).info.release == loader("lake").release
    assert "building the suite lake" in said[0]
    assert find("lake", said.append).info.release == loader("lake").release
    assert sum("building" in line for line in said) == 1
