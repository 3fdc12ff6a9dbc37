"""Suites as Harbor task folders: the verifier alone, on what the oracle leaves and on nothing."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.publishing.harbor import HarborOptions, export_harbor
from benchwright.publishing.harbor.verifier_package import requirements, write_wheel
from benchwright.sandbox.base import Exec, SandboxSpec
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.sandbox.store import rooms_of
from benchwright.suite import Selection, Suite

KINDS = {"decimal", "list", "table", "key: value", "name; decimal"}
"""The forms of answers that five tasks of the lake are taken of."""


def verify(task: Path, workspace: Path, logs: Path) -> subprocess.CompletedProcess:
    """The verifier's script alone, as Harbor would call it."""
    places = {"BENCHWRIGHT_WORKSPACE": str(workspace), "BENCHWRIGHT_LOGS": str(logs)}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    script = ["sh", str(task / "tests" / "test.sh")]
    return subprocess.run(
        script, env={**os.environ, **places, "PATH": path}, capture_output=True, text=True, check=False
    )


def rewards(task: Path, workspace: Path, logs: Path) -> dict:
    done = verify(task, workspace, logs)
    assert done.returncode == 0, done.stderr
    named = json.loads((logs / "reward.json").read_text())
    assert float((logs / "reward.txt").read_text()) == named["reward"]
    return named


def workspace(tmp_path: Path, **files: str) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_csv", ".csv").replace("_txt", ".txt")).write_text(text)
    return folder


def solved(task: Path, suite: Suite, toolbox: Path, provider: NamespaceProvider, into: Path) -> Path:
    """What `solution/solve.sh` leaves in the workspace of a sandbox with the task's rooms."""
    stated = suite.tasks[task.name]
    spec = SandboxSpec(rooms=rooms_of(suite, stated), limits=stated.limits, toolbox=toolbox, hidden=(suite.folder,))
    with provider.open(spec) as sandbox:
        for file in (task / "solution").iterdir():
            sandbox.write(f"/workspace/solution/{file.name}", file.read_bytes())
        outcome = sandbox.run(Exec(("sh", "/workspace/solution/solve.sh")))
        assert outcome.exit_code == 0, outcome.stderr
        into.mkdir()
        sandbox.collect(into, stated.limits.artifacts_mb)
    return into


def test_five_tasks_of_the_lake_are_right_by_their_oracle_and_wrong_when_nothing_is_handed_in(lake, toolbox, tmp_path):
    first = {lake.label(name).answer_type: name for name in reversed(lake.tasks)}
    ids = tuple(first[kind] for kind in sorted(KINDS))
    done = export_harbor(lake, Selection(ids=ids), HarborOptions(tmp_path / "out"))
    assert set(done.tasks) == set(ids)
    with NamespaceProvider() as provider:
        for name in ids:
            task = tmp_path / "out" / "tasks" / name
            full = solved(task, lake, toolbox, provider, tmp_path / f"full-{name}")
            (tmp_path / f"empty-{name}").mkdir()
            assert rewards(task, full, tmp_path / f"logs-{name}")["reward"] == 1
            assert rewards(task, tmp_path / f"empty-{name}", tmp_path / f"empty-logs-{name}")["reward"] == 0


def test_the_agents_machine_holds_nothing_of_the_gold(small, tmp_path):
    export_harbor(small, Selection(), HarborOptions(tmp_path / "out"))
    task = tmp_path / "out" / "tasks" / "table"
    seen = [path for path in (task / "environment").rglob("*") if path.is_file()] + [
        task / "instruction.md",
        task / "task.toml",
    ]
    assert not [path for path in seen if "gold" in path.read_text().lower() or path.name == "by_month.csv"]
    assert (task / "tests" / "suite" / "gold" / "gold.jsonl").exists()
    assert (
        "solution" not in (tmp_path / "out" / "tasks" / "total" / "tests" / "suite" / "gold" / "gold.jsonl").read_text()
    )


