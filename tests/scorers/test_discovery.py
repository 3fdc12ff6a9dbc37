import pytest

from benchwright.files import FileEntry
from benchwright.gold import Check, Gold, RequiredFile
from benchwright.scorers.base import Expected
from benchwright.scorers.discovery import DiscoveryScorer
from benchwright.suites.required import RoomFiles, resolve
from benchwright.task import DataMount, Task
from benchwright.trajectory import FileAccess, Measured, NotMeasured, Submission

ROOM = RoomFiles(
    [
        FileEntry("shop/source/sales.csv", 10, "aa"),
        FileEntry("shop/source/stock.csv", 10, "bb"),
        FileEntry("old-shop/source/sales.csv", 10, "cc"),
        FileEntry("copy/source/sales_2.csv", 10, "aa"),
        FileEntry("shop/source/parts/p1.csv", 10, "d1"),
        FileEntry("shop/source/parts/p2.csv", 10, "d2"),
        *(FileEntry(f"more/source/f{n}.csv", 10, f"e{n}") for n in range(6)),
    ]
)


def required(path, **values):
    return RequiredFile(path=path, convention="source", **values)


def judge(files, opened, *, status="static", room=ROOM, tracer="fanotify", in_room="shop"):
    gold = Gold(task_id="1", answer="5", required_files=tuple(files), required_files_status=status)
    if room:
        gold = resolve(gold, {"shop": room}, "shop")
    task = Task(id="1", question="?", data=(DataMount(room="shop"),))
    seen = Measured(tracer=tracer, files=tuple(FileAccess(path=path, room=in_room) for path in opened), room_files=12)
    expected = Expected(task=task, gold=gold, check=Check(scorer="discovery"), files=None)
    return DiscoveryScorer().score(Submission(accesses=seen), expected)


def test_every_required_file_has_to_be_read():
    files = [required("shop/source/sales.csv"), required("shop/source/stock.csv")]
    assert judge(files, ["shop/source/sales.csv", "shop/source/stock.csv"]).value == 1.0
    half = judge(files, ["shop/source/sales.csv"])
    assert (half.value, half.details["missing"]) == (0.0, ["shop/source/stock.csv"])
    assert judge(files, []).value == 0.0


def test_further_files_cost_precision_and_nothing_else():
    found = judge([required("shop/source/sales.csv")], ["shop/source/sales.csv", "more/source/f1.csv"])
    assert (found.value, found.details["precision"], found.details["opened"]) == (1.0, 0.5, 2)


def test_the_spelling_of_a_dataset_folder_does_not_matter():
    assert judge([required("old_shop/source/sales.csv")], ["old-shop/source/sales.csv"]).value == 1.0
    assert judge([required("old_shop/source/sales.csv")], ["old-shop/source/sales.csv"], room=None).value == 1.0


def test_a_file_of_the_same_name_in_another_dataset_counts_for_the_basename_variant_alone():
    found = judge([required("shop/source/sales.csv")], ["old-shop/source/sales.csv"])
    assert [found.details[name] for name in ("strict", "content", "basename")] == [False, False, True]


def test_a_copy_of_the_file_counts_for_the_content_variant_alone():
    found = judge([required("shop/source/sales.csv")], ["copy/source/sales_2.csv"])
    assert [found.details[name] for name in ("strict", "content", "basename")] == [False, True, False]


def test_contents_are_unknown_where_the_room_is():
    found = judge([required("shop/source/sales.csv")], ["copy/source/sales_2.csv"], room=None)
    assert found.details["content"] is None


def test_every_match_of_a_pattern_has_to_be_read():
    files = [required("shop/source/parts/*.csv", glob=True)]
    assert judge(files, ["shop/source/parts/p1.csv", "shop/source/parts/p2.csv"], status="glob").value == 1.0
    assert judge(files, ["shop/source/parts/p1.csv"], status="glob").value == 0.0


def test_a_pattern_cannot_be_judged_without_the_rooms_files():
    found = judge(
        [required("shop/source/parts/*.csv", glob=True)], ["shop/source/parts/p1.csv"], status="glob", room=None
    )
    assert found.kind == "unscored"


def test_a_bare_name_means_any_file_of_that_name():
    assert judge([required("sales.csv")], ["old-shop/source/sales.csv"], status="basename_only").value == 1.0
    assert judge([required("sales.csv")], ["shop/source/stock.csv"], status="basename_only").value == 0.0


def test_paths_that_a_suite_declares_are_compared_as_they_stand():
    declared = RequiredFile(path="a_b/x.csv")
    assert judge([declared], ["a_b/x.csv"], status="declared").value == 1.0
    assert judge([declared], ["a-b/x.csv"], status="declared").value == 0.0


def test_the_same_path_in_another_room_is_another_file():
    assert judge([required("shop/source/sales.csv")], ["shop/source/sales.csv"], in_room="bank").value == 0.0


@pytest.mark.parametrize(
    "claim",
    [
        "shop/source/sales.csv",
        "./data/shop/source/sales.csv",
        "/data/Shop/source/sales.csv",
        "x/full_community/shop/source/sales.csv",
    ],
)
def test_claimed_paths_may_take_any_form(claim):
    assert judge([required("shop/source/sales.csv")], [claim], tracer="log", in_room="").value == 1.0


@pytest.mark.parametrize("claim", ["sales.csv", "myshop/source/sales.csv.bak", "old-shop/source/sales.csv"])
def test_claims_of_other_files_do_not_count(claim):
    assert judge([required("shop/source/sales.csv")], [claim], tracer="log", in_room="").value == 0.0


def test_what_was_not_measured_is_unscored_and_never_zero():
    gold = Gold(task_id="1", required_files=(required("a/source/b.csv"),), required_files_status="static")
    expected = Expected(task=Task(id="1", question="?"), gold=gold, check=Check(scorer="discovery"), files=None)
    score = DiscoveryScorer().score(Submission(accesses=NotMeasured(reason="the queue was full")), expected)
    assert (score.kind, score.reason) == ("unscored", "not measured: the queue was full")


@pytest.mark.parametrize("status", ["embedded_or_none", "remote", "unparsable", "unknown"])
def test_tasks_without_known_files_are_unscored(status):
    assert judge([], ["shop/source/sales.csv"], status=status).kind == "unscored"


def test_opening_everything_finds_all_and_is_flagged():
    found = judge([required("shop/source/sales.csv")], list(ROOM.entries))
    assert (found.value, found.details["swept"]) == (1.0, True)
    assert found.details["precision"] == 1 / 12
