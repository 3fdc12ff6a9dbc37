"""Items that a real Ray cluster works on: the same results to the byte, whatever is killed on the way."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.generation.templates.conftest import AnySkill

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

from .nodes import Nodes, family

pytestmark = [pytest.mark.slow, pytest.mark.chaos]

PROGRAM = [sys.executable, "-c", "from benchwright.cli import main; main()"]
LONGEST = 600.0
WRONG = StepsForm(case="", steps=(StepForm(skill="nothing", detail="nothing"),))


STARTED: list[psutil.Process | subprocess.Popen[str]] = []
"""What a test has started or stopped."""


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """Whatever becomes of a test, what it has started ends, and what it has stopped goes on."""
    yield
    while STARTED:
        each = STARTED.pop()
        if isinstance(each, subprocess.Popen):
            each.kill()
            each.wait()
            each.stderr.close()
        else:
            let_go(each)


def let_go(*stopped: psutil.Process) -> None:
    """Let processes go on that are still there: Ray ends those of what has died, at some time."""
    for each in stopped:
        with suppress(psutil.NoSuchProcess):
            each.resume()


def begun(*arguments: object, environment: dict[str, str] | None = None) -> subprocess.Popen[str]:
    """The command; what it prints does not wait for a reader."""
    command, variables = [*PROGRAM, *map(str, arguments)], os.environ | (environment or {})
    with tempfile.NamedTemporaryFile(prefix="benchwright-", delete=False) as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True, env=variables)
    process.printed = Path(out.name)
    STARTED.append(process)
    return process


def ended(process: subprocess.Popen[str], code: int = 0) -> tuple[str, str]:
    _, said = process.communicate(timeout=LONGEST)
    out = process.printed.read_text()
    process.printed.unlink()
    assert process.returncode == code, said
    assert "Traceback" not in said
    return out, said


def at_work(cluster: Nodes, number: int, process: subprocess.Popen[str]) -> list[psutil.Process]:
    """The processes in which a node opens files, as soon as there are any: of its first items none is done then."""
    deadline = time.monotonic() + LONGEST
    while time.monotonic() < deadline:
        if parts := cluster.parts(number):
            return parts
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    raise AssertionError(f"node {number} does nothing")


def held(cluster: Nodes, number: int, process: subprocess.Popen[str]) -> psutil.Process:
    """A process in which a node opens files, stopped: what it has begun cannot be done until it is let go or killed."""
    (first, *_) = at_work(cluster, number, process)
    first.suspend()
    STARTED.append(first)
    return first


@pytest.fixture
def judged(tmp_path) -> RunFolder:
    """A run of 300 answers, of which a third is right."""
    names = [f"t{number}" for number in range(300)]
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


def test_a_run_is_scored_alike_while_a_node_and_a_process_are_killed(cluster, judged):
    asked = ("score", judged.spec.suite_folder, judged.path, "--json")
    alone, _ = ended(begun(*asked))
    before = kept(judged)
    for path in (judged.path / "scores").iterdir():
        path.unlink()
    process = begun(*asked, "--ray", cluster.address)
    first, second = held(cluster, 0, process), held(cluster, 1, process)
    first.parent().kill()  # what gives out items there
    left = [first, *cluster.kill(1)]
    let_go(first, second)
    out, said = ended(process)
    assert (out, kept(judged)) == (alone, before)
    assert "has died; 2 outputs go to others" in said
    assert psutil.wait_procs(left, timeout=LONGEST)[1] == []
    again, said = ended(begun(*asked, "--ray", cluster.address))  # with one node less
    assert (again, "go to others" in said) == (alone, False)


def test_golds_are_opened_on_nodes_that_are_meant_for_them_alone(cluster, tables):
    suite, outputs = tables
    asked = ("score", suite.folder, outputs, "--json")
    alone, _ = ended(begun(*asked))
    cluster.start(2, 1, "--address", cluster.address, "--resources", '{"gold": 1}')
    try:
        cluster.wait(2)
        process = begun(*asked, "--ray", cluster.address)
        first = held(cluster, 2, process)
        assert (cluster.parts(0), cluster.parts(1)) == ([], [])
        let_go(first)
        out, said = ended(process)
        assert out == alone
        assert "golds are opened on 1 of 3 nodes" in said
        process = begun(*asked, "--ray", cluster.address)
        first = held(cluster, 2, process)
        cluster.kill(2)
        let_go(first)
        _, said = ended(process, 3)  # and never on others, once it is gone
        assert "no node is left in the cluster" in said
    finally:
        for each in family(cluster.groups.pop(2).pid):
            each.kill()


@pytest.fixture
def files(tmp_path) -> Path:
    """Files that no cache knows, one of which has a name that is no text and one of which is no table."""
    folder = tmp_path / "data"
    (folder / "more").mkdir(parents=True)
    for number in range(60):
        rows = "".join(f"2026-01-{day:02},{uuid.uuid4()},{number * day / 7}\n" for day in range(1, 29))
        (folder / "more" / f"{number:03}.csv").write_text(f"day,id,amount\n{rows}")
    with open(os.fsencode(folder) + b"/\xff.csv", "w") as stream:
        stream.write(f"a,b\n1,{uuid.uuid4()}\n")
    (folder / "ü.json").write_text(json.dumps([{"a": uuid.uuid4().hex}]))
    (folder / "odd.xlsx").write_bytes(uuid.uuid4().bytes)
    (folder / "link.csv").symlink_to("more/000.csv")
    return folder


def test_a_folder_is_profiled_alike_while_a_node_is_killed(cluster, files):
    alone, _ = ended(begun("profile", files, "--json"))
    process = begun("profile", files, "--json", "--ray", cluster.address)
    first, second = held(cluster, 0, process), held(cluster, 1, process)
    left = cluster.kill(1)
    let_go(first, second)
    out, said = ended(process)
    assert out == alone
    assert "go to others" in said
    assert psutil.wait_procs(left, timeout=LONGEST)[1] == []


def test_single_tables_are_profiled_alike(cluster, files):
    asked = ("profile", *sorted((files / "more").glob("*.csv"))[:9], "--structure", "dsbc-code")
    assert ended(begun(*asked, "--ray", cluster.address))[0] == ended(begun(*asked))[0]
    (files / "bad.parquet").write_bytes(b"PAR1 and no more")
    for more in ((), ("--ray", cluster.address)):
        _, said = ended(begun(*asked, files / "bad.parquet", *more), 2)
        assert "bad.parquet" in said


def test_an_interrupted_command_ends_and_leaves_nothing_at_work(cluster, judged):
    process = begun("score", judged.spec.suite_folder, judged.path, "--ray", cluster.address)
    first = held(cluster, 0, process)
    process.send_signal(signal.SIGINT)
    ended(process, 130)
    let_go(first)
    deadline = time.monotonic() + LONGEST
    while cluster.parts(0) + cluster.parts(1):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert not (judged.path / "scores").exists()


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
    asked = ("profile", files, "--json", "--ray", cluster.address)
    other = tmp_path / "other"
    (other / "polars-0.0.1.dist-info").mkdir(parents=True)
    (other / "polars-0.0.1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: polars\nVersion: 0.0.1\n")
    _, said = ended(begun(*asked, environment={"PYTHONPATH": str(other)}), 2)
    assert "no node of the cluster has the versions that are here" in said
    assert "it has polars" in said
    none = tmp_path / "none"
    none.mkdir()
    (none / "ray.py").write_text("raise ImportError('no Ray here')\n")
    _, said = ended(begun(*asked, environment={"PYTHONPATH": str(none)}), 2)
    assert "pip install 'benchwright[cluster]'" in said


@pytest.fixture
def corpus(tmp_path) -> Path:
    """Solutions, and beside them a model's script that takes each apart, half a second each."""
    solutions = [
        Solution(
            id=f"s{number}",
            source="test",
            question=f"Problem {number}?",
            answer=f"frame.head({number}) # case-{number}-",
        )
        for number in range(30)
    ]
    write_jsonl(tmp_path / "corpus.jsonl", solutions)
    steps = [{"skill": "Showing Rows", "detail": "head shows them", "calls": ["head"]}]
    tokens = {
        each.id: re.search(r'"case" is not "(.+)"', question_about(each, 0.8).check(WRONG))[1] for each in solutions
    }
    script = [
        {"match": f"case-{n}-", "text": json.dumps({"case": tokens[f"s{n}"], "steps": steps}), "seconds": 0.5}
        for n in range(30)
    ]
    (tmp_path / "script.jsonl").write_text("".join(json.dumps(line) + "\n" for line in script))
    return tmp_path / "corpus.jsonl"


