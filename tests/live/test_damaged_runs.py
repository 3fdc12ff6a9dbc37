import random
import shutil
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from benchwright.errors import InputError
from benchwright.run import RunFolder
from benchwright.trajectory import Answered

pytestmark = pytest.mark.chaos

AGENTS = ("constant", "know_nothing")


@pytest.fixture
def finished(suite, run_suite, tmp_path) -> RunFolder:
    """A run of six finished attempts, to be damaged in copies."""
    return run_suite(suite, *AGENTS, out=tmp_path / "whole").folder


def copy_of(folder: RunFolder, name: str) -> Path:
    return Path(shutil.copytree(folder.path, folder.path.with_name(name)))


def spoil(path: Path, draw: random.Random) -> None:
    """Cut a file short, garble a part of it, empty it, or fill it with noise."""
    whole = path.read_bytes()
    at = draw.randrange(len(whole))
    ways = (
        whole[:at],
        whole[:at] + draw.randbytes(64) + whole[at + 64 :],
        whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :],
        b"",
        draw.randbytes(len(whole)),
    )
    path.write_bytes(draw.choice(ways))


def uuids(folder: RunFolder) -> dict[tuple, str]:
    return {key: attempt.uuid for key, attempt in folder.attempts().items()}


def once_each(folder: RunFolder) -> bool:
    keys = [(event["attempt"]["cell"], event["attempt"]["task_id"]) for event in folder.events("attempt")]
    return len(keys) == len(set(keys)) == 6


def test_whatever_one_file_has_become_nothing_finished_is_lost_or_made_twice(suite, run_suite, finished):
    """With one of journal, logs, table and specification damaged, no attempt is made again."""
    before, draw = uuids(finished), random.Random(11)
    for turn in range(24):
        out = copy_of(finished, f"copy{turn}")
        kind = ("events.jsonl", "logs", "attempts.parquet", "run.toml")[turn % 4]
        for path in sorted(out.glob("logs/*.eval")) if kind == "logs" else [out / kind]:
            spoil(path, draw)
        again = run_suite(suite, *AGENTS, out=out)
        assert uuids(again.folder) == before, (turn, kind, again.notes)
        assert once_each(again.folder)
        assert (again.done, again.stopped) == (6, "")
        shutil.rmtree(out)


def test_a_lost_journal_is_found_again_in_the_logs_and_what_is_found_nowhere_is_made_again(suite, run_suite, finished):
    before, draw = uuids(finished), random.Random(5)
    for turn in range(3):
        out = copy_of(finished, f"copy{turn}")
        (out / "events.jsonl").unlink()
        (out / "attempts.parquet").unlink()
        logs = sorted(out.glob("logs/*.eval"))
        with logs[0].open("r+b") as stream:
            stream.truncate(draw.randrange(1, logs[0].stat().st_size))
        lost = {read_eval_log(str(logs[1]), header_only=True).eval.metadata["cell"]}
        again = run_suite(suite, *AGENTS, out=out)
        kept = {key: uuid for key, uuid in uuids(again.folder).items() if before[key] == uuid}
        assert {key.cell for key in kept} == lost
        assert len(kept) == 3
        assert once_each(again.folder)
        assert any("were found in logs/" in note for note in again.notes)
        assert any("set aside as damaged/" in note for note in again.notes)
        assert (out / "damaged" / logs[0].name).is_file()


def test_with_journal_and_logs_gone_the_table_still_knows_what_was_finished(suite, run_suite, finished):
    out = copy_of(finished, "copy")
    (out / "events.jsonl").unlink()
    shutil.rmtree(out / "logs")
    again = run_suite(suite, *AGENTS, out=out)
    assert uuids(again.folder) == uuids(finished)
    assert any("6 finished attempts" in note and "attempts.parquet" in note for note in again.notes)


def test_with_everything_gone_everything_is_made_again(suite, run_suite, finished):
    out = copy_of(finished, "copy")
    for name in ("events.jsonl", "attempts.parquet", "run.toml"):
        (out / name).write_bytes(b"\x00\xff" * 50)
    for log in out.glob("logs/*.eval"):
        log.write_bytes(b"PK")
    (out / "logs" / ".eval-set-id").write_bytes(b"\xff\xfe\n")
    (out / "logs" / "eval-set.json").write_bytes(b"{")
    again = run_suite(suite, *AGENTS, out=out)
    assert (again.done, set(uuids(again.folder).values()) & set(uuids(finished).values())) == (6, set())
    assert all(attempt.ending == Answered() for attempt in again.folder.attempts().values())
    assert {path.name for path in (out / "damaged").iterdir()} >= {"run.toml", "attempts.parquet"}
    assert any("could not be checked" in note for note in again.notes)


def test_an_unreadable_log_stops_no_resume_of_an_unfinished_run(suite, run_suite, finished):
    """The control: Inspect reads every header of the folder before it starts, and cannot read this one."""
    out = copy_of(finished, "copy")
    lines = (out / "events.jsonl").read_text().splitlines(keepends=True)
    (out / "events.jsonl").write_text("".join(line for line in lines if '"task_id":"c"' not in line))
    (out / "attempts.parquet").unlink()
    logs = sorted(out.glob("logs/*.eval"))
    for log in logs:
        log.write_bytes(log.read_bytes()[:-30])
    with pytest.raises(Exception, match="EOCD not found"):
        read_eval_log(str(logs[0]), header_only=True)
    again = run_suite(suite, *AGENTS, out=out)
    fresh = {key.task_id for key, uuid in uuids(again.folder).items() if uuids(finished)[key] != uuid}
    assert (again.done, fresh) == (6, {"c"})
    assert {path.name for path in (out / "damaged").iterdir()} == {log.name for log in logs}


def test_a_damaged_specification_does_not_let_another_run_in(suite, run_suite, finished):
    out = copy_of(finished, "copy")
    (out / "run.toml").write_bytes(b"\xff\xff")
    with pytest.raises(InputError, match="another specification"):
        run_suite(suite, *AGENTS, out=out, epochs=2)
    assert (out / "run.toml").read_bytes() == b"\xff\xff"
    assert RunFolder.open(out).spec == finished.spec


def test_a_specification_of_a_version_to_come_is_refused_and_stays(suite, run_suite, finished):
    out = copy_of(finished, "copy")
    (out / "events.jsonl").unlink()
    text = (out / "run.toml").read_text()
    (out / "run.toml").write_text(f"sort_of_new = 1\n{text}")
    with pytest.raises(InputError, match="not a valid RunSpec"):
        run_suite(suite, *AGENTS, out=out)
    assert "sort_of_new" in (out / "run.toml").read_text()


def test_files_that_attempts_handed_in_outlive_a_lost_journal(table_suite, run_suite, toolbox):
    from .conftest import calls, script

    model = script("keeps", calls("bash", command="printf 'a\\n1\\n' > out.csv"), calls("submit", answer="done"))
    first = run_suite(table_suite, "react", models=(model,))
    (attempt,) = first.folder.attempts().values()
    first.folder.events_path.unlink()
    again = run_suite(table_suite, "react", models=(model,))
    assert list(again.folder.attempts().values()) == [attempt]
    assert again.folder.artifacts.locate(attempt.files["out.csv"].sha256).read_bytes() == b"a\n1\n"
