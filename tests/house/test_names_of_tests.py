"""Tests have the same names in every worker, without which none is begun."""

import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"
LOADED = f"""
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("ours", {str(CONFTEST)!r})
ours = module_from_spec(spec)
spec.loader.exec_module(ours)
pytest_make_parametrize_id = ours.pytest_make_parametrize_id
"""
PACKED = """
import os, pytest
@pytest.mark.parametrize("packed", [os.urandom(8)])
def test_packed(packed): pass
"""


@pytest.mark.parametrize(("conftest", "code"), [(LOADED, 0), ("", 1)], ids=["ours", "control"])
def test_bytes_that_differ_give_one_name(tmp_path, conftest, code):
    (tmp_path / "conftest.py").write_text(conftest)
    (tmp_path / "test_packed.py").write_text(PACKED)
    command = [sys.executable, "-m", "pytest", "-n", "2", "-p", "no:asyncio", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    assert ("Different tests were collected" in done.stdout) == bool(code)
