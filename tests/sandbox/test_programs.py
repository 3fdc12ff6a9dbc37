"""Other people's programs: pinned, installed by one command, and what is said where they cannot be."""

import itertools
import json
import os

import pytest

from benchwright.errors import EnvironmentFault, InputError
from benchwright.sandbox import programs


@pytest.fixture
def empty_home(monkeypatch, tmp_path):
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))


@pytest.mark.parametrize("name", [name for name, pin in programs.pins().items() if pin.index == "npm"])
def test_the_lock_of_an_npm_program_holds_the_pinned_version_and_a_hash_of_everything(name):
    pin = programs.pins()[name]
    packages = json.loads(programs._lock(name).read_text())["packages"]
    assert packages[""]["dependencies"] == {pin.package: pin.version}
    assert packages[f"node_modules/{pin.package}"]["version"] == pin.version
    assert [path for path, package in packages.items() if path and "integrity" not in package] == []


@pytest.mark.parametrize("name", [name for name, pin in programs.pins().items() if pin.index == "pypi"])
def test_the_lock_of_a_python_program_holds_the_pinned_version_and_hashes(name):
    pin = programs.pins()[name]
    lines = programs._lock(name).read_text().splitlines()
    assert f"{pin.package}=={pin.version} \\" in lines
    for line, following in itertools.pairwise(lines):
        if "==" in line:
            assert following.strip().startswith("--hash=sha256:")


def test_an_unknown_program_is_an_error_of_input():
    with pytest.raises(InputError, match="no agent 'emacs' to install"):
        programs.install("emacs")


def test_a_run_with_a_program_that_is_not_installed_says_how_to_install_it(empty_home):
    with pytest.raises(EnvironmentFault, match="benchwright agents install codex") as raised:
        programs.need("codex")
    assert raised.value.exit_code == 3


def test_without_npm_nothing_is_installed_and_the_reason_is_said(empty_home, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentFault, match="no npm"):
        programs.install("codex")
    assert programs.find("codex") is None


def test_a_node_that_is_too_old_is_refused_before_anything_is_fetched(empty_home, monkeypatch, tmp_path):
    for name, says in (("npm", ""), ("node", "echo v16.20.0")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{says}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(EnvironmentFault, match=r"node v16\.20\.0\n  expected: Node\.js 18 or newer"):
        programs.install("claude_code")


def test_an_index_that_does_not_answer_leaves_nothing_half_installed(empty_home, monkeypatch, tmp_path):
    (tmp_path / "npm").write_text(
        "#!/bin/sh\nmkdir -p node_modules\necho 'getaddrinfo ENOTFOUND registry' >&2\nexit 1\n"
    )
    (tmp_path / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(EnvironmentFault, match="ENOTFOUND registry"):
        programs.install("codex")
    assert programs.find("codex") is None
