"""Items that a real Ray cluster works on: the same results to the byte, whatever is killed on the way."""

import json
import os
import random
import re
import signal
import subprocess
import threading
import time
import uuid
from pathlib import Path

import pytest
from tests.generation.templates.conftest import AnySkill
from tests.live.odd_server import completion

from benchwright.files import index_folder, write_jsonl
from benchwright.generation.material import prepare
from benchwright.generation.templates import TemplateWriter
from benchwright.generation.workflow import Wanted
from benchwright.gold import Check, Gold
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.skills.extraction.asking import StepForm, StepsForm, question_about
from benchwright.skills.steps import Solution
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import OutputSpec, Task
from benchwright.trajectory import Answered

from .commands import LONGEST, PROGRAM, all_end, begun, ended, held, killed, let_go
from .models import Call, serving

pytestmark = [pytest.mark.slow, pytest.mark.chaos]

WRONG = StepsForm(case="", steps=(StepForm(skill="nothing", detail="nothing"),))


@pytest.fixture
def judged(tmp_path) -> RunFolder:
    """A run of 120 answers, of which a third is right."""
    names = [f"t{number}" for number in range(120)]
    tasks = [Task(id=name, question=f"How many {name}?") for name in names]
    suite = Suite.write(
        tmp_path / "suite", SuiteInfo(name="items"), tasks, golds=[Gold(task_id=name, answer="42") for name in names]
    )
    cell = Cell(agent="one", suite_digest=suite.digest)
    spec = RunSpec(suite="items", suite_folder=str(suite.folder), suite_digest=suite.digest, cells=(cell,))
    run = RunFolder.create(tmp_path / "run", spec)
    for number, name in enumerate(names):
        answer = ("42", str(number), "4\ud8002")[
            number % 3
        ]  # half a surrogate pair is no text, and is judged all the same
        run.record(Attempt(cell=cell.id, task_id=name, epoch=1, ending=Answered(), answer=answer))
    return run


@pytest.fixture
def tables(tmp_path) -> tuple[Suite, Path]:
    """Tasks that want a table, and outputs of which every other is right, some are missing and one is broken."""
    names = [f"t{number}" for number in range(40)]
    checks = (Check(scorer="table", output="result.csv"),)
    tasks = [Task(id=name, question="Which?", outputs=(OutputSpec(kind="table", name="result.csv"),)) for name in names]
    for number, name in enumerate(names):
        (tmp_path / "suite" / "gold" / "files" / name).mkdir(parents=True)
        (tmp_path / "suite" / "gold" / "files" / name / "result.csv").write_text("a,b\n1,x\n2,y\n")
        (tmp_path / "outputs" / name).mkdir(parents=True)
        if number % 5:
            content = "a,b\n1,x\n2,y\n" if number % 2 else f"a,b\n{number},x\n"
            (tmp_path / "outputs" / name / "result.csv").write_bytes(content.encode() if number != 7 else b"\xff\x00\n")
    golds = [Gold(task_id=name, checks=checks, files=("result.csv",)) for name in names]
    return Suite.write(tmp_path / "suite", SuiteInfo(name="tables"), tasks, golds=golds), tmp_path / "outputs"


def kept(run: RunFolder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((run.path / "scores").iterdir())}


@pytest.fixture
def scored(judged, asked) -> tuple[str, dict[str, bytes]]:
    """What this machine alone prints and keeps of it."""
    alone, before = asked("score", judged.spec.suite_folder, judged.path, "--json"), kept(judged)
    for path in (judged.path / "scores").iterdir():
        path.unlink()
    return alone, before


def test_a_run_is_scored_alike_while_a_node_and_a_process_are_killed(cluster, judged, scored):
    over = ("score", judged.spec.suite_folder, judged.path, "--json", "--ray", cluster.address)
    process = begun(*over)
    first, second = held(cluster, 0, process), held(cluster, 1, process)
    first.parent().kill()  # what gives out items there
    left = [first, *cluster.kill(1)]
    let_go(first, second)
    out, said = ended(process)
    assert (out, kept(judged)) == scored
    assert "has died; 2 outputs go to others" in said
    assert all_end(*left)
    again, said = ended(begun(*over))  # with one node less
    assert (again, "go to others" in said) == (scored[0], False)


def test_scoring_that_is_interrupted_or_killed_leaves_nothing_at_work_and_is_made_whole_by_the_same_command(
    cluster, judged, scored
):
    over = ("score", judged.spec.suite_folder, judged.path, "--json", "--ray", cluster.address)
    for end in (lambda each: (each.send_signal(signal.SIGINT), ended(each, 130)), killed):
        process = begun(*over)
        first, second = held(cluster, 0, process), held(cluster, 1, process)
        above = first.parent(), second.parent()
        end(process)
        let_go(first, second)
        assert all_end(first, second, *above)
        assert not list((judged.path / "scores").iterdir())
    out, _ = ended(begun(*over))
    assert (out, kept(judged)) == scored


