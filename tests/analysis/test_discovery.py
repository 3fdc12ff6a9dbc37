"""How attempts searched: step by step, with near misses, and never measured and estimated mixed."""

import json

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.analysis.discovery import search
from benchwright.analysis.discovery.likeness import likeness
from benchwright.analysis.discovery.summary import summary
from benchwright.gold import Gold, RequiredFile
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.scoring import keep_scores, score_run
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task
from benchwright.trajectory import Answered, Call, Estimated, FileAccess, Measured, NotMeasured, Step, Trajectory

ORIGINAL = RequiredFile(path="shop/sales.csv", matches=("shop/sales.csv",), copies=("old/twin.csv",))
PARTS = RequiredFile(path="parts/*.csv", glob=True, matches=("parts/a.csv", "parts/b.csv"))
STEPS = (
    Step(index=1, started=10.0, calls=(Call(id="1", tool="sh", kind="shell", text="ls", output="sales.csv\na.csv"),)),
    Step(index=2, started=14.0, calls=(Call(id="2", tool="py", kind="python", text="pd.read_csv('sales.csv')"),)),
    Step(index=3, started=20.0, calls=(Call(id="3", tool="py", kind="python", text="df.mean()"),)),
    Step(index=4, started=25.0, calls=(Call(id="4", tool="py", kind="python", text="open('shop/sales.csv')"),)),
)


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    return Suite.write(
        tmp_path_factory.mktemp("sought") / "suite",
        SuiteInfo(name="sought", rooms={"r": RoomInfo(files=20)}),
        [Task(id="t", question="?", data=(DataMount(room="r"),)), Task(id="u", question="?")],
        [],
        [
            Gold(task_id="t", answer="1", required_files=(ORIGINAL, PARTS), required_files_status="glob"),
            Gold(task_id="u", answer="1"),
        ],
    )


def attempt(*files, kind=Measured, **more):
    told = {"tracer": "fanotify", "room_files": 20} if kind is Measured else {}
    accesses = kind(files=tuple(FileAccess(room="r", path=path, step=step) for path, step in files), **told)
    return Attempt(**{"cell": "c", "task_id": "t", "ending": Answered(), "accesses": accesses, "steps": 4} | more)


def test_when_a_file_was_listed_opened_and_last_used(suite):
    found = search(suite, attempt(("shop/sales.csv", 2), ("shop/other.csv", 3)), STEPS)
    sales, first, second = found.sought
    assert [(when.step, when.seconds) for when in (sales.listed, sales.opened, sales.used)] == [
        (1, 0.0),
        (2, 4.0),
        (4, 15.0),
    ]
    assert (first.listed.step, first.opened, second.listed, second.used) == (1, None, None, None)
    assert [item.path for item in found.missing] == ["parts/a.csv", "parts/b.csv"]
    assert [read.access.path for read in found.wasted] == ["shop/other.csv"]


def test_precision_and_recall_are_those_after_each_step(suite):
    found = search(suite, attempt(("shop/sales.csv", 2), ("shop/other.csv", 3), ("parts/a.csv", 3)), STEPS)
    assert list(found.progress()) == [(1, 0, 0, 0), (2, 1, 1, 1), (3, 3, 2, 2), (4, 3, 2, 2)]


def test_what_was_opened_instead_is_told_from_what_has_nothing_to_do_with_it(suite):
    read = ("old/sales.csv", 1), ("old/twin.csv", 2), ("shop/sales_2023_old.csv", 3), ("shop/staff.csv", 3)
    found = search(suite, attempt(*read), STEPS)
    roles = {each.access.path: each.role for each in found.reads}
    assert roles == {
        "old/sales.csv": "same_name",
        "old/twin.csv": "copy",
        "shop/sales_2023_old.csv": "similar",
        "shop/staff.csv": "other",
    }
    sales = found.sought[0]
    assert [read.role for read in sales.instead] == ["copy", "same_name", "similar"]
    assert sales.content_read
    assert sales.opened is None


def test_a_near_miss_is_one_only_where_the_original_was_not_opened(suite):
    found = search(suite, attempt(("old/sales.csv", 1), ("shop/sales.csv", 2)), STEPS)
    assert found.sought[0].instead == ()
    assert summary([found]).near_misses == {"copy": 0, "same_name": 0, "similar": 0}


def test_what_is_not_known_is_no_search(suite):
    assert search(suite, attempt().model_copy(update={"accesses": NotMeasured(reason="off")}), ()) is None
    assert search(suite, attempt(task_id="u"), ()) is None
    assert summary([]) is None


def test_reads_of_unknown_steps_count_at_the_end(suite):
    found = search(suite, attempt(("shop/sales.csv", None)), STEPS)
    assert list(found.progress())[-2:] == [(3, 0, 0, 0), (4, 1, 1, 1)]
    assert (found.sought[0].opened.step, found.sought[0].used.step) == (None, 4)


