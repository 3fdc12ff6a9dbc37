import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import polars as pl
import pytest

from benchwright.errors import Fault, InputError
from benchwright.run import Attempt, Cell, Key, RunFolder, RunSpec, ScoreRow
from benchwright.score import Evidence, Scored, Unscored
from benchwright.trajectory import Answered, Broke, FileAccess, LimitHit, Measured, Usage


def spec_of(**changes) -> RunSpec:
    cell = Cell(agent="react", model="scripted/x", generation={"temperature": 0.5}, suite_digest="d")
    return RunSpec(**{"suite": "small", "suite_folder": "/s", "suite_digest": "d", "cells": (cell,), **changes})


def attempt_of(task_id="a", **changes) -> Attempt:
    return Attempt(
        **{"cell": spec_of().cells[0].id, "task_id": task_id, "ending": Answered(), "answer": "4", **changes}
    )


def test_equal_cells_have_equal_ids_and_any_difference_another():
    cell = Cell(agent="react", model="m", suite_digest="d")
    assert cell.id == Cell(agent="react", model="m", suite_digest="d").id
    others = [
        cell.model_copy(update=change)
        for change in ({"model": "n"}, {"variant": "raw"}, {"suite_digest": "e"}, {"generation": {"temperature": 0.1}})
    ]
    assert len({cell.id, *(Cell.model_validate(other.model_dump()).id for other in others)}) == 5


def test_a_run_specification_reads_back_equal(tmp_path):
    spec = spec_of(limits={"wall_seconds": 5.0}, budget_usd=2.5, ids=("a", "b"), model_roles={"judge": "x/y"})
    RunFolder.create(tmp_path / "run", spec)
    assert RunFolder.open(tmp_path / "run").spec == spec


def test_a_changed_specification_is_refused_and_the_difference_shown(tmp_path):
    RunFolder.create(tmp_path / "run", spec_of())
    with pytest.raises(InputError, match=r"epochs: 1 -> 3"):
        RunFolder.create(tmp_path / "run", spec_of(epochs=3))


def test_a_larger_budget_and_a_moved_suite_resume_the_same_run(tmp_path):
    RunFolder.create(tmp_path / "run", spec_of(budget_usd=1.0))
    resumed = RunFolder.create(tmp_path / "run", spec_of(budget_usd=9.0, suite_folder="/elsewhere", max_parallel=2))
    assert resumed.spec.budget_usd == 9.0


@pytest.mark.parametrize(
    "place", ["/dev/null", "/dev/null/run", "/proc/run", "{tmp}/file", "{tmp}/file/run", "{tmp}/gone", "{tmp}"]
)
def test_a_place_where_no_run_can_be_is_refused_before_anything_is_made(tmp_path, place):
    (tmp_path / "file").write_text("kept")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    for method in (RunFolder.refuse, RunFolder.create):
        with pytest.raises(InputError, match=r"no run folder can be made at|holds other things, and no run"):
            method(Path(place.format(tmp=tmp_path)), spec_of())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "gone"]


def test_asking_whether_a_run_can_be_somewhere_leaves_nothing_there(tmp_path):
    RunFolder.refuse(tmp_path / "runs" / "new", spec_of())
    assert list(tmp_path.iterdir()) == []
    RunFolder.create(tmp_path / "runs" / "new", spec_of())
    RunFolder.refuse(tmp_path / "runs" / "new", spec_of())
    with pytest.raises(InputError, match="another specification"):
        RunFolder.refuse(tmp_path / "runs" / "new", spec_of(epochs=3))


@pytest.mark.parametrize("made", [False, True])
def test_runs_that_begin_in_one_new_folder_at_the_same_moment_are_all_let_in(tmp_path, made):
    for turn in range(20):
        path, gate = tmp_path / str(turn) / "run", Barrier(4)
        if made:
            path.mkdir(parents=True)

        def begin(path=path, gate=gate) -> RunFolder:
            gate.wait()
            RunFolder.refuse(path, spec_of())
            return RunFolder.create(path, spec_of())

        with ThreadPoolExecutor(4) as threads:
            begun = [threads.submit(begin) for _ in range(4)]
        assert [run.result().spec for run in begun] == [spec_of()] * 4
        assert [found.name for found in path.iterdir()] == ["run.toml"]


def test_a_folder_that_is_no_run_is_one_clear_error(tmp_path):
    with pytest.raises(InputError, match="not a run folder"):
        RunFolder.open(tmp_path)


