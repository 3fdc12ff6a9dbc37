"""The fuzz targets take sound files and their mutations, and the program that runs them sees a crash and a hang."""

import importlib.util
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
RUN = [sys.executable, HERE / "run.py"]
PLANTED = """
from typing import NamedTuple, Any

class Target(NamedTuple):
    run: Any
    seeds: Any

def crash(data):
    if data[:1] == b"B":
        raise ZeroDivisionError("planted")

def seeds():
    yield b"A"

TARGETS = {"calm": Target(lambda data: None, seeds), "crash": Target(crash, seeds)}
"""


def targets():
    spec = importlib.util.spec_from_file_location("fuzz_targets", HERE / "targets.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.TARGETS


TARGETS = targets()


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_takes_its_seeds_and_what_a_few_changed_bytes_make_of_them(name):
    chance = random.Random(name)
    for seed in TARGETS[name].seeds():
        assert TARGETS[name].run(seed)
        for _ in range(10):
            changed = bytearray(seed)
            for _ in range(chance.randint(1, 4)):
                changed[chance.randrange(len(changed))] = chance.randrange(256)
            TARGETS[name].run(bytes(changed[: chance.randint(0, len(changed))] if chance.random() < 0.2 else changed))


def fuzzed(tmp_path, *words):
    (tmp_path / "planted.py").write_text(PLANTED)
    command = [*RUN, "--targets", tmp_path / "planted.py", "--seconds", "5", *words]
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris has no wheel for this Python")
def test_a_crash_is_seen_named_and_kept(tmp_path):
    done = fuzzed(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "crash" in done.stdout
    assert "ZeroDivisionError: planted" in done.stdout
    assert [path.read_bytes()[:1] for path in (tmp_path / "cache" / "benchwright" / "fuzz").glob("crash-crash-*")] == [
        b"B"
    ]


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris has no wheel for this Python")
def test_without_a_crash_all_is_well_and_the_inputs_are_kept(tmp_path):
    done = fuzzed(tmp_path, "calm")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no crash, no hang" in done.stdout
    assert (tmp_path / "cache" / "benchwright" / "fuzz" / "calm" / "seed-0").read_bytes() == b"A"


def test_without_atheris_it_says_so_and_nothing_fails(tmp_path):
    hidden = tmp_path / "hidden.py"
    hidden.write_text(
        "import importlib.util, runpy, sys\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == 'atheris' else find(name, *rest)\n"
        f"sys.argv = ['run.py']\nrunpy.run_path({str(HERE / 'run.py')!r}, run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, hidden], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.partition(":")[0]) == (0, "nothing is fuzzed")
