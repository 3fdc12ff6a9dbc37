import json
import time

import pytest
from tests.viewer.serving import attempt, fill, new_run

from benchwright.errors import InputError
from benchwright.run import Key, RunFolder, ScoreRow
from benchwright.score import Scored, Unscored
from benchwright.viewer.gallery import Gallery
from benchwright.viewer.query import PAGE, Query, find


@pytest.fixture
def run(suite, tmp_path):
    return new_run(suite, tmp_path / "run")


@pytest.fixture
def watched(run):
    gallery = Gallery.open([run.path])
    yield gallery
    gallery.close()


def test_attempts_are_seen_as_they_are_written_down(run, watched):
    (cell, _) = (each.id for each in run.spec.cells)
    assert [(each.done, each.planned, each.state) for each in watched.progress()] == [(0, 120, "going on")]
    before = watched.version()
    assert watched.version() == before
    run.record(attempt(cell, "answer", 1, answer="first"))
    assert watched.version() != before
    run.record(attempt(cell, "table", 1))
    assert [each.done for each in watched.progress()[0].cells] == [2, 0]
    assert watched.runs["run"].attempt(Key(cell, "answer", 1)).answer == "first"
    run.record(attempt(cell, "answer", 1, answer="again"))  # a later record of the same attempt counts
    assert watched.progress()[0].done == 2
    assert watched.runs["run"].attempt(Key(cell, "answer", 1)).answer == "again"


def test_the_time_that_is_left_is_told_by_the_pace_of_this_sitting(run, watched):
    (cell, _) = (each.id for each in run.spec.cells)
    for epoch in (1, 2):
        run.record(attempt(cell, "answer", epoch))
    run.append("end", stopped="budget")
    assert [(each.left, each.state, each.why) for each in watched.progress()] == [(None, "stopped", "budget")]
    begun = time.time()
    run.append("session", number=2, pid=1, pending=118, spec=run.spec.to_json())
    time.sleep(0.2)
    run.record(attempt(cell, "answer", 3))
    took = time.time() - begun
    (progress,) = watched.progress()
    assert 117 * 0.19 <= progress.left <= 117 * took + 1  # one attempt took a fifth of a second, and 117 are left


def test_a_run_that_was_killed_is_told_from_one_that_goes_on(run, watched):
    assert [each.state for each in watched.progress()] == ["going on"]
    before = watched.version()
    (event,) = [json.loads(line) for line in run.events_path.read_text().splitlines()]
    long_ago = {**{name: value for name, value in event.items() if name not in {"seal", "pid"}}, "at": 1.0}
    run.events_path.write_text(json.dumps(long_ago, separators=(",", ":")) + "\n")  # shorter, and so read anew
    (progress,) = watched.progress()
    assert (progress.state, progress.left) == ("quiet", None)
    assert "run the same command again" in progress.why
    assert watched.version().endswith("q") > before.endswith("q")


def test_a_line_that_is_still_being_written_is_waited_for(run, watched):
    cell = run.spec.cells[0].id
    run.record(attempt(cell, "answer", 1))
    whole = run.events_path.read_bytes()
    run.record(attempt(cell, "answer", 2))
    more = run.events_path.read_bytes()[len(whole) :]
    run.events_path.write_bytes(whole + more[:50])
    assert watched.progress()[0].done == 1
    run.events_path.write_bytes(whole + more)
    assert watched.progress()[0].done == 2
    run.events_path.write_bytes(whole + more + b'{"event":"attempt","at":1}\n' + more)  # a line that nobody sealed
    assert watched.progress()[0].done == 2


def test_a_finished_run_is_read_by_its_table_and_again_by_its_journal_when_it_goes_on(run, suite):
    fill(run, suite)
    gallery = Gallery.open([run.path])
    (progress,) = gallery.progress()
    assert (progress.done, progress.state, progress.scored) == (120, "done", True)
    assert [(cell.done, cell.right, cell.sound) for cell in progress.cells] == [(60, 20, 1 / 3)] * 2
    cell = run.spec.cells[0].id
    assert gallery.runs["run"].attempt(Key(cell, "table", 3)) == run.attempts()[cell, "table", 3]
    run.append("session", number=2, pid=1, pending=1, spec=run.spec.to_json())
    run.record(attempt(cell, "table", 3, answer="anew"))
    assert gallery.progress()[0].state == "going on"
    assert gallery.runs["run"].attempt(Key(cell, "table", 3)).answer == "anew"
    gallery.close()


def test_what_the_journal_and_the_table_say_of_attempts_is_the_same(run, suite):
    by_journal = Gallery.open([run.path])
    fill(run, suite)
    run.attempts_path.rename(run.path / "aside")
    told = by_journal.rows().drop("place")
    (run.path / "aside").rename(run.attempts_path)
    by_table = Gallery.open([run.path])
    assert by_table.rows()["place"].unique().to_list() == [-1]
    assert (
        told.sort("cell", "task_id", "epoch")
        .drop("row")
        .equals(by_table.rows().drop("place", "row").sort("cell", "task_id", "epoch"))
    )
    by_journal.close()
    by_table.close()


def test_why_attempts_failed_stands_beside_them_once_it_is_worked_out(run, suite):
    fill(run, suite)
    gallery = Gallery.open([run.path])
    assert [each.explaining for each in gallery.progress()] == [True]
    before = gallery.version()
    gallery.runs["run"].explain()
    assert [each.explaining for each in gallery.progress()] == [False]
    assert gallery.version() != before
    rows = gallery.rows()
    assert rows.filter(rows["failure"].is_null() != (rows["sound"] == 1)).is_empty()
    cell = run.spec.cells[0].id
    assert gallery.runs["run"].failure(Key(cell, "answer", 1)) is None  # it was right
    assert gallery.runs["run"].failure(Key(cell, "answer", 3)).name == "Global limit exceeded"
    gallery.close()


