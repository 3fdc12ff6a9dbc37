"""The fuzz targets take sound files and their mutations, and the program that runs them sees a crash and a hang."""

import importlib.util
import os
import random
import re
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
    longest: int = 1 << 10

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
        assert TARGETS[name].run(seed) or seed in [*TARGETS[name].spoiled()]
        for _ in range(10):
            changed = bytearray(seed)
            for _ in range(chance.randint(1, 4)):
                changed[chance.randrange(len(changed))] = chance.randrange(256)
            TARGETS[name].run(bytes(changed[: chance.randint(0, len(changed))] if chance.random() < 0.2 else changed))


def fuzzed(tmp_path, *words, amount=("--seconds", "5")):
    (tmp_path / "planted.py").write_text(PLANTED)
    command = [*RUN, "--targets", tmp_path / "planted.py", *amount, *words]
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


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris has no wheel for this Python")
def test_so_many_inputs_by_one_seed_are_the_same_each_time_and_no_corpus_is_used_or_kept(tmp_path):
    kept, told = tmp_path / "cache" / "benchwright" / "fuzz", []
    for turn in range(2):
        done = fuzzed(tmp_path, amount=("--runs", "3000", "--seed", "7"))
        told.append(sorted(re.sub(r"\d+ s:", "", line) for line in done.stdout.splitlines() if " inputs, " in line))
        assert done.returncode == 1, done.stdout + done.stderr
        assert not (kept / "calm").exists()
        if not turn:  # what is kept of a run by the clock changes nothing
            (kept / "crash").mkdir()
            (kept / "crash" / "more").write_bytes(b"C" * 100)
    assert told[0] == told[1]
    assert re.search(r"calm +3000 inputs", told[0][0])
    assert len(list(kept.glob("crash-crash-*"))) == 1  # named by its content


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris has no wheel for this Python")
def test_another_seed_of_chance_tries_other_inputs(tmp_path):
    tried = [
        re.search(r"crash +(\d+) inputs", fuzzed(tmp_path, "crash", amount=("--runs", "9000", "--seed", seed)).stdout)[
            1
        ]
        for seed in "123"
    ]
    assert len(set(tried)) > 1, tried


def test_no_seed_is_longer_than_what_is_tried_of_it():
    """libFuzzer cuts longer ones, and a database that is cut is none."""
    for name, target in TARGETS.items():
        assert max(map(len, target.seeds())) <= target.longest, name


def test_a_database_of_either_kind_is_a_seed_that_is_read():
    heads = [seed[:12] for seed in TARGETS["database"].sound()]
    assert {head[:6] for head in heads} & {b"SQLite"}
    assert {head[8:] for head in heads} & {b"DUCK"}


def test_seeds_are_the_same_bytes_each_time():
    assert all([*target.seeds()] == [*target.seeds()] for target in TARGETS.values())


def test_what_once_crashed_a_parser_is_a_seed_and_crashes_nothing():
    spoiled = [(target, seed) for target in TARGETS.values() for seed in target.spoiled()]
    assert spoiled
    assert all(target.run(seed) in {True, False} for target, seed in spoiled)


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
