"""Files made to harm whoever opens them, through the worker processes: each is 0 for its own check, in little time and memory."""

import io
import json
import os
import resource
import time
import zipfile

import pytest

from benchwright.gold import Check, Gold
from benchwright.scorers.compare import tables
from benchwright.scoring import Job, Worker, WorkLimits, score_predictions
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import Task
from benchwright.trajectory import Submission

LIMITS = WorkLimits(seconds=60, memory_mb=2048)


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """One task for each kind of file, whose second check is sound."""
    kinds = {
        "table": ("o.csv", b"a,b\n1,2\n"),
        "document": ("o.json", b'{"a": 1}'),
        "model_metric": ("o.csv", b"id,y\n1,2\n2,5\n"),
    }
    kinds["text"] = ("o.txt", b"right\n")
    golds = [
        Gold(
            task_id=kind,
            checks=(
                Check(
                    scorer=kind,
                    output="hostile",
                    golds=(name,),
                    options={"metric": "mae"} if kind == "model_metric" else {},
                ),
                Check(scorer="document", output="fine.json", golds=("fine.json",)),
            ),
            files=(name, "fine.json"),
        )
        for kind, (name, _) in kinds.items()
    ]
    tasks = [Task(id=kind, question="?") for kind in kinds]
    made = Suite.write(tmp_path_factory.mktemp("suite") / "s", SuiteInfo(name="s"), tasks, (), golds)
    for kind, (name, content) in kinds.items():
        made.gold_files(kind).mkdir(parents=True)
        (made.gold_files(kind) / name).write_bytes(content)
        (made.gold_files(kind) / "fine.json").write_text("[1]")
    return made


@pytest.fixture(scope="module")
def worker(suite):
    with Worker(suite.folder, LIMITS) as found:
        yield found


@pytest.fixture
def judged(worker, tmp_path):
    """The sound verdict on one hostile file; the check beside it must not suffer."""

    def run(kind, path):
        (tmp_path / "fine.json").write_text("[1]")
        files = {"hostile": path, "fine.json": tmp_path / "fine.json"}
        start = time.monotonic()
        verdict = worker.score(Job(kind, Submission(files=files), modes=("sound",)))
        assert verdict.checks[1].sound.value == 1
        assert verdict.sound.value == 0.5
        assert time.monotonic() - start < 60
        return verdict.checks[0].sound

    return run


KINDS = ["table", "document", "model_metric", "text"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_regular_file_is_not_opened(judged, tmp_path, kind):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "device").symlink_to("/dev/zero")
    for name in ("pipe", "link", "device", "folder"):
        (tmp_path / "folder").mkdir(exist_ok=True)
        found = judged(kind, tmp_path / name)
        assert found.value == 0
        assert "not a regular file" in found.reason


@pytest.mark.parametrize("kind", KINDS)
def test_a_sparse_file_of_a_terabyte_is_refused_by_its_length(judged, tmp_path, kind):
    with (tmp_path / "sparse").open("wb") as stream:
        stream.truncate(1 << 40)
    found = judged(kind, tmp_path / "sparse")
    assert (found.value, "more than" in found.reason) == (0, True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "content",
    [
        b"\x00" * 100_000,
        b"\xff" * 100_000,
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 100,
        b"[" * 1_000_000,
        b'{"a":' * 300_000,
        b"," * 1_000_000,
        b'"' * 1_000_001,
        b"\n" * 1_000_000,
        b"PAR1" + b"\xff" * 1000 + b"PAR1",
        b"PK\x03\x04" + b"\xff" * 1000,
        b"SQLite format 3\x00" + b"\xff" * 1000,
        b"9" * 1_000_000,
        ("a,b\n" + "1e999999999,-1e999999999\n" * 100).encode(),
        b"\xef\xbb\xbf" * 1000,
        b"\xff\xfe\x00\xd8" * 1000,
    ],
    ids=lambda content: repr(content[:8]),
)
def test_no_content_of_any_kind_does_harm(judged, tmp_path, kind, content):
    (tmp_path / "content").write_bytes(content)
    assert judged(kind, tmp_path / "content").value == 0


def test_an_archive_that_unpacks_to_gigabytes_is_refused_before_it_does(judged, tmp_path):
    with (
        zipfile.ZipFile(tmp_path / "bomb", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as stream,
    ):
        for _ in range(201):
            stream.write(bytes(1 << 20))
    found = judged("table", tmp_path / "bomb")
    assert (found.value, "unpacked bytes" in found.reason) == (0, True)
    with zipfile.ZipFile(tmp_path / "bomb") as archive:  # what reading it would have taken
        assert sum(item.file_size for item in archive.infolist()) > tables.MAX_UNPACKED


def test_an_archive_that_lies_about_its_sizes_is_refused(judged, tmp_path):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * (64 << 20))
    honest = (64 << 20).to_bytes(4, "little")
    (tmp_path / "liar").write_bytes(made.getvalue().replace(honest, (100).to_bytes(4, "little")))
    assert judged("table", tmp_path / "liar").value == 0


def test_columns_and_cells_without_number_are_refused(judged, tmp_path):
    (tmp_path / "wide").write_text(",".join(map(str, range(1_000_000))) + "\n")
    (tmp_path / "many").write_text("a,b\n" + "1,2\n" * (tables.MAX_CELLS // 2 + 1))
    assert "columns" in judged("table", tmp_path / "wide").reason
    assert "cells" in judged("table", tmp_path / "many").reason


def test_a_small_parquet_file_of_seventy_million_rows_is_refused_by_its_own_count(judged, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    ones = pa.array([1] * 1_000_000, pa.int8())
    with pq.ParquetWriter(tmp_path / "bomb", pa.schema([("a", pa.int8())])) as writer:
        for _ in range(70):
            writer.write_table(pa.table({"a": ones}))
    assert (tmp_path / "bomb").stat().st_size < 1 << 20
    assert "cells" in judged("table", tmp_path / "bomb").reason


def test_names_with_odd_bytes_are_only_names(suite, tmp_path):
    folder = tmp_path / "out" / "document"
    folder.mkdir(parents=True)
    (folder / "fine.json").write_text("[1]")
    for name in (b"\xff\xfe.json", b"-rf *", b"a\nb", b"$(id)", b"..json", b"\xe2\x80\xae.exe"):
        (folder / os.fsdecode(name)).write_bytes(b"{}")
    document = score_predictions(suite, tmp_path / "out", ("sound",)).document()
    (task,) = [task for task in document["tasks"] if task["id"] == "document"]
    assert [check["sound"]["score"] for check in task["checks"]] == [0, 1]
    json.dumps(document, ensure_ascii=True)


def test_a_worker_holds_no_more_memory_than_it_is_allowed(suite, tmp_path):
    """The last line of defence: what no reader's own limit stops, the process's does, and the control gets through."""
    (tmp_path / "fine.json").write_text("[" + "[]," * 2_000_000 + "[]]")
    job = Job("document", Submission(files={"fine.json": tmp_path / "fine.json"}), modes=("sound",))
    with Worker(suite.folder, WorkLimits(seconds=60, memory_mb=160)) as small, Worker(suite.folder, LIMITS) as large:
        starved, fed = small.score(job).checks[1].sound, large.score(job).checks[1].sound
    assert (starved.kind, fed.kind) == ("unscored", "scored")
    assert starved.reason == "scorer: document ran out of memory"
    assert resource.getrlimit(resource.RLIMIT_DATA)[0] == resource.RLIM_INFINITY  # ours is as it was
