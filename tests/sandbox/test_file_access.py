"""The table in ways.toml, under every tracer: exactly the files that were opened for reading, each at its step."""

import gzip
import json
import os
import platform
import shutil
import sqlite3
import subprocess
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchwright.sandbox.access import choose, missing
from benchwright.sandbox.base import Exec, Outcome, Python, Room, SandboxSpec, Shell
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.trajectory import Accesses, Measured

WAYS = tomllib.loads((Path(__file__).parent / "ways.toml").read_text(encoding="utf-8"))
TABLE = "id,value\n" + "".join(f"{number},{number * 1.5}\n" for number in range(50))
PACKAGES = {"pandas", "polars", "duckdb", "pyarrow", "openpyxl", "numpy"}


@dataclass(frozen=True)
class Traced:
    """What the ways of one table did, in one sandbox, and what was seen of it."""

    outcomes: dict[str, Outcome]
    folders: dict[str, str]
    accesses: Accesses


def make_folder(folder: Path):
    names = (
        "a.csv",
        "b.csv",
        "naïve näme.csv",
        "new\nline.csv",
        "a<b>c.csv",
        'quo"te\\.csv',
        "b.csv (deleted)",
        "sub/in.csv",
        "sub/deep/x.csv",
    )
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(TABLE)
    (folder / "link.csv").symlink_to("b.csv")
    (folder / "data.jsonl").write_text("".join(json.dumps({"id": number}) + "\n" for number in range(20)))
    with gzip.open(folder / "z.csv.gz", "wt") as stream:
        stream.write(TABLE)
    with zipfile.ZipFile(folder / "z.zip", "w") as archive:
        archive.writestr("inside.csv", TABLE)
    connection = sqlite3.connect(folder / "db.sqlite")
    connection.execute("create table t (x int)")
    connection.commit()
    connection.close()
    (folder / "numbers.bin").write_bytes(bytes(range(256)) * 64)
    (folder / "module.py").write_text("value = 7\n")
    (folder / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (folder / "run.sh").chmod(0o755)
    make_programs(folder / "bin")


def make_programs(folder: Path):
    folder.mkdir()
    shutil.copy("/bin/true", folder / "tool")
    (folder / "script").write_text("#!bin/tool\n")
    (folder / "text").write_text(TABLE)
    (folder / "lost").write_text("#!/none/such\n")
    (folder / "of-text").write_text("#!bin/text -x\n")
    (folder / "itself").write_text("#!bin/itself\n")
    for number in range(9):
        (folder / f"link{number}").write_text(f"#!bin/link{number + 1}")
    for path in folder.iterdir():
        path.chmod(0o755)


def make_tables(folder: Path):
    import openpyxl
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"id": list(range(50))}), folder / "t.parquet")
    book = openpyxl.Workbook()
    book.active.append(["id", "value"])
    book.save(folder / "t.xlsx")


def usable(way: dict) -> bool:
    needs = way.get("needs", "")
    known = {"", "redirect_dir", platform.machine(), *PACKAGES}
    return needs in known or shutil.which(needs) is not None


def ways(*, writable: bool, packages: bool = True) -> list[dict]:
    """The ways of a table that this machine can go; without `packages`, those that an ordinary user can as well."""
    rows = WAYS["writable"] if writable else [*WAYS["read"], *WAYS["not_read"]]
    return [row for row in rows if usable(row) and (packages or row.get("needs") not in {*PACKAGES, "redirect_dir"})]


def command(way: dict, here: str, python: Path) -> Exec | Python:
    if "shell" in way:
        return Exec(("bash", "-c", way["shell"].replace("{here}", here)))
    code = way["python"].replace("{here}", here)
    return Python(code) if way.get("needs") in PACKAGES else Exec((str(python), "-c", code))


