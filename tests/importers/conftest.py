import json

import pytest

from benchwright.files import FileEntry
from benchwright.gold import Gold, RequiredFile
from benchwright.suite import RoomInfo, Suite, SuiteInfo, write_room_index
from benchwright.task import DataMount, OutputSpec, Task

FILES = ("shop/source/sales.csv", "shop/source/stock.csv", "old/source/sales.csv", "notes.json")


@pytest.fixture
def lines(tmp_path):
    """Write a log of one JSON value a line, or of texts as they are."""

    def write(name, *values):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{v if isinstance(v, str) else json.dumps(v)}\n" for v in values), encoding="utf-8")
        return path

    return write


@pytest.fixture
def suite(tmp_path):
    """Two tasks over an indexed room; the second asks for a table."""
    tasks = [
        Task(id="s-1", question="How many sales were made in all?", data=(DataMount(room="r"),)),
        Task(
            id="s-2",
            question="Which stock is left, by shop?",
            data=(DataMount(room="r"),),
            outputs=(OutputSpec(kind="table", name="left.csv"),),
        ),
    ]
    required = (RequiredFile(path="shop/source/sales.csv"),)
    golds = [
        Gold(task_id="s-1", answer="5", required_files=required, required_files_status="declared"),
        Gold(task_id="s-2", answer="6", required_files=required, required_files_status="declared"),
    ]
    info = SuiteInfo(name="small", release="1", rooms={"r": RoomInfo(files=4)})
    made = Suite.write(tmp_path / "suite", info, tasks, (), golds)
    write_room_index(made.folder, "r", (FileEntry(path, 1, "0" * 64) for path in FILES))
    return made