def test_golds_are_opened_on_nodes_that_are_meant_for_them_alone(cluster, tables, asked):
    suite, outputs = tables
    over = ("score", suite.folder, outputs, "--json")
    alone = asked(*over)
    with cluster.joined_by(2, "--resources", '{"gold": 1}'):
        process = begun(*over, "--ray", cluster.address)
        first = held(cluster, 2, process)
        assert (cluster.parts(0), cluster.parts(1)) == ([], [])
        let_go(first)
        out, said = ended(process)
        assert out == alone
        assert "golds are opened on 1 of 3 nodes" in said
        process = begun(*over, "--ray", cluster.address)
        first = held(cluster, 2, process)
        cluster.kill(2)
        let_go(first)
        _, said = ended(process, 3)  # and never on others, once it is gone
        assert "no node is left in the cluster" in said


@pytest.fixture
def files(tmp_path) -> Path:
    """Files that no cache knows, one of which has a name that is no text and one of which is no table."""
    folder = tmp_path / "data"
    (folder / "more").mkdir(parents=True)
    for number in range(20):
        rows = "".join(f"2026-01-{day:02},{uuid.uuid4()},{number * day / 7}\n" for day in range(1, 29))
        (folder / "more" / f"{number:03}.csv").write_text(f"day,id,amount\n{rows}")
    with open(os.fsencode(folder) + b"/\xff.csv", "w") as stream:
        stream.write(f"a,b\n1,{uuid.uuid4()}\n")
    (folder / "ü.json").write_text(json.dumps([{"a": uuid.uuid4().hex}]))
    (folder / "odd.xlsx").write_bytes(uuid.uuid4().bytes)
    (folder / "link.csv").symlink_to("more/000.csv")
    return folder


def test_a_folder_is_profiled_alike_while_a_node_is_killed(cluster, files, asked):
    alone = asked("profile", files, "--json")
    process = begun("profile", files, "--json", "--ray", cluster.address)
    first, second = held(cluster, 0, process), held(cluster, 1, process)
    left = cluster.kill(1)
    let_go(first, second)
    out, said = ended(process)
    assert out == alone
    assert "go to others" in said
    assert all_end(*left)


def test_single_tables_are_profiled_and_related_alike(cluster, files, asked):
    several = sorted((files / "more").glob("*.csv"))[:9]
    over = ("profile", *several, "--structure", "dsbc-code")
    assert ended(begun(*over, "--ray", cluster.address))[0] == asked(*over)
    related = ("profile", *several[:4], "--relations", "--json")
    assert ended(begun(*related, "--ray", cluster.address))[0] == asked(*related)
    (files / "bad.parquet").write_bytes(b"PAR1 and no more")
    _, said = ended(begun(*over, files / "bad.parquet", "--ray", cluster.address), 2)
    assert "bad.parquet" in said
    assert "bad.parquet" in asked(*over, files / "bad.parquet", code=2)


def test_a_file_that_nodes_do_not_see_is_named(cluster, files, tmp_path):
    """A folder of this machine alone, as a mount that the cluster's nodes do not have."""
    script = 'mount -t tmpfs none "$1" && echo "a,b" > "$1/own.csv" && shift && exec "$@"'
    private = tmp_path / "private"
    private.mkdir()
    unshare = ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh", private]
    asked = ["profile", private, "--json", "--ray", cluster.address]
    done = subprocess.run([*unshare, *PROGRAM, *asked], capture_output=True, text=True, timeout=LONGEST, check=False)
    if "unshare" in done.stderr:
        pytest.skip(f"no mounts of one's own here: {done.stderr.strip()}")
    assert done.returncode == 3, done.stderr
    assert f"{private}/own.csv is not there as it is on the machine of the command" in done.stderr
    assert "Traceback" not in done.stderr


def test_nodes_with_other_versions_and_a_machine_without_ray_are_refused(cluster, files, tmp_path):
    over = ("profile", files, "--json", "--ray", cluster.address)
    other = tmp_path / "other"
    (other / "polars-0.0.1.dist-info").mkdir(parents=True)
    (other / "polars-0.0.1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: polars\nVersion: 0.0.1\n")
    _, said = ended(begun(*over, environment={"PYTHONPATH": str(other)}), 3)
    assert "no node of the cluster can do this work" in said
    assert "it has polars" in said
    none = tmp_path / "none"
    none.mkdir()
    (none / "ray.py").write_text("raise ImportError('no Ray here')\n")
    _, said = ended(begun(*over, environment={"PYTHONPATH": str(none)}), 3)
    assert "pip install 'benchwright[cluster]'" in said


