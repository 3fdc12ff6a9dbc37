"""The run, one of its sandboxes, what holds them and a judging worker are killed at random moments; the same command goes on."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.sandbox.holder.cgroups import parents

pytestmark = pytest.mark.chaos
VICTIMS = ("runner", "sandbox", "supervisor", "worker")
ROOT = Path(__file__).resolve().parents[2]


def test_a_run_that_is_killed_at_random_moments_has_every_attempt_exactly_once(toolbox, chaos_round):
    program = [sys.executable, ROOT / "benchmarks" / "kill_and_resume.py", "--moments", "4", "--tasks", "4"]
    first = chaos_round % len(VICTIMS)
    turn = VICTIMS[first:] + VICTIMS[:first]
    done = subprocess.run(
        [*program, "--undisturbed", "1", "--seed", str(chaos_round), "--victims", *turn],
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
        env=os.environ,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert told["kills"] == sum(told[victim] for victim in VICTIMS) == 4
    assert min(told[victim] for victim in VICTIMS) == 1
    assert told["attempts"] >= 8
    assert told["groups_seen"] or not parents()  # else that none is left would say nothing
