"""A run in parts: planned, run and merged, in folders and in stores."""

import json
import random
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import BenchwrightError, InputError, SuiteError
from benchwright.live.cluster.merging import merge
from benchwright.live.cluster.places import Place, inside
from benchwright.live.cluster.planned import Target, plan
from benchwright.live.cluster.published import fetch, publish
from benchwright.live.cluster.scripts import Jobs, kubernetes, slurm
from benchwright.live.cluster.sharded import Sender, Shares, run_shard
from benchwright.live.cluster.shards import Shard, cut, read_shard
from benchwright.live.planning import RunRequest, resolve
from benchwright.live.prompts import Prompts
from benchwright.live.runner import run
from benchwright.run import Key, RunFolder, RunSpec
from benchwright.suite import Suite

from .conftest import benchwright, give_gold, journal, parted, script

EXAMPLE = str(Path(__file__).parents[3] / "examples" / "suite")


def spec_of(suite, **changed):
    return resolve(replace(RunRequest(agents=("constant", "know_nothing"), epochs=2), **changed), suite, Prompts())


@dataclass(frozen=True)
class Made:
    suite: Suite
    spec: RunSpec
    shards: tuple[Shard, ...]
    folder: Path


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Made:
    """A run in two parts, both made: 24 attempts, those of `react` for 120 tokens each."""
    folder = tmp_path_factory.mktemp("made")
    suite = parted(folder / "suite")
    spec = spec_of(suite, agents=("constant", "react"), models=(script(folder),))
    shards = plan(spec, suite, Target(folder / "plan", 2))
    for shard in shards:
        assert run_shard(read_shard(str(folder / "plan" / f"{shard.name}.json"))).in_order
    return Made(suite, spec, shards, folder / "plan")


@pytest.fixture
def parts(made, tmp_path) -> Path:
    """A copy of what was made."""
    return Path(shutil.copytree(made.folder, tmp_path / "parts"))


def test_a_run_in_shards_is_the_run_of_one_machine(made, parts, tmp_path):
    assert [len(shard.keys) for shard in made.shards] == [12, 12]
    give_gold(made.suite)
    merged = merge([str(parts)], tmp_path / "merged")
    assert (merged.done, merged.planned, merged.missing) == (24, 24, {})
    again = run(made.spec, tmp_path / "merged")  # the command of one machine finds everything done, and judges it
    assert (again.done, len(journal(tmp_path / "merged", "attempt"))) == (24, 24)
    assert {cell["title"].split()[0]: cell["sound"]["mean"] for cell in again.scoring.document()["cells"]} == {
        "constant": 0.0,
        "react": 1.0,
    }


@given(st.integers(1, 9), st.randoms(use_true_random=False), st.integers(1, 12), st.integers(1, 6))
def test_parts_are_equal_disjoint_whole_and_read_few_rooms(count, order, tasks, rooms):
    class Suited:
        def __init__(self):
            self.tasks = {f"t{n}": Tasked(n % rooms) for n in range(tasks)}

    class Tasked:
        def __init__(self, room):
            self.data = [type("Mount", (), {"room": f"r{room}"})]

    suite = Suited()
    keys = [Key(cell, task, 1) for cell in "ab" for task in suite.tasks]
    shuffled = order.sample(keys, len(keys))
    parts = cut(shuffled, suite, count)
    assert parts == cut(keys, suite, count)
    assert sorted(key for part in parts for key in part) == sorted(keys)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    reads = sum(len({suite.tasks[key.task_id].data[0].room for key in part}) for part in parts)
    assert reads <= min(rooms, tasks) + len(parts) - 1


def test_the_same_plan_makes_the_same_files_and_another_is_refused(suite, tmp_path):
    plan(spec_of(suite), suite, Target(tmp_path / "plan", 2))
    before = {path.name: path.read_bytes() for path in (tmp_path / "plan").iterdir()}
    plan(spec_of(suite), suite, Target(tmp_path / "plan", 2))
    assert {path.name: path.read_bytes() for path in (tmp_path / "plan").iterdir()} == before
    assert sorted(before) == ["kubernetes.json", "shard-001.json", "shard-002.json", "slurm.sh"]
    with pytest.raises(InputError, match="holds another plan"):
        plan(spec_of(suite, epochs=3), suite, Target(tmp_path / "plan", 2))


