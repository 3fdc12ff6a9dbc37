"""A real run of a scripted model over a small suite with a hard subset and a table to hand in, and its submission."""

import json
import zipfile

import pytest

from benchwright.chat.scripted import ScriptedCall, ScriptedReply, register
from benchwright.gold import Check, Gold, RequiredFile
from benchwright.labels import Labels
from benchwright.live.planning import RunRequest, resolve
from benchwright.live.prompts import Prompts
from benchwright.live.runner import run as run_spec
from benchwright.publishing.submission import About, check, make, opened, write
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, OutputSpec, Task

SECRET = "the-gold-that-nobody-may-see"
ANSWERS = ("42", "42", SECRET, "43")


def build(folder, release="v1", answers=ANSWERS):
    """Four questions about sales and a table to write; two are hard; of one nobody finds the answer."""
    room = folder / "data" / "shop"
    room.mkdir(parents=True, exist_ok=True)
    (room / "sales.csv").write_text("month,amount\njan,10\nfeb,32\n")
    (room / "staff.csv").write_text("name\nAda\n")
    data = (DataMount(room="shop"),)
    tasks = [Task(id=str(n), question=f"What was sold in all ({n})?", data=data) for n in range(len(answers))]
    golds = [
        Gold(
            task_id=task.id,
            answer=answer,
            required_files=(RequiredFile(path="sales.csv"),),
            required_files_status="declared",
        )
        for task, answer in zip(tasks, answers, strict=True)
    ]
    tasks.append(
        Task(id="table", question="Write a table.", data=data, outputs=(OutputSpec(kind="table", name="out.csv"),))
    )
    golds.append(
        Gold(task_id="table", checks=(Check(scorer="table", output="out.csv", golds=("out.csv",)),), files=("out.csv",))
    )
    labels = [
        Labels(task_id=task.id, domain="shops" if n % 2 else "law", subsets=("full", "hard") if n % 2 else ("full",))
        for n, task in enumerate(tasks)
    ]
    files = folder / "gold" / "files" / "table"
    files.mkdir(parents=True, exist_ok=True)
    (files / "out.csv").write_text("k,v\na,1\nb,2\n")
    info = SuiteInfo(name="small", release=release, rooms={"shop": RoomInfo(files=2)})
    return Suite.write(folder, info, tasks, labels, golds)


@pytest.fixture(scope="session")
def suite(tmp_path_factory):
    return build(tmp_path_factory.mktemp("submitted") / "suite")


PROGRAM = "open('out.csv', 'w').write('k,v\\na,1\\nb,2\\n'); print(len(open('/data/sales.csv').read()))"


@pytest.fixture(scope="session")
def run(suite, tmp_path_factory, toolbox):
    """A model that reads the sales, writes the table, and always answers 42."""
    register(
        "submitted",
        (
            ScriptedReply(calls=(ScriptedCall(tool="python", arguments={"code": PROGRAM}),)),
            ScriptedReply(calls=(ScriptedCall(tool="submit", arguments={"answer": "42"}),)),
        ),
    )
    words = Prompts()
    spec = resolve(RunRequest(agents=("react",), models=("scripted/submitted",)), suite, words)
    outcome = run_spec(spec, tmp_path_factory.mktemp("runs") / "run", words)
    assert outcome.in_order
    return outcome.folder


@pytest.fixture(scope="session")
def package(suite, run):
    return make(suite, [run], about=About(contact="a@example.org", organization="Somebody"))


@pytest.fixture
def archive(package, tmp_path):
    write(package, tmp_path / "submission.zip")
    return tmp_path / "submission.zip"


@pytest.fixture
def rewritten(archive, tmp_path):
    """The submission with a document changed by a function, and whatever else is given in place of members."""

    def change(name="", by=lambda value: value, **members):
        with zipfile.ZipFile(archive) as old:
            texts = {member: old.read(member) for member in old.namelist()}
        if name.endswith(".json"):
            value = json.loads(texts[name])
            texts[name] = json.dumps(by(value) or value).encode()
        elif name:
            lines = [json.loads(line) for line in texts[name].splitlines()]
            texts[name] = "".join(json.dumps(line) + "\n" for line in (by(lines) or lines)).encode()
        path = tmp_path / "changed.zip"
        with zipfile.ZipFile(path, "w") as new:
            for member, text in texts.items():
                new.writestr(member, text)
        return path

    return change


@pytest.fixture(scope="session")
def checked():
    """The verdict on a file."""

    def call(path, suite=None):
        with opened(path) as parcel:
            return check(parcel, suite)

    return call
