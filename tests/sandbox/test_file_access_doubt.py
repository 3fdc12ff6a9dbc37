"""Where the set of files that were read might be incomplete, there is no set; and each protection is shown to matter."""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchwright.errors import Broken, EnvironmentFault, Fault
from benchwright.sandbox import access, opening, strace
from benchwright.sandbox.base import Exec, Room, SandboxSpec
from benchwright.sandbox.fanotify import FanotifyTracer
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.sandbox.reads import Ledger, Lost
from benchwright.sandbox.strace import StraceTracer
from benchwright.sandbox.tracing import MountedRoom, Untraced
from benchwright.trajectory import Measured, NotMeasured

needs_fanotify = pytest.mark.skipif(bool(access.missing()["fanotify"]), reason=access.missing()["fanotify"])
needs_strace = pytest.mark.skipif(bool(access.missing()["strace"]), reason=access.missing()["strace"])
PYTHON = "/usr/bin/python3"


@pytest.fixture(scope="module")
def provider():
    with NamespaceProvider() as made:
        yield made


@pytest.fixture
def room(tmp_path) -> Path:
    folder = tmp_path / "room"
    folder.mkdir()
    for number in range(12):
        (folder / f"f{number}.csv").write_text("a,b\n1,2\n")
    tmp_path.chmod(0o755)
    return folder


def spec(room: Path, *, writable: bool = False) -> SandboxSpec:
    return SandboxSpec(rooms=(Room("r", room, "/data", writable),))


def names(accesses) -> list[str]:
    assert isinstance(accesses, Measured), accesses
    return [file.path for file in accesses.files]


# fanotify


def open_more_than_the_queue_holds(sandbox, room: Path):
    most = int(Path("/proc/sys/fs/fanotify/max_queued_events").read_text())
    if most > 50_000:
        pytest.skip(f"the kernel's queue holds {most} events")
    processes = most // 600 + 2  # one process's opens of one file are one event
    code = f"""
import os
for _ in range({processes}):
    if os.fork() == 0:
        for number in range(600):
            os.close(os.open(f'/data/many{{number}}', os.O_RDONLY))
        os._exit(0)
    os.wait()
"""
    assert sandbox.run(Exec((PYTHON, "-c", code))).exit_code == 0


@needs_fanotify
@pytest.mark.parametrize("unlimited", [False, True], ids=["limited", "unlimited"])
def test_a_full_queue_is_not_measured_and_the_queue_is_unlimited_for_that_reason(provider, room, unlimited):
    for number in range(600):
        (room / f"many{number}").write_text("x")
    with provider.open(spec(room), FanotifyTracer(unlimited=unlimited, attended=False)) as sandbox:
        open_more_than_the_queue_holds(sandbox, room)
        accesses = sandbox.accessed()
    if unlimited:
        assert len(names(accesses)) == 600
    else:
        assert accesses == NotMeasured(reason="the kernel's event queue was full, so opens are missing")


@needs_fanotify
@pytest.mark.parametrize("writable", [False, True], ids=["read-only", "writable"])
def test_a_reader_that_dies_is_not_measured_and_holds_nobody_up(provider, room, writable):
    tracer = FanotifyTracer()
    with provider.open(spec(room, writable=writable), tracer) as sandbox:
        sandbox.run(Exec(("cat", "/data/f1.csv")))
        assert names(sandbox.accessed()) == ["f1.csv"]
        with open(os.devnull, "rb") as other:
            os.dup2(other.fileno(), tracer._group, inheritable=False)
        accesses = sandbox.accessed()
        outcome = sandbox.run(Exec(("cat", "/data/f2.csv"), seconds=100))
    assert outcome.stdout == b"a,b\n1,2\n"
    assert isinstance(accesses, NotMeasured)
    assert "the tracer failed" in accesses.reason
    assert sandbox.accessed() == accesses


LIMIT = """
import ctypes, sys
from benchwright.errors import Broken
from benchwright.sandbox.fanotify import FanotifyTracer, open_group
groups = []
try:
    while True:
        groups.append(open_group(unlimited=True, permission=False))
except OSError as error:
    print(len(groups), error)
tracer = FanotifyTracer()
try:
    tracer.start((), 0)
except Broken as error:
    print(error.fault, error)
print(tracer.finish())
"""