def test_rooms_are_copied_once_and_linked_into_each_task(small, tmp_path):
    done = export_harbor(small, Selection(), HarborOptions(tmp_path / "out"))
    kept = tmp_path / "out" / "rooms" / "shop" / "north" / "sales.csv"
    assert kept.stat().st_nlink == 1 + len(done.tasks) == 4
    assert not kept.samefile(small.room_path("shop") / "north" / "sales.csv")
    assert done.linked == 3 * done.rooms > 0
    placed = tmp_path / "out" / "tasks" / "total" / "environment"
    assert "COPY data/shop/ /data/" in (placed / "Dockerfile").read_text()
    assert (placed / "data" / "shop" / "north" / "ünïcode name.txt").samefile(kept.with_name("ünïcode name.txt"))


def test_mounted_rooms_are_named_by_the_path_at_which_they_lie(small, tmp_path):
    export_harbor(small, Selection(ids=("total",)), HarborOptions(tmp_path / "out", rooms="mount"))
    folder = tmp_path / "out" / "tasks" / "total" / "environment"
    volume = next(line for line in (folder / "docker-compose.yaml").read_text().splitlines() if ":ro" in line)
    source, target, _ = volume.strip().removeprefix("- ").split(":")
    assert (folder / source / "north" / "sales.csv").is_file()
    assert target == "/data"
    assert not (folder / "data").exists()


def test_the_configuration_gives_the_verifier_a_machine_of_its_own_without_network(small, tmp_path):
    export_harbor(small, Selection(), HarborOptions(tmp_path / "out", organisation="acme", network=True))
    tasks = tmp_path / "out" / "tasks"
    told = tomllib.loads((tasks / "filed" / "task.toml").read_text())
    assert told["verifier"]["environment_mode"] == "separate"
    assert told["verifier"]["environment"]["network_mode"] == "no-network"
    assert told["environment"]["network_mode"] == "public"
    assert told["task"]["name"] == "acme/small-filed"
    assert told["artifacts"] == ["/workspace/result.txt"]
    assert tomllib.loads((tasks / "table" / "task.toml").read_text())["artifacts"] == ["/workspace/by_month.csv"]


def test_answers_are_read_from_the_file_that_the_task_names(small, tmp_path):
    export_harbor(small, Selection(), HarborOptions(tmp_path / "out"))
    task = tmp_path / "out" / "tasks" / "filed"
    assert rewards(task, workspace(tmp_path, answer_txt="42"), tmp_path / "a")["reward"] == 0
    assert rewards(task, workspace(tmp_path, result_txt="42\n"), tmp_path / "b")["reward"] == 1


def test_a_table_that_is_partly_right_has_its_credit_beside_a_reward_of_0(small, tmp_path):
    export_harbor(small, Selection(), HarborOptions(tmp_path / "out"))
    task = tmp_path / "out" / "tasks" / "table"
    right = workspace(tmp_path, by_month_csv="month,amount\njan,10\nfeb,32\n")
    assert rewards(task, right, tmp_path / "a") == {"reward": 1.0, "sound": 1.0, "reference": 1.0}
    wrong = workspace(tmp_path, by_month_csv="month,amount\njan,10\nfeb,33\n")
    assert rewards(task, wrong, tmp_path / "b")["reward"] == 0


def test_a_link_in_place_of_an_answer_is_not_followed(small, tmp_path):
    export_harbor(small, Selection(), HarborOptions(tmp_path / "out"))
    (tmp_path / "gold.txt").write_text("42")
    folder = workspace(tmp_path)
    (folder / "answer.txt").symlink_to(tmp_path / "gold.txt")
    assert rewards(tmp_path / "out" / "tasks" / "total", folder, tmp_path / "logs")["reward"] == 0


def test_without_a_verdict_there_is_no_reward_which_harbor_counts_as_the_verifiers_fault(small, tmp_path):
    export_harbor(small, Selection(), HarborOptions(tmp_path / "out"))
    task = tmp_path / "out" / "tasks" / "table"
    (task / "tests" / "suite" / "gold" / "files" / "table" / "by_month.csv").unlink()
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "reward.txt").write_text("1\n")  # somebody else's: it does not stay where nothing was judged
    done = verify(task, workspace(tmp_path, by_month_csv="month,amount\njan,10\n"), tmp_path / "logs")
    assert done.returncode != 0
    assert "cannot be judged" in done.stderr
    assert not list((tmp_path / "logs").iterdir())


