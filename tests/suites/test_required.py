import pytest

from benchwright.files import FileEntry
from benchwright.gold import Gold, RequiredFile
from benchwright.suites.required import RoomFiles, resolve

ROOM = RoomFiles(
    [
        FileEntry("a-b/source/x.csv", 3, "11"),
        FileEntry("c/source/x.csv", 3, "11"),
        FileEntry("c/source/empty1.csv", 0, "00"),
        FileEntry("c/source/empty2.csv", 0, "00"),
        FileEntry("c/source/deep/y1.csv", 3, "22"),
        FileEntry("c/source/deep/y2.csv", 3, "33"),
    ]
)


def resolved(path, **values):
    gold = Gold(task_id="1", required_files=(RequiredFile(path=path, **values),))
    return resolve(gold, {"room": ROOM}, "room").required_files[0]


def test_a_path_takes_its_spelling_on_disk_and_names_its_copies():
    file = resolved("A_b/source/X.csv", convention="source")
    assert (file.path, file.matches, file.copies) == ("a-b/source/x.csv", ("a-b/source/x.csv",), ("c/source/x.csv",))


def test_a_declared_path_is_not_bent():
    assert resolved("A_b/source/X.csv").matches == ()


def test_empty_files_are_no_copies_of_each_other():
    assert resolved("c/source/empty1.csv").copies == ()


def test_patterns_and_bare_names_keep_their_text_and_list_their_matches():
    pattern = resolved("C/source/deep/*.csv", glob=True, convention="source")
    assert (pattern.path, pattern.matches) == ("C/source/deep/*.csv", ("c/source/deep/y1.csv", "c/source/deep/y2.csv"))
    assert resolved("x.csv", convention="walk").matches == ("a-b/source/x.csv", "c/source/x.csv")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("c/source/*.csv", ["empty1.csv", "empty2.csv", "x.csv"]),
        ("c/source/**/*.csv", ["deep/y1.csv", "deep/y2.csv", "empty1.csv", "empty2.csv", "x.csv"]),
        ("c/source/**/y?.csv", ["deep/y1.csv", "deep/y2.csv"]),
        ("**/x.csv", ["x.csv"]),
    ],
)
def test_a_star_stays_in_its_folder_and_two_stars_go_through_all_of_them(pattern, expected):
    found = [path.removeprefix("c/source/") for path in resolved(pattern, glob=True).matches if path.startswith("c/")]
    assert sorted(found) == expected


def test_files_of_a_room_that_is_not_here_stay_as_they_are():
    gold = Gold(task_id="1", required_files=(RequiredFile(path="a", room="other"),))
    assert resolve(gold, {"room": ROOM}, "room") == gold
