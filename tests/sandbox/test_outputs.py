"""What an attempt leaves behind for us is hostile: each trick works on a careless reader, and not on ours."""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from benchwright.sandbox.base import Exec, OutputsTooLarge, Room, SandboxSpec, Shell
from benchwright.sandbox.holder.plan import Protections
from benchwright.sandbox.namespace import NamespaceProvider


@pytest.fixture(scope="module")
def provider():
    with NamespaceProvider() as provider:
        yield provider


@pytest.fixture
def sandbox(provider):
    with provider.open(SandboxSpec(tracing="off")) as sandbox:
        yield sandbox


@pytest.fixture
def outside(sandbox):
    """The workspace as a careless program of the host would look at it."""
    if os.geteuid() != 0:
        pytest.skip("only root can look into a sealed sandbox")
    return Path(f"/proc/{sandbox.pid}/root/workspace")


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret"
    path.write_text("canary")
    return path


def copied(sandbox, tmp_path):
    into = tmp_path / "copied"
    sandbox.collect(into, 10)
    return {str(path.relative_to(into)): path.read_text() for path in into.rglob("*") if path.is_file()}


class TestLinks:
    def test_a_link_leads_a_careless_copy_to_a_host_file(self, sandbox, outside, secret, tmp_path):
        sandbox.run(Exec(("ln", "-s", str(secret), "answer.csv")))
        shutil.copy(outside / "answer.csv", tmp_path / "copy")
        assert (tmp_path / "copy").read_text() == "canary"

    def test_a_link_is_not_collected(self, sandbox, secret, tmp_path):
        sandbox.run(Exec(("ln", "-s", str(secret), "answer.csv")))
        assert copied(sandbox, tmp_path) == {}

    def test_a_linked_folder_is_not_entered(self, sandbox, secret, tmp_path):
        sandbox.run(Exec(("ln", "-s", str(secret.parent), "results")))
        assert copied(sandbox, tmp_path) == {}

    def test_reading_a_link_reads_what_the_agent_would_read(self, sandbox, secret):
        sandbox.run(Exec(("ln", "-s", str(secret), "answer.csv")))
        sandbox.run(Exec(("ln", "-s", "/etc/passwd", "users")))
        with pytest.raises(FileNotFoundError, match=r"answer\.csv"):
            sandbox.read("answer.csv")
        assert sandbox.read("users").startswith(b"agent:")

    def test_a_link_leads_a_careless_write_to_a_host_folder(self, sandbox, outside, tmp_path):
        sandbox.run(Exec(("ln", "-s", str(tmp_path), "folder")))
        (outside / "folder" / "planted").write_text("x")
        assert (tmp_path / "planted").exists()

    def test_writing_through_a_link_stays_inside(self, sandbox, tmp_path):
        sandbox.run(Exec(("ln", "-s", str(tmp_path), "folder")))
        with suppress(OSError):  # where the link leads into /tmp, it is the sandbox's own /tmp
            sandbox.write("folder/planted", b"x")
        assert not (tmp_path / "planted").exists()

    @pytest.mark.parametrize("target", ["/etc", "/usr", "/proc/self", "/dev"])
    def test_writing_through_a_link_out_of_the_workspace_is_refused(self, sandbox, target):
        sandbox.run(Exec(("ln", "-s", target, "folder")))
        with pytest.raises(PermissionError, match="outside what may be written"):
            sandbox.write("folder/planted", b"x")

    def test_a_link_in_place_of_the_file_is_not_followed_by_a_write(self, sandbox):
        sandbox.run(Shell("echo kept > /tmp/other; ln -s /tmp/other file"))
        with pytest.raises(OSError, match="Too many levels of symbolic links"):
            sandbox.write("file", b"x")
        assert sandbox.read("/tmp/other") == b"kept\n"

    def test_a_folder_swapped_for_a_link_while_it_is_copied_leads_nowhere(self, provider, secret, tmp_path):
        swap = (
            "import os\nos.makedirs('d', exist_ok=True); open('d/secret', 'w').write('own')\n"
            f"os.symlink({str(secret.parent)!r}, 'l')\n"
            "while True: os.rename('d', 'x'); os.rename('l', 'd'); os.rename('d', 'l'); os.rename('x', 'd')"
        )
        with provider.open(SandboxSpec(tracing="off")) as sandbox:
            worker = threading.Thread(target=lambda: sandbox.run(Exec(("python3", "-c", swap), seconds=2)))
            worker.start()
            found = set()
            while worker.is_alive():
                found |= set(copied(sandbox, tmp_path).values())
                shutil.rmtree(tmp_path / "copied")
            assert "canary" not in found
            worker.join()