def trace(
    rows: list[dict], room: Path, provider, tracing: str, *, writable: bool, toolbox: Path | None = None
) -> Traced:
    """Go each way in one sandbox, in a folder and a step of its own."""
    folders = {way["name"]: f"way{number}" for number, way in enumerate(rows)}
    for folder in folders.values():
        make_folder(room / folder)
        if toolbox:
            make_tables(room / folder)
    room.chmod(0o755)
    python = toolbox / "bin" / "python" if toolbox else Path("/usr/bin/python3")
    spec = SandboxSpec(rooms=(Room("room", room, "/data", writable),), toolbox=toolbox)
    outcomes: dict[str, Outcome] = {}
    with provider.open(spec, choose(tracing)) as sandbox:
        for step, way in enumerate(rows):
            sandbox.mark(step)
            outcomes[way["name"]] = sandbox.run(command(way, f"/data/{folders[way['name']]}", python))
    return Traced(outcomes, folders, sandbox.accessed())


def check(traced: Traced, rows: list[dict], way: dict, tracer: str):
    """The way did what it should, and exactly its files were seen, at its step."""
    if way not in rows:
        pytest.skip(f"needs {way['needs']}")
    outcome = traced.outcomes[way["name"]]
    if way.get("fails"):
        assert outcome.exit_code != 0
    else:
        assert outcome.exit_code == way.get("exit_code", 0), outcome
    assert isinstance(traced.accesses, Measured), traced.accesses
    assert traced.accesses.tracer == tracer
    here = traced.folders[way["name"]] + "/"
    files = [file for file in traced.accesses.files if file.path.startswith(here)]
    assert sorted(file.path.removeprefix(here) for file in files) == sorted(way["reads"])
    assert {(file.step, file.room) for file in files} <= {(rows.index(way), "room")}


@pytest.fixture(scope="module", params=["fanotify", "strace"])
def tracing(request) -> str:
    if missing()[request.param]:
        pytest.skip(f"{request.param}: {missing()[request.param]}")
    return request.param


@pytest.fixture(scope="module")
def provider():
    with NamespaceProvider() as made:
        yield made


@pytest.fixture(scope="module")
def traced(tmp_path_factory, toolbox, provider, tracing):
    """What the ways of a table did, by whether the room was writable; each table is run once."""
    done: dict[bool, Traced] = {}

    def run(*, writable: bool) -> Traced:
        if writable not in done:
            room = tmp_path_factory.mktemp("rooms")
            done[writable] = trace(ways(writable=writable), room, provider, tracing, writable=writable, toolbox=toolbox)
        return done[writable]

    return run


@pytest.mark.parametrize("way", WAYS["read"], ids=lambda way: way["name"])
def test_a_file_that_is_read_is_seen_and_no_other(way, traced, tracing):
    check(traced(writable=False), ways(writable=False), way, tracing)


@pytest.mark.parametrize("way", WAYS["not_read"], ids=lambda way: way["name"])
def test_what_does_not_read_is_not_seen(way, traced, tracing):
    check(traced(writable=False), ways(writable=False), way, tracing)


@pytest.mark.parametrize("way", WAYS["writable"], ids=lambda way: way["name"])
def test_a_file_of_a_writable_room_is_known_by_what_it_is(way, traced, tracing):
    check(traced(writable=True), ways(writable=True), way, tracing)


def test_the_tables_hold_what_they_promise():
    names = [way["name"] for ways in WAYS.values() for way in ways]
    assert len(names) == len(set(names))
    assert len(WAYS["read"]) >= 30
    assert len(WAYS["not_read"]) >= 10


@pytest.fixture
def room(tmp_path) -> Path:
    folder = tmp_path / "room"
    for number in range(12):
        make = folder / f"f{number}.csv"
        make.parent.mkdir(exist_ok=True)
        make.write_text(TABLE)
    tmp_path.chmod(0o755)
    folder.chmod(0o755)
    return folder


def opened(accesses: Accesses) -> list[str]:
    assert isinstance(accesses, Measured), accesses
    return [file.path for file in accesses.files]


