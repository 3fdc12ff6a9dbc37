import shutil
from pathlib import Path

import duckdb
import polars as pl
import pytest
from typer.testing import CliRunner

from benchwright.analysis.frames import TABLES, Frames
from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.trajectory import Answered, Call, Estimated, FileAccess, Measured, NotMeasured, Step, Trajectory, Usage

STEPS = (
    Step(
        index=1,
        text="I look.",
        usage=Usage(input_tokens=10, output_tokens=2, cost_usd=0.5),
        calls=(
            Call(id="a", tool="Bash", kind="shell", text="ls", exit_code=1, is_error=True, started=1.0, ended=3.5),
            Call(id="b", tool="Read", kind="read", path="/data/x.csv", output="12345"),
        ),
    ),
    Step(index=2, text="5"),
)


@pytest.fixture
def imported(suite, tmp_path):
    cell = Cell(agent="codex", preset="imported", suite_digest=suite.digest)
    spec = RunSpec(suite="small", suite_folder=str(suite.folder), suite_digest=suite.digest, cells=(cell,))
    run = RunFolder.create(tmp_path / "codex", spec)
    seen = Estimated(files=(FileAccess(path="x.csv", room="r", step=1), FileAccess(path="y.csv", certain=False)))
    for task, accesses in (("t00", seen), ("t01", NotMeasured(reason="no calls"))):
        uuid = f"uuid-{task}"
        run.transcripts.write(uuid, Trajectory(steps=STEPS if task == "t00" else ()))
        run.record(Attempt(cell=cell.id, task_id=task, uuid=uuid, ending=Answered(), answer="5", accesses=accesses))
    return run


def test_tables_of_a_live_and_an_imported_run_join_by_their_keys(suite, make, imported, tmp_path):
    live = make("live", 12, 7)
    frames = Frames.of([live.path, imported.path], [suite])
    attempts, scores = frames.attempts().collect(), frames.scores().collect()
    assert attempts.group_by("run").len().sort("run").rows() == [("codex", 2), ("live", 80)]
    assert set(attempts["reads"]) == {"measured", "estimated", "not_measured"}
    sound = scores.filter(pl.col("name") == "sound").join(attempts, on=["run", "cell", "task_id", "epoch"])
    assert sound.group_by("agent").agg(pl.col("value").sum()).sort("agent").rows() == [("a", 24.0), ("b", 14.0)]


def test_what_was_read_says_whether_it_was_measured(make, imported):
    found = Frames.of([make("live", 12).path, imported.path]).accesses().collect()
    estimated = found.filter(pl.col("basis") == "estimated").select("task_id", "path", "step", "certain").rows()
    assert estimated == [("t00", "x.csv", 1, True), ("t00", "y.csv", None, False)]
    assert set(found.filter(pl.col("run") == "live")["basis"]) == {"measured"}


def test_steps_and_calls_come_from_transcripts(imported):
    frames = Frames.of([imported.path])
    steps = frames.steps().collect()
    columns = ("task_id", "step", "calls", "succeeded", "input_tokens", "cost_usd", "text_characters")
    assert steps.select(columns).rows() == [("t00", 1, 2, False, 10, 0.5, 7), ("t00", 2, 0, False, None, None, 1)]
    calls = frames.calls().collect().select("step", "call", "kind", "exit_code", "seconds", "output_characters")
    assert calls.rows() == [(1, 1, "shell", 1, 2.5, 0), (1, 2, "read", None, None, 5)]


def test_labels_are_a_row_each_by_which_accuracy_is_grouped(suite, imported):
    labels = Frames.of([imported.path], [suite]).labels().collect()
    found = labels.filter(pl.col("task_id") == "t00").select("suite", "kind", "name").rows()
    assert found == [(suite.digest, "domain", "low"), (suite.digest, "dataset", "d0")]


def test_skills_are_those_of_the_labels(suite, imported):
    skills = Frames.of([imported.path], [suite]).skills().collect()
    assert skills.height == 20
    assert skills.filter(pl.col("task_id") == "t00").select("suite", "skill", "domain").rows() == [
        (suite.digest, "join", "low")
    ]