def test_a_run_without_its_journal_is_shown_by_its_table(run, suite):
    fill(run, suite)
    run.events_path.unlink()
    gallery = Gallery.open([run.path])
    assert [(each.done, each.state) for each in gallery.progress()] == [(120, "done")]
    gallery.close()


def test_a_run_whose_suite_is_gone_is_shown_all_the_same(run, suite, tmp_path):
    fill(run, suite)
    spec = run.spec.model_copy(update={"suite_folder": str(tmp_path / "gone")})
    moved = RunFolder.create(tmp_path / "moved", spec)
    fill(moved, suite)
    gallery = Gallery.open([moved.path])
    assert gallery.progress()[0].done == 120
    gallery.close()
    with pytest.raises(InputError, match="--with-gold"):
        Gallery.open([moved.path], with_gold=True)
    with pytest.raises(InputError, match="not a run folder"):
        Gallery.open([tmp_path / "nothing"])


class TestQueries:
    @pytest.fixture
    def rows(self, run, suite):
        fill(run, suite)
        gallery = Gallery.open([run.path])
        yield gallery.rows()
        gallery.close()

    def test_filters_hold_together(self, rows):
        found = find(rows, Query(agent="two", verdict="right"))
        assert found.total == 20
        assert {(row["title"], row["sound"]) for row in found.rows} == {("two", 1.0)}
        assert find(rows, Query(ending="broke")).total == find(rows, Query(ending="broke: model")).total == 30
        assert find(rows, Query(text="ANSWER 11 one")).total == 1  # of agent one are 0 to 59,
        assert find(rows, Query(text="answer 11 two")).total == 10  # and of the other 60 to 119

    def test_text_is_looked_for_as_it_is(self, rows):
        assert find(rows, Query(text=".*")).total == 0
        assert find(rows, Query(text="(")).total == 0

    def test_pages_hold_every_attempt_once_in_order(self, rows):
        pages = [find(rows, Query(sort="seconds", order="down", page=page)) for page in (1, 2, 3)]
        seconds = [row["seconds"] for page in pages for row in page.rows]
        assert len(pages[0].rows) == PAGE
        assert seconds == sorted(rows["seconds"].to_list(), reverse=True)
        assert find(rows, Query(page=99)).page == 3

    def test_what_is_not_known_stands_last_either_way(self, rows):
        import polars as pl

        some = rows.with_columns(pl.when(pl.col("row") < 5).then(None).otherwise(pl.col("cost_usd")).alias("cost_usd"))
        for order in ("up", "down"):
            last = find(some, Query(sort="cost", order=order, page=3)).rows[-5:]
            assert [row["cost_usd"] for row in last] == [None] * 5

    @pytest.mark.parametrize(
        "given",
        [{"page": "-1"}, {"page": "٣"}, {"page": "1" * 30}, {"sort": "row; drop"}, {"verdict": "x"}, {"order": "?"}],
    )
    def test_an_address_without_sense_is_the_plain_list(self, given):
        assert Query.read(given) == Query()

    def test_an_address_is_read_as_it_was_written(self):
        from urllib.parse import parse_qsl, urlsplit

        query = Query(agent="a & b", text="<x>", sort="cost", order="down", page=3)
        assert Query.read(dict(parse_qsl(urlsplit(query.address()).query))) == query


def test_the_answers_of_the_reference_solution_are_listed_with_gold_alone(suite, tmp_path):
    run = new_run(suite, tmp_path / "run", agents=("oracle", "other"))
    for cell in run.spec.cells:
        run.record(attempt(cell.id, "answer", 1, answer=f"secret of {cell.agent}"))
    for finished in (False, True):
        if finished:
            run.append("end", stopped="")
            run.write_attempts()
        for with_gold, expected in ((False, {"", "secret of other"}), (True, {"secret of oracle", "secret of other"})):
            with Gallery.open([run.path], with_gold=with_gold) as gallery:
                assert set(gallery.runs["run"].look().rows["answer"]) == expected


def test_the_mean_of_a_run_is_over_all_that_was_planned_as_reports_count_it(suite, tmp_path):
    run = new_run(suite, tmp_path / "run", epochs=2)
    one = run.spec.cells[0].id
    values = {"answer": (1.0, 1.0), "table": (1.0, None), "mixed": (None, None)}
    rows = []
    for task, found in values.items():
        for epoch, value in enumerate(found, start=1):
            score = Scored(value=1.0) if value else Unscored(reason="suite: no gold" if task == "mixed" else "missing")
            rows.append(ScoreRow(cell=one, task_id=task, epoch=epoch, name="sound", score=score))
    run.record(attempt(one, "answer", 1))
    run.append("end", stopped="")
    run.write_scores("sound", rows, {})
    with Gallery.open([run.path]) as gallery:
        cells = gallery.progress()[0].cells
        assert [(each.done, each.sound) for each in cells] == [(1, 0.75), (0, None)]


def test_a_damaged_table_of_verdicts_costs_the_verdicts_alone(suite, tmp_path):
    run = fill(new_run(suite, tmp_path / "run", epochs=1), suite, 1)
    (run.path / "scores" / "sound.parquet").write_bytes(b"PAR1")
    with Gallery.open([run.path]) as gallery:
        assert [(each.done, each.sound) for each in gallery.progress()[0].cells] == [(3, None), (3, None)]
        page = gallery.page("run", Key(run.spec.cells[0].id, "answer", 1))
        assert any("sound.parquet" in note for note in page.notes)
