"""Attacks from inside a sandbox. Each is first shown to succeed with the named protections off, then to fail.

An attack is a Python program that prints ESCAPED when it got what it wanted. `@NAME@` stands for something that the
test put on the host: a secret file, a socket, a process. `off` names the protections that stand against the attack
(several where one alone would stop it, too).
"""

import ctypes
import os
import platform
import socket
import subprocess
import sys
import tempfile
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from benchwright.errors import EnvironmentFault
from benchwright.sandbox.base import Exec, Room, SandboxSpec, Spent
from benchwright.sandbox.container import ContainerProvider
from benchwright.sandbox.container_engine import usable
from benchwright.sandbox.holder.plan import Protections
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.task import Limits

ORDINARY_USER = 65534
ALL, ROOT, NAMESPACE = ("root", "user", "podman"), ("root", "podman"), ("root", "user")
POWER = ("seccomp", "capabilities", "own_user")
"""What a process needs to be without to act as root of the host: the filter, the loss of capabilities, its own uid."""


@dataclass(frozen=True)
class Attack:
    name: str
    off: tuple[str, ...]
    code: str
    who: tuple[str, ...] = ALL
    machine: str = ""

    @property
    def spoils(self):
        """Whether a sandbox in which it succeeds is none for others: it uses something up, or slows all that follows."""
        return self.off == ("limits",) or "first process" in self.name or "all processes" in self.name


PRELUDE = """
import ctypes, errno, os, signal, socket, struct, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
NUMBERS = {'x86_64': 0, 'aarch64': 1}
def call(numbers, *arguments):
    number = numbers[NUMBERS[os.uname().machine]]
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *words)
    return result, ctypes.get_errno()
def escaped(yes=True):
    if yes: print('ESCAPED', flush=True)
def readable(path, text=b''):
    for place in (path, '/host' + path):
        try:
            with open(place, 'rb') as stream: data = stream.read()
        except OSError: continue
        if text in data and data: return True
    return False
def writable(path):
    for place in (path, '/host' + path):
        try: os.close(os.open(place, os.O_WRONLY))
        except OSError: continue
        return True
    return False
NEWUSER, NEWNS = 0x10000000, 0x20000
"""

