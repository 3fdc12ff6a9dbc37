"""Ways to read data or gold that no tracer sees: each works with its protection off, and not otherwise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.errors import EnvironmentFault
from benchwright.sandbox import access, hiding
from benchwright.sandbox import toolbox as toolboxes
from benchwright.sandbox.access import choose
from benchwright.sandbox.base import Exec, Room, SandboxSpec
from benchwright.sandbox.holder.plan import Protections
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.trajectory import Measured

PYTHON = "/usr/bin/python3"
BENEATH = ": >> /data/f.csv; cat /.store/layer0/upper/f.csv /host/tmp/.store/layer0/upper/f.csv"
BEHIND_THE_TRACER = """
import ctypes, fcntl, os, struct, threading
libc = ctypes.CDLL(None, use_errno=True)
SECCOMP, OPENAT = {'x86_64': (317, 257), 'aarch64': (277, 56)}[os.uname().machine]
steps = ((0x20, 0, 0, 0), (0x15, 0, 1, OPENAT), (6, 0, 0, 0x7fc00000), (6, 0, 0, 0x7fff0000))
program = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *step) for step in steps))
asked, ready = threading.Event(), []
def answer():
    asked.wait()
    while True:
        notice = bytearray(80)
        fcntl.ioctl(ready[0], 0xc0502100, notice)
        fcntl.ioctl(ready[0], 0xc0182101, struct.pack('QqiI', struct.unpack_from('Q', notice)[0], 0, 0, 1))
