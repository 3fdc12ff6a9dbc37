"""The real program beside a cluster: begun, watched while nodes work for it, ended."""

import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil

from .nodes import Nodes

PROGRAM = [sys.executable, "-c", "from benchwright.cli import main; main()"]
LONGEST = 600.0

STARTED: list[psutil.Process | subprocess.Popen[str]] = []
"""What a test has started or stopped."""


def end_started() -> None:
    """Whatever becomes of a test, what it has started ends, and what it has stopped goes on."""
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
    """What it has printed, and what it has said."""
    _, said = process.communicate(timeout=LONGEST)
    out = process.printed.read_text()
    process.printed.unlink()
    assert process.returncode == code, said
    assert "Traceback" not in said
    return out, said


def killed(process: subprocess.Popen[str]) -> None:
    """It has no time for anything."""
    process.kill()
    process.communicate(timeout=LONGEST)
    process.printed.unlink()


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


def all_end(*processes: psutil.Process) -> bool:
    """Whether these end."""
    return not psutil.wait_procs(processes, timeout=LONGEST)[1]
