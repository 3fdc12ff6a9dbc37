import os
from pathlib import Path

import pytest

from benchwright.errors import InputError, SuiteError
from benchwright.files import index_folder
from benchwright.gold import Gold
from benchwright.labels import Labels
from benchwright.suite import RoomInfo, Selection, Suite, SuiteInfo, write_room_index
from benchwright.task import DataMount, Task


def small_suite(folder: Path, *, gold: bool = True) -> Suite:
    info = SuiteInfo(name="small", rooms={"shop": RoomInfo(files=1)})
    tasks = [Task(id=name, question=f"How many {name}?", data=(DataMount(room="shop"),)) for name in ("a", "b", "c")]
    labels = [Labels(task_id="b", subsets=("full", "hard"))]
    golds = [Gold(task_id=name, answer="1") for name in ("a", "b", "c")] if gold else []
    return Suite.write(folder, info, tasks, labels, golds)


def test_a_suite_that_is_written_reads_back_equal(tmp_path):
    written = small_suite(tmp_path)
    again = Suite.open(tmp_path)
    assert again.tasks == written.tasks
    assert again.golds == written.golds
    assert again.digest == written.digest


def test_the_digest_of_what_agents_see_does_not_depend_on_the_gold(tmp_path):
    with_gold, without = small_suite(tmp_path / "x"), small_suite(tmp_path / "y", gold=False)
    assert with_gold.digest == without.digest
    assert without.gold_digest == ""


def test_a_withheld_gold_is_one_clear_error(tmp_path):
    with pytest.raises(InputError, match="holds no gold"):
        _ = small_suite(tmp_path, gold=False).golds


def test_selections_take_subset_ids_and_limit_in_order(tmp_path):
    suite = small_suite(tmp_path)
    assert [task.id for task in suite.select(Selection())] == ["a", "b", "c"]
    assert [task.id for task in suite.select(Selection(subset="hard"))] == ["b"]
    assert [task.id for task in suite.select(Selection(ids=("c", "a"), limit=1))] == ["a"]
    with pytest.raises(InputError, match="no task 'z'"):
        suite.select(Selection(ids=("z",)))
    with pytest.raises(InputError, match="no subset 'odd'"):
        suite.select(Selection(subset="odd"))


def test_a_bad_line_names_file_line_and_field(tmp_path):
    small_suite(tmp_path)
    with (tmp_path / "tasks.jsonl").open("a") as stream:
        stream.write('{"id": "../up", "question": "x"}\n')
    with pytest.raises(InputError, match=r"tasks.jsonl, line 4: not a valid Task"):
        Suite.open(tmp_path)


def test_a_task_in_an_unknown_room_is_refused(tmp_path):
    info = SuiteInfo(name="small")
    with pytest.raises(SuiteError, match="unknown room"):
        Suite.write(tmp_path, info, [Task(id="a", question="x", data=(DataMount(room="shop"),))])


def test_a_room_is_described_by_its_files_their_bytes_and_one_digest(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.csv").write_text("x\n")
    (tmp_path / "b.csv").write_text("yz\n")
    (tmp_path / "link.csv").symlink_to("b.csv")
    before = RoomInfo.of(tmp_path)
    assert (before.files, before.bytes) == (2, 5)
    (tmp_path / "b.csv").rename(tmp_path / "c.csv")
    assert RoomInfo.of(tmp_path).sha256 != before.sha256


def test_the_index_of_a_room_is_kept_and_read_back(tmp_path):
    suite = small_suite(tmp_path / "suite")
    assert suite.room_index("shop") is None
    room = tmp_path / "room"
    (room / "deep").mkdir(parents=True)
    (room / "deep" / "b.csv").write_text("b")
    (room / "a.csv").write_text("aa")
    (room / "link.csv").symlink_to("a.csv")
    index = index_folder(room)
    assert [entry.path for entry in index] == ["a.csv", "deep/b.csv"]
    write_room_index(suite.folder, "shop", index)
    assert suite.room_index("shop") == index
    assert RoomInfo.of_index(index) == RoomInfo.of(room)


def test_a_file_name_that_is_no_text_is_one_clear_error(tmp_path):
    os.close(os.open(os.fsencode(tmp_path) + b"/caf\xe9.csv", os.O_CREAT))
    with pytest.raises(InputError, match="not UTF-8 text"):
        index_folder(tmp_path)
