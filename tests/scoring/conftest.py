import json
import os
import sys
from pathlib import Path

import pytest

from benchwright.gold import Check, Gold, RequiredFile
from benchwright.labels import Labels
from benchwright.scorers import registry
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, OutputSpec, Task

HERE = Path(__file__).parent


@pytest.fixture(scope="session", autouse=True)
def probe_scorers(tmp_path_factory):
    """A package that offers scorers of its own, as another package would: found by entry point, here and in workers."""
    folder = tmp_path_factory.mktemp("site")
    info = folder / "probe_scorers-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: probe-scorers\nVersion: 1\n")
    names = ("Raises", "Hangs", "Dies", "Hoards", "Prints", "Half", "Absent")
    lines = "".join(f"{name.lower()} = probe_scorers:{name}\n" for name in names)
    (info / "entry_points.txt").write_text(f"[benchwright.scorers]\n{lines}")
    (folder / "probe_scorers.py").write_bytes((HERE / "probe_scorers.py").read_bytes())
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(folder), before)))
    sys.path.insert(0, str(folder))
    registry._offered.cache_clear()
    yield
    registry._offered.cache_clear()
    sys.path.remove(str(folder))
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before


ANSWERS = {"1": "38%", "2": "France; 12.5", "3": "Paris", "4": "1,234"}


@pytest.fixture
def suite(tmp_path):
    """Four answer tasks, two of them hard; the files of task 4 are not known."""
    required = (RequiredFile(path="a/x.csv"), RequiredFile(path="a/y.csv"))
    tasks = [Task(id=name, question=f"What is {name}?", data=(DataMount(room="r"),)) for name in ANSWERS]
    golds = [
        Gold(
            task_id=name,
            answer=answer,
            required_files=required if name != "4" else (),
            required_files_status="declared" if name != "4" else "unknown",
        )
        for name, answer in ANSWERS.items()
    ]
    labels = [Labels(task_id=name, subsets=("full", "hard")) for name in ("2", "4")]
    info = SuiteInfo(name="small", release="v9", rooms={"r": RoomInfo(files=20)}, reference="coda_bench")
    return Suite.write(tmp_path / "suite", info, tasks, labels, golds)


@pytest.fixture
def probe_suite(tmp_path):
    """One task for each probe scorer, named after it."""
    names = ("half", "raises", "hangs", "dies", "hoards", "prints")
    tasks = [Task(id=name, question="?", outputs=(OutputSpec(kind="text", name="out.txt"),)) for name in names]
    golds = [Gold(task_id=name, checks=(Check(scorer=name, output="out.txt", golds=("out.txt",)),)) for name in names]
    return Suite.write(tmp_path / "probes", SuiteInfo(name="probes"), tasks, (), golds)


@pytest.fixture
def predictions(tmp_path):
    def write(*pairs, **more):
        path = tmp_path / "predictions.jsonl"
        path.write_text(
            "".join(json.dumps({"instance_id": name, "prediction": text, **more}) + "\n" for name, text in pairs)
        )
        return path

    return write
