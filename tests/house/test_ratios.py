"""The check of ratios sees one that fell, and leaves alone what stands or was not measured."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def ratios():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import ratios

        yield ratios
    finally:
        sys.path.remove(str(BENCHMARKS))


def test_a_ratio_that_fell_below_60_per_cent_is_named(ratios):
    recorded = {"start": {"ratio": 10.0}, "table": {"ratio": 2.0}, "room": {"left_out": "no zstd"}}
    assert ratios.fallen({"start": {"ratio": 6.1}, "table": {"ratio": 1.3}, "room": {"ratio": 1.0}}, recorded) == []
    assert ratios.fallen({"start": {"ratio": 5.9}, "cover": {"ratio": 0.1}}, recorded) == [
        "start: 5.9 now, 10.0 recorded"
    ]
    assert ratios.fallen({"start": {"left_out": "no podman"}}, recorded) == []


def test_the_check_ends_with_1_where_a_ratio_fell_and_names_no_other(ratios, tmp_path):
    """What continuous integration runs, held against figures that one pair cannot reach."""
    recorded = tmp_path / "ratios.json"
    recorded.write_text(json.dumps({"pairs": {"cover": {"ratio": 1e6}, "sampling": {"ratio": 1e-6}}}))
    command = [sys.executable, ratios.__file__, "--only", "sampling,cover", "--rounds", "1", "--check"]
    done = subprocess.run([*command, "--recorded", recorded], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "below 60 % of what was recorded:\ncover: " in done.stderr
    assert "sampling: " not in done.stderr


def test_a_side_is_timed_in_a_process_of_its_own(ratios, tmp_path):
    told = ratios.asked("cover", "ours", tmp_path)
    assert 0 < told["cpu"] < 60
    assert told["wall"] > 0


def test_a_peer_that_is_not_here_is_left_out_with_the_reason(ratios, tmp_path):
    if ratios.PEERS.is_file():
        pytest.skip("the peers are here: .peers")
    assert ratios.asked("reports", "theirs", tmp_path) == {"left_out": "no .peers"}


def test_every_peer_is_a_script_beside_and_every_other_side_is_work(ratios):
    for name, pair in ratios.PAIRS.items():
        assert not pair.peer or (BENCHMARKS / "peers" / pair.peer).is_file(), name
        assert pair.clock in {"cpu", "wall"}, name