ATTACKS = [
    # --- what lies on the host ---------------------------------------------------------------------------------
    Attack("read the gold beside the suite", ("own_tree",), "escaped(readable('@GOLD@', b'canary'))"),
    Attack("read a file that only root may read", ("own_tree", "own_user"), "escaped(readable('@SECRET@', b'canary'))", ROOT),
    Attack("read the host's password hashes", ("own_tree", "own_user"), "escaped(readable('/etc/shadow', b'root:'))", ROOT),
    Attack("read the host's users", ("own_tree",), "escaped(readable('/etc/passwd', b'root:'))"),
    Attack("list what lies beside the gold", ("own_tree",), "escaped(any(os.path.isdir(p) and os.listdir(p) for p in ('@FOLDER@', '/host@FOLDER@')))"),
    Attack("read the shared memory of others", ("own_tree",), "escaped(readable('@SHM@', b'canary'))"),
    Attack("reach a raw device of the host", ("own_tree", "own_user"), "escaped(writable('/dev/kmsg'))", ROOT),
    Attack("reach the kernel's settings", ("own_tree", "own_user", "read_only"), "escaped(writable('/proc/sys/kernel/core_pattern'))", ROOT),
    Attack("reach /sys", ("own_tree",), "escaped(os.path.isdir('/sys/kernel') or os.path.isdir('/host/sys/kernel'))"),
    Attack("reach the control groups", ("own_tree", "own_user"), "escaped(writable('@CGROUP@'))", ROOT),
    Attack("talk to a service by its socket", ("own_tree",), "s = socket.socket(socket.AF_UNIX)\nfor p in ('@SOCKET@', '/host@SOCKET@'):\n    try: s.connect(p); escaped()\n    except OSError: pass"),
    Attack("type at a terminal of the host", ("own_tree",), "escaped(writable('@TERMINAL@'))", NAMESPACE),
    Attack("use up the machine's terminals", ("limits",), "import pty, resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (400, 400))\nkept = []\ntry:\n    while len(kept) < 150: kept.append(pty.openpty())\nexcept OSError: pass\nescaped(len(kept) == 150)", NAMESPACE),
    # --- what may not be changed -------------------------------------------------------------------------------
    Attack("write into the data", ("read_only",), "open('/data/a.csv', 'a').write('x'); escaped()"),
    Attack("put a file beside the data", ("read_only",), "open('/data/new', 'w').write('x'); escaped()"),
    Attack("plant a file in /etc", ("read_only", "own_user"), "open('/etc/ld.so.preload', 'w').write(''); escaped()", ROOT),
    Attack("plant a program in the root folder", ("read_only", "own_user", "capabilities"), "open('/new', 'w').write('x'); escaped()", ROOT),
    # --- keys and other processes ------------------------------------------------------------------------------
    Attack("find a key in the environment", ("clean_environment",), "escaped('canary-key' in os.environ.values())"),
    Attack("find a key in another process's environment", (*POWER, "own_processes"), "escaped(any(readable(f'/proc/{p}/environ', b'canary-key') for p in os.listdir('/proc') if p.isdigit()))", ROOT),
    Attack("see the host's processes", ("own_processes",), "escaped(any(readable(f'/proc/{p}/cmdline', b'@VICTIM_NAME@') for p in os.listdir('/proc') if p.isdigit() and p != str(os.getpid())))"),
    Attack("signal a process of the host", ("own_processes", "own_user"), "os.kill(@VICTIM@, 0); escaped()", ROOT),
    Attack("enter another process's root", (*POWER, "own_processes"), "escaped(bool(os.listdir('/proc/@VICTIM@/root/')))", ROOT),
    Attack("read the first process's memory", ("sealed_holder",), "open('/proc/1/mem', 'rb').close(); escaped()"),
    Attack("look at the first process's descriptors", ("sealed_holder",), "escaped(bool(os.listdir('/proc/1/fd')))"),
    Attack("attach to a process", ("seccomp",), "p = os.fork()\nif p == 0: time.sleep(600); os._exit(0)\nescaped(libc.ptrace(16, p, 0, 0) == 0)\nos.kill(p, 9)"),
    Attack("read a process's memory from outside", ("seccomp",), "b = ctypes.create_string_buffer(8)\nv = struct.pack('QQ', ctypes.addressof(b), 8)\nescaped(call((310, 270), os.getpid(), v, 1, v, 1, 0)[0] == 8)"),
    Attack("compare kernel objects of processes", ("seccomp",), "escaped(call((312, 272), os.getpid(), os.getpid(), 0, 0, 0)[0] == 0)"),
    Attack("steal a descriptor", ("seccomp",), "p = os.fork()\nif p == 0: time.sleep(600); os._exit(0)\nescaped(call((438, 438), os.pidfd_open(p), 0, 0)[0] >= 0)\nos.kill(p, 9)"),
    # --- the first process, which keeps the limits and answers the runner --------------------------------------
    *(Attack(f"limit the first process's {name}", ("seccomp",), f"import resource as r\nr.prlimit(1, r.RLIMIT_{name}, r.prlimit(1, r.RLIMIT_{name})); escaped()")
      for name in ("CPU", "NOFILE", "AS", "DATA", "FSIZE", "NPROC", "STACK")),
    Attack("learn the first process's limits", ("seccomp",), "import resource as r\nr.prlimit(1, r.RLIMIT_CPU); escaped()"),
    Attack("lower the first process's priority", ("seccomp",), "os.setpriority(os.PRIO_PROCESS, 1, os.getpriority(os.PRIO_PROCESS, 1)); escaped()"),
    Attack("lower the priority of all processes of its user", ("seccomp",), "os.setpriority(os.PRIO_USER, os.getuid(), 19); escaped(os.getpriority(os.PRIO_PROCESS, 1) == 19)"),
    Attack("tie the first process to processors", ("seccomp",), "os.sched_setaffinity(1, os.sched_getaffinity(1)); escaped()"),
    Attack("let the first process run only when nothing else does", ("seccomp",), "os.sched_setscheduler(1, os.SCHED_BATCH, os.sched_param(0)); escaped()"),
    Attack("set the first process's scheduling parameters", ("seccomp",), "os.sched_setparam(1, os.sched_param(0)); escaped()"),
    Attack("set the first process's scheduling by the new call", ("seccomp",), "a = struct.pack('IIQiIQQQ', 48, 3, 0, 19, 0, 0, 0, 0)\nescaped(call((314, 274), 1, a, 0)[0] == 0)"),
    Attack("let the first process's reads and writes wait", ("seccomp",), "escaped(call((251, 30), 1, 1, 2 << 13 | 7)[0] == 0)"),
    Attack("let the reads and writes of all processes of its user wait", ("seccomp",), "escaped(call((251, 30), 3, os.getuid(), 2 << 13 | 7)[0] == 0)"),
    *(Attack(f"write the first process's {name}", ("sealed_holder",), f"os.close(os.open('/proc/1/{name}', os.O_WRONLY)); escaped()")
      for name in ("oom_score_adj", "clear_refs", "coredump_filter", "task/1/comm")),
    Attack("ask to be spared when memory runs out", ("sealed_holder",), "open('/proc/self/oom_score_adj', 'w').write('0'); escaped()", NAMESPACE),
    # --- namespaces and mounts ---------------------------------------------------------------------------------
    Attack("make a user namespace by unshare", ("seccomp", "nested"), "escaped(libc.unshare(NEWUSER) == 0)"),
    Attack("make a user namespace by clone", ("seccomp", "nested"), "r, _ = call((56, 220), NEWUSER | 17, 0, 0, 0, 0)\nif r == 0: os._exit(0)\nescaped(r > 0)"),
    Attack("make a user namespace by clone3", ("seccomp", "nested"), "a = struct.pack('QQQQQQQQ', NEWUSER, 0, 0, 0, 17, 0, 0, 0)\nr, _ = call((435, 435), a, ctypes.c_size_t(len(a)))\nif r == 0: os._exit(0)\nescaped(r > 0)"),
    Attack("become root of a nested namespace and mount", ("seccomp", "nested", "sealed_holder"), "u = os.getuid()\nassert libc.unshare(NEWUSER | NEWNS) == 0\nopen('/proc/self/setgroups', 'w').write('deny')\nopen('/proc/self/uid_map', 'w').write(f'0 {u} 1')\nescaped(libc.mount(b't', b'/workspace', b'tmpfs', 0, 0) == 0)"),
    Attack("enter the host's namespaces", (*POWER, "own_processes"), "escaped(libc.setns(os.open('/proc/@VICTIM@/ns/mnt', os.O_RDONLY), 0) == 0)", ROOT),
    Attack("mount a filesystem", POWER, "escaped(libc.mount(b't', b'/workspace', b'tmpfs', 0, 0) == 0)", ROOT),
    Attack("make the data writable by a remount", POWER, "escaped(libc.mount(None, b'/usr', None, 0x1020, None) == 0)", ROOT),
    Attack("uncover what is masked", POWER, "escaped(libc.umount2(b'/proc/sys', 2) == 0)", ROOT),
    Attack("open a filesystem by the new calls", POWER, "escaped(call((430, 430), b'tmpfs', 0)[0] >= 0)", ROOT),
    Attack("clone a mount by the new calls", POWER, "escaped(call((428, 428), -100, b'/usr', 1)[0] >= 0)", ROOT),
    Attack("change the root by chroot", ("seccomp", "capabilities"), "escaped(libc.chroot(b'/workspace') == 0)"),
    Attack("open a file by its handle", POWER, "h = struct.pack('IiQ', 8, 1, 0)\nescaped(call((304, 265), os.open('/', os.O_RDONLY), h, 0)[1] != errno.EPERM)", ROOT),
    Attack("hold a capability", ("capabilities",), "escaped('CapEff:\\t0000000000000000' not in open('/proc/self/status').read())"),
    Attack("make a device", POWER, "os.mknod('/tmp/null', 0o20666, os.makedev(1, 3)); escaped()", ROOT),
    # --- network -----------------------------------------------------------------------------------------------
    Attack("reach a server on the host", ("own_network",), "socket.create_connection(('127.0.0.1', @PORT@), 3); escaped()"),
    Attack("reach an abstract socket of the host", ("own_network",), "socket.socket(socket.AF_UNIX).connect('\\0@ABSTRACT@'); escaped()"),
    Attack("listen to raw packets", POWER, "socket.socket(17, socket.SOCK_RAW, 0); escaped()", ROOT),
    Attack("listen to the kernel's device events", ("seccomp",), "socket.socket(16, socket.SOCK_RAW, 15); escaped()"),
    Attack("use an exotic socket family", ("seccomp",), "try: socket.socket(40, socket.SOCK_STREAM)\nexcept OSError as e: escaped(e.errno != errno.EAFNOSUPPORT)\nelse: escaped()"),
    Attack("make a pair of sockets of an exotic family", ("seccomp",), "try: socket.socketpair(16, socket.SOCK_RAW)\nexcept OSError as e: escaped(e.errno != errno.EAFNOSUPPORT)\nelse: escaped()"),
    Attack("share memory with another attempt", ("own_ipc", "seccomp"), "escaped(libc.shmget(@SEGMENT@, 0, 0) >= 0)"),
    # --- wide kernel surfaces ----------------------------------------------------------------------------------
    Attack("set up io_uring", ("seccomp",), "p = ctypes.create_string_buffer(256)\nescaped(call((425, 425), 4, p)[0] >= 0)"),
    Attack("use the kernel's keyrings", ("seccomp",), "escaped(call((248, 217), b'user', b'canary', b'x', 1, -2)[0] >= 0)"),
    Attack("load a BPF program", POWER, "escaped(call((321, 280), 0, struct.pack('IIII', 2, 4, 4, 1) + bytes(112), 128)[0] >= 0)", ROOT),
    Attack("handle page faults in user space", ("seccomp",), "escaped(call((323, 282), 1)[0] >= 0)"),
    Attack("count hardware events", ("seccomp",), "a = struct.pack('IIQQQQQ', 1, 112, 1, 0, 0, 0, 0x60) + bytes(64)\nescaped(call((298, 241), a, 0, -1, -1, 0)[0] >= 0)"),
    Attack("watch whole filesystems", ("seccomp",), "escaped(call((300, 262), 0x200, 0)[0] >= 0)"),
    Attack("answer one's own system calls behind a tracer's back", ("seccomp",), "f = ctypes.create_string_buffer(struct.pack('HBBI', 6, 0, 0, 0x7fff0000))\np = struct.pack('HQ', 1, ctypes.addressof(f))\nlibc.prctl(38, 1, 0, 0, 0)\nescaped(call((317, 277), 1, 8, p)[0] >= 0)"),
    Attack("open a file with flags that can change meanwhile", ("seccomp",), "escaped(call((437, 437), -100, b'/data/a.csv', bytes(24), 24)[0] >= 0)"),
    Attack("switch the machine's personality", ("seccomp",), "escaped(libc.personality(0x0040000) >= 0)"),
    Attack("type into a terminal", ("seccomp",), "escaped(libc.ioctl(0, 0x5412, b'x') == -1 and ctypes.get_errno() != errno.EPERM)"),
    Attack("call the kernel as a 32-bit program", ("seccomp",), "import mmap\nm = mmap.mmap(-1, 4096, prot=7)\nm.write(bytes.fromhex('b814000000cd80c3'))\nf = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(m)))\nescaped(f() == os.getpid())", machine="x86_64"),
    Attack("set the clock", POWER, "time.clock_settime(time.CLOCK_REALTIME, time.time()); escaped()", ROOT),
    Attack("rename the machine", POWER, "escaped(libc.sethostname(b'sandbox', 7) == 0)", ROOT),
    Attack("push aside the host's processes", ("capabilities", "own_user"), "os.nice(-5); escaped()", ROOT),
    Attack("read the kernel's log", POWER, "escaped(libc.klogctl(10, None, 0) >= 0)", ROOT),
    # --- limits ------------------------------------------------------------------------------------------------
    Attack("use more memory than allowed", ("limits",), "b = bytearray(300 << 20)\nfor i in range(0, len(b), 4096): b[i] = 1\ntime.sleep(1); escaped()"),
    Attack("use more memory than allowed in a process that may not be looked at", ("limits",), "libc.prctl(4, 0, 0, 0, 0)\nb = bytearray(300 << 20)\nfor i in range(0, len(b), 4096): b[i] = 1\ntime.sleep(1); escaped()"),
    Attack("use more memory than allowed in a process without its first thread", ("limits",), "def eat():\n    time.sleep(0.3); b = bytearray(300 << 20)\n    for i in range(0, len(b), 4096): b[i] = 1\n    time.sleep(1); escaped(); os._exit(0)\nthreading.Thread(target=eat).start(); call((60, 93), 0)"),
    Attack("use more memory than allowed in a file without a name", ("limits",), "f = os.memfd_create('x')\nfor _ in range(300): os.write(f, bytes(1 << 20))\ntime.sleep(1); escaped()"),
    Attack("use more memory than allowed in shared segments", ("limits",), "libc.shmat.restype = ctypes.c_void_p\nfor _ in range(6):\n    i = libc.shmget(0, 50 << 20, 0o1600); assert i >= 0\n    p = ctypes.c_void_p(libc.shmat(i, None, 0)); ctypes.memset(p, 1, 50 << 20); libc.shmdt(p)\ntime.sleep(1); escaped()"),
    Attack("use more memory than allowed by many processes", ("limits",), "for _ in range(6):\n    if os.fork() == 0:\n        b = bytearray(60 << 20)\n        for i in range(0, len(b), 4096): b[i] = 1\n        time.sleep(2); os._exit(0)\ncodes = [os.wait()[1] for _ in range(6)]\nescaped(not any(codes))"),
    Attack("start more processes than allowed", ("limits",), "n = 0\ntry:\n    while n < 200:\n        if os.fork() == 0: time.sleep(600); os._exit(0)\n        n += 1\nexcept OSError: pass\nescaped(n >= 100)"),
    Attack("start more threads than allowed", ("limits",), "n = 0\ntry:\n    while n < 200:\n        threading.Thread(target=time.sleep, args=(600,), daemon=True).start(); n += 1\nexcept RuntimeError: pass\nescaped(n >= 100)\nos._exit(0)"),
    Attack("fill the disk", ("limits",), "with open('/workspace/big', 'wb') as f:\n    for _ in range(100): f.write(bytes(1 << 20))\nescaped()"),
    Attack("fill the disk by way of /tmp and /dev/shm", ("limits",), "for p in ('/tmp/big', '/dev/shm/big'):\n    with open(p, 'wb') as f:\n        for _ in range(30): f.write(bytes(1 << 20))\nescaped()"),
    Attack("fill the disk with empty files", ("limits",), "for i in range(6000): open(f'/workspace/{i}', 'w').close()\nescaped()"),
    Attack("run longer than a step may", ("limits",), "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)); time.sleep(4); escaped()"),
    Attack("write without end", ("limits",), "for _ in range(3000): sys.stderr.write('x' * (1 << 16))\nescaped()"),
]  # fmt: skip

