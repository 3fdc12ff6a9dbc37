import json
import subprocess
import sys

import pytest

from benchwright.gold import Gold, RequiredFile, Solution
from benchwright.labels import Labels
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task

READ = "print(sum(int(row.split(',')[1]) for row in open('/data/orders.csv').read().split()[1:]))"


def suites(*arguments, home=None):
    command = [sys.executable, "-c", "from benchwright.cli import main; main()", "suites", *map(str, arguments)]
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/nowhere", **({"BENCHWRIGHT_HOME": str(home)} if home else {})}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def make(folder, answer="42", guidelines="Answer must be a single integer."):
    (folder / "data/shop").mkdir(parents=True)
    (folder / "data/shop/orders.csv").write_text("day,units\nmon,19\ntue,23\n")
    task = Task(id="a", question="How many units were sold?", guidelines=guidelines, data=(DataMount(room="shop"),))
    gold = Gold(
        task_id="a",
        answer=answer,
        solution=Solution(code=READ),
        required_files=(RequiredFile(path="orders.csv"),),
        required_files_status="declared",
    )
    labels = Labels(task_id="a", domain="retail", skills=("adding up",), subsets=("full", "hard"))
    return Suite.write(folder, SuiteInfo(name="shop", rooms={"shop": RoomInfo()}), [task], [labels], [gold])


@pytest.fixture
def suite(tmp_path):
    make(tmp_path / "shop")
    return tmp_path / "shop"


def test_show_lists_tasks_with_labels_and_required_files(suite):
    done = suites("show", suite, "--json")
    (task,) = json.loads(done.stdout)["tasks"]
    assert (task["id"], task["required_files"], task["required_files_status"]) == ("a", ["orders.csv"], "declared")
    assert task["labels"]["domain"] == "retail"
    assert "retail" in suites("show", suite).stdout


def test_show_never_prints_a_gold(suite):
    assert "42" not in suites("show", suite, "--json").stdout.replace(Suite.open(suite).digest, "")


def test_a_suite_without_its_gold_can_be_shown(suite):
    (suite / "gold/gold.jsonl").unlink()
    (task,) = json.loads(suites("show", suite, "--json").stdout)["tasks"]
    assert (task["required_files"], task["required_files_status"]) == ([], "unknown")


def test_the_statistics_are_one_document_and_a_table(suite):
    figures = json.loads(suites("show", suite, "--stats", "--json").stdout)
    assert figures["total"]["required_files"]["mean"] == 1
    assert figures["total"]["room_files"]["mean"] == 1
    assert figures["solution_lines"]["mean"] == 1
    assert (figures["formats"], figures["distinct_skills"], figures["subsets"]["hard"]) == ({"csv": 1}, 1, 1)
    assert "lines of solution" in suites("show", suite, "--stats").stdout


def test_a_clean_suite_is_checked_with_exit_code_0_and_a_faulty_one_with_1(suite, tmp_path):
    clean = suites("check", suite, "--no-prove", "--json")
    assert (clean.returncode, json.loads(clean.stdout)["clean"]) == (0, True)
    make(tmp_path / "faulty", answer="42; TODO check")
    faulty = suites("check", tmp_path / "faulty", "--no-prove", "--json")
    assert faulty.returncode == 1
    assert {"editor-note", "part-count"} <= {finding["rule"] for finding in json.loads(faulty.stdout)["findings"]}
    assert "editor-note" in suites("check", tmp_path / "faulty", "--no-prove").stdout


def test_a_subset_in_a_suite_of_its_own_is_held_against_the_full_one(suite, tmp_path):
    make(tmp_path / "other", answer="43")
    done = suites("check", tmp_path / "other", "--no-prove", "--full", suite, "--json")
    assert "subset-not-contained" in {finding["rule"] for finding in json.loads(done.stdout)["findings"]}


def test_predictions_that_agree_against_the_gold_are_reported(suite, tmp_path):
    files = []
    for number in range(3):
        files += ["--predictions", tmp_path / f"{number}.jsonl"]
        (tmp_path / f"{number}.jsonl").write_text('{"task_id": "a", "prediction": "43"}\n')
    done = suites("check", suite, "--no-prove", *files, "--json")
    assert "suspect-gold" in {finding["rule"] for finding in json.loads(done.stdout)["findings"]}


def test_the_families_and_what_is_built_are_listed(suite, tmp_path):
    (tmp_path / "home/suites").mkdir(parents=True)
    suite.rename(tmp_path / "home/suites/shop")
    document = json.loads(suites("list", "--json", home=tmp_path / "home").stdout)
    assert {"coda_bench", "folder", "lake"} <= {family["name"] for family in document["families"]}
    assert document["built"] == {"shop": str(tmp_path / "home/suites/shop")}
    assert suites("show", "shop", home=tmp_path / "home").returncode == 0


def test_a_suite_is_built_from_its_sources(shared, tmp_path):
    tasks = shared / "data/coda_bench/coda_bench.json"
    done = suites("build", "coda_bench", "--tasks", tasks, "--out", tmp_path / "coda")
    assert done.returncode == 0, done.stderr
    assert len(Suite.open(tmp_path / "coda").tasks) == 1009


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "no-such-suite"), "no suite 'no-such-suite'"),
        (("check", "/tmp"), "not a suite folder"),
        (("build", "no-such-family"), "no suite family"),
        (("build", "coda_bench"), "benchwright suites build coda_bench --tasks coda_bench.json"),
        (("build", "agentic_data_bench"), "benchwright suites build agentic_data_bench --tasks tasks.jsonl"),
        (("build", "folder"), "expected: --questions PATH"),
        (("build", "dsbc"), "expected: --queries PATH"),
        (("build", "coda_bench", "--other", "x"), "unknown argument --other"),
        (("build", "coda_bench", "stray"), "unknown argument stray"),
        (("build", "coda_bench", "--tasks"), "--tasks needs a path"),
        (("build", "coda_bench", "--tasks", "/no/such"), "no such file or folder"),
    ],
)
def test_bad_input_is_one_clear_message_and_exit_code_2(arguments, message, tmp_path):
    done = suites(*arguments, home=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_task_to_prove_is_refused(suite):
    done = suites("check", suite, "--ids", "z")
    assert (done.returncode, "no task 'z'" in done.stderr) == (2, True)