def test_every_table_is_written_and_runs_without_any_row_have_empty_ones(suite, tmp_path, imported):
    written = Frames.of([imported.path], [suite]).write(tmp_path / "tables")
    assert [name for name in TABLES if not pl.read_parquet(written[name]).is_empty()] == [
        name for name in TABLES if name not in ("scores", "failures")
    ]
    assert sorted(path.name for path in (tmp_path / "tables").iterdir()) == sorted(f"{name}.parquet" for name in TABLES)
    empty = RunFolder.create(tmp_path / "empty", imported.spec)
    assert all(Frames.of([empty.path]).table(name).collect().is_empty() for name in TABLES)


def test_runs_of_one_name_are_told_apart_and_what_is_no_run_is_named(imported, tmp_path):
    shutil.copytree(imported.path, tmp_path / "again" / imported.path.name)
    frames = Frames.of([imported.path, tmp_path / "again" / imported.path.name])
    assert frames.attempts().collect().group_by("run").len().sort("run").rows() == [("codex", 2), ("codex#2", 2)]
    with pytest.raises(InputError, match="not a run folder"):
        Frames.of([tmp_path])
    with pytest.raises(InputError, match="no table"):
        frames.table("nonsense")


def test_a_damaged_transcript_costs_its_own_rows_only(imported):
    imported.transcripts.locate("uuid-t00").write_bytes(b"nonsense")
    assert Frames.of([imported.path]).steps().collect().is_empty()
    assert Frames.of([imported.path]).attempts().collect().height == 2


def test_the_command_writes_tables_that_sql_joins_as_the_docs_say(make, tmp_path):
    live = make("live", 12, 7)
    done = CliRunner().invoke(app, ["export", "tables", str(live.path), "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    docs = (Path(__file__).parents[2] / "docs" / "analysing.md").read_text()
    query = docs.split("```sql\n")[1].split("```")[0]
    with duckdb.connect() as database:
        database.execute(f"set file_search_path = '{tmp_path}'")
        assert sorted(database.sql(query).fetchall()) == [("a", 0.6), ("b", 0.35)]
    assert pl.read_parquet(tmp_path / "skills.parquet").height == 20


def test_tables_hold_what_the_reference_solutions_did_only_where_gold_is_asked_for(suite, tmp_path):
    cells = tuple(Cell(agent=agent, suite_digest=suite.digest) for agent in ("oracle", "other"))
    spec = RunSpec(suite=suite.name, suite_folder=str(suite.folder), suite_digest=suite.digest, cells=cells)
    run = RunFolder.create(tmp_path / "run", spec)
    seen = Measured(tracer="fanotify", files=(FileAccess(path="secret.csv"),))
    task = next(iter(suite.tasks))
    for cell in cells:
        uuid = f"of-{cell.agent}"
        call = Call(id="1", tool="Bash", kind="shell", text="cat secret.csv", path="secret.csv", output="1")
        run.transcripts.write(uuid, Trajectory(steps=(Step(index=1, calls=(call,)),)))
        run.record(Attempt(cell=cell.id, task_id=task, uuid=uuid, ending=Answered(), answer="secret", accesses=seen))
    plain, gold = (Frames({"run": run}, (suite,), with_gold) for with_gold in (False, True))
    for name in ("attempts", "calls", "accesses"):
        told = {
            frames.with_gold: str([row for row in frames.table(name).collect().rows() if cells[0].id in row])
            for frames in (plain, gold)
        }
        assert "secret" not in told[False], name
        assert "secret" in told[True], name
        assert "secret" in str([row for row in plain.table(name).collect().rows() if cells[1].id in row])


def test_runs_of_one_name_stay_apart_and_none_is_counted_twice(suite, tmp_path):
    cell = Cell(agent="a", suite_digest=suite.digest)
    spec = RunSpec(suite=suite.name, suite_folder=str(suite.folder), suite_digest=suite.digest, cells=(cell,))
    paths = [tmp_path / name for name in ("1/x", "2/x#3", "3/x", "4/x#2", "5/x")]
    for path in paths:
        RunFolder.create(path, spec)
    assert list(Frames.of(paths).runs) == ["x", "x#3", "x#2", "x#2#2", "x#4"]
    with pytest.raises(InputError, match="named twice"):
        Frames.of([paths[0], paths[0].parent / ".." / "1" / "x"])