LIMITS = Limits(memory_mb=200, processes=40, disk_mb=40, step_seconds=120, output_kb=64)
SHORT = LIMITS.model_copy(update={"step_seconds": 3.0})
"""For the one attack that is about it; elsewhere it would take a busy machine for a protection."""


@pytest.fixture(scope="module", params=ALL)
def identity(request):
    """Who builds the sandboxes: namespaces as root or as an ordinary user, or podman, started by root."""
    if request.param != "user" and os.geteuid() != 0:
        pytest.skip("only root can")
    if request.param == "podman":
        try:
            usable("podman")
        except EnvironmentFault as error:
            pytest.skip(f"no podman to try: {error.found or error.what}")
    return request.param


@pytest.fixture(scope="module")
def providers(identity):
    """A provider for each set of protections that are off."""
    made = {}
    user = ORDINARY_USER if identity == "user" and os.geteuid() == 0 else None

    def provider(off):
        if off not in made:
            protections = Protections(**dict.fromkeys(off, False))
            made[off] = (
                ContainerProvider("podman", protections=protections)
                if identity == "podman"
                else NamespaceProvider(user=user, protections=protections)
            )
        return made[off]

    yield provider
    for one in made.values():
        one.close()


@pytest.fixture(scope="module")
def sandboxes(identity, providers, room, small_toolbox):
    """A sandbox with these protections off. Containers start slowly: attacks that spoil nothing share one."""
    shared = {}
    tracing = "auto" if os.geteuid() == 0 else "off"  # root tries an ordinary user's tracer as well, which is slow
    spec = SandboxSpec(rooms=(Room("room", room),), limits=LIMITS, toolbox=small_toolbox, tracing=tracing)

    def sandbox(off, attack):
        if attack.spoils or identity != "podman":
            limits = SHORT if attack.name == "run longer than a step may" else LIMITS
            return providers(off).open(replace(spec, limits=limits))
        if off not in shared:
            shared[off] = providers(off).open(spec)
        return nullcontext(shared[off])

    return sandbox


