import json
import os
import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from benchwright.files import home, write_jsonl
from benchwright.gold import Gold
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task

from .commands import end_started
from .nodes import Nodes, nodes

SUBMIT = {"calls": [{"tool": "submit", "arguments": {"answer": "42"}}]}


def free_port() -> int:
    """One that the kernel gives to no connection of anybody before Ray listens there: below its own range."""
    for port in random.sample(range(20_000, 32_000), 100):
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", port))
            return port
    raise OSError("no port is free")


@pytest.fixture(scope="session")
def started(tmp_path_factory) -> Iterator[Nodes]:
    """One cluster for all tests; its nodes have the key of the model `openai-api/played/NAME`."""
    pytest.importorskip("ray", reason="needs the extra `cluster`")
    keys = served("played", free_port())
    with nodes(tmp_path_factory.mktemp("nodes"), (1, 1), free_port(), keys) as made:
        yield made


def served(service: str, port: int) -> dict[str, str]:
    """The variables with which a process calls the models of a service at a port."""
    name = service.upper()
    return {f"{name}_API_KEY": f"key-of-{service}", f"{name}_BASE_URL": f"http://127.0.0.1:{port}/v1"}


@pytest.fixture
def cluster(started) -> Iterator[Nodes]:
    """The cluster with all its nodes: what a test kills, the next one has again."""
    started.all_there()
    yield started
    started.restart()


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    end_started()


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Makes this process one on another machine: its tools are those of this one, and nothing is fetched yet."""
    tools = list(home().glob("*"))

    def enter(name: str) -> Path:
        place = tmp_path / name
        place.mkdir()
        for tool in tools:
            if tool.name not in ("fetched", "shards"):
                (place / tool.name).symlink_to(tool)
        monkeypatch.setenv("BENCHWRIGHT_HOME", str(place))
        return place

    return enter


@pytest.fixture(autouse=True)
def here(machine) -> Path:
    return machine("here")


def parted(folder: Path) -> Suite:
    """Six tasks over three rooms, two each, in mixed order; their gold is elsewhere."""
    rooms = {}
    for name in ("north", "south", "west"):
        (folder / "data" / name / "more").mkdir(parents=True)
        (folder / "data" / name / "sales.csv").write_text(f"month,amount\njan,10\n{name},32\n")
        (folder / "data" / name / "more" / "ü.csv").write_text("a\n1\n")
        rooms[name] = RoomInfo.of(folder / "data" / name)
    tasks = [
        Task(id=f"t{n}", question=f"How many ({n})?", data=(DataMount(room=tuple(rooms)[n % 3]),)) for n in range(6)
    ]
    return Suite.write(folder, SuiteInfo(name="parted", rooms=rooms), tasks)


@pytest.fixture
def suite(tmp_path) -> Suite:
    return parted(tmp_path / "suite")


def script(folder: Path) -> str:
    """A model that submits at once."""
    path = folder / "script.jsonl"
    path.write_text(json.dumps(SUBMIT) + "\n")
    return f"scripted/{path}"


def give_gold(suite: Suite) -> None:
    write_jsonl(suite.folder / "gold" / "gold.jsonl", [Gold(task_id=name, answer="42") for name in suite.tasks])


def benchwright(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    """The real program; its exit code is checked."""
    command = [sys.executable, "-c", "from benchwright.cli import main; main()", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, env=os.environ)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def journal(folder: Path, kind: str) -> list[dict]:
    lines = map(json.loads, (folder / "events.jsonl").read_text().splitlines())
    return [line for line in lines if line["event"] == kind]
