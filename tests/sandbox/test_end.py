"""Nothing of an attempt outlives its call, its sandbox, its runner, or the supervisor."""

import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import nullcontext, suppress
from pathlib import Path

import psutil
import pytest

from benchwright.errors import BenchwrightError, Broken, EnvironmentFault, InputError
from benchwright.sandbox import access
from benchwright.sandbox.base import Exec, Python, Room, SandboxSpec, Shell
from benchwright.sandbox.holder.plan import Protections
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.task import Limits

ORDINARY_USER = 65534
IMMORTAL = "import signal, time; signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)); time.sleep(600)"
HEADLESS = (
    "import threading, time, ctypes\n"
    "threading.Thread(target=time.sleep, args=(600,)).start()\n"
    "ctypes.CDLL(None).pthread_exit(None)\n"
)
"""The first thread ends, and the process looks like a zombie while another thread runs on."""
RESTLESS = "import os, time\nwhile True:\n    if os.fork(): os._exit(0)\n    os.setsid(); time.sleep(0.001)\n"
"""A chain of processes, each of which starts the next and ends."""

LEFT_BEHIND = {
    "a background job": "sleep 600 &",
    "a process in a session of its own": "setsid sleep 600 &",
    "a daemon by two forks": "(setsid sh -c 'sleep 600 & sleep 600 &' &)",
    "a process that ignores every signal": f'python3 -c "{IMMORTAL}" & sleep 0.3',
    "a process without its first thread": f'python3 -c "{HEADLESS}" & sleep 0.3',
    "a chain of processes": f'python3 -c "{RESTLESS}" & sleep 0.3',
    "a crowd of processes": "for i in $(seq 100); do setsid sleep 600 & done",
    "a stopped process": "sleep 600 & kill -STOP $!",
}


