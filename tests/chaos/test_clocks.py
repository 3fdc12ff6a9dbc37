"""The time of day is set by days, again and again, under all that a run starts; what it counts does not follow."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .watching import LONGEST, Watched, command, each_once

pytestmark = pytest.mark.chaos

SOURCE = Path(__file__).with_name("shifted_clock.c")
TELL = """
import datetime, time
print(*(tell() // 3600 for tell in (time.time, lambda: datetime.datetime.now().timestamp()) for _ in range(200)))
"""


@pytest.fixture
def clock(tmp_path) -> dict[str, str]:
    """The variables of a program whose clock jumps."""
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc")
    library = tmp_path / "clock.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, SOURCE], check=True)
    return {"LD_PRELOAD": str(library)}


def test_the_clock_does_jump(clock):
    """The control."""
    told = subprocess.run(
        [sys.executable, "-c", TELL], env=os.environ | clock, capture_output=True, text=True, check=True
    )
    hours = [float(word) for word in told.stdout.split()]
    assert all(max(part) - min(part) >= 48 for part in (hours[:200], hours[200:]))


def test_a_clock_that_jumps_by_days_loses_nothing_and_costs_no_budget(suite, tmp_path, toolbox, clock):
    out, asked = tmp_path / "out", (suite, tmp_path / "out", "head /data/sales.csv")
    for _ in range(2):  # the second finds all done, and what the first took
        document, said = Watched(command(*asked, more=("--budget-minutes", "60")), **clock).ended(0)
        assert (document["done"], document["planned"], document["stopped"]) == (4, 4, ""), said
    run = each_once(out, 4)
    assert all(0 <= attempt.wall_seconds < LONGEST for attempt in run.attempts().values())
    assert run.spend().seconds < LONGEST
