"""Each limit ends or stops what runs into it, and is recorded as that limit."""

import errno
import os
import resource
import subprocess
import sys

import pytest

from benchwright.sandbox.base import Exec, Python, SandboxSpec, Shell, Spent
from benchwright.sandbox.holder.identity import OPEN_FILES
from benchwright.sandbox.holder.plan import Protections
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.task import Limits

EAT = "b = bytearray(%d << 20)\nfor i in range(0, len(b), 4096): b[i] = 1\nimport time; time.sleep(60)"
SPAWN = "import os, time\nfor _ in range(200):\n    if os.fork() == 0: time.sleep(600); os._exit(0)"
FILL = "head -c 60M /dev/zero > /workspace/big"


def spec(toolbox=None, **limits):
    return SandboxSpec(limits=Limits(**limits), toolbox=toolbox, tracing="off")


CASES = {
    "memory": (Exec(("python3", "-c", EAT % 300)), {"memory_mb": 150}),
    "processes": (Exec(("python3", "-c", SPAWN)), {"processes": 30}),
    "disk": (Exec(("bash", "-c", FILL)), {"disk_mb": 30}),
    "step": (Exec(("sleep", "600")), {"step_seconds": 0.5}),
    "wall": (Exec(("sleep", "600")), {"wall_seconds": 0.5}),
    "output": (Exec(("yes",)), {"output_kb": 1}),
}


@pytest.mark.parametrize("limit", CASES)
class TestEachLimit:
    def test_it_is_recorded_as_that_limit(self, provider, limit):
        command, limits = CASES[limit]
        with provider.open(spec(**limits)) as sandbox:
            outcome = sandbox.run(command)
            assert outcome.limit == limit
            assert outcome.exit_code != 0
            assert sandbox.limits_hit == (limit,)

    def test_it_is_not_recorded_where_it_is_not_hit(self, provider, limit):
        with provider.open(spec()) as sandbox:
            assert sandbox.run(Exec(("true",))).limit == ""
            assert sandbox.limits_hit == ()

    def test_the_sandbox_goes_on_after_it(self, provider, limit):
        if limit == "wall":
            pytest.skip("the wall limit is the end")
        command, limits = CASES[limit]
        with provider.open(spec(**limits)) as sandbox:
            sandbox.run(command)
            sandbox.run(Exec(("rm", "-f", "/workspace/big")))
            assert sandbox.run(Exec(("echo", "alive"))).stdout == b"alive\n"


def test_a_python_that_memory_killed_is_an_observation(provider, small_toolbox):
    with provider.open(spec(small_toolbox, memory_mb=300)) as sandbox:
        outcome = sandbox.run(Python(EAT % 500))
        assert outcome.limit == "memory"
        assert b"the Python process ended" in outcome.stderr
        assert sandbox.run(Python("1 + 1")).stdout == b"2\n"


def test_a_full_disk_is_an_error_of_the_program_and_space_comes_back(provider):
    with provider.open(spec(disk_mb=30)) as sandbox:
        assert b"No space left" in sandbox.run(Shell(FILL)).stderr
        sandbox.run(Shell("rm /workspace/big"))
        assert sandbox.run(Shell("head -c 20M /dev/zero > /tmp/other && echo fits")).stdout == b"fits\n"


def test_without_a_limit_it_is_called_unlimited(provider):
    free = {"memory_mb": None, "processes": None, "cpus": None, "disk_mb": None, "wall_seconds": None}
    with provider.open(spec(**free)) as sandbox:
        ways = sandbox.isolation.limits
        assert {name for name, way in ways.items() if way == "unlimited"} == {
            "memory",
            "processes",
            "cpus",
            "disk",
            "wall",
        }
        assert sandbox.run(Exec(("bash", "-c", "head -c 40M /dev/zero > big && echo fits"))).stdout == b"fits\n"