def test_what_the_whole_run_may_use_is_parted(suite, tmp_path):
    asked = {"agents": ("react",), "models": (script(tmp_path),), "max_parallel": 5, "calls_per_minute": 30.0}
    shards = plan(spec_of(suite, **asked), suite, Target(tmp_path / "plan", 3))
    own = shards[0].own_spec(suite.folder)
    assert (own.max_parallel, own.calls_per_minute) == (1, 10.0)
    assert "%3" in (tmp_path / "plan" / "slurm.sh").read_text()


def test_parts_in_a_store_go_on_on_another_machine_and_are_merged_from_there(suite, tmp_path, machine):
    store = f"memory://parted/{tmp_path.name}"
    give_gold(suite)
    (shard,) = plan(spec_of(suite), suite, Target(tmp_path / "plan", 1, store))
    assert [name for name in Place(store).sizes() if "gold" in name] == []
    shutil.move(suite.folder, tmp_path / "away")  # what runs the parts has the store alone
    outcome = run_shard(read_shard(f"{store}/plan/{shard.name}.json"))
    assert (outcome.in_order, outcome.scoring) == (True, None)
    machine("another")
    assert run_shard(shard).in_order
    assert len(journal_of(shard)) == len(shard.keys)
    shutil.move(tmp_path / "away", suite.folder)
    merged = merge([store], tmp_path / "merged")
    assert (merged.done, merged.missing) == (24, {})


def journal_of(shard):
    lines = map(json.loads, shard.place.read("events.jsonl").splitlines())
    return [line for line in lines if line["event"] == "attempt"]


def test_a_store_that_speaks_s3_serves_rooms_and_parts(suite, tmp_path, monkeypatch):
    server = pytest.importorskip("moto.server", reason="needs moto's server").ThreadedMotoServer(port=0, verbose=False)
    s3fs = pytest.importorskip("s3fs")
    server.start()
    try:
        _, port = server.get_host_and_port()
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "AWS_ACCESS_KEY_ID": "tried",
            "AWS_SECRET_ACCESS_KEY": "tried-too",
            "AWS_DEFAULT_REGION": "us-east-1",
        }.items():
            monkeypatch.setenv(name, value)
        s3fs.S3FileSystem().mkdir("bench")
        planned = ("plan", suite.folder, "--agent", "constant", "--shards", 2, "--out", tmp_path / "p", "--store")
        refused = benchwright(*planned, "s3://nobody-has-it/run", code=3)
        assert "the store s3://nobody-has-it/run" in refused.stderr
        assert not (tmp_path / "p").exists()
        benchwright(*planned, "s3://bench/run")
        for number in (1, 2):
            benchwright("run", f"s3://bench/run/plan/shard-00{number}.json")
        benchwright("merge", "s3://bench/run", "--out", tmp_path / "merged")
        assert len(journal(tmp_path / "merged", "attempt")) == 6
    finally:
        server.stop()


def test_two_processes_at_one_part_of_a_store_lose_nothing_and_the_second_says_so(made, tmp_path):
    first, second = (Sender(tmp_path / name, Place(f"memory://two/{tmp_path.name}")) for name in ("one", "two"))
    for sender in (first, second):
        shutil.copytree(made.folder / "shard-001", sender.folder)
        sender.take_up(print)
    first.send()
    RunFolder.open(second.folder).append("end", stopped="")
    with pytest.raises(InputError, match="another process has written"):
        second.send()
    RunFolder.open(first.folder).append("end", stopped="other")
    first.send()
    with pytest.raises(InputError, match="two different runs of one part"):
        second.take_up(print)


