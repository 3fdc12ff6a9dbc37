"""Packages that agents install on the way: from a pinned folder, checked by hash, and from nowhere else."""

import pytest

from benchwright.errors import EnvironmentFault
from benchwright.sandbox import wheelhouse
from benchwright.sandbox.base import Exec, Python, SandboxSpec, Shell
from benchwright.sandbox.namespace import NamespaceProvider

ONE_PACKAGE = """\
humanize==4.17.0 \\
    --hash=sha256:02d0899527760efe18011944f882df4970943b4cdff7b5a0ba7fed43a576ef98 \\
    --hash=sha256:1d6a36c453dbfbb3f0b34601d2e0b4ce5d48d780305cd45714843f0068fde6ac
"""
SAYS_HELLO = "import humanize; print(humanize.intcomma(1234567))"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A wheelhouse of one package."""
    folder = tmp_path_factory.mktemp("wheelhouse")
    wanted = folder / "one.lock"
    wanted.write_text(ONE_PACKAGE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHWRIGHT_HOME", str(folder / "home"))
        try:
            return wheelhouse.ensure(print, wanted)
        except EnvironmentFault as error:
            pytest.skip(f"the wheelhouse cannot be fetched here: {error}")


@pytest.fixture(scope="module")
def opened(small, toolbox):
    """Sandboxes with the wheelhouse and, as a control, without."""
    with NamespaceProvider() as provider:
        yield lambda given: provider.open(SandboxSpec(toolbox=toolbox, wheelhouse=given, tracing="off"))


def test_an_agent_installs_what_is_there_and_uses_it_at_once_everywhere(opened, small):
    with opened(small) as sandbox:
        sandbox.run(Python("held = 7"))
        installed = sandbox.run(Shell("pip install humanize"))
        assert installed.exit_code == 0, installed.stderr
        assert sandbox.run(Exec(("python", "-c", SAYS_HELLO))).stdout == b"1,234,567\n"
        assert sandbox.run(Python(f"{SAYS_HELLO}\nprint(held)")).stdout == b"1,234,567\n7\n"


def test_without_the_wheelhouse_nothing_can_be_installed(opened):
    with opened(None) as sandbox:
        assert sandbox.run(Shell("pip install humanize || python -m pip install humanize")).exit_code != 0
        assert sandbox.run(Exec(("python", "-c", SAYS_HELLO))).exit_code != 0


def test_only_what_is_there_can_be_had_and_the_folder_cannot_be_changed(opened, small):
    with opened(small) as sandbox:
        refused = sandbox.run(Shell("pip install requests"))
        changed = sandbox.run(Exec(("/bin/sh", "-c", f"echo x > {small}/wheels/x.whl")))
        present = sandbox.run(Shell("pip install pandas"))
        assert sandbox.run(Exec(("ls", wheelhouse.SITE))).stdout == b""
    assert refused.exit_code != 0
    assert b"No matching distribution" in refused.stderr + refused.stdout
    assert changed.exit_code != 0
    assert b"Read-only" in changed.stderr
    assert b"already satisfied" in present.stdout


def test_a_file_with_another_hash_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    wanted = tmp_path / "wrong.lock"
    wanted.write_text(ONE_PACKAGE.replace("02d08995", "12345678").replace("1d6a36c4", "12345678"))
    with pytest.raises(EnvironmentFault, match="the wheelhouse could not be built"):
        wheelhouse.ensure(print, wanted)
    assert wheelhouse.find(wanted) is None


def test_another_list_is_another_wheelhouse(tmp_path):
    (tmp_path / "one.lock").write_text(ONE_PACKAGE)
    assert wheelhouse.version(tmp_path / "one.lock") != wheelhouse.version()