SEGMENTS = """
import ctypes
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
for _ in range(100):
    place = ctypes.c_void_p(libc.shmat(libc.shmget(0, 8 << 20, 0o1600), None, 0))
    ctypes.memset(place, 1, 8 << 20)
    libc.shmdt(place)
"""
"""Memory that belongs to no process, so that none of them is the largest."""
FILES = "f = open('/workspace/big', 'wb')\nfor _ in range(1000): f.write(bytes(1 << 20))"
NAMES = "import os\nfor number in range(1_000_000): os.symlink('x' * 4000, f'/workspace/{number}')"
CROWD = """
import os, time
for _ in range(100):
    if os.fork() == 0:
        mine = bytearray(4 << 20)
        mine[::4096] = b'x' * 1024
        time.sleep(600)
        os._exit(0)
time.sleep(3)
"""
SPARE_ME = "open('/proc/1/oom_score_adj', 'w').write('1000')\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs control groups")
class TestMemoryOfTheFirstProcess:
    """It lives in the same control group as the programs, and memory that runs out must never be its end."""

    STARVING = spec(memory_mb=150, disk_mb=1000)

    @pytest.fixture(autouse=True)
    def _counted(self, provider):
        with provider.open(self.STARVING) as sandbox:
            if sandbox.isolation.limits["memory"] != "cgroup":
                pytest.skip("no control group for memory here")

    @pytest.mark.parametrize("code", [SEGMENTS, FILES, NAMES, CROWD], ids=["segments", "files", "names", "a crowd"])
    def test_programs_that_use_it_up_are_killed_before_it_is(self, provider, code):
        with provider.open(self.STARVING) as sandbox:
            for _ in range(2):
                outcome = sandbox.run(Exec(("python3", "-c", code)))
                assert (outcome.limit, outcome.exit_code == 0) == ("memory", code == CROWD)
            assert sandbox.limits_hit == ("memory",)
            assert sandbox.run(Exec(("echo", "alive"))).stdout == b"alive\n"

    def test_where_it_dies_all_the_same_that_is_the_memory_limit(self):
        with (
            NamespaceProvider(protections=Protections(sealed_holder=False)) as provider,
            provider.open(self.STARVING) as sandbox,
        ):
            with pytest.raises(Spent, match="memory limit"):
                sandbox.run(Exec(("python3", "-c", SPARE_ME + SEGMENTS)))
            for again in (lambda: sandbox.run(Shell("true")), lambda: sandbox.read("/workspace/a")):
                with pytest.raises(Spent, match="memory limit"):
                    again()
            assert sandbox.limits_hit == ("memory",)

    def test_too_little_for_it_to_live_is_the_memory_limit_as_well(self, provider):
        with pytest.raises(Spent, match="memory limit"), provider.open(spec(memory_mb=1)) as sandbox:
            sandbox.run(Exec(("true",)))


HOLD_UP = """
import socket, time
pairs = []
try:
    while True:
        pairs.append(socket.socketpair())
        pairs[-1][0].setblocking(False)
        try:
            while True:
                socket.send_fds(pairs[-1][0], [b'x'], [0] * 250)
        except BlockingIOError:
            pass
except OSError as error:
    print(error.errno, flush=True)
"""
"""As many descriptors on their way as the kernel lets a program of this user have."""


STARVED = """
import resource, sys
from pathlib import Path
from benchwright.sandbox.base import Python, SandboxSpec
from benchwright.sandbox.namespace import NamespaceProvider
most, user, toolbox, code = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_NOFILE, (min(int(most), 4096), int(most)))
provider = NamespaceProvider(user=None if user == "None" else int(user))
with provider, provider.open(SandboxSpec(toolbox=Path(toolbox), tracing="off")) as sandbox:
    sandbox.write("a", b"text")
    print(sandbox.run(Python(code)).stdout.decode())
    try:
        print(sandbox.read("a").decode())
    except OSError as error:
        print(error.errno)
"""