@pytest.mark.parametrize(
    ("path", "role"),
    [
        *[("x/Sales-v2.CSV", "similar"), ("x/sales (copy).csv", "similar"), ("x/sales.json", None)],
        *[("x/wholesales.csv", None), ("x/2023.csv", None), ("x/SALES.csv", "same_name")],
    ],
)
def test_names_are_alike_by_what_they_say_and_not_by_their_state(path, role):
    assert likeness(path, "shop/sales.csv", ()) == role


@given(st.text(max_size=40), st.text(min_size=1, max_size=40))
def test_any_two_names_can_be_held_against_each_other(path, original):
    assert likeness(path, original, ()) in ("same_name", "similar", None)


@given(st.lists(st.tuples(st.sampled_from(["shop/sales.csv", "parts/a.csv", "x.csv"]), st.integers(1, 9)), max_size=6))
def test_recall_never_falls_and_never_passes_one(suite, files):
    found = search(suite, attempt(*dict(files).items()), STEPS)
    reached = [point[3] for point in found.progress()]
    assert reached == sorted(reached)
    assert all(0 <= value <= len(found.sought) for value in reached)


@pytest.fixture(scope="module")
def run(suite, tmp_path_factory):
    cell = Cell(agent="a", suite_digest=suite.digest)
    spec = RunSpec(suite="sought", suite_folder=str(suite.folder), suite_digest=suite.digest, cells=(cell,), epochs=2)
    folder = RunFolder.create(tmp_path_factory.mktemp("sought") / "run", spec)
    folder.transcripts.write("u1", Trajectory(steps=STEPS))
    about = {"cell": cell.id, "answer": "1"}
    folder.record(attempt(("shop/sales.csv", 2), ("shop/other.csv", 3), uuid="u1", epoch=1, **about))
    folder.record(attempt(("old/sales.csv", 1), kind=Estimated, epoch=2, **about))
    keep_scores(score_run(suite, folder), folder)
    return folder


def test_the_document_keeps_what_was_measured_apart_from_estimates(run, asked):
    (cell,) = json.loads(asked("analyse", run.path, "--json"))["discovery"]["cells"]
    measured, estimated = cell["measured"], cell["estimated"]
    assert (measured["attempts"], measured["required"], measured["opened"]) == (1, 3, pytest.approx(1 / 3))
    assert (measured["wasted_reads"], measured["wasted_share"]) == (1, 0.5)
    assert measured["first_opened"] == {"step": 2, "seconds": 4.0, "n": 1}
    assert measured["curve"][-1] == {"step": 4, "precision": 0.5, "recall": pytest.approx(1 / 3)}
    assert (estimated["opened"], estimated["near_misses"]["same_name"]) == (0.0, 1)
    assert estimated["opened_instead"] == [{"path": "old/sales.csv", "role": "same_name", "n": 1}]
    assert "Discovery" in asked("analyse", run.path)


def test_the_tables_name_required_files_only_where_gold_is_asked_for(run, asked, tmp_path):
    asked("export", "tables", run.path, "--out", tmp_path / "plain")
    asked("export", "tables", run.path, "--out", tmp_path / "gold", "--with-gold")
    plain, gold = (pl.read_parquet(tmp_path / name / "required.parquet") for name in ("plain", "gold"))
    assert plain["path"].null_count() == plain.height == 6
    assert set(gold["path"]) == {"shop/sales.csv", "parts/a.csv", "parts/b.csv"}
    told = {
        name: str([pl.read_parquet(path).rows() for path in (tmp_path / name).iterdir()]) for name in ("plain", "gold")
    }
    assert "parts/b.csv" not in told["plain"]
    assert "parts/b.csv" in told["gold"]


def test_numbers_of_the_document_are_those_of_the_tables(run, asked, tmp_path):
    asked("export", "tables", run.path, "--out", tmp_path)
    (cell,) = json.loads(asked("analyse", run.path, "--json"))["discovery"]["cells"]
    with duckdb.connect() as database:
        database.execute(f"set file_search_path = '{tmp_path}'")
        (opened,) = database.sql("select avg(opened::int) from 'required.parquet' where basis = 'measured'").fetchone()
        (wasted,) = database.sql(
            "select avg((role != 'required')::int) from 'reads.parquet' where basis = 'measured'"
        ).fetchone()
        (recall,) = database.sql(
            "select recall from 'search.parquet' where basis = 'measured' order by step desc"
        ).fetchone()
    assert (opened, wasted) == (cell["measured"]["opened"], cell["measured"]["wasted_share"])
    assert recall == cell["measured"]["curve"][-1]["recall"]