def test_a_room_is_fetched_once_a_machine_and_what_was_changed_is_refused(suite, tmp_path, here):
    place = Place(f"file://{tmp_path}/store")
    url = publish(suite, ("north", "south"), place)
    said = []
    folder = fetch(url, suite.digest, ("north",), said.append)
    fetch(url, suite.digest, ("north",), said.append)
    assert len(said) == 1
    fetched = Suite.open(folder)
    assert (fetched.digest, fetched.has_gold) == (suite.digest, False)
    assert (fetched.room_path("north") / "more" / "ü.csv").read_text() == "a\n1\n"
    for change in (lambda path: path.write_text("changed"), lambda path: path.unlink()):  # on one machine of many
        change(fetched.room_path("north") / "sales.csv")
        fetch(url, suite.digest, ("north",), said.append)
        assert (fetched.room_path("north") / "sales.csv").read_text() == "month,amount\njan,10\nnorth,32\n"
    assert sum("was changed" in each for each in said) == 2
    with pytest.raises(InputError, match="holds no room west"):
        fetch(url, suite.digest, ("west",))
    victim = next((tmp_path / "store" / "rooms").glob(f"{suite.info.rooms['south'].sha256}/files/sales.csv"))
    victim.write_text("changed")
    with pytest.raises(SuiteError, match="room south came from"):
        fetch(url, suite.digest, ("south",))
    assert not list((here / "fetched" / "rooms").glob(".*"))


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/../../b", ""])
def test_names_from_a_store_stay_in_their_folder(name):
    with pytest.raises(InputError, match="out of its folder"):
        inside(name)


def test_merging_says_what_is_missing_and_takes_up_what_came_since(made, parts, tmp_path):
    shutil.move(parts / "shard-002", tmp_path / "late")
    first = merge([str(parts)], tmp_path / "merged")
    assert (first.done, first.planned) == (12, 24)
    assert set(first.missing["parts that were not given"]) == set(made.shards[1].keys)
    shutil.move(tmp_path / "late", parts / "shard-002")
    tokens = []
    for _ in range(2):
        merged = merge([str(parts)], tmp_path / "merged")
        assert merged.whole
        assert len(journal(tmp_path / "merged", "attempt")) == 24
        tokens.append(merged.folder.spend().tokens)
    assert tokens == [12 * 120, 12 * 120]
    kept = merged.folder
    assert all(kept.transcripts.read(attempt.uuid) is not None for attempt in kept.attempts().values())


def test_merging_refuses_parts_of_different_runs_parts_that_come_twice_and_attempts_made_twice(made, parts, tmp_path):
    place, copy = parts / "shard-001", tmp_path / "copy"
    shutil.copytree(place, copy)
    with pytest.raises(InputError, match="the same part comes twice: shard-001"):
        merge([str(place), str(copy)], tmp_path / "merged")
    mine = json.loads((copy / "shard.json").read_text())
    (copy / "shard.json").write_text(json.dumps({**mine, "number": 2}))
    with pytest.raises(InputError, match="an attempt was made twice: task"):
        merge([str(place), str(copy)], tmp_path / "merged")
    (copy / "shard.json").write_text(json.dumps({**mine, "number": 2, "spec": {**mine["spec"], "seed": 7}}))
    (copy / "run.toml").write_text("seed = 7\n" + (copy / "run.toml").read_text())
    with pytest.raises(InputError, match="parts of different runs") as refused:
        merge([str(place), str(copy)], tmp_path / "merged")
    assert "seed: 0 -> 7" in refused.value.text()
    assert not (tmp_path / "merged").exists()


def test_a_merge_that_is_cut_off_anywhere_goes_on(parts, tmp_path):
    merge([str(parts)], tmp_path / "merged")
    lines = (tmp_path / "merged" / "events.jsonl").read_bytes()
    draw = random.Random(1)
    for _ in range(5):
        (tmp_path / "merged" / "events.jsonl").write_bytes(lines[: draw.randrange(len(lines))])
        merged = merge([str(parts)], tmp_path / "merged")
        assert merged.whole
        keys = [
            (event["attempt"]["cell"], event["attempt"]["task_id"], event["attempt"].get("epoch", 1))
            for event in merged.folder.events("attempt")
        ]
        assert len(keys) == len(set(keys)) == 24
        assert merged.folder.spend().tokens == 12 * 120


