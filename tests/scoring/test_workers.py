import time

import psutil
import pytest

from benchwright.errors import EnvironmentFault
from benchwright.gold import Check
from benchwright.scoring import Job, Worker, WorkLimits, score_jobs
from benchwright.suite import Suite
from benchwright.trajectory import FileAccess, Measured, Submission

LIMITS = WorkLimits(seconds=2.0, memory_mb=1024)


def job(name):
    return Job(name, Submission(answer="x"))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("raises", "scorer: raises failed: ZeroDivisionError: boom"),
        ("hangs", "scorer: time limit of 2 seconds"),
        ("dies", "scorer: the scoring process died (signal SIGSEGV)"),
        ("hoards", "scorer: hoards ran out of memory"),
    ],
)
def test_a_scorer_that_fails_costs_its_own_verdict_and_no_other(probe_suite, name, reason):
    verdicts = list(score_jobs(probe_suite.folder, [job("half"), job(name), job("half")], LIMITS))
    assert [item.sound.kind for item in verdicts] == ["scored", "unscored", "scored"]
    assert verdicts[1].sound.reason == reason


def test_the_hoarder_gets_its_memory_where_the_limit_allows_it(probe_suite):
    (verdict,) = score_jobs(probe_suite.folder, [job("hoards")], WorkLimits(seconds=60, memory_mb=8192))
    assert verdict.sound.value == 1


def test_what_a_scorer_prints_is_never_taken_for_a_verdict(probe_suite):
    (verdict,) = score_jobs(probe_suite.folder, [job("prints")], LIMITS)
    assert (verdict.task_id, verdict.sound.value) == ("prints", 0.5)


def test_verdicts_come_in_the_order_of_the_jobs(probe_suite):
    names = ["half", "raises", "prints"] * 60
    assert [item.task_id for item in score_jobs(probe_suite.folder, [job(name) for name in names])] == names


def test_no_process_is_left_behind(probe_suite):
    list(score_jobs(probe_suite.folder, [job("hangs"), job("half")], LIMITS))
    assert not psutil.Process().children(recursive=True)


def test_keys_do_not_reach_the_process_that_reads_hostile_files(probe_suite, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    with Worker(probe_suite.folder) as worker:
        worker.score(job("half"))
        (process,) = psutil.Process().children()
        environment = process.environ()
    assert "PATH" in environment
    assert "OPENAI_API_KEY" not in environment


def test_a_worker_that_cannot_start_says_why(tmp_path):
    with Worker(tmp_path) as worker, pytest.raises(EnvironmentFault, match=r"did not start\n.*not a suite folder"):
        worker.score(job("half"))


def test_one_worker_judges_many_in_milliseconds_each(probe_suite):
    with Worker(probe_suite.folder) as worker:
        worker.score(job("half"))
        start = time.perf_counter()
        for _ in range(50):
            worker.score(job("half"))
    assert time.perf_counter() - start < 5.0


def test_what_was_discovered_outlives_a_scorer_that_dies(suite):
    gold = suite.golds["1"].model_copy(update={"checks": (Check(scorer="dies"),)})
    deadly = Suite.write(suite.folder, suite.info, suite.tasks.values(), suite.labels.values(), [gold])
    seen = Measured(tracer="fanotify", files=tuple(FileAccess(path=f"a/{name}.csv") for name in "xy"), room_files=20)
    (verdict,) = score_jobs(deadly.folder, [Job("1", Submission(answer="x", accesses=seen))], LIMITS)
    assert verdict.sound.kind == "unscored"
    assert (verdict.discovery.known, verdict.discovery.measured, verdict.discovery.score.value) == (True, True, 1)


def test_a_scorer_that_cannot_be_loaded_is_named_and_kills_nothing(suite):
    gold = suite.golds["1"].model_copy(update={"checks": (Check(scorer="absent"),)})
    absent = Suite.write(suite.folder, suite.info, suite.tasks.values(), suite.labels.values(), [gold])
    (verdict,) = score_jobs(absent.folder, [Job("1", Submission(answer="x"))], LIMITS)
    assert verdict.sound.reason == "suite: the scorer probe_scorers:Absent cannot be loaded"
    assert verdict.reference.reason.startswith("suite: the published rule coda_bench has nothing")