threading.Thread(target=answer, daemon=True).start()
libc.prctl(38, 1, 0, 0, 0)
listener = libc.syscall(SECCOMP, 1, 8, struct.pack('HQ', 4, ctypes.addressof(program)))
assert listener >= 0, os.strerror(ctypes.get_errno())
ready.append(listener); asked.set()
print(os.read(os.open('/data/f.csv', os.O_RDONLY), 100).decode(), flush=True)
os._exit(0)
"""


@pytest.fixture
def room(tmp_path):
    folder = tmp_path / "suite" / "data" / "room"
    folder.mkdir(parents=True)
    (folder / "f.csv").write_text("canary")
    for path in (tmp_path, folder.parent.parent, folder.parent, folder):
        path.chmod(0o755)
    return folder


def read_by(words, room, tracer, *, writable=False, off=()):
    """What a program printed, and the files that the tracer saw."""
    if access.missing()[tracer]:
        pytest.skip(access.missing()[tracer])
    protections = Protections(**dict.fromkeys(off, False))
    spec = SandboxSpec(rooms=(Room("room", room, writable=writable),))
    with NamespaceProvider(protections=protections) as provider, provider.open(spec, choose(tracer)) as sandbox:
        printed = sandbox.run(Exec(words)).stdout.decode().strip()
        accesses = sandbox.accessed()
    assert isinstance(accesses, Measured)
    return printed, [file.path for file in accesses.files]


@pytest.mark.parametrize("tracer", ["fanotify", "strace"])
class TestBeneathAWritableRoom:
    def test_its_layer_can_be_read_unseen_where_the_hosts_tree_shows(self, room, tracer):
        words = ("bash", "-c", BENEATH)
        assert read_by(words, room, tracer, writable=True, off=("own_tree",)) == ("canary", [])

    def test_its_layer_cannot_be_reached(self, room, tracer):
        assert read_by(("bash", "-c", BENEATH), room, tracer, writable=True) == ("", [])


class TestBehindTheTracersBack:
    def test_a_program_that_answers_its_own_calls_reads_unseen_without_the_filter(self, room):
        words = (PYTHON, "-c", BEHIND_THE_TRACER)
        assert read_by(words, room, "strace", off=("seccomp",)) == ("canary", [])

    def test_it_cannot(self, room):
        assert read_by((PYTHON, "-c", BEHIND_THE_TRACER), room, "strace") == ("", [])


class TestHostFolders:
    """A folder of /usr stands for whatever is shown of the host."""

    @pytest.fixture
    def suite(self):
        if os.geteuid() != 0:
            pytest.skip("only root can put a suite into /usr")
        made = subprocess.run(["mktemp", "-d", "/usr/local/share/benchwright-XXXXXX"], capture_output=True, check=True)
        folder = Path(made.stdout.decode().strip())
        (folder / "data" / "room").mkdir(parents=True)
        (folder / "gold").mkdir()
        for name in ("data/room/f.csv", "gold/gold.jsonl"):
            (folder / name).write_text("canary")
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)
        yield folder
        subprocess.run(["rm", "-r", folder], check=True)

    def read(self, path, spec):
        with NamespaceProvider() as provider, provider.open(spec) as sandbox:
            return sandbox.run(Exec(("cat", str(path)))).stdout

    def test_a_suite_in_usr_is_seen_by_a_sandbox_that_does_not_know_of_it(self, suite):
        assert self.read(suite / "gold" / "gold.jsonl", SandboxSpec()) == b"canary"

    def test_the_suite_that_a_sandbox_is_told_of_is_hidden(self, suite):
        assert self.read(suite / "gold" / "gold.jsonl", SandboxSpec(hidden=(suite,))) == b""

    def test_the_suite_around_a_room_is_hidden(self, suite):
        (suite / "suite.toml").touch()
        spec = SandboxSpec(rooms=(Room("room", suite / "data" / "room"),))
        assert self.read(suite / "gold" / "gold.jsonl", spec) == b""
        assert self.read("/data/f.csv", spec) == b"canary"

    def test_a_room_cannot_be_read_at_its_own_path(self, suite):
        spec = SandboxSpec(rooms=(Room("room", suite / "data" / "room"),))
        assert self.read(suite / "data" / "room" / "f.csv", spec) == b""

    def test_a_folder_that_shows_under_two_names_is_hidden_under_both(self, tmp_path):
        (tmp_path / "python" / "lib" / "gold").mkdir(parents=True)
        (tmp_path / "alias").symlink_to("python")
        shown = (tmp_path / "python" / "lib", tmp_path / "alias" / "lib")
        found = set(hiding.places(shown, [tmp_path / "alias" / "lib" / "gold", tmp_path]))
        assert found == {str(folder / "gold") for folder in shown}

    def test_everything_that_is_kept_at_home_but_toolboxes_is_hidden(self, tmp_path, monkeypatch):
        monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
        for name in ("suites", "rooms", "toolbox"):
            (tmp_path / name).mkdir()
        kept = set(hiding.secrets(SandboxSpec()))
        assert {tmp_path / "suites", tmp_path / "rooms"} <= kept
        assert tmp_path / "toolbox" not in kept

    def test_the_package_with_its_gold_is_hidden(self):
        package = Path(hiding.__file__).resolve().parents[1]
        assert package in set(hiding.secrets(SandboxSpec()))
        assert str(package) in set(hiding.places([package.parents[1]], [package]))


class TestFoldersOnTheWayToThePython:
    @pytest.fixture
    def home(self, tmp_path):
        """Somebody's home, in whose bin a link leads to the system's Python, as uv and others put them there."""
        (tmp_path / ".local" / "bin").mkdir(parents=True)
        (tmp_path / ".local" / "share").mkdir()
        (tmp_path / ".local" / "share" / "gold").write_text("canary")
        (tmp_path / ".local" / "bin" / "python3").symlink_to(PYTHON)
        for path in (tmp_path, *tmp_path.rglob("*")):
            path.chmod(0o755)
        return tmp_path

    def environment(self, home, python):
        if not Path(python).exists() or sys.version_info < (3, 11):
            pytest.skip(f"needs {python}")
        subprocess.run([python, "-m", "venv", "--without-pip", home / "env"], check=True)
        return home / "env"

    def test_of_a_folder_with_a_link_only_the_link_is_shown(self, home):
        environment = self.environment(home, home / ".local" / "bin" / "python3")
        with NamespaceProvider() as provider, provider.open(SandboxSpec(toolbox=environment)) as sandbox:
            assert sandbox.run(Exec((str(environment / "bin" / "python"), "-c", "print(1)"))).stdout == b"1\n"
            assert sandbox.run(Exec(("ls", "-A", str(home / ".local"), str(home / ".local" / "bin")))).stdout.split()[
                1:
            ] == [b"bin", f"{home}/.local/bin:".encode(), b"python3"]

    def test_of_a_pythons_prefix_only_its_own_folders_are_shown(self, tmp_path):
        for name in ("bin", "lib", "share/benchwright/suites"):
            (tmp_path / name).mkdir(parents=True)
        (tmp_path / "bin" / "python3").touch()
        assert toolboxes.folders_of(tmp_path / "bin" / "python3") == (tmp_path / "bin", tmp_path / "lib")

    def test_a_python_in_bin_does_not_show_the_whole_machine(self, home):
        environment = self.environment(home, "/bin/python3")
        assert toolboxes.shown(environment).folders == (environment,)
        try:
            with NamespaceProvider() as provider, provider.open(SandboxSpec(toolbox=environment)) as sandbox:
                found = sandbox.run(
                    Exec((str(environment / "bin" / "python"), "-c", "import os; print(os.listdir('/'))"))
                )
        except EnvironmentFault as error:
            pytest.fail(str(error))
        assert b"workspace" in found.stdout
        assert b"'home'" not in found.stdout
