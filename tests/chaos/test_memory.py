"""Memory becomes scarce under a run: the kernel kills what it likes of it, and the same command goes on."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from benchwright.sandbox.holder.cgroups import parents

from .watching import Watched, command, each_once

pytestmark = pytest.mark.chaos

STEP = 2 << 20


class Group:
    """A control group whose memory can be made scarce, of either version."""

    def __init__(self) -> None:
        parent = parents().get("memory")
        if parent is None:
            pytest.skip("no control group for memory can be made here")
        self.version, self.path = parent.version, Path(parent.folder) / f"scarce-{os.getpid()}"
        self.path.mkdir()

    def limit(self, size: int) -> bool:
        """Let it have so many bytes; whether the kernel takes that."""
        name = "memory.limit_in_bytes" if self.version == 1 else "memory.max"
        try:
            (self.path / name).write_text(f"{size}\n")
        except OSError:  # version 1 refuses what it cannot press down to
            return False
        return True

    def press(self) -> None:
        """Leave it what it cannot give up, and a little."""
        size = self.used() // 2
        while not self.limit(size):
            size += STEP

    def used(self) -> int:
        return int((self.path / ("memory.usage_in_bytes" if self.version == 1 else "memory.current")).read_text())

    def felt(self) -> bool:
        """Whether something in it asked for more than there was."""
        if self.version == 1:
            return int((self.path / "memory.failcnt").read_text()) > 0
        return any(int(line.split()[1]) for line in (self.path / "memory.events").read_text().splitlines())

    def entered(self, asked: list[str]) -> list[str]:
        """The command, in this group from its start."""
        return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(self.path / "cgroup.procs"), *asked]

    def remove(self) -> None:
        """Remove it with what the kernel lets go of a moment after its processes."""
        deadline = time.monotonic() + 100
        while self.path.exists() and time.monotonic() < deadline:
            for folder, _, _ in os.walk(self.path, topdown=False):
                with suppress(OSError):
                    Path(folder).rmdir()
            time.sleep(0.05)
        assert not self.path.exists()


@pytest.fixture
def group():
    made = Group()
    yield made
    made.remove()


def test_a_run_whose_memory_runs_out_on_the_way_loses_nothing_and_goes_on(suite, tmp_path, toolbox, group):
    out = tmp_path / "out"
    asked = group.entered(command(suite, out, "sleep 0.3", more=("--epochs", "3", "--max-parallel", "4")))
    first = Watched(asked)
    journal = out / "events.jsonl"
    while not journal.exists() or b'"event":"attempt"' not in journal.read_bytes():
        assert first.process.poll() is None
        time.sleep(0.02)
    group.press()
    try:
        _, said = first.process.communicate(timeout=100)
    except subprocess.TimeoutExpired:  # it crawls; a person would end it
        first.process.kill()
        _, said = first.process.communicate()
    assert group.felt()
    assert first.process.returncode in (0, 1, 3, -signal.SIGKILL), said
    assert "Traceback" not in said
    finished = [line for line in journal.read_bytes().splitlines() if b'"event":"attempt"' in line]
    assert group.limit(1 << 40)
    document, _ = Watched(asked).ended(0)
    assert document["done"] == 12
    each_once(out, 12)
    assert journal.read_bytes().splitlines()[: len(finished)] != []
    assert set(finished) <= set(journal.read_bytes().splitlines())
    assert first.left() == []