@pytest.fixture(scope="module")
def host(identity):
    """Things on the host that an attempt must not reach, by the name under which attacks know them."""
    folder = Path(tempfile.mkdtemp(prefix="benchwright-host-"))
    folder.chmod(0o755)
    (folder / "gold.jsonl").write_text("canary")
    (folder / "secret").write_text("canary")
    (folder / "secret").chmod(0o600)
    shm = Path(tempfile.mkstemp(prefix="benchwright-", dir="/dev/shm")[1])
    shm.write_text("canary")
    shm.chmod(0o644)
    server = socket.create_server(("127.0.0.1", 0))
    service = socket.socket(socket.AF_UNIX)
    service.bind(str(folder / "service.sock"))
    (folder / "service.sock").chmod(0o777)
    abstract = socket.socket(socket.AF_UNIX)
    abstract.bind(f"\0benchwright-{os.getpid()}-{identity}")
    for listener in (service, abstract):
        listener.listen(8)
    victim = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)", f"victim-{os.getpid()}"],
        env={"API_KEY": "canary-key"},
    )
    here, there = os.openpty()
    os.fchmod(there, 0o666)
    key = 0x42420000 + os.getpid() % 65536
    libc = ctypes.CDLL(None)
    segment = libc.shmget(key, 4096, 0o1666)
    yield {
        "GOLD": folder / "gold.jsonl",
        "SECRET": folder / "secret",
        "FOLDER": folder,
        "SHM": shm,
        "SOCKET": folder / "service.sock",
        "ABSTRACT": f"benchwright-{os.getpid()}-{identity}",
        "PORT": server.getsockname()[1],
        "VICTIM": victim.pid,
        "VICTIM_NAME": f"victim-{os.getpid()}",
        "SEGMENT": key,
        "CGROUP": _some_cgroup(),
        "TERMINAL": os.ttyname(there),
    }
    os.close(here)
    os.close(there)
    libc.shmctl(segment, 0, None)
    victim.kill()
    victim.wait()
    for listener in (server, service, abstract):
        listener.close()
    shm.unlink()
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def _some_cgroup():
    return next((str(path) for path in Path("/sys/fs/cgroup").glob("**/cgroup.procs")), "/sys/fs/cgroup/none")