def test_an_item_that_ends_whatever_works_on_it_ends_the_command_after_five_times(cluster, corpus, tmp_path):
    """A question whose asker is killed: what a poisonous item does, wherever it is given to."""
    over = ("skills", "extract", corpus, "--limit", 1, "--model", "openai-api/played/any", "--ray", cluster.address)
    with serving(cluster.port("played"), reply=lambda call: call.process.kill()) as model:
        _, said = ended(begun(*over, "--out", tmp_path / "over"), 3)
    assert "an item was begun 5 times, and each time what worked on it died" in said
    assert len({call.process.pid for call in model.calls}) == len(model.calls) == 5
    counts = json.loads((tmp_path / "over" / "counts.json").read_text())
    assert (counts["done"], counts["failed"]) == (0, 0)  # nothing is held against the item: the same command asks again


@pytest.fixture
def corpus(tmp_path) -> Path:
    return write_corpus(tmp_path / "corpus.jsonl")[0]


def write_corpus(path: Path) -> tuple[Path, dict[str, str]]:
    """Twelve solutions, and by a word in each what a model makes of it."""
    numbers = range(12)
    solutions = [
        Solution(id=f"s{n}", source="test", question=f"Problem {n}?", answer=f"frame.head({n}) # case-{n}-")
        for n in numbers
    ]
    write_jsonl(path, solutions)
    steps = [{"skill": "Showing Rows", "detail": "head shows them", "calls": ["head"]}]
    tokens = [re.search(r'"case" is not "(.+)"', question_about(each, 0.8).check(WRONG))[1] for each in solutions]
    return path, {f"case-{n}-": json.dumps({"case": tokens[n], "steps": steps}) for n in numbers}


def answers(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in ("steps.jsonl", "status.jsonl", "counts.json")}


def test_solutions_are_taken_apart_alike_while_a_node_is_killed_within_the_budget(cluster, tmp_path):
    corpus, replies = write_corpus(tmp_path / "corpus.jsonl")
    take_apart = ("skills", "extract", corpus, "--model", "openai-api/played/any", "--max-parallel", 4, "--json")
    over = (*take_apart, "--out", tmp_path / "over", "--ray", cluster.address)

    def reply(call: Call) -> object:
        return completion(next(text for word, text in replies.items() if word in call.text), usage=(70, 50))

    with serving(cluster.port("played"), reply=reply):
        alone, _ = ended(begun(*take_apart, "--out", tmp_path / "alone", environment=cluster.keys))
        out, said = ended(begun(*over, "--budget-tokens", 480), 1)
        assert out, said
    short = json.loads(out)
    assert 480 <= short["tokens"] <= 480 + 3 * 120  # by what was in flight, over all nodes
    begins, goes_on = threading.Event(), threading.Event()

    def reply_to_some(call: Call) -> object:
        if cluster.holds(1, call.process):
            begins.set()
            goes_on.wait()
        elif not begins.is_set():  # so that the other node gets questions, however late it is ready
            call.process.kill()
        return reply(call)

    with serving(cluster.port("played"), reply=reply_to_some) as model:
        process = begun(*over)
        model.wait(lambda _: begins.is_set())
        cluster.kill(1)
        goes_on.set()
        out, _ = ended(process)
    assert answers(tmp_path / "over") == answers(tmp_path / "alone")
    told, before = json.loads(out), json.loads(alone)
    assert (told["done"], told["calls"], told["tokens"]) == (12, before["calls"], before["tokens"])


def test_a_suite_is_generated_alike_while_a_node_is_killed(cluster, toolbox, tmp_path):
    drawn = random.Random(1)
    (tmp_path / "data").mkdir()
    for name, columns in (("orders", "order,state,price"), ("visits", "visit,page,seconds")):
        rows = [f"{n},{drawn.choice('abcd')},{drawn.randrange(10, 9000)}" for n in range(120)]
        (tmp_path / "data" / f"{name}.csv").write_text("\n".join([columns, *rows, ""]))
    [room] = prepare(tmp_path / "data", tmp_path / "other", tmp_path / "work", lambda _: None)
    drafts = TemplateWriter().drafts(room.material, Wanted(AnySkill(), 30))
    skills = {step.skill for draft in drafts for step in draft.workflow.steps}
    write_jsonl(tmp_path / "skills.jsonl", [{"skill": name, "description": ""} for name in sorted(skills)])
    over = ("generate", "--data", tmp_path / "data", "--skills", tmp_path / "skills.jsonl", "--tasks", 1)
    try:
        ended(begun(*over, "--out", tmp_path / "one" / "suite"))
    except AssertionError as error:
        if "isolate attempts" not in str(error):
            raise
        pytest.skip(str(error))
    process = begun(*over, "--out", tmp_path / "two" / "suite", "--ray", cluster.address)
    while not cluster.parts(0) + cluster.parts(1):  # until a first draft's answer is judged
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    left = cluster.kill(1)
    ended(process)
    assert all_end(*left)

    def content(folder: Path) -> dict[str, str]:
        return {entry.path: entry.sha256 for entry in index_folder(folder) if entry.path != "checks.json"}

    assert content(tmp_path / "two" / "suite") == content(tmp_path / "one" / "suite")