def test_the_persistent_shell_and_python_are_followed(provider, room, toolbox, tracing):
    spec = SandboxSpec(rooms=(Room("r", room),), toolbox=toolbox)
    with provider.open(spec, choose(tracing)) as sandbox:
        sandbox.mark(1)
        sandbox.run(Shell("cd /data"))
        sandbox.mark(2)
        sandbox.run(Shell("cat f1.csv"))
        sandbox.mark(3)
        sandbox.run(Python("import pandas as pd; a = pd.read_csv('/data/f2.csv')"))
        sandbox.mark(4)
        sandbox.run(Python("a.head(); b = pd.read_csv('/data/f3.csv')"))
        accesses = sandbox.accessed()
    assert [(file.path, file.step) for file in accesses.files] == [("f1.csv", 2), ("f2.csv", 3), ("f3.csv", 4)]
    assert all(file.certain for file in accesses.files)


def test_a_thread_that_outlives_its_step_is_not_certain_of_it(provider, room, toolbox, tracing):
    late = "import threading\ngo = threading.Event()\ndef late():\n    go.wait(); open('/data/f1.csv').close()\nt = threading.Thread(target=late); t.start()"
    with provider.open(SandboxSpec(rooms=(Room("r", room),), toolbox=toolbox), choose(tracing)) as sandbox:
        sandbox.mark(1)
        sandbox.run(Python(late))
        sandbox.mark(2)
        sandbox.run(Python("open('/data/f2.csv').close(); go.set(); t.join()"))
        accesses = sandbox.accessed()
    assert [(file.path, file.step, file.certain) for file in accesses.files] == [
        ("f1.csv", 2, False),
        ("f2.csv", 2, True),
    ]


def test_a_file_belongs_to_the_step_that_read_it_first(provider, room, tracing):
    with provider.open(SandboxSpec(rooms=(Room("r", room),)), choose(tracing)) as sandbox:
        sandbox.run(Exec(("cat", "/data/f0.csv")))
        sandbox.mark(1)
        sandbox.run(Exec(("cat", "/data/f0.csv", "/data/f1.csv")))
        sandbox.mark(2)
        sandbox.run(Exec(("cat", "/data/f1.csv")))
        accesses = sandbox.accessed()
    assert [(file.path, file.step) for file in accesses.files] == [("f0.csv", None), ("f1.csv", 1)]


def test_reading_through_the_sandbox_itself_counts(provider, room, tracing):
    with provider.open(SandboxSpec(rooms=(Room("r", room),)), choose(tracing)) as sandbox:
        assert sandbox.read("/data/f5.csv") == TABLE.encode()
        assert opened(sandbox.accessed()) == ["f5.csv"]


def test_what_the_runner_wrote_into_a_room_is_no_longer_the_rooms(provider, room, tracing):
    with provider.open(SandboxSpec(rooms=(Room("r", room, "/data", writable=True),)), choose(tracing)) as sandbox:
        sandbox.write("/data/f5.csv", b"new")
        sandbox.write("/data/new.csv", b"new")
        assert sandbox.run(Exec(("cat", "/data/f5.csv", "/data/new.csv", "/data/f6.csv"))).stdout.startswith(b"newnew")
        assert opened(sandbox.accessed()) == ["f6.csv"]


def test_reads_of_several_rooms_are_told_apart(provider, room, tmp_path, tracing):
    other = shutil.copytree(room, tmp_path / "other")
    rooms = (Room("one", room, "/data/one"), Room("two", other, "/data/two", writable=True))
    with provider.open(SandboxSpec(rooms=rooms), choose(tracing)) as sandbox:
        sandbox.run(Exec(("cat", "/data/one/f1.csv", "/data/two/f2.csv")))
        accesses = sandbox.accessed()
    assert [(file.room, file.path) for file in accesses.files] == [("one", "f1.csv"), ("two", "f2.csv")]
    assert accesses.room_files == 24


def test_sandboxes_that_run_side_by_side_never_see_each_others_reads(provider, room, tracing):
    spec = SandboxSpec(rooms=(Room("r", room),))
    with provider.open(spec, choose(tracing)) as one, provider.open(spec, choose(tracing)) as other:
        one.run(Exec(("cat", "/data/f1.csv")))
        other.run(Exec(("cat", "/data/f2.csv")))
        (room / "f3.csv").read_bytes()
        one.run(Exec(("cat", "/data/f4.csv")))
        assert opened(one.accessed()) == ["f1.csv", "f4.csv"]
        assert opened(other.accessed()) == ["f2.csv"]