def answers(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in ("steps.jsonl", "status.jsonl", "counts.json")}


def test_solutions_are_taken_apart_alike_while_a_node_is_killed_within_the_budget(cluster, corpus, tmp_path):
    model = f"scripted/{tmp_path / 'script.jsonl'}"
    asked = ("skills", "extract", corpus, "--model", model, "--max-parallel", 4, "--json")
    alone, _ = ended(begun(*asked, "--out", tmp_path / "alone"))
    over = (*asked, "--out", tmp_path / "over", "--ray", cluster.address)
    out, said = ended(begun(*over, "--budget-tokens", 1200), 1)
    assert out, said
    short = json.loads(out)
    assert 1200 <= short["tokens"] <= 1200 + 3 * 120  # by what was in flight, over all nodes
    process = begun(*over)
    for line in process.stderr:  # whatever stands there is answered by the nodes
        if " of 30" in line and not line.startswith(f"{short['done']} of"):
            break
    cluster.kill(1)
    out, _ = ended(process)
    assert answers(tmp_path / "over") == answers(tmp_path / "alone")
    told, before = json.loads(out), json.loads(alone)
    assert (told["done"], told["calls"], told["tokens"]) == (30, before["calls"], before["tokens"])


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
    asked = ("generate", "--data", tmp_path / "data", "--skills", tmp_path / "skills.jsonl", "--tasks", 2)
    try:
        ended(begun(*asked, "--out", tmp_path / "one" / "suite"))
    except AssertionError as error:
        if "isolate attempts" not in str(error):
            raise
        pytest.skip(str(error))
    process = begun(*asked, "--out", tmp_path / "two" / "suite", "--ray", cluster.address)
    while not cluster.parts(0) + cluster.parts(1):  # until a first draft's answer is judged
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    left = cluster.kill(1)
    ended(process)
    assert psutil.wait_procs(left, timeout=LONGEST)[1] == []

    def content(folder: Path) -> dict[str, str]:
        return {entry.path: entry.sha256 for entry in index_folder(folder) if entry.path != "checks.json"}

    assert content(tmp_path / "two" / "suite") == content(tmp_path / "one" / "suite")
