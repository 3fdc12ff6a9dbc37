"""A command that is watched while it runs: what it started, and what of that is left when it has ended."""

import ctypes
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil

from benchwright.run import RunFolder
from benchwright.run.journal import attempt_of

LONGEST = 400.0
PROGRAM = (sys.executable, "-c", "from benchwright.cli import main; main()")
_LOOK = 0.1
"""Seconds between two looks at what runs below a command."""


def adopt_orphans(wanted: bool) -> None:
    """Make this process the parent of all that its descendants leave behind (PR_SET_CHILD_SUBREAPER), or no longer."""
    ctypes.CDLL(None, use_errno=True).prctl(36, int(wanted), 0, 0, 0)


def command(suite: Path, out: Path, *shell: str, more: tuple[str, ...] = ()) -> list[str]:
    """A run whose agent runs these commands and submits."""
    lines = [{"calls": [{"tool": "bash", "arguments": {"command": text}}]} for text in shell]
    lines.append({"calls": [{"tool": "submit", "arguments": {"answer": "42"}}], "seconds": 0.5})
    script = suite.parent / "script.jsonl"
    script.write_text("".join(json.dumps(line) + "\n" for line in lines))
    play = ("--agent", "react", "--model", f"scripted/{script}", "--out", str(out), "--json", *more)
    return [*PROGRAM, "run", str(suite), *play]


def each_once(out: Path, count: int) -> RunFolder:
    """The run in a folder, in which so many attempts are finished, none of them twice."""
    run = RunFolder.open(out)
    made = (attempt_of(event) for event in run.events("attempt"))
    finished = Counter(attempt.key for attempt in made if attempt is not None and not attempt.runs_again)
    assert (len(finished), set(finished.values())) == (count, {1})
    return run


class Watched:
    """One command; `processes` are all that were seen below it, `groups` the control groups that those made."""

    def __init__(self, command: list[str], **variables: str) -> None:
        self._before = set(psutil.Process().children())
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, env=os.environ | variables, text=True, **pipes)
        self.processes: set[psutil.Process] = set()
        self.groups: set[str] = set()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def _watch(self) -> None:
        while self.process.returncode is None:
            with suppress(psutil.Error):
                self.processes.update(psutil.Process(self.process.pid).children(recursive=True))
            self.groups.update(self.groups_now())
            time.sleep(_LOOK)

    def groups_now(self) -> set[str]:
        """The control groups that are there and were made by a process of this command: their names hold its number."""
        mine = [f".{process.pid}." for process in set(self.processes)]  # which the watcher adds to
        return {
            path
            for path, _, _ in os.walk("/sys/fs/cgroup")
            if "/benchwright-" in path and any(number in path for number in mine)
        }

    def ended(self, code: int) -> tuple[dict, str]:
        """Its document and its words; nothing of it may be left."""
        out, said = self.process.communicate(timeout=LONGEST)
        self._watcher.join()
        assert self.process.returncode == code, out + said
        assert "Traceback" not in said
        assert self.left() == []
        return json.loads(out) if out else {}, said

    def left(self, seconds: float = 100.0) -> list[str]:
        """What is still there some time after its end: processes by their command lines, control groups, mounts."""
        deadline = time.monotonic() + seconds
        while True:
            found = [*map(str, self._alive()), *self.groups_now(), *_mounts()]
            if not found or time.monotonic() > deadline:
                return found
            time.sleep(_LOOK)

    def _alive(self) -> list[psutil.Process]:
        orphans = {each for each in psutil.Process().children() if each.pid != self.process.pid} - self._before
        return [process for process in self.processes | orphans if _lives(process)]


def _mounts() -> list[str]:
    """What is mounted below the folder that the command's temporary files go to, as this process sees it."""
    return [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if os.environ["TMPDIR"] in line]


def _lives(process: psutil.Process) -> bool:
    """Whether it runs; one that has ended and became a child of ours is taken note of."""
    with suppress(psutil.Error):
        if process.is_running() and process.status() == psutil.STATUS_ZOMBIE:
            with suppress(ChildProcessError):
                os.waitpid(process.pid, os.WNOHANG)
            return False
        return process.is_running()
    return False