def left(sandbox):
    """What lives in the sandbox besides its first process and its shell, as the host sees it."""
    namespace = os.readlink(f"/proc/{sandbox.pid}/ns/pid")
    found = []
    for pid in (name for name in os.listdir("/proc") if name.isdigit() and int(name) != sandbox.pid):
        try:
            if os.readlink(f"/proc/{pid}/ns/pid") != namespace:
                continue
            words = Path(f"/proc/{pid}/cmdline").read_text()
            threads = len(os.listdir(f"/proc/{pid}/task"))
            state = re.search(r"^State:\t(.)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)[1]
            dead = state in "ZX" and threads < 2
        except OSError:
            continue
        if not dead and "__benchwright_text" not in words:
            found.append(words)
    return found


def mounts():
    """Where the host has mounts, but for those that tests beside this one make and remove."""
    points = {line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()}
    others = ("/pytest-", "/containers/", "/benchwright/stages/")
    return {point for point in points if not any(name in point for name in others)}


def cgroups_of(supervisor):
    folders = (parent for parent, _, _ in os.walk("/sys/fs/cgroup"))  # others' groups may vanish meanwhile
    return [folder for folder in folders if re.search(rf"/benchwright-[^/]*\.{supervisor}\.\d+-\d+$", folder)]


def occupied(group):
    """Whether a process is in a control group, maybe one that was forked as the last thing before its parent's end."""
    with suppress(FileNotFoundError):
        return bool(Path(group, "cgroup.procs").read_text())
    return False


def condition(pid):
    """A process's limits, priority, scheduling and processors, as the host sees them; None when it is gone."""
    try:
        limits = Path(f"/proc/{pid}/limits").read_text()
        return limits, os.getpriority(os.PRIO_PROCESS, pid), os.sched_getscheduler(pid), os.sched_getaffinity(pid)
    except (OSError, ProcessLookupError):
        return None


PATIENCE = 100
"""Seconds within which what has to happen happens on the busiest machine; nothing waits longer than it has to."""


def gone(pid):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with suppress(psutil.NoSuchProcess):
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                time.sleep(0.02)
                continue
        return True
    return False


def eventually(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("script", LEFT_BEHIND.values(), ids=LEFT_BEHIND)
class TestAfterACall:
    def test_it_lives_on_without_the_sweep(self, script, user):
        with (
            NamespaceProvider(user=user, protections=Protections(sweep=False)) as careless,
            careless.open(SandboxSpec()) as sandbox,
        ):
            sandbox.run(Exec(("bash", "-c", script)))
            assert any(left(sandbox) for _ in range(50))

    def test_it_is_gone(self, script, provider):
        with provider.open(SandboxSpec()) as sandbox:
            sandbox.run(Exec(("bash", "-c", script)))
            assert left(sandbox) == []
            sandbox.run(Shell(script))
            assert left(sandbox) == []
            assert sandbox.run(Shell("echo alive")).stdout == b"alive\n"

    def test_it_is_gone_after_a_time_limit(self, script, provider):
        with provider.open(SandboxSpec()) as sandbox:
            assert sandbox.run(Exec(("bash", "-c", f"{script}\nsleep 600"), seconds=1)).limit == "step"
            assert left(sandbox) == []


BUSY = {
    "a thread of the Python": Python(
        "import threading\ndef count():\n  while True:\n    with open('/tmp/n', 'a') as f: f.write('x')\n"
        "threading.Thread(target=count, daemon=True).start()"
    ),
    "a shell that forged its answer": Shell(
        "for f in /proc/$$/fd/*; do [ $f -ef /proc/$$/fd/1 ] || [ $f -ef /proc/$$/fd/2 ] || echo 0 > $f; done 2>/dev/null\n"
        "while :; do echo >> /tmp/n; done"
    ),
}


def stands(sandbox):
    """Whether every thread below the first process is stopped."""
    below = psutil.Process(sandbox.pid).children(recursive=True)
    stats = [path.read_text() for each in below for path in Path(f"/proc/{each.pid}/task").glob("*/stat")]
    return stats and all(stat.rpartition(") ")[2][0] in "tT" for stat in stats)


SIZE = Exec(("stat", "-c", "%s", "/tmp/n"))


@pytest.mark.parametrize("busy", BUSY)
class TestBetweenCalls:
    def counts(self, provider, busy, toolbox, *, works):
        """How much was written after a call, and some time later: where it works on, as soon as it is more."""
        spec = SandboxSpec(limits=Limits(step_seconds=120), toolbox=toolbox, tracing="off")
        with provider.open(spec) as sandbox:
            assert sandbox.run(BUSY[busy]).exit_code == 0
            if not works:  # the signal to stop is on its way
                eventually(lambda: stands(sandbox))
            before = sandbox.run(SIZE).stdout
            deadline = time.monotonic() + (PATIENCE if works else 1.5)
            while (after := sandbox.run(SIZE).stdout) == before and time.monotonic() < deadline:
                time.sleep(0.05)
            return before, after

    def test_it_works_on_without_the_sweep(self, busy, user, small_toolbox):
        with NamespaceProvider(user=user, protections=Protections(sweep=False)) as careless:
            before, after = self.counts(careless, busy, small_toolbox, works=True)
        assert before != after

    def test_it_stands_still(self, busy, provider, small_toolbox):
        before, after = self.counts(provider, busy, small_toolbox, works=False)
        assert before == after

    def test_it_goes_on_with_the_next_call(self, busy, provider, small_toolbox):
        with provider.open(SandboxSpec(toolbox=small_toolbox, tracing="off")) as sandbox:
            sandbox.run(BUSY[busy])
            before = sandbox.run(SIZE).stdout
            sandbox.run(Python("import time; time.sleep(1.0)") if "Python" in busy else Shell("true", seconds=2))
            assert sandbox.run(SIZE).stdout != before


STOPPING = {"kind": "exec", "argv": ["bash", "-c", "kill -STOP 1"], "folder": "/workspace", "environment": {}}


RUINOUS = {
    "a limit of open files": "resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3))",
    "a limit of address space": "resource.prlimit(1, resource.RLIMIT_AS, (1, 1))",
    "a limit of processor time": "resource.prlimit(1, resource.RLIMIT_CPU, (0, 0))",
    "a limit of processes": "resource.prlimit(1, resource.RLIMIT_NPROC, (0, 0))",
    "a lower priority": "os.setpriority(os.PRIO_PROCESS, 1, 19)",
    "a lower priority for its user": "os.setpriority(os.PRIO_USER, os.getuid(), 19)",
    "idle time only": "os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))",
    "one processor": "os.sched_setaffinity(1, {min(os.sched_getaffinity(0))})",
}
"""What a program may try against the first process, with what it would have to live with afterwards."""


def ruin(sandbox, code):
    """Run it in the shell's stead, so that no further program need be started; then see whether the sandbox works."""
    sandbox.run(Exec(("python3", "-c", f"import os, resource; {code}")))
    assert sandbox.run(Exec(("echo", "alive"))).stdout == b"alive\n"


class TestTheFirstProcess:
    @pytest.mark.parametrize("code", RUINOUS.values(), ids=RUINOUS)
    def test_it_cannot_be_limited_or_slowed_from_inside(self, provider, code):
        with provider.open(SandboxSpec(tracing="off")) as sandbox:
            before = condition(sandbox.pid)
            ruin(sandbox, code)
            assert condition(sandbox.pid) == before

    @pytest.mark.parametrize("code", RUINOUS.values(), ids=RUINOUS)
    def test_only_the_filter_keeps_it_from_that(self, user, code):
        with (
            NamespaceProvider(user=user, protections=Protections(seccomp=False)) as provider,
            provider.open(SandboxSpec(tracing="off")) as sandbox,
        ):
            before = condition(sandbox.pid)
            with suppress(Broken, AssertionError, EnvironmentFault):
                ruin(sandbox, code)
            assert condition(sandbox.pid) != before

    @pytest.mark.parametrize("number", ["KILL", "STOP", "TERM", "INT", "CHLD", "SEGV", "HUP"])
    def test_it_cannot_be_signalled_from_inside(self, provider, number):
        with provider.open(SandboxSpec()) as sandbox:
            sandbox.run(Exec(("bash", "-c", f"kill -{number} 1; kill -{number} $PPID")))
            assert sandbox.run(Exec(("echo", "alive"))).stdout == b"alive\n"

    @pytest.mark.skipif(bool(access.missing()["strace"]), reason=access.missing()["strace"])
    @pytest.mark.parametrize("seccomp", [True, False], ids=["filtered", "unfiltered"])
    def test_under_a_tracer_only_the_filter_keeps_it_from_being_stopped(self, seccomp):
        with (
            NamespaceProvider(protections=Protections(seccomp=seccomp)) as provider,
            provider.open(SandboxSpec(tracing="strace")) as sandbox,
            nullcontext() if seccomp else pytest.raises(Broken, match="does not answer"),
        ):
            sandbox._call({"op": "run", "seconds": PATIENCE, **STOPPING}, b"", PATIENCE if seccomp else 5)
            assert sandbox.run(Exec(("echo", "alive"))).stdout == b"alive\n"

    def test_it_would_die_in_the_hosts_process_namespace(self, user):
        open_to_all = Protections(own_processes=False)
        with (
            NamespaceProvider(user=user, protections=open_to_all) as provider,
            provider.open(SandboxSpec()) as sandbox,
            pytest.raises(Broken, match="does not answer"),
        ):
            sandbox.run(Exec(("bash", "-c", "kill -KILL $PPID; sleep 5"), seconds=PATIENCE))

    def test_killing_everything_in_reach_ends_the_call_only(self, provider):
        with provider.open(SandboxSpec()) as sandbox:
            sandbox.run(Shell("kill -9 -1"))
            assert sandbox.run(Shell("echo alive")).stdout == b"alive\n"


class TestTheSupervisor:
    @pytest.mark.parametrize(
        "spec",
        [
            SandboxSpec(environment={"LONG": "x" * 200_000}),
            SandboxSpec(environment={"LONG": "x" * 2_000_000}),
            SandboxSpec(rooms=tuple(Room(str(n), Path("/usr/share"), f"/d/{n}") for n in range(300))),
        ],
        ids=["long", "far too long", "many rooms"],
    )
    def test_what_it_cannot_take_is_refused_and_ends_no_other_attempt(self, provider, spec):
        with provider.open(SandboxSpec(tracing="off")) as other:
            with pytest.raises(InputError, match=r"too many (words|rooms)"):
                provider.open(spec)
            assert other.run(Exec(("echo", "alive"))).stdout == b"alive\n"


class TestUsers:
    def test_no_process_maps_to_the_hosts_root(self, provider):
        with provider.open(SandboxSpec()) as sandbox:
            sandbox.run(Shell("true"))
            processes = [psutil.Process(sandbox.pid), *psutil.Process(sandbox.pid).children(recursive=True)]
            assert len(processes) >= 2
            for process in processes:
                inside, outside, count = Path(f"/proc/{process.pid}/uid_map").read_text().split()
                assert (inside, count) == ("1000", "1")
                assert int(outside) == (sandbox.uid or ORDINARY_USER if os.geteuid() == 0 else os.getuid())
                assert int(outside) != 0
                assert 0 not in process.uids()

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root gives uids away")
    def test_attempts_have_uids_of_their_own_also_across_runs(self):
        with NamespaceProvider() as one, NamespaceProvider() as other:
            sandboxes = [provider.open(SandboxSpec()) for provider in (one, other) for _ in range(4)]
            uids = {sandbox.uid for sandbox in sandboxes}
            assert len(uids) == 8
            assert all(400_000 <= uid <= 465_535 for uid in uids)

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root gives uids away")
    def test_the_range_of_uids_is_configured(self, monkeypatch):
        monkeypatch.setenv("BENCHWRIGHT_UID_RANGE", "300000-300001")
        with NamespaceProvider() as provider:
            first, second = provider.open(SandboxSpec()), provider.open(SandboxSpec())
            assert {first.uid, second.uid} == {300_000, 300_001}
            with pytest.raises(BenchwrightError, match="every uid from 300000 to 300001 is in use"):
                provider.open(SandboxSpec())
            first.close()
            with provider.open(SandboxSpec()) as third:
                assert third.uid == first.uid

    def test_files_in_the_workspace_belong_to_the_attempt(self, provider):
        with provider.open(SandboxSpec()) as sandbox:
            sandbox.run(Shell("touch made"))
            status = os.stat(f"/proc/{sandbox.pid}/root/workspace/made")
            assert status.st_uid == (sandbox.uid or ORDINARY_USER if os.geteuid() == 0 else os.getuid())


RUNNER = """
import sys, time
from benchwright.sandbox.base import *
from benchwright.sandbox.namespace import NamespaceProvider
provider = NamespaceProvider(user={user!r})
sandboxes = [provider.open(SandboxSpec()) for _ in range(3)]
for sandbox in sandboxes:
    sandbox.run(Shell("touch /workspace/file"))
print(provider.supervisor, *(sandbox.pid for sandbox in sandboxes), flush=True)
sandboxes[0].run(Exec(("bash", "-c", "setsid sleep 600 & sleep 600")))
"""


BUSY_RUNNER = """
import threading, time
from benchwright.sandbox.base import *
from benchwright.sandbox.namespace import NamespaceProvider
provider = NamespaceProvider(user={user!r})
def work():
    while True:
        try:
            with provider.open(SandboxSpec(tracing="off")) as sandbox:
                sandbox.run(Shell("touch /workspace/file; setsid sleep 600 & sleep 0.1"))
        except Exception:
            time.sleep(0.05)
for _ in range(3):
    threading.Thread(target=work).start()
print("working", flush=True)
"""


HANGING_RUNNER = """
from benchwright.sandbox.base import SandboxSpec
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.sandbox.tracing import Untraced
class Hanging(Untraced):
    prefix = ("sh", "-c", "exec sleep 600")
print("starting", flush=True)
NamespaceProvider(user={user!r}).open(SandboxSpec(), Hanging())
"""


UNHEARD = """
import os, socket, time
from benchwright.sandbox import planning
from benchwright.sandbox.base import SandboxSpec
from benchwright.sandbox.holder.plan import Protections
from benchwright.sandbox.supervision import Supervision
ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
ours.close()
supervision = Supervision({user!r})
begun = supervision.start(planning.plan(SandboxSpec(tracing="off"), (), Protections()), theirs)
while os.path.exists("/proc/%d" % begun["pid"]):
    time.sleep(0.01)
supervision.close()
print("gone")
"""


def family(pid):
    """A process, when it lives, and all below it."""
    try:
        return [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def alive(process):
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class TestAfterTheRunner:
    @pytest.mark.parametrize("victims", ["runner", "runner and supervisor", "supervisor"])
    def test_kill_9_leaves_no_process_mount_or_group(self, user, victims):
        before = mounts()
        runner = subprocess.Popen(
            [sys.executable, "-c", RUNNER.format(user=user)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        supervisor, *firsts = (int(word) for word in runner.stdout.readline().split())
        time.sleep(0.3)
        inside = [process.pid for pid in firsts for process in psutil.Process(pid).children(recursive=True)]
        assert inside
        if "supervisor" in victims:
            os.kill(supervisor, signal.SIGKILL)
        if "runner" in victims:
            os.kill(runner.pid, signal.SIGKILL)
        runner.wait(timeout=PATIENCE)
        runner.stdout.close()
        for pid in (supervisor, *firsts, *inside):
            assert gone(pid), pid
        assert mounts() <= before
        if victims == "runner":
            assert cgroups_of(supervisor) == []
        else:  # the next supervisor clears away what this one could not
            with NamespaceProvider() as provider, provider.open(SandboxSpec()):
                assert cgroups_of(supervisor) == []

    def test_a_first_process_that_nobody_listens_to_ends_without_a_word(self, user):
        """As when its runner is killed between asking for it and hearing of it."""
        done = subprocess.run(
            [sys.executable, "-c", UNHEARD.format(user=user)], capture_output=True, text=True, check=False, timeout=60
        )
        assert (done.stdout, done.stderr, done.returncode) == ("gone\n", "", 0)

    def test_a_start_that_hangs_does_not_keep_the_supervisor_alive_after_its_runner(self, user):
        runner = subprocess.Popen(
            [sys.executable, "-c", HANGING_RUNNER.format(user=user)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        runner.stdout.readline()
        eventually(lambda: any("name='sleep'" in str(process) for process in family(runner.pid)))
        known = family(runner.pid)
        runner.kill()
        runner.wait(timeout=PATIENCE)
        runner.stdout.close()
        eventually(lambda: not any(alive(process) for process in known))
        assert [process.pid for process in known if alive(process)] == []

    def test_the_groups_of_a_supervisor_are_found_while_it_has_a_sandbox(self):
        if os.geteuid() != 0:
            pytest.skip("only root can")
        with NamespaceProvider() as provider, provider.open(SandboxSpec(tracing="off")) as sandbox:
            if "cgroup" not in sandbox.isolation.limits.values():
                pytest.skip("no control groups here")
            assert cgroups_of(provider.supervisor) != []

    @pytest.mark.parametrize("seed", range(6))
    def test_kill_9_of_anything_at_any_moment_leaves_nothing(self, user, seed, tmp_path):
        """Sandboxes start, work and end all the time; then some process is killed, and soon after the runner."""
        chance, before = random.Random(seed), mounts()
        runner = subprocess.Popen(
            [sys.executable, "-c", BUSY_RUNNER.format(user=user)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "TMPDIR": str(tmp_path)},
        )
        runner.stdout.readline()
        time.sleep(chance.uniform(0, 1.5))
        with suppress(psutil.NoSuchProcess):
            chance.choice(family(runner.pid)).kill()
        time.sleep(chance.uniform(0, 0.2))
        known = family(runner.pid)
        runner.kill()
        runner.wait(timeout=PATIENCE)
        runner.stdout.close()
        eventually(lambda: not any(alive(process) for process in known))
        eventually(lambda: not any(occupied(group) for process in known for group in cgroups_of(process.pid)))
        assert mounts() <= before
        assert list(tmp_path.iterdir()) == []
        with NamespaceProvider() as provider, provider.open(SandboxSpec()):
            assert [group for process in known for group in cgroups_of(process.pid)] == []

    def test_the_runners_folders_hold_nothing_of_a_sandbox(self, provider, tmp_path):
        before = {path.name for path in Path("/tmp").iterdir()} | {path.name for path in Path("/var/tmp").iterdir()}
        with provider.open(SandboxSpec()) as sandbox:
            sandbox.run(Shell("touch /tmp/a /workspace/b /dev/shm/c"))
            during = {path.name for path in Path("/tmp").iterdir()} | {path.name for path in Path("/var/tmp").iterdir()}
        assert not {"a", "b", "c"} & (during - before)

    def test_a_dead_supervisor_is_replaced_at_the_next_start(self, user):
        with NamespaceProvider(user=user) as provider:
            lost = provider.open(SandboxSpec())
            os.kill(provider.supervisor, signal.SIGKILL)
            assert gone(lost.pid)
            with pytest.raises(Broken, match="does not answer"):
                lost.run(Exec(("true",)))
            lost.close()
            with provider.open(SandboxSpec()) as sandbox:
                assert sandbox.run(Exec(("echo", "again"))).stdout == b"again\n"

    def test_closing_leaves_no_process_group_or_descriptor(self, user):
        with NamespaceProvider(user=user) as provider:
            provider.open(SandboxSpec()).close()
            descriptors = len(os.listdir("/proc/self/fd"))
            for _ in range(5):
                sandbox = provider.open(SandboxSpec())
                sandbox.run(Shell("sleep 600 &"))
                sandbox.close()
                assert not psutil.pid_exists(sandbox.pid)
            supervisor = psutil.Process(provider.supervisor)
            eventually(lambda: supervisor.children() == [])  # a tracer ends after what it traces
            assert cgroups_of(provider.supervisor) == []
            eventually(lambda: len(os.listdir("/proc/self/fd")) <= descriptors)
        eventually(lambda: not supervisor.is_running())


def test_fifty_sandboxes_live_beside_each_other(user):
    with NamespaceProvider(user=user) as provider:
        sandboxes = [provider.open(SandboxSpec(limits=Limits(memory_mb=256))) for _ in range(50)]
        answers = [
            sandbox.run(Exec(("bash", "-c", "echo $$ > /workspace/me; cat /workspace/me; ls /workspace")))
            for sandbox in sandboxes
        ]
        assert all(answer.stdout.endswith(b"\nme\n") for answer in answers)
        for sandbox in sandboxes:
            sandbox.close()


def test_a_socket_that_the_agent_makes_cannot_be_reached_from_another_attempt(provider):
    with provider.open(SandboxSpec()) as one, provider.open(SandboxSpec()) as other:
        serve = (
            "import os, socket, time\ns = socket.create_server(('127.0.0.1', 4000))\nopen('up', 'w')\n"
            "while not os.path.exists('end'): time.sleep(0.02)"
        )
        connect = "import socket; socket.create_connection(('127.0.0.1', 4000), 60)"
        worker = threading.Thread(target=lambda: one.run(Exec(("python3", "-c", serve), seconds=PATIENCE)))
        worker.start()
        one.run(Exec(("bash", "-c", "until [ -e up ]; do sleep 0.02; done"), seconds=PATIENCE))
        assert one.run(Exec(("python3", "-c", connect))).exit_code == 0
        assert b"refused" in other.run(Exec(("python3", "-c", connect))).stderr
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", 4000), 1)
        one.write("end", b"")
        worker.join()