@pytest.fixture(scope="module")
def room():
    with tempfile.TemporaryDirectory(prefix="benchwright-room-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "a.csv").write_text("a\n1\n")
        for path in (folder, folder / "a.csv"):
            os.chown(path, ORDINARY_USER, ORDINARY_USER) if os.geteuid() == 0 else None
        yield folder


def attack_with(off, attack, sandboxes, host, toolbox):
    code = attack.code
    for name, value in host.items():
        code = code.replace(f"@{name}@", str(value))
    with sandboxes(off, attack) as sandbox:
        return sandbox.run(Exec((str(toolbox / "bin" / "python"), "-c", PRELUDE + code)))


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
class TestAttacks:
    @pytest.fixture(autouse=True)
    def _possible(self, attack, identity, monkeypatch):
        if identity not in attack.who:
            reasons = {"user": "an ordinary user could not do this even without any sandbox"}
            pytest.skip(reasons.get(identity, "a container's /proc is the engine's"))
        if attack.machine and attack.machine != platform.machine():
            pytest.skip(f"for {attack.machine} only")
        monkeypatch.setenv("BENCHWRIGHT_TEST_API_KEY", "canary-key")

    def test_it_succeeds_with_its_protections_off(self, attack, sandboxes, host, small_toolbox):
        outcome = attack_with(attack.off, attack, sandboxes, host, small_toolbox)
        assert b"ESCAPED" in outcome.stdout, outcome.stderr.decode()[-2000:]

    def test_it_fails(self, attack, sandboxes, host, small_toolbox):
        ended = (Spent,) if attack.off == ("limits",) else ()  # for one process's memory the kernel may end all of them
        with suppress(*ended):
            outcome = attack_with((), attack, sandboxes, host, small_toolbox)
            assert b"ESCAPED" not in outcome.stdout, outcome
