"""The estimate of files read, held against what the kernel saw: command lines as agents write them are really run."""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.importers.reads import evidence
from benchwright.reading.places import Places
from benchwright.trajectory import Call, Step, Trajectory

FILES = (
    *("shop/source/sales.csv", "shop/source/stock.csv", "shop/readme.md", "old/source/sales.csv", "notes.json"),
    *("geo/a.csv", "geo/b.csv", "geo/c.json", "geo/deep/d.csv", "db/shop.sqlite", "other/x.tsv"),
)
SESSIONS = Path(__file__).with_name("command_lines.txt").read_text().removesuffix("\n").split("\n=====\n")
"""Sessions of one call or more; a later call goes on in the folder that the one before it left."""

PANDAS = """
class Frame:
    shape = columns = ()
    def __getattr__(self, name): return lambda *given, **named: self
    def __getitem__(self, key):
        if key == "missing": raise KeyError(key)
        return self
    def __setitem__(self, key, value): pass
def read_csv(path, **named):
    open(path).read()
    return Frame()
def concat(frames): return Frame()
"""
"""Enough of pandas to open what it is told to; the library itself takes a second to begin."""

OPENED = re.compile(r'open(?:at)?\(.*?"[^"]*", ([A-Z_|]+).* = \d+<([^>]*)>')


@pytest.fixture(scope="module")
def tracer():
    """strace, where it may be used."""
    found = shutil.which("strace")
    if found is None or subprocess.run([found, "-qq", "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs strace, and leave to trace")
    return found


@pytest.fixture
def workspace(tmp_path):
    folder = tmp_path / "w"
    for name in FILES:
        path = folder / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"a": 1}\n' if name.endswith(".json") else "id,amount\n1,2\n3,4\n")
    (folder / "data" / "db" / "shop.sqlite").unlink()
    with sqlite3.connect(folder / "data" / "db" / "shop.sqlite") as connection:
        connection.execute("create table t (a)")
    connection.close()
    (tmp_path / "stub").mkdir()
    (tmp_path / "stub" / "pandas.py").write_text(PANDAS)
    return folder


def really(tracer, calls, workspace):
    """The calls with what came of them, and the data files that were opened for reading."""
    place, told, read = workspace.parent, [], set()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(place / "stub"), "PYTHONDONTWRITEBYTECODE": "1"}
    folder = str(workspace)
    for number, call in enumerate(calls):
        script = f"cd {folder}\n{call}\ncode=$?\npwd > {place}/folder\nexit $code"
        traced = [tracer, "-ff", "-qq", "-y", "-e", "trace=open,openat", "-o", str(place / f"trace{number}")]
        ran = subprocess.run(
            [*traced, "bash", "-c", script], capture_output=True, text=True, env=environment, check=False, timeout=60,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        for trace in place.glob(f"trace{number}.*"):
            for flags, opened in OPENED.findall(trace.read_text(errors="replace")):
                if "O_WRONLY" not in flags and opened.startswith(f"{workspace}/data/"):
                    read.add(opened.removeprefix(f"{workspace}/data/"))
        folder = (place / "folder").read_text().strip() or folder
        output, code = ran.stdout + ran.stderr, ran.returncode
        about = {"tool": "Bash", "kind": "shell", "text": call, "output": output, "exit_code": code}
        told.append(Call(id=str(number), is_error=code != 0, **about))
    return told, read & set(FILES)


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session[:60].replace("\n", " "))
def test_every_file_that_was_read_is_in_the_estimate_and_what_is_certain_was_read(session, tracer, workspace):
    calls, read = really(tracer, session.split("\n-----\n"), workspace)
    steps = tuple(Step(index=number, calls=(call,)) for number, call in enumerate(calls, 1))
    places = Places({"r": frozenset(FILES)}, {f"{workspace}/data": "r"})
    found = evidence(Trajectory(steps=steps, cwd=str(workspace)), places, ("result.txt",), keeps_folder=True).accesses
    estimated = {file.path: file.certain for file in found.files}
    assert read <= set(estimated), "was read and is missing"
    assert {path for path, certain in estimated.items() if certain} <= read, "is certain and was not read"
