from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright.chat.scripted import ScriptedCall, ScriptedReply, register
from benchwright.gold import Gold, RequiredFile, Solution
from benchwright.live.planning import RunRequest, resolve
from benchwright.live.prompts import Prompts
from benchwright.live.runner import Outcome, run
from benchwright.run import RunSpec
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, OutputSpec, Task

SALES = "month,amount\njan,10\nfeb,32\n"
SOLUTION = "import csv\nprint(sum(int(row['amount']) for row in csv.DictReader(open('/data/sales.csv'))))"


@pytest.fixture
def suite(tmp_path) -> Suite:
    """Three tasks over one room of two files; the answer to each is 42."""
    folder = tmp_path / "suite"
    room = folder / "data" / "shop"
    room.mkdir(parents=True)
    (room / "sales.csv").write_text(SALES)
    (room / "staff.csv").write_text("name\nAda\n")
    required = (RequiredFile(path="sales.csv"),)
    tasks = [
        Task(
            id=name, question=f"What was sold in all ({name})?", guidelines="an integer", data=(DataMount(room="shop"),)
        )
        for name in ("a", "b", "c")
    ]
    golds = [
        Gold(
            task_id=task.id,
            answer="42",
            required_files=required,
            required_files_status="declared",
            solution=Solution(code=SOLUTION),
        )
        for task in tasks
    ]
    return Suite.write(folder, SuiteInfo(name="small", rooms={"shop": RoomInfo(files=2)}), tasks, golds=golds)


@pytest.fixture
def table_suite(tmp_path) -> Suite:
    """One task that asks for a file."""
    outputs = (OutputSpec(kind="table", name="out.csv"),)
    task = Task(id="t", question="Write a table.", outputs=outputs)
    return Suite.write(tmp_path / "tables", SuiteInfo(name="tables"), [task])


def calls(tool: str, **arguments) -> ScriptedReply:
    return ScriptedReply(calls=(ScriptedCall(tool=tool, arguments=arguments),))


def script(name: str, *lines: ScriptedReply) -> str:
    """Register a script, and return the model that plays it."""
    register(name, lines)
    return f"scripted/{name}"


Run = Callable[..., Outcome]


@pytest.fixture
def run_suite(tmp_path, toolbox) -> Run:
    """Run a suite as `benchwright run` does, into `tmp_path/run`."""

    def start(
        suite: Suite, *agents: str, out: Path | None = None, prompts: Prompts | None = None, **request
    ) -> Outcome:
        words = prompts or Prompts()
        return run(spec_for(suite, *agents, prompts=words, **request), out or tmp_path / "run", words)

    return start


def spec_for(suite: Suite, *agents: str, prompts: Prompts | None = None, **request) -> RunSpec:
    return resolve(RunRequest(agents=agents, **request), suite, prompts or Prompts())