class TestDescriptorsOfTheFirstProcess:
    def starved(self, user, toolbox, most):
        """What a runner with this limit of open files gets when it reads a file then."""
        runner = [sys.executable, "-c", STARVED, str(most), repr(user), str(toolbox), HOLD_UP]
        return subprocess.run(runner, capture_output=True, text=True, check=False).stdout.split()

    def test_programs_cannot_hold_up_what_it_passes_to_the_runner(self, user, small_toolbox):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        if 0 <= most < 8192:
            pytest.skip("whoever runs this may not open more files than a program of an attempt")
        assert self.starved(user, small_toolbox, most) == [str(errno.ETOOMANYREFS), "text"]

    def test_with_no_more_than_a_program_may_have_it_would_be_held_up(self, user, small_toolbox):
        held_up = str(errno.ETOOMANYREFS)
        assert self.starved(user, small_toolbox, OPEN_FILES) == [held_up, held_up]


class TestProcessorTime:
    BURN = "import time; t = time.perf_counter()\nwhile time.perf_counter() - t < 1.5: pass\nprint(time.process_time())"

    @pytest.mark.skipif(os.geteuid() != 0, reason="needs control groups")
    def test_a_twentieth_of_a_processor_is_no_more(self):
        with NamespaceProvider() as provider, provider.open(spec(cpus=0.05)) as sandbox:
            if sandbox.isolation.limits["cpus"] != "cgroup":
                pytest.skip("no control group for processor time here")
            assert float(sandbox.run(Exec(("python3", "-c", self.BURN))).stdout) < 0.2

    @pytest.mark.skipif(os.geteuid() != 0, reason="needs control groups")
    def test_without_the_limit_it_gets_more(self):
        with (
            NamespaceProvider(protections=Protections(limits=False)) as provider,
            provider.open(spec(cpus=0.05)) as sandbox,
        ):
            used = [float(sandbox.run(Exec(("python3", "-c", self.BURN))).stdout) for _ in range(3)]
            assert max(used) > 0.2

    def test_an_ordinary_users_attempt_stays_on_its_processors(self, user):
        if user is None and os.geteuid() == 0:
            pytest.skip("root has control groups")
        with NamespaceProvider(user=user) as provider, provider.open(spec(cpus=1)) as sandbox:
            assert sandbox.run(Exec(("nproc",), environment={"OMP_NUM_THREADS": ""})).stdout == b"1\n"

    @pytest.mark.parametrize("limits", [True, False], ids=["on", "off"])
    def test_an_ordinary_users_attempt_cannot_leave_its_processors(self, user, limits):
        if user is None and os.geteuid() == 0:
            pytest.skip("root has control groups")
        move = "import os; os.sched_setaffinity(0, os.sched_getaffinity(0))"
        protections = Protections(limits=limits)
        with NamespaceProvider(user=user, protections=protections) as provider, provider.open(spec(cpus=1)) as sandbox:
            assert (sandbox.run(Exec(("python3", "-c", move))).exit_code != 0) == limits

    def test_memory_that_is_taken_faster_than_it_is_given_back_stays_within_the_limit(self, provider):
        child = "b = bytearray(50 << 20)\n    for i in range(0, len(b), 4096): b[i] = 1\n    time.sleep(60)"
        crowd = f"import os, time\nfor _ in range(16):\n  if os.fork() == 0:\n    {child}; os._exit(0)\n"
        count = "dead, end = 0, time.monotonic() + 30\nwhile dead < 12 and time.monotonic() < end:\n"
        count += "  time.sleep(0.1); dead += sum(os.waitpid(-1, os.WNOHANG)[0] > 0 for _ in range(16 - dead))"
        code = f"{crowd}{count}\nprint(dead)"
        with provider.open(spec(memory_mb=200)) as sandbox:
            outcome = sandbox.run(Exec(("python3", "-c", code)))
            assert outcome.limit == "memory"
            assert int(outcome.stdout or 16) >= 12


def test_the_thread_pools_of_libraries_are_set_to_the_limit(provider):
    with provider.open(spec(cpus=1)) as sandbox:
        text = sandbox.run(Exec(("env",))).stdout
        assert b"OMP_NUM_THREADS=1\n" in text
        assert b"POLARS_MAX_THREADS=1\n" in text


def test_many_calls_in_a_row_do_not_pile_anything_up(provider):
    with provider.open(spec(processes=20)) as sandbox:
        for _ in range(60):
            assert sandbox.run(Exec(("bash", "-c", "true & true & setsid true &"))).exit_code == 0
        assert sandbox.limits_hit == ()
