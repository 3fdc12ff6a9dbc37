import tempfile
from pathlib import Path

import pytest

from benchwright.gold import Gold
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, OutputSpec, Task

from .watching import adopt_orphans


@pytest.fixture
def suite(tmp_path) -> Path:
    """Four tasks over one room; the answer to each is 42."""
    room = tmp_path / "suite" / "data" / "shop"
    room.mkdir(parents=True)
    (room / "sales.csv").write_text("month,amount\njan,10\nfeb,32\n")
    outputs = (OutputSpec(kind="answer"), OutputSpec(kind="table", name="out.csv"))
    tasks = [
        Task(id=name, question=f"How many {name}?", data=(DataMount(room="shop"),), outputs=outputs) for name in "abcd"
    ]
    golds = [Gold(task_id=task.id, answer="42") for task in tasks]
    Suite.write(tmp_path / "suite", SuiteInfo(name="odd", rooms={"shop": RoomInfo.of(room)}), tasks, golds=golds)
    return tmp_path / "suite"


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    """Nothing that a run leaves behind can hide: orphans become children of ours, temporary files have a folder."""
    adopt_orphans(True)
    with tempfile.TemporaryDirectory(prefix="chaos-") as place:  # in /tmp: the path of a socket is short
        monkeypatch.setenv("TMPDIR", place)
        yield
        left = [path.name for path in Path(place).iterdir() if not _is_pythons_own_try(path)]
    adopt_orphans(False)
    assert left == []


def _is_pythons_own_try(path: Path) -> bool:
    """Python tries a place for temporary files with such a file, and removes it; a kill may come between."""
    return len(path.name) == 8 and path.is_file() and path.read_bytes() in (b"", b"blat")