def test_a_folder_that_holds_other_things_is_refused_and_left_as_it_is(tmp_path):
    (tmp_path / "suite.toml").write_text("name = 's'")
    for number in range(7):
        (tmp_path / f"t{number}").mkdir()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match="holds other things") as caught:
        RunFolder.create(tmp_path, spec_of())
    assert caught.value.found == "suite.toml, t0, t1, t2, t3 and 3 more"
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("theirs", "told"),
    [
        ({"logs/app.log": "x", "thesis.txt": "x"}, "logs/app.log, thesis.txt"),
        ({"logs/app.log": "x"}, "logs/app.log"),
        ({"events.jsonl": '{"user": 1}\n'}, "events.jsonl"),
        ({"events.jsonl": '{"event": "click", "at": 1}\n', "artifacts/x": "x"}, "events.jsonl"),
    ],
)
def test_a_folder_of_somebody_else_is_no_damaged_run_for_having_names_like_one(tmp_path, theirs, told):
    for name, text in theirs.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for method in (RunFolder.refuse, RunFolder.create):
        with pytest.raises(InputError, match="holds other things, and no run") as caught:
            method(tmp_path, spec_of())
        assert caught.value.found == told
    assert {str(p.relative_to(tmp_path)): p.read_text() for p in tmp_path.rglob("*") if p.is_file()} == theirs


def test_a_run_that_lost_its_specification_is_still_a_run_while_its_journal_or_logs_are_there(tmp_path):
    folder = RunFolder.create(tmp_path / "run", spec_of())
    folder.append("session", number=1, spec="damaged")
    (folder.path / "run.toml").unlink()
    assert "written anew" in RunFolder.create(folder.path, spec_of()).notes[0]
    (folder.path / "run.toml").unlink()
    folder.events_path.write_text("nothing that can be read\n")
    folder.logs.mkdir()
    (folder.logs / "x.eval").touch()
    assert "written anew" in RunFolder.create(folder.path, spec_of()).notes[0]


def test_a_folder_with_nothing_but_hidden_files_is_taken(tmp_path):
    (tmp_path / ".run.toml.x7").write_text("sui")
    assert RunFolder.open(RunFolder.create(tmp_path, spec_of()).path).spec == spec_of()


def test_a_file_where_the_run_folder_should_be_is_one_clear_error_and_stays(tmp_path):
    (tmp_path / "taken").write_text("keep me")
    for place in (tmp_path / "taken", tmp_path / "taken" / "run"):
        with pytest.raises(InputError, match="no run folder can be made"):
            RunFolder.create(place, spec_of())
    assert (tmp_path / "taken").read_text() == "keep me"


