import pytest

from benchwright.errors import InputError
from benchwright.suite import Suite, SuiteInfo
from benchwright.suites import built, families, find, loader
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
    with pytest.raises(InputError, match=r"no suite 'other'(.|\n)*one of: lake, mine\n"):
        find("other")


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