def as_user(user: int, script: str, *capabilities: str) -> subprocess.CompletedProcess[str]:
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root and setpriv")
    if not Path(PYTHON).exists() or sys.version_info[:2] != _version_of_system_python():
        pytest.skip("needs the system's Python to be of the version that the packages are for")
    ambient = [f"--ambient-caps={','.join(f'+{name}' for name in capabilities)}"] if capabilities else []
    kept = [f"--inh-caps={','.join(f'+{name}' for name in capabilities)}"] if capabilities else []
    folders = [
        str(Path(__file__).resolve().parents[2] / "src"),
        *(path for path in sys.path if "site-packages" in path),
    ]
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": ":".join(folders),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": "/tmp",
    }
    command = [
        sys.executable,
        str(Path(__file__).with_name("ordinary_user.py")),
        "0",
        "setpriv",
        "--reuid",
        str(user),
        "--regid",
        str(user),
        "--clear-groups",
        *kept,
        *ambient,
        PYTHON,
        "-c",
        script,
    ]
    return subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, timeout=600, check=False)


def _version_of_system_python() -> tuple[int, ...]:
    done = subprocess.run([PYTHON, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, check=True)
    return tuple(map(int, done.stdout.split()))


@needs_fanotify
def test_past_the_kernels_limit_of_groups_a_sandbox_fails_to_start_cleanly():
    """As a user of its own, so that no other sandbox of this machine is kept from starting."""
    done = as_user(54_321, LIMIT, "sys_admin", "dac_read_search")
    first, *rest = done.stdout.splitlines()
    assert first.split()[0] == Path("/proc/sys/fs/fanotify/max_user_groups").read_text().strip(), done
    assert rest[0].startswith("sandbox file access cannot be traced: the kernel gives no further fanotify group")
    assert "max_user_groups" in done.stdout
    assert "not_measured" in rest[-1]


@needs_fanotify
def test_a_shared_file_system_is_refused_because_others_reads_would_count(room):
    descriptor = os.open(room, os.O_RDONLY | os.O_DIRECTORY)
    try:
        shared = MountedRoom(Room("r", room, str(room)), descriptor, own_filesystem=False)
        refused = FanotifyTracer()
        refused.start([shared], os.getpid())
        (room / "f1.csv").read_bytes()
        assert "shared file system" in refused.finish().reason
        with pytest.raises(Broken, match="shared file system") as caught:
            FanotifyTracer(demanded=True).start([shared], os.getpid())
        assert caught.value.fault is Fault.SANDBOX

        fooled = FanotifyTracer(attended=False)  # the control: what the refusal prevents
        fooled.start([MountedRoom(shared.room, descriptor, own_filesystem=True)], os.getpid())
        (room / "f1.csv").read_bytes()
        seen = fooled.finish()
    finally:
        os.close(descriptor)
    assert isinstance(seen, NotMeasured) or "f1.csv" in names(seen)


@needs_fanotify
def test_a_writable_room_with_hard_links_is_not_measured_where_they_would_part(room):
    """The overlay of a sandbox has parted them before it starts, so the tracer is shown one that has not."""
    (room / "again.csv").hardlink_to(room / "f1.csv")
    for options, measured in (("index=off", False), ("index=on", True)):
        scratch = room.parent / options
        for name in ("upper", "work", "mount"):
            (scratch / name).mkdir(parents=True)
        layers = f"lowerdir={room},upperdir={scratch}/upper,workdir={scratch}/work,{options}"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", layers, scratch / "mount"], check=True)
        descriptor = os.open(scratch / "mount", os.O_RDONLY | os.O_DIRECTORY)
        try:
            tracer = FanotifyTracer()
            tracer.start(
                [MountedRoom(Room("r", room, "/data", writable=True), descriptor, own_filesystem=True)], os.getpid()
            )
            subprocess.run(["sh", "-c", f"cat {scratch}/mount/again.csv"], check=True, capture_output=True)
            assert isinstance(tracer.finish(), Measured) == measured
        finally:
            os.close(descriptor)
            subprocess.run(["umount", scratch / "mount"], check=True)


def test_a_system_call_that_opens_by_no_known_rule_is_lost():
    with subprocess.Popen(["sleep", "600"]) as process:
        waits = {"35", "115", "230", "101"}  # nanosleep and clock_nanosleep; before that it opens its libraries
        while Path(f"/proc/{process.pid}/syscall").read_text().split()[0] not in waits:
            time.sleep(0.01)
        with pytest.raises(Lost, match="system call"):
            opening.flags_of(process.pid)
        process.kill()
    assert opening.flags_of(process.pid) is None


# strace


def strace_of(sandbox) -> int:
    status = Path(f"/proc/{sandbox.pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("TracerPid:")))


@needs_strace
def test_a_killed_tracer_is_not_measured_and_nothing_is_read_unseen(provider, room):
    code = "import time\nopen('/data/f1.csv').close(); time.sleep(60); open('/data/f2.csv').close(); open('/workspace/done', 'w')"
    with provider.open(spec(room), StraceTracer()) as sandbox:
        killer = subprocess.Popen(["sh", "-c", f"sleep 0.5; kill -9 {strace_of(sandbox)}"])
        with contextlib.suppress(Broken):  # its first process needs to open files as well
            assert sandbox.run(Exec((PYTHON, "-c", code), seconds=100)).exit_code != 0
        killer.wait()
        accesses = sandbox.accessed()
    assert accesses == NotMeasured(reason="strace ended before the sandbox did")
    assert sandbox.accessed() == accesses


@needs_strace
def test_the_same_without_a_kill_is_measured(provider, room):
    with provider.open(spec(room), StraceTracer()) as sandbox:
        assert sandbox.run(Exec(("cat", "/data/f1.csv", "/data/f2.csv"))).exit_code == 0
        assert names(sandbox.accessed()) == ["f1.csv", "f2.csv"]
    assert names(sandbox.accessed()) == ["f1.csv", "f2.csv"]


UNTRACED = """
import ctypes, os
CLONE_UNTRACED, SIGCHLD = 0x00800000, 17
libc = ctypes.CDLL(None)
if libc.syscall(56, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0) == 0:
    fd = libc.open(b'/data/f3.csv', 0)
    libc._exit(0 if fd >= 0 else 7)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the number of clone is another")
@pytest.mark.parametrize(
    "make", [pytest.param(FanotifyTracer, marks=needs_fanotify), pytest.param(StraceTracer, marks=needs_strace)]
)
def test_a_process_that_asks_not_to_be_traced_cannot_read_unseen(provider, room, make):
    """Under fanotify it reads and is seen; under strace its opens fail, for they need the tracer that it has not."""
    with provider.open(spec(room), make()) as sandbox:
        outcome = sandbox.run(Exec((PYTHON, "-c", UNTRACED)))
        accesses = sandbox.accessed()
    seen = make is FanotifyTracer
    assert outcome.stdout.strip() == (b"0" if seen else b"7")
    assert names(accesses) == (["f3.csv"] if seen else [])


@needs_strace
def test_the_filter_is_what_keeps_an_untraced_process_from_reading(room, tmp_path):
    """The control: strace without --seccomp-bpf misses the read."""
    code = UNTRACED.replace("/data", str(room))
    log = tmp_path / "log"
    for options, wanted in (([], "0"), (["--seccomp-bpf"], "7")):
        command = ["strace", "-f", *options, "--trace=?open,openat", f"-o{log}", "--", PYTHON, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == wanted
        assert "f3.csv" not in log.read_text()


TOO_LONG = "import os\ntry: os.execv('/data/f1.csv', ['x' * 200_000])\nexcept OSError as error: assert error.errno == 7"
GONE = """
import os, time
open('/tmp/own', 'w').write('#!/bin/rm\\n')
os.chmod('/tmp/own', 0o755)
for _ in range(20):
    os.spawnv(os.P_WAIT, '/tmp/own', ['own'])
"""


@needs_strace
@pytest.mark.parametrize("executable", [False, True], ids=["a room of data", "a room with a program"])
def test_a_start_that_failed_at_an_unknown_point_is_a_doubt_where_a_room_holds_what_can_be_executed(
    provider, room, executable
):
    (room / "f1.csv").chmod(0o755 if executable else 0o644)
    code = TOO_LONG if executable else TOO_LONG.replace("7", "13")
    with provider.open(spec(room), StraceTracer()) as sandbox:
        assert sandbox.run(Exec((PYTHON, "-c", code))).exit_code == 0
        accesses = sandbox.accessed()
    if executable:
        assert "may have been opened to be executed, before that failed (E2BIG)" in accesses.reason
    else:
        assert names(accesses) == []


@needs_strace
def test_a_script_that_is_gone_at_once_is_no_doubt_where_a_room_holds_nothing_to_execute(provider, room):
    with provider.open(spec(room), StraceTracer()) as sandbox:
        assert sandbox.run(Exec((PYTHON, "-c", GONE))).exit_code == 0
        assert names(sandbox.accessed()) == []


AS_USER = """
import importlib.util, json, pathlib, sys, tempfile
spec = importlib.util.spec_from_file_location("table", {table!r})
table = importlib.util.module_from_spec(spec)
sys.modules["table"] = table
spec.loader.exec_module(table)
from benchwright.sandbox.namespace import NamespaceProvider
with NamespaceProvider() as provider, tempfile.TemporaryDirectory() as room:
    for writable in (False, True):
        ways = table.ways(writable=writable, packages=False)
        traced = table.trace(ways, pathlib.Path(room, str(writable)), provider, "auto", writable=writable)
        for way in ways:
            try:
                table.check(traced, ways, way, "strace")
            except AssertionError as error:
                print("FAULT", way["name"], str(error)[:400])
        print("checked", len(ways))
    pathlib.Path(room, "f1.csv").write_text("x")
    hide = "import ctypes, sys; ctypes.CDLL(None).prctl(4, int(sys.argv[1])); open('/data/f1.csv').read()"
    for visible in ("1", "0"):
        with provider.open(table.SandboxSpec(rooms=(table.Room("r", pathlib.Path(room)),)), table.choose("auto")) as sandbox:
            outcome = sandbox.run(table.Exec(("/usr/bin/python3", "-c", hide, visible)))
            print("hidden", visible, outcome.exit_code, sandbox.accessed())
    with provider.open(table.SandboxSpec(rooms=(table.Room("r", pathlib.Path(room)),)), table.choose("auto")) as sandbox:
        sandbox.read("/data/f1.csv")
        print("read", sandbox.accessed())
"""


@needs_strace
def test_an_ordinary_user_gets_the_same_table_and_sees_programs_that_guard_themselves():
    table = str(Path(__file__).with_name("test_file_access.py"))
    done = as_user(65_534, AS_USER.format(table=table))
    assert "FAULT" not in done.stdout, done.stdout
    counts = [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("checked")]
    assert len(counts) == 2, done
    assert min(counts) > 25
    last = {line.rpartition(" kind=")[0]: line for line in done.stdout.splitlines() if "kind=" in line}
    assert "path='f1.csv'" in last["hidden 1 0"]
    assert "path='f1.csv'" in last["hidden 0 0"]
    assert "path='f1.csv'" in last["read"]


# both


@pytest.mark.parametrize(
    "make", [pytest.param(FanotifyTracer, marks=needs_fanotify), pytest.param(StraceTracer, marks=needs_strace)]
)
def test_programs_that_are_killed_while_they_open_files_do_not_spoil_the_measurement(provider, room, make):
    code = "import os, threading\ndef go():\n    while True: os.close(os.open('/data/f1.csv', os.O_RDONLY))\nfor _ in range(4): threading.Thread(target=go).start()"
    with provider.open(spec(room, writable=True), make()) as sandbox:
        for _ in range(8):
            assert sandbox.run(Exec((PYTHON, "-c", code), seconds=0.3)).limit == "step"
        assert sandbox.run(Exec(("cat", "/data/f2.csv"))).exit_code == 0
        assert names(sandbox.accessed()) == ["f1.csv", "f2.csv"]


RANDOM = """
import os, random, sys
seed, folder = int(sys.argv[1]), sys.argv[2]
os.chdir(folder)
chance = random.Random(seed)
for turn in range(80):
    paths = sorted(os.path.join(d, f) for d, _, fs in os.walk('.') for f in fs)
    folders = sorted(d for d, _, _ in os.walk('.'))
    one, other = chance.choice(paths), os.path.join(chance.choice(folders), f'n{{turn}}')
    if chance.random() < 0.3: other = chance.choice(paths)
    act = chance.choice(['read', 'rename', 'rename', 'link', 'remove', 'write', 'append', 'both', 'move', 'absolute'])
    try:
        if act == 'read' and chance.random() < 0.4: open(one, 'rb').read()
        elif act == 'rename': os.rename(one, other)
        elif act == 'absolute': os.rename(os.path.abspath(one), os.path.abspath(other))
        elif act == 'link': os.link(one, other)
        elif act == 'remove' and chance.random() < 0.3: os.unlink(one)
        elif act == 'write' and chance.random() < 0.3: open(one, 'wb').write(b'x')
        elif act == 'append': open(one, 'ab').write(b'x')
        elif act == 'both' and chance.random() < 0.2: open(one, 'r+b').write(b'x')
        elif act == 'move': os.rename(chance.choice(folders), os.path.join(chance.choice(folders), f'd{{turn}}'))
    except OSError:
        pass
""".replace("{{", "{").replace("}}", "}")


@needs_fanotify
@needs_strace
def test_identity_by_inode_and_by_name_agree_whatever_is_renamed(provider, room, tmp_path):
    seeds = range(12)
    for seed in seeds:
        for name in ("a", "b", "c", "one/a", "one/b", "one/two/c", "three/d", "three/e"):
            path = room / f"s{seed}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("text")
    found = []
    for make in (FanotifyTracer, StraceTracer):
        with provider.open(spec(room, writable=True), make()) as sandbox:
            for seed in seeds:
                sandbox.mark(seed)
                outcome = sandbox.run(Exec((PYTHON, "-c", RANDOM, str(seed), f"/data/s{seed}")))
                assert outcome.exit_code == 0, outcome
            found.append(sandbox.accessed())
    by_inode, by_name = found
    assert len(names(by_inode)) > 20
    assert by_inode.files == by_name.files


# the choice


def test_tracing_that_was_switched_off_says_so():
    tracer = access.choose("off")
    tracer.start((), 0)
    assert tracer.finish() == NotMeasured(reason="tracing was switched off")


@needs_fanotify
def test_root_gets_fanotify():
    assert access.choose("auto").name == "fanotify"


def test_a_tracer_asked_for_by_name_that_is_missing_is_a_fault_of_the_machine(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert strace.unavailable() == "strace is not installed"
    access.missing.cache_clear()
    try:
        with pytest.raises(EnvironmentFault, match="strace is not installed"):
            access.choose("strace")
    finally:
        access.missing.cache_clear()


def test_without_any_tracer_both_reasons_are_given():
    script = """
import os
os.environ["PATH"] = ""
from benchwright.sandbox.access import choose
print(choose("auto").finish().reason)
"""
    done = as_user(65_534, script)
    assert "fanotify: " in done.stdout, done
    assert "strace: strace is not installed" in done.stdout


def test_a_tracer_that_never_started_measured_nothing():
    for tracer in (FanotifyTracer(), StraceTracer()):
        assert isinstance(tracer.finish(), NotMeasured)
    assert isinstance(Untraced("why").accesses(), NotMeasured)


def test_what_is_lost_once_stays_lost():
    ledger = Ledger()
    ledger.begin()
    ledger.lose("first")
    ledger.lose("second")
    ledger.read("r", "a.csv", os.getpid())
    assert ledger.accesses("strace", 3) == NotMeasured(reason="first")


def test_a_program_that_strace_does_not_trace_is_refused_at_the_start(room):
    tracer = StraceTracer()
    with pytest.raises(Broken, match="strace wrote nothing"):
        tracer.start((), os.getpid())
    tracer.finish()
