"""The run, a sandbox's supervisor and a judging worker are killed at random moments; the same command goes on."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.sandbox.holder.cgroups import parents

pytestmark = pytest.mark.chaos
ROOT = Path(__file__).resolve().parents[2]


def test_a_run_that_is_killed_at_random_moments_has_every_attempt_exactly_once(toolbox, chaos_round):
    program = [sys.executable, ROOT / "benchmarks" / "kill_and_resume.py", "--moments", "2", "--tasks", "4"]
    turn = ("runner", "supervisor", "worker")[chaos_round % 3 :] + ("runner", "supervisor", "worker")[: chaos_round % 3]
    done = subprocess.run(
        [*program, "--seed", str(chaos_round), "--victims", *turn],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        env=os.environ,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert told["attempts"] >= 8
    assert told["groups_seen"] or not parents()  # else that none is left would say nothing