HOLD = """
import sys, time
from pathlib import Path
from threading import Barrier
from benchwright.run import RunFolder
with RunFolder.open(Path(sys.argv[1])).lock():
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_second_process_is_refused_until_the_first_ends_however_it_ends(tmp_path):
    folder = RunFolder.create(tmp_path / "run", spec_of())
    with subprocess.Popen([sys.executable, "-c", HOLD, folder.path], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(InputError, match=f"process {other.pid}"), folder.lock():
            pass
        other.kill()
        other.wait()
        with folder.lock():
            pass


def test_attempts_are_unique_by_key_and_a_later_record_replaces_an_earlier(tmp_path):
    folder = RunFolder.create(tmp_path / "run", spec_of())
    folder.record(attempt_of(ending=Broke(fault=Fault.MODEL, detail="503"), answer=None))
    folder.record(attempt_of("b"))
    folder.record(attempt_of())
    assert [attempt.task_id for attempt in folder.attempts().values()] == ["a", "b"]
    assert all(attempt.ending == Answered() for attempt in folder.attempts().values())


def test_only_broken_models_and_sandboxes_run_again():
    again = [Broke(fault=fault) for fault in Fault if attempt_of(ending=Broke(fault=fault)).runs_again]
    assert {ending.fault for ending in again} == {Fault.MODEL, Fault.SANDBOX}
    assert not attempt_of(ending=LimitHit(which="wall")).runs_again


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_line_cut_short_by_a_crash_loses_no_other(tmp_path, cut):
    folder = RunFolder.create(tmp_path / "run", spec_of())
    folder.record(attempt_of("a"))
    folder.record(attempt_of("b"))
    with folder.events_path.open("r+b") as stream:
        stream.truncate(folder.events_path.stat().st_size - cut)
    folder.record(attempt_of("c"))
    assert [attempt.task_id for attempt in folder.attempts().values()] == (["a", "b", "c"] if cut == 1 else ["a", "c"])


def test_text_that_is_not_unicode_survives_the_journal(tmp_path):
    folder = RunFolder.create(tmp_path / "run", spec_of())
    folder.append("note", text="lone \ud800 surrogate\nand a line")
    assert len(list(folder.events("note"))) == 1


def test_spend_adds_up_over_sessions_and_names_what_has_no_price(tmp_path):
    began = time.time()
    folder = RunFolder.create(tmp_path / "run", spec_of())
    folder.append("session")
    folder.append("usage", tokens=100, usd=0.25)
    folder.append("usage", tokens=40, usd=None)
    folder.append("session")
    folder.append("usage", tokens=10, usd=0.5)
    spend = folder.spend()
    assert (spend.usd, spend.unpriced, spend.tokens) == (0.75, 40, 150)
    assert 0 <= spend.seconds <= time.time() - began + 1  # which are taken by two clocks


def test_time_between_sessions_is_not_spent(tmp_path):
    folder = RunFolder.create(tmp_path / "run", spec_of())
    lines = [("session", 100.0), ("usage", 130.0), ("session", 9000.0), ("usage", 9005.0)]
    folder.events_path.write_text("".join(f'{{"event":"{kind}","at":{at}}}\n' for kind, at in lines))
    assert folder.spend().seconds == 35.0


def test_a_clock_that_is_set_on_the_way_is_not_time_spent(tmp_path):
    folder = RunFolder.create(tmp_path / "run", spec_of())
    lines = [("session", 100.0, 7.0), ("usage", 90_000.0, 10.0), ("usage", 95.0, 12.0), ("end", 96.0, "NaN")]
    folder.events_path.write_text("".join(f'{{"event":"{kind}","at":{at},"up":{up}}}\n' for kind, at, up in lines))
    assert folder.spend().seconds == 6.0  # 3, 2, and 1 by the time of day


def test_equal_artifacts_are_kept_once(tmp_path):
    folder = RunFolder.create(tmp_path / "run", spec_of())
    for name in ("x", "y"):
        (tmp_path / name).write_bytes(b"same")
    first, second = folder.artifacts.keep(tmp_path / "x"), folder.artifacts.keep(tmp_path / "y")
    assert first == second
    assert folder.artifacts.locate(first.sha256).read_bytes() == b"same"
    assert len(list((folder.path / "artifacts").iterdir())) == 1


def test_the_table_of_attempts_holds_each_once_with_its_cell(tmp_path):
    folder = RunFolder.create(tmp_path / "run", spec_of())
    accesses = Measured(tracer="fanotify", files=(FileAccess(path="x.csv", step=1),))
    folder.record(
        attempt_of("a", accesses=accesses, usage=Usage(input_tokens=3), ending=LimitHit(which="wall"), model="served")
    )
    folder.record(attempt_of("b"))
    assert folder.write_attempts() == 2
    rows = pl.read_parquet(folder.path / "attempts.parquet").to_dicts()
    assert [row["task_id"] for row in rows] == ["a", "b"]
    assert rows[0]["agent"] == "react"
    assert rows[0]["model"] == "scripted/x"
    assert rows[0]["model_served"] == "served"
    assert (rows[0]["ending"], rows[0]["which"]) == ("limit", "wall")
    assert '"x.csv"' in rows[0]["accesses"]
    assert rows[0]["cost_usd"] is None


def test_scores_read_back_equal_with_their_stamp(tmp_path):
    folder = RunFolder.create(tmp_path / "run", spec_of())
    rows = (
        ScoreRow(
            cell="c",
            task_id="a",
            epoch=1,
            name="sound",
            score=Scored(value=1.0, evidence=(Evidence(verdict="right", found="4"),)),
        ),
        ScoreRow(cell="c", task_id="b", epoch=1, name="sound", score=Unscored(reason="no gold")),
    )
    folder.write_scores("sound", rows, {"suite": "d", "scorers": "s"})
    assert folder.read_scores("sound") == (rows, {"suite": "d", "scorers": "s"})
    with pytest.raises(InputError, match="no reference scores"):
        folder.read_scores("reference")


def test_artifacts_that_no_attempt_names_are_dropped(tmp_path):
    folder = RunFolder.create(tmp_path / "run", spec_of())
    for name in ("named", "unnamed"):
        (tmp_path / name).write_text(name)
    kept, cut_off = folder.artifacts.keep(tmp_path / "named"), folder.artifacts.keep(tmp_path / "unnamed")
    folder.record(attempt_of(files={"out.csv": kept}))
    assert folder.drop_unnamed_artifacts() == 1
    assert folder.artifacts.locate(kept.sha256).exists()
    assert not folder.artifacts.locate(cut_off.sha256).exists()


@pytest.mark.parametrize("content", [b"", b"PAR1 no", None])
def test_what_is_no_table_of_scores_is_said_to_be_none(tmp_path, content):
    folder = RunFolder.create(tmp_path / "run", spec_of())
    folder.write_scores("sound", (), {})
    path = folder.path / "scores" / "sound.parquet"
    if content is None:
        pl.DataFrame({"cell": ["a"]}).write_parquet(path)
    else:
        path.write_bytes(content)
    for read in (lambda: folder.read_scores("sound"), lambda: folder.verdicts(Key("c", "t", 1))):
        with pytest.raises(InputError, match=r"sound\.parquet"):
            read()