class TestSpecialFiles:
    def test_a_pipe_holds_a_careless_reader_for_ever(self, sandbox, outside):
        sandbox.run(Exec(("mkfifo", "answer.csv")))
        with pytest.raises(subprocess.TimeoutExpired):
            subprocess.run(["cat", outside / "answer.csv"], timeout=1, check=False)

    def test_pipes_and_sockets_hold_nobody(self, sandbox, tmp_path):
        sandbox.run(Exec(("mkfifo", "pipe")))
        sandbox.run(Exec(("python3", "-c", "import socket; socket.socket(socket.AF_UNIX).bind('socket')")))
        started = time.monotonic()
        assert copied(sandbox, tmp_path) == {}
        for name in ("pipe", "socket", "/dev/zero"):
            with pytest.raises(OSError, match=r"not a regular file|No such device or address"):
                sandbox.read(name)
        with pytest.raises(OSError, match=r"not a regular file|No such device or address"):
            sandbox.write("pipe", b"x")
        assert time.monotonic() - started < 100

    def test_the_first_process_does_not_answer_for_itself(self, sandbox):
        for path in ("/proc/self/environ", "/proc/self/maps", "/proc/1/cmdline", "/proc/thread-self/stat"):
            with pytest.raises(PermissionError, match=path):
                sandbox.read(path)

    def test_a_sparse_file_is_too_large_before_it_is_copied(self, sandbox, tmp_path):
        sandbox.run(Exec(("truncate", "-s", "900G", "huge")))
        with pytest.raises(OutputsTooLarge, match="huge"):
            sandbox.collect(tmp_path / "out", 100)

    def test_many_files_and_deep_folders_are_too_many(self, provider, tmp_path):
        deep = "import os\nfor _ in range(80): os.mkdir('d'); os.chdir('d')\nopen('f', 'w')"
        with provider.open(SandboxSpec(tracing="off")) as sandbox:
            sandbox.run(Exec(("python3", "-c", deep)))
            with pytest.raises(OutputsTooLarge, match="folders"):
                sandbox.collect(tmp_path / "deep", 1)
        with provider.open(SandboxSpec(tracing="off")) as sandbox:
            sandbox.run(Exec(("python3", "-c", "for i in range(20001): open(str(i), 'w').close()")))
            with pytest.raises(OutputsTooLarge, match="files"):
                sandbox.collect(tmp_path / "many", 1)

    def test_collecting_goes_on_while_programs_run_and_after_they_died(self, provider, tmp_path):
        with provider.open(SandboxSpec(tracing="off")) as sandbox:
            sandbox.run(Shell("echo 1 > one"))
            os.kill(sandbox.pid, 9)
            assert copied(sandbox, tmp_path) == {"one": "1\n"}


def test_the_package_itself_is_hidden_where_it_lies_inside_something_visible(tmp_path, small_toolbox):
    """An installation keeps gold of the built-in suite in the package, and a base Python may hold that installation."""
    package = small_toolbox / "lib" / "benchwright"
    shutil.copytree(Path(__file__).parents[2] / "src" / "benchwright", package)
    try:
        code = (
            "from benchwright.sandbox.base import *\nfrom benchwright.sandbox.namespace import NamespaceProvider\n"
            "from pathlib import Path\n"
            f"with NamespaceProvider() as p, p.open(SandboxSpec(toolbox=Path({str(small_toolbox)!r}), tracing='off')) as s:\n"
            f"    print(s.run(Exec(('ls', '-A', {str(package)!r}))), s.run(Exec(('ls', {str(package.parent)!r}))))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": str(package.parent)},
            capture_output=True,
            text=True,
            check=True,
        )
        listing, beside = done.stdout.split("Outcome")[1:]
        assert "stdout=b''" in listing
        assert "benchwright" in beside
    finally:
        shutil.rmtree(package)


@pytest.mark.parametrize(
    ("kept", "shown"), [(Protections(), ["other"]), (Protections(own_tree=False), ["one", "other"])]
)
def test_rooms_of_other_attempts_show_only_where_the_hosts_tree_does(kept, shown):
    with (
        tempfile.TemporaryDirectory(prefix="benchwright-rooms-") as name,
        NamespaceProvider(protections=kept) as provider,
    ):
        folder = Path(name)
        folder.chmod(0o755)
        for room in ("one", "other"):
            (folder / room).mkdir(mode=0o755)
            (folder / room / f"{room}.csv").write_text("")
        specs = [SandboxSpec(rooms=(Room(room, folder / room),), tracing="off") for room in ("one", "other")]
        with provider.open(specs[0]), provider.open(specs[1]) as sandbox:
            if kept.own_tree:
                everywhere = sandbox.run(Shell("find / -name one.csv -o -name other.csv 2>/dev/null")).stdout
                assert everywhere == b"/data/other.csv\n"
            beside = sandbox.run(Shell(f"ls /data {folder}/one /host{folder}/one 2>/dev/null")).stdout.decode()
            assert [room for room in ("one", "other") if f"{room}.csv" in beside] == shown