def test_the_commands_plan_run_and_merge(suite, tmp_path):
    place = tmp_path / "my plan"
    arguments = ("plan", suite.folder, "--agent", "constant", "--epochs", 2, "--shards", 2, "--out", place)
    planned = json.loads(benchwright(*arguments, "--json").stdout)
    assert [part["attempts"] for part in planned["shards"]] == [6, 6]
    told = benchwright(*arguments).stderr
    assert f"or: benchwright run '{place}/shard-001.json'" in told
    assert f"then: benchwright merge '{place}' --out RUN" in told
    benchwright("run", place / "shard-001.json", "--json")
    early = benchwright("merge", place, "--out", tmp_path / "merged", code=1)
    assert "6 attempts are missing of parts that were not given" in early.stderr
    job = json.loads((place / "kubernetes.json").read_text())
    assert (job["spec"]["completions"], job["spec"]["completionMode"]) == (2, "Indexed")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "nowhere.json"), "no such shard: nowhere.json"),
        (("run", "--shard", "x.json", "suite"), "a shard says which suite it is of"),
        (("run", "x.json", "--epochs", "2"), "--epochs belongs to the plan"),
        (("run",), "a run needs a suite"),
        (("plan", "lake", "--shards", "2", "--out", "p"), "a plan needs --agent"),
        (("merge", "nowhere", "--out", "m"), "not the run folder of a shard: nowhere"),
        (("merge", "nosuch://x", "--out", "m"), "no store can be reached by nosuch://x"),
        (("merge", "a-file", "--out", "m"), "a-file is no folder"),
        (("run", EXAMPLE, "--agent", "random", "--ray", "auto", "--store", "a-file"), "a-file is no folder"),
        (("plan", EXAMPLE, "--agent", "random", "--shards", "2", "--out", "p", "--store", "a-file"), "is no folder"),
    ],
)
def test_what_cannot_be_is_one_message(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a-file").touch()
    error = CliRunner().invoke(app, arguments).exception
    assert isinstance(error, InputError)
    assert message in error.text()


def test_slurms_script_starts_the_shard_of_its_number_whatever_the_folder_is_called(suite, tmp_path):
    import subprocess

    folder = tmp_path / "a 'plan'; touch bad $(touch worse)"
    plan(spec_of(suite), suite, Target(folder, 2))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "benchwright").write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    (tmp_path / "bin" / "benchwright").chmod(0o755)
    for number, command in ((2, ["sh", str(folder / "slurm.sh")]), (1, job_command(folder))):
        variables = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "SLURM_ARRAY_TASK_ID": "2", "JOB_COMPLETION_INDEX": "0"}
        done = subprocess.run(command, env=variables, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout == f"run|{folder}/shard-00{number}.json|"
    assert not {"bad", "worse"} & {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize("name", ["lake", "a_", "a" * 39 + "_b", "a" * 64])
def test_jobs_are_called_as_their_schedulers_allow(name):
    """Kubernetes makes labels and pods' names of a job's, which end with a letter or digit; Slurm signals steps, unless it
    is told to signal the script, which here is the run itself."""
    jobs = Jobs(name, 12, 3, "/plan")
    assert re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?", json.loads(kubernetes(jobs))["metadata"]["name"])
    assert "#SBATCH --signal=B:TERM@" in slurm(jobs)


def job_command(folder):
    job = json.loads((folder / "kubernetes.json").read_text())
    return job["spec"]["template"]["spec"]["containers"][0]["command"]


def test_a_store_that_fails_is_said_plainly(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BenchwrightError, match="store"):
        Place(str(tmp_path)).write("file/y", b"")
    with pytest.raises(InputError, match="is no place for a file"):
        Place("file:///proc/store").require_writable()
    place = Place(f"memory://{tmp_path.name}")
    place.require_writable()
    assert place.sizes() == {}


def test_calls_of_models_keep_their_pace(suite, tmp_path):
    import time

    spec = spec_of(suite, agents=("react",), models=(script(tmp_path),), epochs=1, calls_per_minute=200.0)
    (shard,) = plan(spec, suite, Target(tmp_path / "plan", 1))
    began = time.monotonic()
    run_shard(shard, Shares(calls_per_minute=100.0))
    assert time.monotonic() - began > 5 * 0.6  # six calls, one each 0.6 s