def test_a_sweep_is_seen_as_one(provider, room, tracing):
    with provider.open(SandboxSpec(rooms=(Room("r", room),)), choose(tracing)) as sandbox:
        sandbox.run(Exec(("sh", "-c", "head -c1 /data/f1.csv")))
        assert not sandbox.accessed().swept
        sandbox.run(Exec(("sh", "-c", "cat /data/*")))
        assert sandbox.accessed().swept


def test_a_sandbox_without_rooms_read_nothing(provider, tracing):
    with provider.open(SandboxSpec(), choose(tracing)) as sandbox:
        sandbox.run(Exec(("cat", "/etc/passwd")))
        assert opened(sandbox.accessed()) == []


def test_names_that_are_no_text_are_told(provider, room, tracing):
    name = os.fsdecode(b"caf\xe9.csv")
    (room / name).write_text(TABLE)
    with provider.open(SandboxSpec(rooms=(Room("r", room),)), choose(tracing)) as sandbox:
        sandbox.run(Exec(("sh", "-c", "cat /data/caf*")))
        assert opened(sandbox.accessed()) == ["caf\\xe9.csv"]


def test_executing_a_file_of_a_room_reads_it(provider, room, tracing):
    shutil.copy("/bin/true", room / "tool")
    (room / "script").write_text("#!/bin/sh\n")
    (room / "script").chmod(0o755)
    with provider.open(SandboxSpec(rooms=(Room("r", room),)), choose(tracing)) as sandbox:
        outcomes = [sandbox.run(Exec((f"/data/{name}",))) for name in ("tool", "script")]
        assert [outcome.exit_code for outcome in outcomes] == [0, 0]
        assert opened(sandbox.accessed()) == ["script", "tool"]


def test_a_program_whose_loader_lies_in_a_room_reads_it(provider, room, tracing, tmp_path):
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc")
    loader = next(
        line.split("interpreter: ")[1].rstrip("]")
        for line in subprocess.check_output(["readelf", "-l", "/bin/true"], text=True).splitlines()
        if "interpreter: " in line
    )
    shutil.copy(os.path.realpath(loader), room / "loader")
    (room / "source.c").write_text("int main(void) { return 0; }\n")
    for name, link in (("with", "/data/loader"), ("without", "/data/none")):
        subprocess.run(
            ["gcc", "-o", room / name, f"-Wl,--dynamic-linker={link}", room / "source.c"], check=True, cwd=tmp_path
        )
    with provider.open(SandboxSpec(rooms=(Room("r", room),)), choose(tracing)) as sandbox:
        assert sandbox.run(Exec(("bash", "-c", "/data/without"))).exit_code == 127
        assert opened(sandbox.accessed()) == ["without"]
        assert sandbox.run(Exec(("/data/with",))).exit_code == 0
        assert opened(sandbox.accessed()) == ["loader", "with", "without"]


def test_what_a_program_is_given_to_work_on_may_be_long(provider, room, tracing):
    code = "open('/data/f1.csv').close()\n" + "#" * 6000
    with provider.open(SandboxSpec(rooms=(Room("r", room),)), choose(tracing)) as sandbox:
        assert sandbox.run(Exec(("/usr/bin/python3", "-c", code))).exit_code == 0
        assert opened(sandbox.accessed()) == ["f1.csv"]


def test_hard_links_of_a_room_are_known_by_the_name_that_was_used(provider, room, tracing):
    (room / "again.csv").hardlink_to(room / "f1.csv")
    with provider.open(SandboxSpec(rooms=(Room("r", room),)), choose(tracing)) as sandbox:
        sandbox.run(Exec(("cat", "/data/again.csv")))
        assert opened(sandbox.accessed()) == ["again.csv"]