def test_charts_are_left_out_with_the_reason_and_exit_code_1(small, tmp_path):
    told = CliRunner().invoke(app, ["export", "harbor", str(small.folder), "--out", str(tmp_path / "out"), "--json"])
    assert told.exit_code == 1
    document = json.loads(told.stdout)
    assert document["tasks"] == ["total", "filed", "table"]
    assert "chart" in document["left_out"]
    assert not (tmp_path / "out" / "tasks" / "chart").exists()


def test_an_empty_list_of_ids_is_not_every_task_and_unknown_ones_are_named(small, tmp_path):
    for ids, why in (("", "names no task"), (" , ", "names no task"), ("total,nope", "no task 'nope'")):
        told = CliRunner().invoke(
            app, ["export", "harbor", str(small.folder), "--out", str(tmp_path / "o"), "--ids", ids]
        )
        assert isinstance(told.exception, InputError)
        assert why in str(told.exception)
    assert not (tmp_path / "o").exists()


def test_withheld_gold_cannot_be_exported(small, tmp_path):
    (small.folder / "gold" / "gold.jsonl").unlink()
    with pytest.raises(InputError, match="holds no gold"):
        export_harbor(Suite.open(small.folder), Selection(), HarborOptions(tmp_path / "out"))


def test_the_wheel_is_the_same_every_time_and_runs_the_verifier_without_this_checkout(small, tmp_path):
    first, second = write_wheel(tmp_path / "a"), write_wheel(tmp_path / "b")
    assert first.read_bytes() == second.read_bytes()
    export_harbor(small, Selection(ids=("total",)), HarborOptions(tmp_path / "out"))
    with zipfile.ZipFile(tmp_path / "out" / "tasks" / "total" / "tests" / first.name) as archive:
        archive.extractall(tmp_path / "installed")
    command = [
        sys.executable,
        "-m",
        "benchwright.scoring.reward",
        "suite",
        "total",
        str(workspace(tmp_path)),
        str(tmp_path),
    ]
    done = subprocess.run(
        command,
        cwd=tmp_path / "out" / "tasks" / "total" / "tests",
        env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "total: reward 0\n", done.stderr
    pinned = dict(line.split("==") for line in requirements().splitlines())
    assert {"polars", "numpy", "rapidfuzz", "pydantic_core"} <= set(pinned)
    assert not {"inspect-ai", "openai", "anthropic"} & set(pinned)


@pytest.mark.root
def test_harbor_itself_rewards_its_oracle_with_1_and_an_agent_that_hands_in_nothing_with_0(
    lake, toolbox, tmp_path, outside_chroot
):
    harbor = shutil.which("harbor")
    if harbor is None or os.geteuid() != 0:
        pytest.skip("needs harbor (Python 3.12 or newer) on the PATH, and root")
    export_harbor(lake, Selection(ids=("biology_01", "biology_04")), HarborOptions(tmp_path / "out"))
    variables = {
        **os.environ,
        "AGENT_PYTHON": str(toolbox / "bin"),
        "VERIFIER_PYTHON": str(Path(sys.executable).parent),
        "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "benchmarks"),
        "HARBOR_TELEMETRY": "0",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    for agent, expected in (("oracle", 1), ("nop", 0)):
        command = [harbor, "run", "-p", str(tmp_path / "out" / "tasks"), "-a", agent, "-n", "1", "--yes"]
        command += ["--env", "harbor_chroot:ChrootEnvironment", "-o", str(tmp_path / agent)]
        done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=800, check=False)
        found = [json.loads(path.read_text())["reward"] for path in (tmp_path / agent).rglob("reward.json")]
        assert found == [expected, expected], done.stdout[-2000:]
