import psutil
import pytest

from benchwright.errors import EnvironmentFault
from benchwright.gold import Check, Gold
from benchwright.scoring import Job, Worker, WorkLimits, score_jobs
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import OutputSpec, Task
from benchwright.trajectory import FileAccess, Measured, Submission

LIMITS = WorkLimits(seconds=100.0, memory_mb=1024)
HASTY = WorkLimits(seconds=4.0, memory_mb=1024)


def job(name):
    return Job(name, Submission(answer="x"))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("raises", "scorer: raises failed: ZeroDivisionError: boom"),
        ("hangs", "scorer: time limit of 4 seconds"),
        ("dies", "scorer: the scoring process died (signal SIGSEGV)"),
        ("hoards", "scorer: hoards ran out of memory"),
    ],
)
def test_a_scorer_that_fails_costs_its_own_verdict_and_no_other(probe_suite, name, reason):
    verdicts = list(
        score_jobs(probe_suite.folder, [job("half"), job(name), job("half")], HASTY if name == "hangs" else LIMITS)
    )
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
    before = set(psutil.Process().children(recursive=True))
    list(score_jobs(probe_suite.folder, [job("hangs"), job("half")], HASTY))
    assert set(psutil.Process().children(recursive=True)) <= before


def test_a_worker_is_a_process_until_it_is_closed(probe_suite):
    before = set(psutil.Process().children(recursive=True))
    with Worker(probe_suite.folder) as worker:
        worker.score(job("half"))
        assert len(set(psutil.Process().children(recursive=True)) - before) == 1
    assert set(psutil.Process().children(recursive=True)) <= before


def test_a_worker_without_a_suite_judges_by_the_suite_that_each_job_names(probe_suite):
    with Worker(None) as worker, Worker(probe_suite.folder) as owner:
        named = worker.score(Job("half", Submission(answer="x"), suite=probe_suite.folder))
        assert named == owner.score(job("half"))


def test_keys_do_not_reach_the_process_that_reads_hostile_files(probe_suite, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    before = set(psutil.Process().children())
    with Worker(probe_suite.folder) as worker:
        worker.score(job("half"))
        (process,) = set(psutil.Process().children()) - before
        environment = process.environ()
    assert "PATH" in environment
    assert "OPENAI_API_KEY" not in environment


def test_a_worker_that_cannot_start_says_why(tmp_path):
    with Worker(tmp_path) as worker, pytest.raises(EnvironmentFault, match=r"did not start\n.*not a suite folder"):
        worker.score(job("half"))


def test_one_worker_judges_many_in_milliseconds_each(probe_suite):
    before = set(psutil.Process().children())
    with Worker(probe_suite.folder) as worker:
        worker.score(job("half"))
        (process,) = set(psutil.Process().children()) - before
        begun = sum(process.cpu_times()[:2])
        for _ in range(50):
            worker.score(job("half"))
        assert sum(process.cpu_times()[:2]) - begun < 5.0


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


@pytest.fixture
def mixed_suite(tmp_path):
    """One task with a check for each way in which a scorer may end."""

    def make(*names, **more):
        checks = tuple(Check(scorer=name, output="out.txt", golds=("out.txt",)) for name in names)
        tasks = [Task(id="t", question="?", outputs=(OutputSpec(kind="text", name="out.txt"),))]
        return Suite.write(
            tmp_path / "mixed", SuiteInfo(name="mixed"), tasks, (), [Gold(task_id="t", checks=checks, **more)]
        )

    return make


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("raises", "scorer: raises failed: ZeroDivisionError: boom"),
        ("hangs", "scorer: time limit of 4 seconds"),
        ("dies", "scorer: the scoring process died (signal SIGSEGV)"),
        ("hoards", "scorer: hoards ran out of memory"),
    ],
)
def test_a_check_that_fails_costs_itself_and_no_other_check_of_its_task(mixed_suite, name, reason):
    suite = mixed_suite("half", name, "half")
    (verdict,) = score_jobs(
        suite.folder, [Job("t", Submission(answer="x"), modes=("sound",))], HASTY if name == "hangs" else LIMITS
    )
    assert [check.sound.kind for check in verdict.checks] == ["scored", "unscored", "scored"]
    assert verdict.checks[1].sound.reason == reason
    assert verdict.sound.value == pytest.approx(1 / 3)
    assert verdict.sound.details == {"unscored_checks": 1}


def test_several_checks_may_hang_and_die_in_one_task(mixed_suite):
    suite = mixed_suite("hangs", "dies", "half", "hangs")
    (verdict,) = score_jobs(suite.folder, [Job("t", Submission(answer="x"), modes=("sound",))], HASTY)
    assert [check.sound.kind for check in verdict.checks] == ["unscored", "unscored", "scored", "unscored"]
    assert verdict.sound.value == 0.125


def test_the_sound_verdict_outlives_a_published_one_that_cannot_be_had(mixed_suite):
    suite = mixed_suite("half")
    (verdict,) = score_jobs(suite.folder, [Job("t", Submission(answer="x"))], LIMITS)
    assert (verdict.checks[0].reference.kind, verdict.checks[0].sound.value) == ("unscored", 0.5)


def test_the_trace_of_a_failure_is_kept(mixed_suite):
    suite = mixed_suite("raises", "dies")
    (verdict,) = score_jobs(suite.folder, [Job("t", Submission(answer="x"), modes=("sound",))], LIMITS)
    raised, died = (check.sound.details["trace"] for check in verdict.checks)
    assert "probe_scorers.py" in raised
    assert "ZeroDivisionError: boom" in raised
    assert "Fatal Python error: Segmentation fault" in died


def test_a_check_with_options_that_make_no_sense_is_the_suites_fault(tmp_path):
    check = Check(scorer="document", output="out.json", golds=("g.json",), options={"nonsense": 1})
    suite = Suite.write(
        tmp_path / "s", SuiteInfo(name="s"), [Task(id="t", question="?")], (), [Gold(task_id="t", checks=(check,))]
    )
    (verdict,) = score_jobs(suite.folder, [Job("t", Submission(), modes=("sound",))], LIMITS)
    assert verdict.sound.reason == "suite: the document scorer has no option 'nonsense'"
